//! The changes on the disk by which a run keeps its place.
//!
//! Invariant: they are made here and nowhere else, so a test can end a run before each of them, as a kill does.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

/// Makes a file, or replaces its content, on the disk.
pub(crate) fn make(path: &Path, content: &[u8]) -> io::Result<()> {
    step()?;
    let mut file = File::create(path)?;
    step()?;
    file.write_all(content)?;
    file.sync_data()
}

/// Writes all of a file to the disk.
pub(crate) fn sync(file: &File) -> io::Result<()> {
    step()?;
    file.sync_data()
}

/// Cuts a file to this length.
pub(crate) fn cut(file: &File, length: u64) -> io::Result<()> {
    step()?;
    file.set_len(length)
}

/// Gives a file another name.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    step()?;
    fs::rename(from, to)
}

/// Removes a file, if it is there.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    step()?;
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Each change asks first.
#[cfg(not(test))]
#[expect(clippy::unnecessary_wraps, reason = "in a test it fails, where a run is to end")]
const fn step() -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
use tests::step;

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::arithmetic_side_effects, reason = "a test may fail")]
mod tests {
    use std::cell::Cell;
    use std::collections::BTreeMap;
    use std::time::Duration;

    use super::*;
    use crate::{Batch, Error, Filter, Inputs, Output, Start, Summary};

    thread_local! {
        /// The changes that this thread may still make.
        static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
    }

    pub(super) fn step() -> io::Result<()> {
        let left = LEFT.get();
        LEFT.set(left.saturating_sub(1));
        if left == 0 { Err(io::Error::other("killed")) } else { Ok(()) }
    }

    /// All files of a folder.
    fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
        let all = walkdir::WalkDir::new(folder).into_iter().map(Result::unwrap);
        let name = |path: &Path| path.strip_prefix(folder).unwrap().display().to_string();
        let files = all.filter(|entry| entry.file_type().is_file());
        files.map(|entry| (name(entry.path()), fs::read(entry.path()).unwrap())).collect()
    }

    fn run(folder: &Path, output: &str, start: Start, changes: usize) -> Result<Summary, Error> {
        let inputs = Inputs::new().path(folder.join("in"));
        let run = Batch::new(Filter::new(["MyBot"]), inputs, Output::path(folder.join("out").join(output)));
        LEFT.set(changes);
        let done = run.jobs(1).start(start).checkpoint(Duration::ZERO).run(&mut ());
        LEFT.set(usize::MAX);
        let mut summary = done?;
        (summary.seconds, summary.slowest) = (0.0, Vec::new());
        Ok(summary)
    }

    /// A run that ends before any of its changes on the disk, and before any of those of the run that continues it, is
    /// continued to the same bytes, and nothing else is left.
    #[test]
    fn each_change_can_be_the_last() {
        for output in ["o.ndjson", "o.ndjson.gz", "texts"] {
            // In memory, if there is such a disk: each change waits for it.
            let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
            let (folder, out) = (folder.path(), folder.path().join("out"));
            let line = |number: usize| format!("{{\"url\":\"http://n{number}/robots.txt\",\"robots\":\"\"}}\n");
            fs::create_dir(folder.join("in")).unwrap();
            fs::write(folder.join("in/a.ndjson"), (0..10).map(line).collect::<String>()).unwrap();
            fs::write(folder.join("in/b.ndjson"), (10..1030).map(line).collect::<String>()).unwrap();
            let anew = || {
                let _ = fs::remove_dir_all(&out);
                fs::create_dir(&out).unwrap();
            };
            anew();
            let whole = run(folder, output, Start::New, usize::MAX).unwrap();
            let expected = files(&out);
            let (mut changes, mut ended) = (0, 0);
            loop {
                anew();
                let first = run(folder, output, Start::New, changes);
                if first.is_ok() {
                    assert!(files(&out) == expected, "{output}");
                    break;
                }
                // The next one is killed too, later each time.
                if run(folder, output, Start::Resume, changes / 2).is_err() {
                    ended += 1;
                }
                let said = format!("{output}: killed after {changes} changes");
                let last = run(folder, output, Start::Resume, usize::MAX).unwrap_or_else(|why| panic!("{said}: {why}"));
                // If nothing was left to do, it is the next run.
                assert_eq!(last, whole, "{said}");
                assert!(files(&out) == expected, "{said}: {:?}", files(&out).keys());
                changes += 1;
            }
            assert!(changes > 8 && ended > 6, "{output}: {changes} changes, {ended} ended twice");
        }
    }
}
