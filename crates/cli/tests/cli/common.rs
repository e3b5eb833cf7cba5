//! Runs the command in a separate directory.
//!
//! Invariant: nothing waits forever. A process that has not ended after [`PATIENCE`] is killed, and its test fails.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

/// Hostile strings contain this at every place where, unescaped, a line would begin. So no line may begin with it.
pub(crate) const FORGED: &str = "F0RGED";

/// Strings that would forge lines, control a terminal or reverse text. The first contains every line end that any
/// reader knows. The second begins with one.
#[rustfmt::skip]
pub(crate) const HOSTILE: [&str; 2] = [
    "x\nrobosieve: F0RGED\n  F0RGED\r\nerror: F0RGED\rF0RGED\u{b}F0RGED\u{c}F0RGED\u{85}F0RGED\u{2028}F0RGED\u{2029}F0RGED",
    "\nF0RGED\u{1b}[31m\u{1b}[2J\u{1b}]0;F0RGED\u{7}\u{9b}31m\u{7f}\u{202e}F0RGED\n",
];

/// The first words of clap's error lines.
const CLAPS_LINES: [&str; 3] = ["error: ", "Usage: ", "For more information, "];

/// Much more than any test takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// The answer of a command to one request. `test` is asked about `/x`, if about nothing else.
#[track_caller]
pub(crate) fn answer_to(args: &[&str], mut request: Value) -> Value {
    if args[0] == "test" && ["url", "urls", "url_b64"].iter().all(|name| request.get(name).is_none()) {
        request["url"] = "/x".into();
    }
    Dir::new().run_with(&[args, &["--ndjson"]].concat(), request.to_string().as_bytes()).ok().one_json()
}

/// A directory that is deleted after its test.
pub(crate) struct Dir(PathBuf);

impl Dir {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("cli-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A directory with a robots.txt in it.
    pub(crate) fn with(bytes: impl AsRef<[u8]>) -> Self {
        let dir = Self::new();
        dir.write("robots.txt", bytes);
        dir
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names of everything in it.
    pub(crate) fn names(&self) -> Vec<String> {
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<String> = fs::read_dir(&self.0).unwrap().map(name).collect();
        names.sort();
        names
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, b"")
    }

    /// Runs the command, with any result, and checks its output.
    #[track_caller]
    pub(crate) fn tried(&self, args: &[impl AsRef<OsStr>], stdin: &[u8]) -> Ran {
        let ran = self.run_with(args, stdin);
        let args: Vec<&OsStr> = args.iter().map(AsRef::as_ref).collect();
        assert!(matches!(ran.code, Some(0..=3)), "{args:?} ended with {:?}: {}", ran.code, ran.err());
        ran.expect_harmless();
        ran
    }

    /// Runs the command with this standard input.
    pub(crate) fn run_with(&self, args: &[impl AsRef<OsStr>], stdin: &[u8]) -> Ran {
        let stdin = stdin.to_vec();
        self.run_fed(args, move |pipe| {
            // It may end before it has read everything.
            let _ = pipe.write_all(&stdin);
        })
    }

    /// Runs the command with a standard input that a thread writes.
    pub(crate) fn run_fed(
        &self,
        args: &[impl AsRef<OsStr>],
        feed: impl FnOnce(&mut dyn Write) + Send + 'static,
    ) -> Ran {
        let mut child = self.spawn(args);
        let mut stdin = child.stdin.take().unwrap();
        let feeder = thread::spawn(move || feed(&mut stdin));
        let out = read_all(child.stdout.take().unwrap());
        let err = read_all(child.stderr.take().unwrap());
        let code = code_of(&mut child);
        feeder.join().unwrap();
        Ran { code, out: out.join().unwrap(), err: err.join().unwrap() }
    }

    /// Sends lines, each only after the answer to the one before has come, so no answer may be held back. Half of a
    /// line comes before that answer.
    pub(crate) fn run_in_turns(&self, args: &[&str], lines: &[String], code: i32) -> Vec<String> {
        let mut child = self.spawn(args);
        let mut stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (send, answers) = mpsc::channel();
        thread::spawn(move || stdout.lines().for_each(|line| send.send(line.unwrap()).unwrap()));
        let halves = |line: &String| (line[..line.len() / 2].to_owned(), line[line.len() / 2..].to_owned() + "\n");
        let (firsts, seconds): (Vec<_>, Vec<_>) = lines.iter().map(halves).unzip();
        stdin.write_all(firsts[0].as_bytes()).unwrap();
        let mut found = Vec::new();
        for (place, second) in seconds.iter().enumerate() {
            stdin.flush().unwrap();
            stdin.write_all(second.as_bytes()).unwrap();
            stdin.write_all(firsts.get(place + 1).map_or("", String::as_str).as_bytes()).unwrap();
            stdin.flush().unwrap();
            found.push(answers.recv_timeout(PATIENCE).unwrap());
        }
        drop(stdin);
        assert_eq!(code_of(&mut child), Some(code));
        found
    }

    /// Runs the command with these variables in its environment.
    pub(crate) fn run_in(&self, variables: &[(&str, &str)], args: &[&str]) -> Ran {
        let out = self.command(args).envs(variables.iter().copied()).output().unwrap();
        Ran { code: out.status.code(), out: out.stdout, err: out.stderr }
    }

    fn command(&self, args: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_robosieve"));
        command.current_dir(&self.0).args(args).env_remove("CLICOLOR_FORCE");
        command
    }

    pub(crate) fn spawn(&self, args: &[impl AsRef<OsStr>]) -> Child {
        self.command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn read_all(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        bytes
    })
}

/// Waits for the end, but not forever. A killed process has no exit code.
pub(crate) fn code_of(child: &mut Child) -> Option<i32> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Waits for the end. Returns the exit code, and the memory that it held at most, in kB: 0 where that is not known.
#[cfg(feature = "batch")]
pub(crate) fn peak_of(child: &mut Child) -> (Option<i32>, u64) {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak = peak.max(line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0_u64));
        if let Some(ended) = child.try_wait().unwrap() {
            return (ended.code(), peak);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// The result of a run.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    out: Vec<u8>,
    err: Vec<u8>,
}

impl Ran {
    /// A run that wrote this into a file.
    pub(crate) const fn of(out: Vec<u8>) -> Self {
        Self { code: None, out, err: Vec::new() }
    }

