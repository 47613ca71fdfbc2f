//! A `tengen gtp` process on pipes, for the tests that talk to one.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// A running `tengen gtp`.
pub struct Engine {
    pub child: Child,
    pub input: Option<ChildStdin>,
    pub output: BufReader<ChildStdout>,
}

impl Engine {
    pub fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tengen"))
            .arg("gtp")
            .args(["--threads", "1", "--memory", "16"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Engine { child, input, output }
    }

    pub fn send(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// The next reply, without the blank line that ends it.
    pub fn reply(&mut self) -> String {
        let mut reply = String::new();
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the engine is gone after {reply:?}");
            if line == "\n" {
                return reply.trim_end_matches('\n').to_owned();
            }
            reply.push_str(&line);
        }
    }

    /// The reply to a command that succeeds.
    pub fn ask(&mut self, line: &str) -> String {
        self.send(&format!("{line}\r\n"));
        let reply = self.reply();
        assert!(reply.starts_with('='), "{line}: {reply}");
        reply[1..].trim_start().to_owned()
    }

    /// Closes the input; what the engine still says, its exit status and how
    /// long it took to end.
    pub fn close(mut self) -> (String, Option<i32>, Duration) {
        drop(self.input.take());
        let closed = Instant::now();
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        let status = self.child.wait().unwrap();
        (rest, status.code(), closed.elapsed())
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It has ended already, unless a test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
