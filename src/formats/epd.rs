//! Chess positions with operations, one a line: Extended Position Description,
//! from S. Edwards, "PGN Specification and Implementation Guide" (1994).

/// A position with its operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epd {
    /// The first four fields of FEN: pieces, side to move, castling, en
    /// passant; and both counters where the line has them.
    pub fen: String,
    /// Operation codes with their operands, quotes taken off.
    pub operations: Vec<(String, Vec<String>)>,
}

/// A line that is no EPD.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EpdError {
    /// Fewer than four fields.
    #[error("a position needs four fields: pieces, side, castling, en passant")]
    Fields,
    /// A quote that is never closed.
    #[error("a quoted operand is not closed")]
    Quote,
}

impl Epd {
    /// Reads a line.
    pub fn parse(line: &str) -> Result<Epd, EpdError> {
        let mut rest = line.trim();
        let mut fields = Vec::new();
        while fields.len() < 6 {
            let (field, tail) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            let is_counter = !field.is_empty() && field.bytes().all(|b| b.is_ascii_digit());
            if field.is_empty() || (fields.len() >= 4 && !is_counter) {
                break;
            }
            fields.push(field);
            rest = tail.trim_start();
        }
        if fields.len() < 4 {
            return Err(EpdError::Fields);
        }
        Ok(Epd { fen: fields.join(" "), operations: parse_operations(rest)? })
    }

    /// The positions of a file: a line each; blank lines and lines that begin
    /// with `#` are left out. With each comes its line, from 1.
    pub fn parse_file(text: &str) -> impl Iterator<Item = (usize, Result<Epd, EpdError>)> + '_ {
        let is_position = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        let numbered = text.lines().enumerate().filter(move |(_, line)| is_position(line));
        numbered.map(|(i, line)| (i + 1, Epd::parse(line)))
    }

    /// The operands of `code`, if the operation is there.
    #[must_use]
    pub fn operands(&self, code: &str) -> Option<&[String]> {
        self.operations.iter().find(|(known, _)| known == code).map(|(_, operands)| operands.as_slice())
    }

    /// The name of the position.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.operands("id")?.first().map(String::as_str)
    }

    /// The best moves, in SAN.
    #[must_use]
    pub fn best_moves(&self) -> &[String] {
        self.operands("bm").unwrap_or_default()
    }

    /// The moves to avoid, in SAN.
    #[must_use]
    pub fn moves_to_avoid(&self) -> &[String] {
        self.operands("am").unwrap_or_default()
    }

    /// The evaluation in centipawns, for the side to move.
    #[must_use]
    pub fn evaluation(&self) -> Option<i32> {
        self.operands("ce")?.first()?.parse().ok()
    }
}

/// Reads `bm Nf3 e4; id "a; b";`.
fn parse_operations(text: &str) -> Result<Vec<(String, Vec<String>)>, EpdError> {
    let mut operations = Vec::new();
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if first == ';' {
            finish(&mut operations, &mut words);
            rest = &rest[1..];
        } else if first == '"' {
            let end = rest[1..].find('"').ok_or(EpdError::Quote)? + 1;
            words.push(rest[1..end].to_owned());
            rest = &rest[end + 1..];
        } else {
            let end = rest.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(rest.len());
            words.push(rest[..end].to_owned());
            rest = &rest[end..];
        }
        rest = rest.trim_start();
    }
    finish(&mut operations, &mut words);
    Ok(operations)
}

fn finish(operations: &mut Vec<(String, Vec<String>)>, words: &mut Vec<String>) {
    if !words.is_empty() {
        let code = words.remove(0);
        operations.push((code, std::mem::take(words)));
    }
}

impl std::fmt::Display for Epd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.fen)?;
        for (code, operands) in &self.operations {
            write!(f, " {code}")?;
            for operand in operands {
                let is_text = code.starts_with('c') && code.len() == 2 && code != "ce" || code == "id";
                if is_text || operand.contains([' ', ';']) || operand.is_empty() {
                    write!(f, " \"{operand}\"")?;
                } else {
                    write!(f, " {operand}")?;
                }
            }
            f.write_str(";")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str =
        "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6 Nf3; id \"WAC; 001\"; ce 120;";

    #[test]
    fn operations_are_read() {
        let epd = Epd::parse(LINE).unwrap();
        assert_eq!(epd.fen, "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - -");
        assert_eq!(epd.best_moves(), ["Qg6", "Nf3"]);
        assert_eq!(epd.id(), Some("WAC; 001"));
        assert_eq!(epd.evaluation(), Some(120));
        assert!(epd.moves_to_avoid().is_empty());
        assert_eq!(epd.to_string(), LINE);
    }

    #[test]
    fn counters_belong_to_the_position() {
        let epd = Epd::parse("8/8/8/8/8/8/8/K1k5 w - - 3 17 am Kb1").unwrap();
        assert_eq!(epd.fen, "8/8/8/8/8/8/8/K1k5 w - - 3 17");
        assert_eq!(epd.moves_to_avoid(), ["Kb1"]);
    }

    #[test]
    fn faults_are_told() {
        assert_eq!(Epd::parse("8/8 w -"), Err(EpdError::Fields));
        assert_eq!(Epd::parse("8/8 w - - id \"x"), Err(EpdError::Quote));
        assert_eq!(Epd::parse_file("# a\n\n8/8 w - -\n8/8 b - - bm a;\n").count(), 2);
    }
}
