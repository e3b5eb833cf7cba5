//! Runs that were stopped, and continued, also after a change of what they read or wrote.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use robosieve_batch::{Batch, Error, Filter, Form, Inputs, Observer, Output, Start, Summary};

use crate::common::{self, Folder, rules, zstd};

/// Does this at each point. True stops the run.
struct AtPoint<F: Fn() -> bool>(F);

impl<F: Fn() -> bool> Observer for AtPoint<F> {
    fn stops(&self) -> bool {
        self.0()
    }
}

/// Stops a run at the end of this frame.
fn stop_at(frame: usize) -> AtPoint<impl Fn() -> bool> {
    let left = Cell::new(frame);
    AtPoint(move || left.replace(left.get().saturating_sub(1)) == 1)
}

fn entry(form: Form, number: usize) -> String {
    String::from_utf8(common::entry(form, number, 0)).unwrap()
}

/// The output of a run, with what it wrote.
fn read(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let all = walkdir::WalkDir::new(root).into_iter().map(Result::unwrap);
    let files = all.filter(|entry| entry.file_type().is_file());
    files.map(|entry| (entry.path().strip_prefix(root).unwrap().to_owned(), fs::read(entry.path()).unwrap())).collect()
}

/// Inputs of each kind, long enough for points: a folder with files and an archive, a list, and a packed archive. A run
/// over them was stopped.
struct Stopped(Folder);

impl Stopped {
    fn new() -> Self {
        Self::at("o.ndjson")
    }

    /// The same with this output.
    fn at(output: &str) -> Self {
        let root = Folder::new();
        for name in ["in/b", "in/c", "in/d", "listed/g", "listed/h"] {
            root.write(name, rules(1));
        }
        let entries = |form, count| (0..count).map(|number| entry(form, number)).collect::<String>();
        root.write("in/e.ndjson", entries(Form::Ndjson, 1500));
        root.write("in/f", rules(2));
        let line = |name: &str| root.path(name).display().to_string() + "\n";
        root.write("list", ["listed/g", "listed/h"].map(line).concat());
        root.write("a.warc.zst", zstd(1, entries(Form::Warc, 2600).as_bytes()));
        let stopped = Self(root);
        let run = stopped.run_to(output, Start::New, &mut stop_at(1));
        assert!(matches!(run, Err(Error::Stopped)), "{run:?}");
        stopped
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path(name)
    }

    fn run(&self, start: Start, observer: &mut dyn Observer) -> Result<Summary, Error> {
        self.run_to("o.ndjson", start, observer)
    }

    fn run_to(&self, output: &str, start: Start, observer: &mut dyn Observer) -> Result<Summary, Error> {
        let inputs = Inputs::new().path(self.path("in")).path(self.path("a.warc.zst")).list(self.path("list"));
        let run = Batch::new(Filter::new(["MyBot"]), inputs, Output::path(self.path(output)));
        let mut summary = run.start(start).checkpoint(Duration::ZERO).run(observer)?;
        (summary.seconds, summary.slowest) = (0.0, Vec::new());
        Ok(summary)
    }
}

/// A run that was stopped twice goes on to the bytes of one run, also from a journal that is older than the rest, as
/// after a kill. With the output or the journal damaged it is an error. [batch.output]
#[test]
fn a_stopped_run_is_one_run_or_an_error() {
    for output in ["o.ndjson", "o.ndjson.gz", "o.ndjson.zst", "o"] {
        let root = Stopped::at(output);
        let whole = root.run_to(&output.replacen('o', "whole", 1), Start::New, &mut ()).unwrap();
        let journal = root.path(&format!("{output}.journal"));
        for is_older in [false, true] {
            let point = fs::read(&journal).unwrap();
            assert!(matches!(root.run_to(output, Start::Resume, &mut stop_at(1)), Err(Error::Stopped)));
            assert_ne!(fs::read(&journal).unwrap(), point, "{output}");
            if is_older {
                fs::write(&journal, point).unwrap();
            }
        }
        for suffix in if output == "o" { &["journal"][..] } else { &["journal", "part"] } {
            let path = root.path(&format!("{output}.{suffix}"));
            let right = fs::read(&path).unwrap();
            fs::write(&path, right.get(..right.len() / 9).unwrap()).unwrap();
            let why = root.run_to(output, Start::Resume, &mut ()).unwrap_err();
            assert!(matches!(why, Error::NoJournal { .. } | Error::Damaged(..)), "{output}.{suffix}: {why}");
            fs::write(&path, right).unwrap();
        }
        assert_eq!(root.run_to(output, Start::Resume, &mut ()).unwrap(), whole, "{output}");
        let read = |name: &str| read(&root.path(name));
        assert!(read(output) == read(&output.replacen('o', "whole", 1)), "{output}: other bytes");
    }
}

