//! The other end of GTP: asks an engine and waits for its answer.

use std::path::Path;
use std::time::{Duration, Instant};

use super::engine_process::{EngineError, EngineProcess};

/// An engine that speaks GTP.
#[derive(Debug)]
pub struct GtpClient {
    process: EngineProcess,
    next_id: u32,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Whether the command succeeded.
    pub ok: bool,
    /// The answer without status and number, its lines joined by line feeds.
    pub text: String,
}

impl GtpClient {
    /// Starts `command`.
    pub fn start(
        command: &str,
        folder: Option<&Path>,
        environment: &[(String, String)],
    ) -> Result<Self, EngineError> {
        Ok(GtpClient { process: EngineProcess::start(command, folder, environment)?, next_id: 1 })
    }

    /// Sends `command` and waits for the answer. After an error the engine
    /// cannot be used any more, as its answers may come too late.
    pub fn ask(&mut self, command: &str, timeout: Duration) -> Result<Reply, EngineError> {
        let id = self.next_id;
        self.next_id += 1;
        self.process.send(&format!("{id} {command}"))?;
        let deadline = Instant::now() + timeout;
        let mut lines: Vec<String> = Vec::new();
        loop {
            let line = self.process.read_line(deadline, command).map_err(|error| match error {
                EngineError::Timeout(question, _) => EngineError::Timeout(question, timeout.as_secs_f64()),
                other => other,
            })?;
            match (line.is_empty(), lines.is_empty()) {
                (true, true) => {}
                (true, false) => return read_reply(command, id, &lines),
                (false, true) if !line.starts_with(['=', '?']) => {}
                (false, _) => lines.push(line),
            }
        }
    }

    /// Sends `command` and gives the text of its successful answer.
    pub fn demand(&mut self, command: &str, timeout: Duration) -> Result<String, EngineError> {
        let reply = self.ask(command, timeout)?;
        if reply.ok { Ok(reply.text) } else { Err(EngineError::Refused(command.to_owned(), reply.text)) }
    }

    /// Processor time of the engine.
    #[must_use]
    pub fn cpu_time(&self) -> Option<Duration> {
        self.process.cpu_time()
    }

    /// Asks the engine to quit, and ends it if it does not.
    pub fn quit(mut self) {
        let _ = self.process.send("quit");
        self.process.close();
    }
}

/// Reads the lines of an answer, which must carry `id` or no number at all.
fn read_reply(command: &str, id: u32, lines: &[String]) -> Result<Reply, EngineError> {
    let nonsense = || EngineError::Nonsense(command.to_owned(), lines.join("\n"));
    let first = lines.first().ok_or_else(nonsense)?;
    let ok = first.starts_with('=');
    let rest = &first[1..];
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits > 0 && rest[..digits] != id.to_string() {
        return Err(nonsense());
    }
    let tail = lines[1..].iter().map(String::as_str);
    let all: Vec<&str> = std::iter::once(rest[digits..].trim_start()).chain(tail).collect();
    Ok(Reply { ok, text: all.join("\n").trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(20);

    /// An engine that answers each line with what `script`, a body for a
    /// shell's `while read id command`, prints.
    fn engine(script: &str) -> GtpClient {
        let loop_ = format!("sh -c 'while read id command; do {script}; done'");
        GtpClient::start(&loop_, None, &[]).unwrap()
    }

    #[test]
    fn answers_are_matched_to_questions() {
        let mut engine = engine(r#"printf "noise\n\n=%s %s\nmore\n\n" $id "$command""#);
        let reply = engine.ask("play b D4", LONG).unwrap();
        assert_eq!(reply, Reply { ok: true, text: "play b D4\nmore".into() });
        engine.quit();
    }

    #[test]
    fn errors_and_wrong_numbers_are_told_apart() {
        let mut refusing = engine(r#"printf "?%s no\n\n" $id"#);
        assert_eq!(refusing.ask("x", LONG).unwrap(), Reply { ok: false, text: "no".into() });
        assert!(matches!(refusing.demand("x", LONG), Err(EngineError::Refused(..))));
        let mut confused = engine(r#"printf "=99 yes\n\n""#);
        assert!(matches!(confused.ask("x", LONG), Err(EngineError::Nonsense(..))));
    }

    #[test]
    fn crashes_and_silence_are_told_apart() {
        let mut crashing = engine("exit 1");
        assert!(matches!(crashing.ask("x", LONG), Err(EngineError::Closed(_))));
        let mut silent = engine("sleep 0");
        assert!(matches!(silent.ask("x", Duration::from_millis(50)), Err(EngineError::Timeout(..))));
    }
}
