//! Where handicap stones go.

use super::coord::{Coord, Size};

/// The most stones that [`fixed`] can place on a board of `size`: 9 on odd
/// sides from 9, 4 on even sides from 8 and on a side of 7, none below (GTP 2,
/// section 4.1.1).
#[must_use]
pub fn most_fixed(size: Size) -> usize {
    let shorter = size.width().min(size.height());
    let has_middle = size.width() % 2 == 1 && size.height() % 2 == 1;
    match shorter {
        0..7 => 0,
        7..9 => 4,
        _ if has_middle => 9,
        _ => 4,
    }
}

/// The low, middle and high star line of a side: the third line below 13, the
/// fourth from there on.
fn star_lines(side: u8) -> [u8; 3] {
    let edge = if side < 13 { 2 } else { 3 };
    [edge, side / 2, side - 1 - edge]
}

/// The customary points for `count` stones (GTP 2, section 4.1.1), or `None`
/// when the board has no such handicap.
#[must_use]
pub fn fixed(size: Size, count: usize) -> Option<Vec<Coord>> {
    if count < 2 || count > most_fixed(size) {
        return None;
    }
    let (xs, ys) = (star_lines(size.width()), star_lines(size.height()));
    let star = |(column, row): (usize, usize)| Coord { x: xs[column], y: ys[row] };
    const CORNERS: [(usize, usize); 4] = [(0, 0), (2, 2), (0, 2), (2, 0)];
    const SIDES: [(usize, usize); 4] = [(0, 1), (2, 1), (1, 0), (1, 2)];
    let corners = count.min(4);
    let sides = count.saturating_sub(4) / 2 * 2;
    let mut stones: Vec<Coord> =
        CORNERS[..corners].iter().chain(&SIDES[..sides]).map(|&place| star(place)).collect();
    if count > 4 && count % 2 == 1 {
        stones.push(star((1, 1)));
    }
    Some(stones)
}

/// Points for exactly `count` stones of Black's own choice, always the same
/// ones: the customary points first, then points far from all others, away
/// from the edge while there is room. `None` below 2 stones, or when no point
/// would be left empty.
#[must_use]
pub fn free(size: Size, count: usize) -> Option<Vec<Coord>> {
    if count < 2 || count >= size.points() {
        return None;
    }
    let mut stones = fixed(size, count.min(most_fixed(size))).unwrap_or_default();
    while stones.len() < count {
        let next = size.coords().filter(|coord| !stones.contains(coord)).max_by_key(|&coord| {
            let room = stones.iter().map(|&stone| distance(coord, stone)).min().unwrap_or(u32::MAX);
            (line(size, coord).min(3), room, u32::from(line(size, coord)))
        });
        stones.push(next?);
    }
    Some(stones)
}

/// Squared distance.
fn distance(a: Coord, b: Coord) -> u32 {
    u32::from(a.x.abs_diff(b.x)).pow(2) + u32::from(a.y.abs_diff(b.y)).pow(2)
}

/// The line of a point, 1 at the edge.
fn line(size: Size, coord: Coord) -> u8 {
    let Coord { x, y } = coord;
    x.min(y).min(size.width() - 1 - x).min(size.height() - 1 - y) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(stones: Option<Vec<Coord>>) -> String {
        stones.map_or("none".into(), |s| s.iter().map(Coord::to_string).collect::<Vec<_>>().join(" "))
    }

    fn square(side: u8) -> Size {
        Size::square(side).unwrap()
    }

    #[test]
    fn fixed_stones_follow_the_gtp_table() {
        // Report 28: the third stone.
        assert_eq!(text(fixed(square(19), 3)), "D4 Q16 D16");
        assert_eq!(text(fixed(square(19), 9)), "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10");
        assert_eq!(text(fixed(square(19), 5)), "D4 Q16 D16 Q4 K10");
        assert_eq!(text(fixed(square(9), 2)), "C3 G7");
        assert_eq!(text(fixed(square(7), 4)), "C3 E5 C5 E3");
        assert_eq!(text(fixed(square(10), 5)), "none");
        assert_eq!(text(fixed(square(6), 2)), "none");
        assert_eq!(text(fixed(square(19), 1)), "none");
        assert_eq!(text(fixed(square(19), 10)), "none");
    }

    #[test]
    fn free_stones_are_exactly_as_many_as_asked() {
        for side in 2..=25 {
            let size = square(side);
            for count in [2, 3, 4, 9, 13, 25, size.points() - 1] {
                let Some(mut stones) = free(size, count) else {
                    assert!(count >= size.points() || count < 2);
                    continue;
                };
                assert_eq!(stones.len(), count);
                stones.sort();
                stones.dedup();
                assert_eq!(stones.len(), count, "{size} {count}: no point twice");
            }
        }
        assert_eq!(free(square(9), 81), None);
        assert_eq!(free(square(9), 1), None);
    }
}
