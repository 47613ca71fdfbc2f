//! Eye shapes: vital points of small eye spaces, and stones that leave a
//! killable space when they are taken (nakade).

use super::tactics::chains_around;
use crate::go::bits::PointSet;
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::geometry::{Geometry, Point};

/// The largest eye space with a vital point.
const LARGEST: u32 = 6;

/// The points next to `set` along the lines.
#[inline]
pub fn border<G: Geometry>(set: G::Bits) -> G::Bits {
    let sides = set.shifted_up(1).or(set.shifted_down(1));
    let rows = set.shifted_up(G::STRIDE).or(set.shifted_down(G::STRIDE));
    sides.or(rows).and_not(set)
}

/// The one point that decides whether a space makes two eyes, if it is small
/// and of one of the shapes that have such a point: three in a row or bent,
/// the pyramid four, the bulky and the crossed five, and the rabbity six.
pub fn vital_point<G: Geometry>(space: G::Bits) -> Option<Point> {
    let size = space.count();
    if !(3..=LARGEST).contains(&size) {
        return None;
    }
    let (center, degrees) = degrees::<G>(space);
    let (most, sum) = (degrees[0], degrees.iter().sum::<u32>());
    let vital = match size {
        3 => true,
        4 => most == 3,
        5 => most == 4 || (most == 3 && sum == 10),
        _ => most == 4 && sum == 12,
    };
    vital.then_some(center)
}

/// The point with most neighbours within `space`, and the numbers of
/// neighbours, greatest first.
fn degrees<G: Geometry>(space: G::Bits) -> (Point, [u32; LARGEST as usize]) {
    let mut degrees = [0; LARGEST as usize];
    let (mut center, mut most) = (Point::NONE, 0);
    for (slot, point) in degrees.iter_mut().zip(space.iter()) {
        *slot = G::neighbor_mask(point).and(space).count();
        if *slot > most {
            (center, most) = (point, *slot);
        }
    }
    degrees.sort_unstable_by(|a, b| b.cmp(a));
    (center, degrees)
}

/// The empty space around the empty `point`, if it is of at most six points.
fn small_space<G: Geometry>(board: &Board<G>, point: Point) -> Option<G::Bits> {
    let mut found = [point; LARGEST as usize];
    let mut seen = G::single(point);
    let (mut count, mut next) = (1, 0);
    while next < count {
        let sides = board.empty_side_bits(found[next]);
        for (side, near) in G::neighbors(found[next]).into_iter().enumerate() {
            if sides >> side & 1 == 0 || seen.contains(near) {
                continue;
            }
            if count == found.len() {
                return None;
            }
            found[count] = near;
            seen.insert(near);
            count += 1;
        }
        next += 1;
    }
    Some(seen)
}

/// The vital point of a small space next to `last` that stones of one colour
/// enclose.
pub fn vital_point_near<G: Geometry>(board: &Board<G>, last: Point) -> Option<Point> {
    if board.empty_sides(last) > 2 {
        return None;
    }
    for near in G::neighbor_mask(last).and(board.empty_points()).iter() {
        // In the open there is no small space.
        if board.empty_sides(near) > 2 {
            continue;
        }
        let Some(space) = small_space(board, near) else { continue };
        if let Some(vital) = vital_point::<G>(space)
            && enclosed_by_one(board, space)
        {
            return Some(vital);
        }
    }
    None
}

fn enclosed_by_one<G: Geometry>(board: &Board<G>, space: G::Bits) -> bool {
    let around = border::<G>(space);
    let mut around = around.iter().filter_map(|point| board.color_at(point));
    let Some(owner) = around.next() else { return false };
    around.all(|color| color == owner)
}

/// Whether a stone of `color` at `point` makes a chain that leaves a space
/// with a vital point, or too small for two eyes, when the enemy takes it.
pub fn kills_when_taken<G: Geometry>(board: &Board<G>, point: Point, color: Color) -> bool {
    let stones = chains_around(board, point, color)
        .flat_map(|head| board.chain(head))
        .fold(G::single(point), G::Bits::with);
    match stones.count() {
        0..=3 => true,
        // The square makes no two eyes either.
        4 => vital_point::<G>(stones).is_some() || degrees::<G>(stones).1[3] == 2,
        _ => vital_point::<G>(stones).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::coord::Coord;
    use crate::go::geometry::G9;

    fn space(points: &[(u8, u8)]) -> <G9 as Geometry>::Bits {
        points.iter().fold(PointSet::empty(), |set: <G9 as Geometry>::Bits, &(x, y)| {
            set.with(G9::point(Coord { x, y }))
        })
    }

    fn vital(points: &[(u8, u8)]) -> Option<(u8, u8)> {
        vital_point::<G9>(space(points)).map(|point| {
            let at = G9::coord(point);
            (at.x, at.y)
        })
    }

    #[test]
    fn vital_points_are_those_of_the_books() {
        assert_eq!(vital(&[(0, 0), (1, 0), (2, 0)]), Some((1, 0)));
        assert_eq!(vital(&[(0, 0), (1, 0), (1, 1)]), Some((1, 0)));
        assert_eq!(vital(&[(0, 0), (1, 0), (2, 0), (3, 0)]), None);
        assert_eq!(vital(&[(0, 0), (1, 0), (0, 1), (1, 1)]), None);
        assert_eq!(vital(&[(0, 0), (1, 0), (2, 0), (1, 1)]), Some((1, 0)));
        let bulky = [(0, 0), (1, 0), (0, 1), (1, 1), (2, 1)];
        assert_eq!(vital(&bulky), Some((1, 1)));
        let cross = [(2, 2), (1, 2), (3, 2), (2, 1), (2, 3)];
        assert_eq!(vital(&cross), Some((2, 2)));
        let rabbity = [(2, 2), (1, 2), (3, 2), (2, 1), (2, 3), (3, 3)];
        assert_eq!(vital(&rabbity), Some((2, 2)));
        let five_in_a_row: Vec<(u8, u8)> = (0..5).map(|x| (x, 0)).collect();
        assert_eq!(vital(&five_in_a_row), None);
    }
}
