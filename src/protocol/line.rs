//! Lines of a protocol's input, read beside whatever the engine is doing.
//!
//! A thread reads the input and puts cleaned lines into an [`Inbox`]. The
//! session takes them from there in order; a running search learns through
//! the inbox that input waits, that it was interrupted, or that the input has
//! ended.

use std::collections::VecDeque;
use std::io::{BufRead, Read};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::shared::control::StopFlag;

/// The longest line that is kept, in bytes; what is beyond it is dropped.
pub const LONGEST_LINE: usize = 4 << 20;

/// How long a search may go on after the end of the input, to answer a command
/// that was piped in together with it.
pub const GRACE: Duration = Duration::from_millis(200);

/// What a search that runs now gives way to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// The end of the input, and an interruption asked for.
    ToInterrupts,
    /// The same, but what it finds is short and wanted whole: the end of the
    /// input lets it finish.
    ToInterruptsOnly,
    /// Any input at all: analysis and pondering.
    ToAnyInput,
}

#[derive(Default)]
struct State {
    lines: VecDeque<String>,
    /// When the input ended.
    ended: Option<Instant>,
    /// The running search, and what it gives way to.
    running: Option<(StopFlag, Yield)>,
    interrupted: bool,
}

impl State {
    /// Whether a search that gives way as `rule` says should end now.
    fn should_stop(&self, rule: Yield) -> bool {
        let any = rule == Yield::ToAnyInput && (!self.lines.is_empty() || self.ended.is_some());
        let over =
            rule != Yield::ToInterruptsOnly && self.ended.is_some_and(|ended| ended.elapsed() >= GRACE);
        any || self.interrupted || over
    }

    fn stop_search(&self) {
        if let Some((flag, rule)) = &self.running
            && self.should_stop(*rule)
        {
            flag.raise();
        }
    }
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    arrived: Condvar,
}

/// Lines that arrived and were not taken yet. Clones share them.
#[derive(Clone, Default)]
pub struct Inbox(Arc<Shared>);

impl Inbox {
    /// An empty inbox.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a line at the end.
    pub fn push(&self, line: String) {
        let mut state = self.0.state.lock();
        state.lines.push_back(line);
        state.stop_search();
        self.0.arrived.notify_all();
    }

    /// Asks the running search to end; without one, nothing happens.
    pub fn interrupt(&self) {
        let mut state = self.0.state.lock();
        if state.running.is_some() {
            state.interrupted = true;
            state.stop_search();
        }
    }

    /// Says that no more lines will come. A running search ends after [`GRACE`].
    pub fn close(&self) {
        let mut state = self.0.state.lock();
        state.ended = Some(Instant::now());
        state.stop_search();
        self.0.arrived.notify_all();
        drop(state);
        std::thread::sleep(GRACE);
        self.0.state.lock().stop_search();
    }

    /// The next line; waits for it. `None` when the input has ended and every
    /// line was taken.
    pub fn take(&self) -> Option<String> {
        let mut state = self.0.state.lock();
        loop {
            if let Some(line) = state.lines.pop_front() {
                return Some(line);
            }
            if state.ended.is_some() {
                return None;
            }
            self.0.arrived.wait(&mut state);
        }
    }

    /// Whether a line waits, or the input has ended.
    #[must_use]
    pub fn has_input(&self) -> bool {
        let state = self.0.state.lock();
        !state.lines.is_empty() || state.ended.is_some()
    }

    /// Runs `search`, whose `flag` is raised as soon as it should give way.
    pub fn watch<T>(&self, flag: &StopFlag, rule: Yield, search: impl FnOnce() -> T) -> T {
        flag.lower();
        let mut state = self.0.state.lock();
        state.interrupted = false;
        state.running = Some((flag.clone(), rule));
        state.stop_search();
        drop(state);
        let result = search();
        self.0.state.lock().running = None;
        result
    }
}

/// Reads `input` to its end into `inbox`. `clean` turns the bytes of a line
/// into what the session gets, or nothing; it may also act at once.
pub fn read_lines(input: &mut dyn BufRead, inbox: &Inbox, clean: impl Fn(&[u8], &Inbox) -> Option<String>) {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match (&mut *input).take(LONGEST_LINE as u64).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        if bytes.last() != Some(&b'\n') && !skip_line(input) && bytes.is_empty() {
            break;
        }
        if let Some(line) = clean(&bytes, inbox) {
            inbox.push(line);
        }
    }
    inbox.close();
}

/// Skips to the end of the line; `false` when the input ends before.
fn skip_line(input: &mut dyn BufRead) -> bool {
    loop {
        let (skipped, found) = match input.fill_buf() {
            Ok([]) | Err(_) => return false,
            Ok(buffer) => match buffer.iter().position(|&byte| byte == b'\n') {
                Some(place) => (place + 1, true),
                None => (buffer.len(), false),
            },
        };
        input.consume(skipped);
        if found {
            return true;
        }
    }
}

/// Starts a thread that reads standard input into an inbox.
///
/// # Errors
/// The system refuses a thread.
pub fn read_stdin(
    clean: impl Fn(&[u8], &Inbox) -> Option<String> + Send + 'static,
) -> std::io::Result<Inbox> {
    let inbox = Inbox::new();
    let shared = inbox.clone();
    std::thread::Builder::new().name("input".into()).spawn(move || {
        read_lines(&mut std::io::stdin().lock(), &shared, clean);
    })?;
    Ok(inbox)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(bytes: &[u8], _: &Inbox) -> Option<String> {
        Some(String::from_utf8_lossy(bytes).trim_end().to_string())
    }

    fn lines_of(input: &[u8]) -> Vec<String> {
        let inbox = Inbox::new();
        read_lines(&mut &*input, &inbox, plain);
        std::iter::from_fn(|| inbox.take()).collect()
    }

    #[test]
    fn lines_come_in_order_and_the_last_needs_no_newline() {
        assert_eq!(lines_of(b"a\nb\r\n\nc"), ["a", "b", "", "c"]);
        assert!(lines_of(b"").is_empty());
    }

    #[test]
    fn a_line_without_end_is_cut() {
        let mut input = vec![b'x'; LONGEST_LINE + 100];
        input.extend(b"\nnext\n");
        let lines = lines_of(&input);
        assert_eq!(lines.iter().map(String::len).collect::<Vec<_>>(), [LONGEST_LINE, 4]);
    }

    #[test]
    fn analysis_gives_way_to_input_and_a_move_does_not() {
        let (inbox, flag) = (Inbox::new(), StopFlag::new());
        inbox.push("name".into());
        inbox.watch(&flag, Yield::ToInterrupts, || assert!(!flag.is_raised()));
        inbox.watch(&flag, Yield::ToAnyInput, || assert!(flag.is_raised()));
        inbox.interrupt();
        inbox.watch(&flag, Yield::ToInterrupts, || {
            assert!(!flag.is_raised(), "an interruption is for the search that runs when it comes");
            inbox.interrupt();
            assert!(flag.is_raised());
        });
    }

    #[test]
    fn the_end_of_the_input_ends_every_search() {
        let (inbox, flag) = (Inbox::new(), StopFlag::new());
        inbox.close();
        inbox.watch(&flag, Yield::ToInterrupts, || assert!(flag.is_raised()));
        inbox.watch(&flag, Yield::ToInterruptsOnly, || assert!(!flag.is_raised()));
        assert_eq!(inbox.take(), None);
    }
}