/// Each change of the inputs is said, and `--start-over` begins again.
#[test]
fn what_changed_is_said() {
    type Change = (&'static str, &'static str, fn(&Stopped) -> io::Result<()>);
    let changes: [Change; 7] = [
        ("a", "is new", |root| fs::write(root.path("in/a"), "")),
        ("z", "is new", |root| fs::write(root.path("in/z"), "")),
        ("d", "what came before it is gone", |root| fs::remove_file(root.path("in/c"))),
        ("", "there are only 7 now", |root| fs::write(root.path("list"), root.path("listed/g").display().to_string())),
        ("c", "its size, or a time of its change, is another", |root| fs::write(root.path("in/c"), "x")),
        ("c1", "another one was in its place", |root| fs::rename(root.path("in/c"), root.path("in/c1"))),
        ("b", "its size, or a time of its change, is another", |root| {
            fs::rename(root.path("in/b"), root.path("x"))?;
            fs::rename(root.path("in/c"), root.path("in/b"))?;
            fs::rename(root.path("x"), root.path("in/c"))
        }),
    ];
    for (name, what, change) in changes {
        let root = Stopped::new();
        std::thread::sleep(Duration::from_millis(10));
        change(&root).unwrap();
        let why = root.run(Start::Resume, &mut ()).unwrap_err().to_string();
        let name = if name.is_empty() { String::new() } else { format!("{}: ", root.path("in").join(name).display()) };
        assert_eq!(why, format!("the inputs changed: {name}{what}"));
        let count = root.run(Start::Over, &mut ()).unwrap().records;
        assert_eq!(count, fs::read_to_string(root.path("o.ndjson")).unwrap().lines().count() as u64);
    }
    // Others, of each kind of input: the words are those of above.
    let others: [fn(&Stopped) -> io::Result<()>; 7] = [
        |root| fs::File::options().write(true).open(root.path("in/b"))?.set_modified(SystemTime::now()),
        |root| fs::remove_file(root.path("in/d")).and_then(|()| fs::create_dir(root.path("in/d"))),
        |root| fs::remove_dir_all(root.path("in")).and_then(|()| fs::create_dir(root.path("in"))),
        |root| fs::write(root.path("in/e.ndjson"), entry(Form::Ndjson, 0)),
        |root| fs::write(root.path("list"), [&b"/nowhere\n"[..], &fs::read(root.path("list"))?].concat()),
        |root| fs::write(root.path("a.warc.zst"), zstd::encode_all(&b""[..], 1)?),
        |root| fs::remove_file(root.path("a.warc.zst")),
    ];
    #[cfg(unix)]
    let links: [fn(&Stopped) -> io::Result<()>; 2] = [
        |root| fs::remove_file(root.path("in/c")).and_then(|()| std::os::unix::fs::symlink("b", root.path("in/c"))),
        // Of the same size, with the time of before.
        |root| {
            let (path, time) = (root.path("in/c"), fs::metadata(root.path("in/c"))?.modified()?);
            fs::write(&path, rules(3))?;
            fs::File::options().write(true).open(&path)?.set_modified(time)
        },
    ];
    #[cfg(not(unix))]
    let links = [];
    for (number, change) in others.into_iter().chain(links).enumerate() {
        let root = Stopped::new();
        std::thread::sleep(Duration::from_millis(10));
        change(&root).unwrap();
        let run = root.run(Start::Resume, &mut ());
        assert!(matches!(run, Err(Error::OtherInputs(_) | Error::Input(..))), "{number}: {run:?}");
    }
}

