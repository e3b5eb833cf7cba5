//! Instructions that functions of a test program take, as valgrind counts them.
//!
//! Invariant: the program runs its own test `workload`, and nothing else; each call of a function of its root whose name begins
//! with `counted_` is a part with a count of its own. Where valgrind is missing nothing is counted, which is told on the standard
//! error, where no test harness keeps it back, and is a failure where [`NEEDED`] is set, as in CI.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

/// The environment variable under which it is a failure that valgrind is missing.
const NEEDED: &str = "ROBOSIEVE_NEEDS_VALGRIND";

/// What a run left behind, until it is dropped.
pub(crate) struct Counted {
    folder: PathBuf,
}

impl Counted {
    /// Runs the workload of this program with a variable set, and gives what it printed; none where valgrind is missing, which
    /// is said.
    pub(crate) fn run(program: &str, (variable, setting): (&str, &str)) -> Option<(Self, String)> {
        if Command::new("valgrind").arg("--version").output().is_err() {
            assert!(std::env::var_os(NEEDED).is_none(), "valgrind is not here, and {NEEDED} is set: install it");
            let _ = writeln!(std::io::stderr(), "left out of {program}: {setting}, since valgrind is not here");
            return None;
        }
        let folder =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{program}-{}-{setting}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let run = Command::new("valgrind")
            // Two spellings: callgrind takes one thing to do for each.
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

    /// The instructions of a part, of which the first is 1.
    pub(crate) fn part(&self, number: usize) -> u64 {
        let part = self.folder.join(format!("part.{number}"));
        let text = std::fs::read_to_string(&part).unwrap_or_else(|error| panic!("{}: {error}", part.display()));
        let total = text.lines().find_map(|line| line.strip_prefix("totals: ").or(line.strip_prefix("summary: ")));
        total.unwrap().trim().parse().unwrap()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        // A folder that stays is no fault of what was counted.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
