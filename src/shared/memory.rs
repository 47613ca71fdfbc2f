//! How large tables lie in memory.

use std::mem::MaybeUninit;

/// Asks the system to back `room` with large pages where it can. A table read
/// at random is spared most of the cost of finding its pages: a fifth of a
/// chess search. It is a wish; nothing depends on its being granted.
#[cfg(target_os = "linux")]
pub(super) fn prefer_large_pages<T>(room: &mut [MaybeUninit<T>]) {
    const PAGE: usize = 1 << 21;
    let range = room.as_mut_ptr_range();
    let start = range.start.addr().next_multiple_of(PAGE);
    let end = range.end.addr() / PAGE * PAGE;
    if start < end {
        let first = range.start.with_addr(start);
        // SAFETY: the pages lie within memory that the caller owns, and the
        // advice changes neither what is in them nor who may use them.
        unsafe { libc::madvise(first.cast(), end - start, libc::MADV_HUGEPAGE) };
    }
}

/// Does nothing: there is no such wish here.
#[cfg(not(target_os = "linux"))]
pub(super) fn prefer_large_pages<T>(_: &mut [MaybeUninit<T>]) {}
