//! Replies, and the one place that writes them.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

/// What a command answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A reply of this text, of one line or several.
    Text(String),
    /// The command wrote its reply itself, in parts, while it ran.
    Streamed,
}

/// Why a command failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Failure(pub Cow<'static, str>);

/// The result of a command.
pub type Reply = Result<Answer, Failure>;

/// A failure with a message.
pub fn failure(message: impl Into<Cow<'static, str>>) -> Failure {
    Failure(message.into())
}

/// A reply of some text.
///
/// # Errors
/// None; the type is what handlers return.
pub fn text(value: impl ToString) -> Reply {
    Ok(Answer::Text(value.to_string()))
}

/// A reply without text.
///
/// # Errors
/// None; the type is what handlers return.
pub fn done() -> Reply {
    text("")
}

/// Items with a blank between them.
pub fn joined<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(" ")
}

/// Items, each on its line.
pub fn lines<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join("\n")
}

/// Where replies go. Each is written and flushed as a whole.
pub struct Output(Box<dyn Write + Send>);

impl Output {
    /// Writes to `sink`.
    #[must_use]
    pub fn new(sink: Box<dyn Write + Send>) -> Self {
        Output(sink)
    }

    /// Writes the reply to the command numbered `id`.
    ///
    /// # Errors
    /// The client does not take it.
    pub fn reply(&mut self, id: &str, reply: &Reply) -> io::Result<()> {
        let (mark, body) = match reply {
            Ok(Answer::Streamed) => return Ok(()),
            Ok(Answer::Text(body)) => ('=', &**body),
            Err(Failure(message)) => ('?', &**message),
        };
        let mut text = format!("{mark}{id} ");
        // An empty line would end the reply early.
        let mut kept = body.lines().map(str::trim_end).filter(|line| !line.is_empty());
        if let Some(first) = kept.next() {
            text.push_str(first);
        }
        for line in kept {
            let _ = write!(text, "\n{line}");
        }
        text.push_str("\n\n");
        self.raw(&text)
    }

    /// Begins a reply that goes on in [`Output::raw`].
    ///
    /// # Errors
    /// The client does not take it.
    pub fn begin(&mut self, id: &str) -> io::Result<()> {
        self.raw(&format!("={id}\n"))
    }

    /// Writes text as it is, at once.
    ///
    /// # Errors
    /// The client does not take it.
    pub fn raw(&mut self, text: &str) -> io::Result<()> {
        self.0.write_all(text.as_bytes())?;
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Mutex;
    use std::sync::Arc;

    #[derive(Clone, Default)]
    struct Writes(Arc<Mutex<Vec<String>>>);

    impl Write for Writes {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().push(String::from_utf8_lossy(bytes).into_owned());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn report_4_each_reply_is_one_write() {
        let writes = Writes::default();
        let mut output = Output::new(Box::new(writes.clone()));
        output.reply("8", &text("true")).unwrap();
        output.reply("", &done()).unwrap();
        output.reply("6", &Err(failure("unknown command"))).unwrap();
        output.reply("", &text("a\n\nb\n")).unwrap();
        assert_eq!(*writes.0.lock(), ["=8 true\n\n", "= \n\n", "?6 unknown command\n\n", "= a\nb\n\n"]);
    }
}
