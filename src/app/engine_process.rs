//! Another program that is talked to in lines: started, written to, read with
//! a deadline, and never left running.

use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Lines that a program may be ahead of its reader.
const BACKLOG: usize = 100_000;
/// How long a program may take to end by itself.
const PATIENCE: Duration = Duration::from_secs(3);

/// What went wrong with an engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The command line cannot be split into words.
    #[error("cannot read the command line {0:?}")]
    CommandLine(String),
    /// The program did not start.
    #[error("cannot start {command:?}: {source}")]
    Start {
        /// The command line.
        command: String,
        /// Why.
        source: io::Error,
    },
    /// It ended, or closed its output.
    #[error("crashed on {0:?}")]
    Closed(String),
    /// It did not answer in time.
    #[error("no answer to {0:?} within {1:.1} s")]
    Timeout(String, f64),
    /// It answered with an error.
    #[error("answered {0:?} with an error: {1}")]
    Refused(String, String),
    /// Its answer makes no sense in the protocol.
    #[error("answered {0:?} with {1:?}")]
    Nonsense(String, String),
}

/// A running program. Dropping it kills it.
#[derive(Debug)]
pub struct EngineProcess {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl EngineProcess {
    /// Starts `command`, words split as a shell would, in `folder` if given,
    /// with more environment variables.
    pub fn start(
        command: &str,
        folder: Option<&Path>,
        environment: &[(String, String)],
    ) -> Result<Self, EngineError> {
        let words = shlex::split(command).filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| EngineError::CommandLine(command.to_owned()))?;
        let mut process = Command::new(program(&words[0]));
        process.args(&words[1..]).envs(environment.iter().cloned());
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        if let Some(folder) = folder {
            process.current_dir(folder);
        }
        // A group of its own: what the program starts is counted and ended with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut process, 0);
        let mut child =
            process.spawn().map_err(|source| EngineError::Start { command: command.to_owned(), source })?;
        let stdin = child.stdin.take();
        let (sender, lines) = sync_channel(BACKLOG);
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || forward_lines(stdout, &sender));
        }
        Ok(EngineProcess { child, stdin, lines })
    }

    /// Writes a line.
    pub fn send(&mut self, line: &str) -> Result<(), EngineError> {
        let closed = || EngineError::Closed(line.to_owned());
        let stdin = self.stdin.as_mut().ok_or_else(closed)?;
        stdin.write_all(format!("{line}\n").as_bytes()).and_then(|()| stdin.flush()).map_err(|_| closed())
    }

    /// Reads a line, without its end. `question` names what is being answered
    /// in the error.
    pub fn read_line(&self, deadline: Instant, question: &str) -> Result<String, EngineError> {
        let wait = deadline.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(wait).map_err(|error| match error {
            RecvTimeoutError::Timeout => EngineError::Timeout(question.to_owned(), wait.as_secs_f64()),
            RecvTimeoutError::Disconnected => EngineError::Closed(question.to_owned()),
        })
    }

    /// Processor time that the program and those it started used, where the
    /// system tells it.
    #[must_use]
    pub fn cpu_time(&self) -> Option<Duration> {
        /// Of a second, in which Linux reports it on every architecture.
        const TICK_MS: u64 = 10;
        let group = self.child.id();
        let own = stat_ticks(group, group)?;
        let others = std::fs::read_dir("/proc").ok()?.flatten();
        let others = others.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let helpers: u64 = others.filter(|&pid| pid != group).filter_map(|pid| stat_ticks(pid, group)).sum();
        Some(Duration::from_millis((own + helpers) * TICK_MS))
    }

    /// Closes the input, waits for the end for a while, then kills.
    pub fn close(mut self) {
        self.stdin = None;
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            match self.child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(5)),
                _ => return,
            }
        }
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        // All fail only for a program that has ended.
        if let Ok(None) = self.child.try_wait() {
            kill_group(&self.child);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Ends a running program and all that it started.
#[cfg(unix)]
fn kill_group(child: &Child) {
    if let Ok(group) = i32::try_from(child.id()) {
        // SAFETY: the call takes numbers only. The group is the child's own,
        // as it was started with one and has not been waited for.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}

#[cfg(not(unix))]
fn kill_group(_: &Child) {}

/// Clock ticks that a process of `group` and its ended children used.
fn stat_ticks(pid: u32, group: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let is_member = fields.get(2)?.parse() == Ok(group);
    let used = fields.get(11..15)?.iter().map(|field| field.parse::<u64>().ok());
    used.sum::<Option<u64>>().filter(|_| is_member)
}

/// The program that `word` names. A path is meant from here, not from the
/// folder that the program is started in.
fn program(word: &str) -> PathBuf {
    let path = Path::new(word);
    let is_path = path.components().count() > 1 && path.exists();
    if is_path {
        std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
    } else {
        path.to_path_buf()
    }
}

fn forward_lines(stdout: ChildStdout, sender: &SyncSender<String>) {
    let mut reader = BufReader::new(stdout);
    let mut bytes = Vec::new();
    while matches!(reader.read_until(b'\n', &mut bytes), Ok(1..)) {
        let line = String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned();
        if sender.send(line).is_err() {
            return;
        }
        bytes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(20)
    }

    #[test]
    fn lines_go_both_ways() {
        let mut cat = EngineProcess::start("cat", None, &[]).unwrap();
        cat.send("hello").unwrap();
        assert_eq!(cat.read_line(soon(), "hello").unwrap(), "hello");
        let late = cat.read_line(Instant::now(), "x");
        assert!(matches!(late, Err(EngineError::Timeout(..))), "{late:?}");
        cat.close();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_program_starts_counts_and_ends_with_it() {
        let script = "sh -c 'sh -c \"while :; do :; done\" & echo $!; wait'";
        let process = EngineProcess::start(script, None, &[]).unwrap();
        let helper = process.read_line(soon(), "").unwrap();
        while process.cpu_time().unwrap().is_zero() {
            std::thread::sleep(Duration::from_millis(5));
        }
        drop(process);
        let is_gone =
            || std::fs::read_to_string(format!("/proc/{helper}/stat")).map_or(true, |s| s.contains(") Z"));
        while !is_gone() {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn an_ended_program_is_noticed() {
        let process = EngineProcess::start("sh -c 'echo \"two words\"'", None, &[]).unwrap();
        assert_eq!(process.read_line(soon(), "").unwrap(), "two words");
        assert!(matches!(process.read_line(soon(), "q"), Err(EngineError::Closed(_))));
        assert!(matches!(
            EngineProcess::start("/no/such/program", None, &[]),
            Err(EngineError::Start { .. })
        ));
        assert!(matches!(EngineProcess::start("'", None, &[]), Err(EngineError::CommandLine(_))));
    }

    #[test]
    fn programs_by_path_are_found_from_here() {
        assert_eq!(program("cat"), Path::new("cat"));
        assert!(program("src/lib.rs").is_absolute());
        assert_eq!(program("no/such"), Path::new("no/such"));
    }

    #[test]
    fn environment_and_folder_are_passed_on() {
        let variable = [("GREETING".to_owned(), "hi".to_owned())];
        let process =
            EngineProcess::start("sh -c 'echo $GREETING; pwd'", Some(Path::new("/")), &variable).unwrap();
        assert_eq!(process.read_line(soon(), "").unwrap(), "hi");
        assert_eq!(process.read_line(soon(), "").unwrap(), "/");
    }
}
