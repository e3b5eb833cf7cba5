//! Counts the instructions of functions of a test program with valgrind.
//!
//! Invariant: the program runs only its test `workload`. Each call of a function in its root module whose name begins
//! with `counted_` is a separate part of the counts. If valgrind is missing, nothing is counted. Then a message goes
//! directly to standard error, because a test harness would capture it. If [`NEEDED`] is set, as in CI, the test
//! fails instead.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

/// The environment variable that makes a missing valgrind a failure.
const NEEDED: &str = "ROBOSIEVE_NEEDS_VALGRIND";

/// The results of a run. Deleted when dropped.
pub(crate) struct Counted {
    folder: PathBuf,
}

impl Counted {
    /// Runs the workload of this program with a variable set, and returns its output. Returns none, with a message,
    /// if valgrind is missing.
    pub(crate) fn run(program: &str, (variable, setting): (&str, &str)) -> Option<(Self, String)> {
        if Command::new("valgrind").arg("--version").output().is_err() {
            assert!(std::env::var_os(NEEDED).is_none(), "valgrind is not installed, and {NEEDED} is set: install it");
            let _ = writeln!(std::io::stderr(), "left out of {program}: {setting}, since valgrind is not installed");
            return None;
        }
        let folder =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{program}-{}-{setting}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let run = Command::new("valgrind")
            // The two patterns are spelled differently because callgrind accepts one action for each pattern.
            .arg("--tool=callgrind")
            .arg(format!("--zero-before={program}::counted*"))
            .arg(format!("--dump-after={program}::counted_*"))
            .args(["--dump-line=no", "--compress-strings=no", "--compress-pos=no"])
            .arg(format!("--callgrind-out-file={}", folder.join("part").display()))
            .arg(std::env::current_exe().unwrap())
            .args(["workload", "--exact", "--ignored", "--nocapture", "--test-threads=1"])
            .env(variable, setting)
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        Some((Self { folder }, String::from_utf8(run.stdout).unwrap()))
    }

    /// The instructions of a part. The first part is 1.
    pub(crate) fn part(&self, number: usize) -> u64 {
        let part = self.folder.join(format!("part.{number}"));
        let text = std::fs::read_to_string(&part).unwrap_or_else(|error| panic!("{}: {error}", part.display()));
        let total = text.lines().find_map(|line| line.strip_prefix("totals: ").or(line.strip_prefix("summary: ")));
        total.unwrap().trim().parse().unwrap()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        // If the folder cannot be deleted, the counts are still right.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