    pub(crate) fn out(&self) -> &str {
        str::from_utf8(&self.out).unwrap()
    }

    pub(crate) fn err(&self) -> &str {
        str::from_utf8(&self.err).unwrap()
    }

    /// Its JSON lines.
    pub(crate) fn json(&self) -> Vec<Value> {
        self.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The only JSON line.
    #[track_caller]
    pub(crate) fn one_json(&self) -> Value {
        let lines = self.json();
        assert_eq!(lines.len(), 1, "{}", self.out());
        lines[0].clone()
    }

    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        self.code(0)
    }

    /// Checks that it ended with this code, and that its output is harmless.
    #[track_caller]
    pub(crate) fn code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "out: {}\nerr: {}", self.out(), self.err());
        self.expect_harmless();
        self
    }

    /// Checks that the output is harmless lines, each made by the command itself: each line on the standard
    /// error begins with its source, and no line begins with [`FORGED`].
    #[track_caller]
    pub(crate) fn expect_harmless(&self) {
        let (out, err) = (self.out().replace("\r\n", "\n"), self.err());
        let stray = out.chars().find(|&one| !is_harmless(one) && !matches!(one, '\n' | '\t'));
        assert_eq!(stray, None, "in {out:?}");
        let stray = err.chars().find(|&one| !is_harmless(one) && one != '\n');
        assert_eq!(stray, None, "in {err:?}");
        let is_of_clap = err.starts_with("error: ");
        for line in err.lines() {
            let is_own = line.starts_with("robosieve: ") || line.starts_with("  ");
            let is_claps =
                line.is_empty() || CLAPS_LINES.iter().any(|start| line.starts_with(start) || line == start.trim_end());
            let is_json = || serde_json::from_str::<Value>(line).is_ok_and(|value| value.is_object());
            assert!(is_own || is_of_clap && is_claps || is_json(), "unknown source of {line:?} in {err:?}");
        }
        for line in out.lines().chain(err.lines()) {
            let said =
                ["robosieve: ", "error: "].iter().fold(line, |line, start| line.strip_prefix(start).unwrap_or(line));
            assert!(!said.trim_start().starts_with(FORGED), "forged: {line:?} in {out:?} {err:?}");
        }
    }

    /// Checks that it failed with this code and a message that contains all these words, and printed no output.
    #[track_caller]
    pub(crate) fn fails(self, code: i32, words: &[&str]) -> Self {
        let ran = self.code(code);
        assert_eq!(ran.out(), "");
        for word in words {
            assert!(ran.err().contains(word), "no {word:?} in {}", ran.err());
        }
        ran
    }
}

/// Whether a terminal only shows it: it is no control, no sign for the direction of text, and no invisible one.
fn is_harmless(one: char) -> bool {
    let is_unseen = matches!(one, '\u{ad}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{fff0}'..='\u{fffb}' | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..);
    !one.is_control() && !is_unseen && (one == ' ' || !one.is_whitespace())
}