/// A second run is refused at once, and the lock is free after the first.
#[test]
fn an_output_has_one_run_at_a_time() {
    let root = Stopped::new();
    let asked = Cell::new(0);
    let second = || {
        for start in [Start::New, Start::Resume, Start::Over] {
            let why = root.run(start, &mut ()).unwrap_err();
            assert!(matches!(why, Error::Busy(_)) && why.to_string().ends_with("another run writes it at this moment"));
            asked.set(asked.get() + 1);
        }
        false
    };
    assert_eq!(root.run(Start::Over, &mut AtPoint(second)).unwrap().records, 4106);
    assert_eq!((asked.get(), root.run(Start::New, &mut ()).unwrap().records), (12, 4106));
}

/// What is at the output at the end is of this run, or it is an error: [batch.output]
#[test]
fn an_output_that_is_taken_away_is_an_error() {
    let (old, other) = (b"old\n".to_vec(), b"other\n".to_vec());
    for is_replaced in [false, true] {
        let root = Stopped::new();
        fs::write(root.path("o.ndjson"), &old).unwrap();
        let part = root.path("o.ndjson.part");
        let take = AtPoint(|| {
            fs::remove_file(&part).unwrap();
            if is_replaced {
                fs::write(&part, &other).unwrap();
            }
            false
        });
        let why = root.run(Start::Over, &mut { take }).unwrap_err();
        assert!(matches!(why, Error::Write(..)) && why.to_string().contains("o.ndjson: "), "{why}");
        assert_eq!(fs::read(root.path("o.ndjson")).unwrap(), old);
        assert!(!is_replaced || fs::read(&part).unwrap() == other);
    }
}

/// A file that no run made stays as it is, whatever was asked for.
#[test]
fn a_file_of_others_is_never_replaced() {
    let root = Folder::new();
    root.write("in", rules(1));
    let content = [("journal", ""), ("journal", "mine\n"), ("journal.new", "mine\n"), ("part", "mine\n")];
    for (suffix, content) in content {
        let path = root.write(&format!("o.ndjson.{suffix}"), content);
        let part = root.path("o.ndjson.part");
        if suffix == "journal" {
            fs::write(&part, "mine too").unwrap();
        }
        for start in [Start::New, Start::Resume, Start::Over] {
            let run = Batch::new(
                Filter::new(["x"]),
                Inputs::new().path(root.path("in")),
                Output::path(root.path("o.ndjson")),
            );
            let why = run.start(start).run(&mut ()).unwrap_err();
            assert!(matches!(&why, Error::Foreign(found) if *found == path), "{suffix}: {why}");
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        assert!(suffix != "journal" || fs::read(&part).unwrap() == b"mine too");
        let _ = (fs::remove_file(&path), fs::remove_file(&part));
        assert_eq!(fs::read_dir(root.path("")).unwrap().count(), 1, "{suffix}");
    }
}

/// A stream can't be read again, so its run is not continued.
#[test]
fn a_stream_is_not_continued() {
    let root = Folder::new();
    let lines: String = (0..1500).map(|number| entry(Form::Ndjson, number)).collect();
    let run = |start: Start, frames: usize| {
        let inputs = Inputs::new().stream("-", "in", io::Cursor::new(lines.clone()));
        let run = Batch::new(Filter::new(["x"]), inputs, Output::path(root.path("o.ndjson")));
        run.start(start).run(&mut stop_at(frames))
    };
    assert!(matches!(run(Start::New, 1), Err(Error::Stopped)));
    assert!(matches!(run(Start::New, 1), Err(Error::Interrupted(_))));
    assert!(matches!(run(Start::Resume, 1), Err(Error::OnlyOnce)));
    assert_eq!(run(Start::Over, usize::MAX).unwrap().records, 1500);
    assert_eq!(fs::read_dir(root.path("")).unwrap().count(), 1);
}
