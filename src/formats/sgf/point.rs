//! Points and moves as records write them.

use crate::go::coord::{Coord, Move, Size};

/// The longest side on which `tt` is a pass.
const TT_PASS_SIDE: u8 = 19;

/// Reads a move: two letters, or `D4` as some programs write it. A pass is
/// nothing at all, blanks, backticks, `tt` up to 19x19, `zz`, or the word.
#[must_use]
pub fn parse_move(text: &str, size: Size) -> Option<Move> {
    let text = text.trim();
    let is_tt = text.eq_ignore_ascii_case("tt") && size.longer_side() <= TT_PASS_SIDE;
    let is_empty = text.chars().all(|c| c == '`' || c.is_whitespace());
    if is_empty || is_tt || text == "zz" || text.eq_ignore_ascii_case("pass") {
        return Some(Move::Pass);
    }
    parse_point(text, size).map(Move::Play)
}

/// Reads a point of the board.
fn parse_point(text: &str, size: Size) -> Option<Coord> {
    let text = text.trim();
    let coord = match *text.as_bytes() {
        [column, row] if row.is_ascii_alphabetic() => letters(column, row, size)?,
        _ => text.parse().ok()?,
    };
    size.contains(coord).then_some(coord)
}

/// The point with these letters. Some programs write capitals for small
/// letters; real capitals would lie beyond our largest board.
fn letters(column: u8, row: u8, size: Size) -> Option<Coord> {
    let place = |letter: u8| letter.to_ascii_lowercase().checked_sub(b'a');
    let (x, from_top) = (place(column)?, place(row)?);
    let y = size.height().checked_sub(from_top + 1)?;
    Some(Coord { x, y })
}

/// Reads a point or a rectangle `aa:cc`, given by any two opposite corners,
/// and appends its points to `points`. Blanks stand for no point.
#[must_use]
pub fn parse_points(text: &str, size: Size, points: &mut Vec<Coord>) -> Option<()> {
    let Some((from, to)) = text.split_once(':') else {
        if !text.trim().is_empty() {
            points.push(parse_point(text, size)?);
        }
        return Some(());
    };
    let (a, b) = (parse_point(from, size)?, parse_point(to, size)?);
    for y in a.y.min(b.y)..=a.y.max(b.y) {
        points.extend((a.x.min(b.x)..=a.x.max(b.x)).map(|x| Coord { x, y }));
    }
    Some(())
}

/// `mv` as a record writes it; a pass is nothing.
#[must_use]
pub fn point_text(mv: impl Into<Option<Coord>>, size: Size) -> String {
    let letter = |n: u8| char::from(b'a' + n);
    mv.into().map_or_else(String::new, |Coord { x, y }| {
        [letter(x), letter(size.height() - 1 - y)].into_iter().collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(side: u8) -> Size {
        Size::square(side).unwrap()
    }

    #[test]
    fn passes_come_in_many_forms() {
        // Report 89: a pass was written as blanks or backticks.
        for text in ["", "  ", "``", "tt", "TT", "pass", " \n"] {
            assert_eq!(parse_move(text, size(19)), Some(Move::Pass), "{text:?}");
        }
        assert_eq!(parse_move("tt", size(21)), Some(Move::Play("U2".parse().unwrap())));
    }

    #[test]
    fn moves_are_letters_or_names() {
        let at = |name: &str| Some(Move::Play(name.parse().unwrap()));
        assert_eq!(parse_move("aa", size(19)), at("A19"));
        assert_eq!(parse_move("R16", size(19)), at("R16"));
        assert_eq!(parse_move("PD", size(19)), at("Q16"));
        assert_eq!(parse_move("ka", size(9)), None);
        assert_eq!(parse_move("a", size(9)), None);
        assert_eq!(parse_move("K10", size(9)), None);
        assert_eq!(parse_move("{a", size(9)), None);
    }

    #[test]
    fn rectangles_are_expanded() {
        // Report 95: compressed point lists.
        let mut points = Vec::new();
        for text in ["cb:ba", "ee", " "] {
            parse_points(text, size(9), &mut points).unwrap();
        }
        let names: Vec<String> = points.iter().map(Coord::to_string).collect();
        assert_eq!(names, ["B8", "C8", "B9", "C9", "E5"]);
        assert_eq!(parse_points("aa:zz", size(9), &mut points), None);
    }

    #[test]
    fn points_round_trip_on_a_rectangle() {
        let size = Size::new(19, 13).unwrap();
        for coord in size.coords() {
            assert_eq!(parse_move(&point_text(coord, size), size), Some(Move::Play(coord)));
        }
    }
}
