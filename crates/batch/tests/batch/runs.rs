//! The public interface of the library: items from any reader, records, runs, errors.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use robosieve_batch::files::Apart;
use robosieve_batch::{Batch, Error, Filter, Form, Inputs, Items, Observer, Outcome, Output, Record, Start, Summary};

pub(crate) fn record(number: usize, rules: &str) -> String {
    let block = format!("HTTP/1.1 200 OK\r\n\r\n{rules}");
    let head = format!("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://h{number}/robots.txt\r\n");
    format!("{head}Content-Length: {}\r\n\r\n{block}\r\n\r\n", block.len())
}

/// Counts the bytes that are read from it.
struct Watched<R>(R, Arc<AtomicUsize>);

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(into)?;
        self.1.fetch_add(count, Ordering::Relaxed);
        Ok(count)
    }
}

/// A folder that is deleted after its test.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        // In memory, if there is such a disk: a run waits for each point.
        let memory = Some(Path::new("/dev/shm")).filter(|disk| disk.is_dir());
        let disk = memory.unwrap_or(Path::new(env!("CARGO_TARGET_TMPDIR")));
        let path = disk.join(format!("batch-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// An archive is read one member at a time: no more of it is read than fits into a few buffers. [batch.bounds]
/// [batch.warc]
#[test]
fn an_archive_is_read_as_its_items_are_taken() {
    let archive: String = (0..2000).map(|number| record(number, &"Disallow: /x\n".repeat(400))).collect();
    let (length, read) = (archive.len(), Arc::new(AtomicUsize::new(0)));
    let filter = Filter::new(["MyBot"]);
    let items = filter.items("a.warc", Watched(io::Cursor::new(archive), Arc::clone(&read)));
    assert_eq!(read.load(Ordering::Relaxed), 0);
    let mut taken = 0;
    for item in items {
        taken += 1;
        assert_eq!((item.source(), item.number()), ("a.warc", Some(taken)));
        let consumed = usize::try_from(taken).unwrap() * (length / 2000);
        assert!(read.load(Ordering::Relaxed) <= consumed + (1 << 20), "{taken}");
    }
    assert_eq!((taken, read.load(Ordering::Relaxed)), (2000, length));
}

/// Corrupt data becomes a record with an error: [batch.failures] [batch.warc]
#[test]
fn a_corrupt_member_affects_no_other() {
    let archive = [record(1, "Disallow: /"), "garbage\n".into(), record(2, "Disallow: /"), record(3, "")].concat();
    let broken = io::Cursor::new(archive).chain(Failing);
    let filter = Filter::new(["MyBot"]);
    let records: Vec<Record> =
        Items::new("a\n.warc", broken).form(Form::Warc).filter_map(|item| filter.run(item).into_record()).collect();
    let told: Vec<(Outcome, String)> = records.iter().map(|record| (record.outcome, record.name())).collect();
    let name = |end: &str| format!("a\\x0A.warc{end}");
    assert_eq!(
        told,
        [
            (Outcome::Failed, name(":1")),
            (Outcome::Rules, name(":2")),
            // It is not known what follows the third member.
            (Outcome::Failed, name("")),
        ]
    );
    let problem = records[2].error.as_ref().unwrap();
    assert_eq!((problem.kind, problem.message.as_str()), ("unreadable", &*io::Error::from_raw_os_error(5).to_string()));
}

/// A disk with read errors.
struct Failing;

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::from_raw_os_error(5))
    }
}

/// [batch.order] [batch.inputs]
#[test]
fn inputs_are_filtered_in_order_by_any_number_of_threads() {
    let folder = Folder::new("order");
    for number in 0..300 {
        folder.write(&format!("in/{number:03}"), &format!("User-agent: *\nDisallow: /{number}\n"));
    }
    for jobs in [1, 4] {
        let inputs = Inputs::new().path(folder.0.join("in")).stream("lines", "lines", &b"{\"status\":404}\n"[..]);
        let records = inputs.filtered(Filter::new(["MyBot"]), jobs).filter_map(|done| done.unwrap().into_record());
        let texts: Vec<String> = records.map(|record| record.policy.unwrap().text).collect();
        assert_eq!(texts.len(), 301);
        for (number, text) in texts[..300].iter().enumerate() {
            assert_eq!(*text, format!("User-agent: *\nDisallow: /{number}\n"));
        }
        assert_eq!(texts[300], "User-agent: *\nDisallow:\n");
    }
}

/// [batch.failures] [batch.summary]
#[test]
fn an_observer_gets_failures_and_progress() {
    #[derive(Default)]
    struct Heard {
        failed: Vec<(String, u64)>,
        last: (u64, u64),
    }
    impl Observer for Heard {
        fn progress(&mut self, bytes: u64, records: u64) {
            self.last = (bytes, records);
        }

        fn failed(&mut self, record: &Record, before: u64) {
            self.failed.push((record.name(), before));
        }
    }
    let folder = Folder::new("observer");
    let lines = "{\"robots\":\"\"}\nx\n{\"status\":404}\ny\n";
    let path = folder.write("in.ndjson", lines);
    let mut heard = Heard::default();
    let output = folder.0.join("out.ndjson.gz");
    let summary: Summary =
        Batch::new(Filter::all_agents(), Inputs::new().path(&path), Output::path(&output)).run(&mut heard).unwrap();
    let name = |number: u32| format!("{}:{number}", path.display());
    assert_eq!(heard.failed, [(name(2), 0), (name(4), 1)]);
    assert_eq!(heard.last, (lines.len() as u64, 4));
    assert_eq!((summary.records, summary.has_failures()), (4, true));
    assert!(output.exists());
}

/// [batch.output]
#[test]
fn impossible_runs_fail_before_anything_is_written() {
    let folder = Folder::new("errors");
    let (one, two) = (folder.write("a/x", ""), folder.write("b/x", ""));
    let records = folder.0.join("out.ndjson");
    let check = |inputs: Inputs, output: Output, start: Start| {
        let error = Batch::new(Filter::new(["MyBot"]), inputs, output).start(start).run(&mut ()).unwrap_err();
        assert!(error.is_usage(), "{error}");
        assert!(error.to_string().bytes().all(|byte| matches!(byte, b' '..=b'~')), "{error}");
        error
    };
    let input = || Inputs::new().path(&one);
    let out = || Output::path(&records);
    assert!(matches!(check(input(), Output::stream(io::sink()), Start::Resume), Error::NotResumable));
    assert!(matches!(check(input(), Output::path(&two), Start::New), Error::NotADirectory(_)));
    assert!(matches!(check(input(), Output::path(folder.0.join("a/..")), Start::New), Error::NoFileName(_)));
    let texts = || Output::path(folder.0.join("texts"));
    let within = Inputs::new().path(folder.0.join("a"));
    assert!(matches!(check(within, Output::path(folder.0.join("a/out")), Start::New), Error::Overlap { .. }));
    assert!(matches!(check(input().path(&two), texts(), Start::New), Error::SameName { .. }));
    fs::create_dir(folder.0.join("d.ndjson")).unwrap();
    assert!(matches!(check(input(), Output::path(folder.0.join("d.ndjson")), Start::New), Error::NotAFile(_)));
    let journal = folder.write("out.ndjson.journal", "robosieve journal 4 x {}\n");
    assert!(matches!(check(input(), out(), Start::New), Error::Interrupted(_)));
    assert!(matches!(check(input(), out(), Start::Resume), Error::NoJournal { .. }));
    assert!(journal.exists() && !folder.0.join("out.ndjson.part").exists());
    assert!(!records.exists() && !folder.0.join("texts").exists());
    let checked = |path: &Path| {
        let mut apart = Apart::default();
        apart.writes(path);
        Batch::new(Filter::new(["MyBot"]), input(), out()).start(Start::Over).also_uses(apart).check()
    };
    for path in [&one, &records, &folder.0.join("out.ndjson.part"), &folder.0.join("out.ndjson.journal")] {
        assert!(matches!(checked(path), Err(Error::Overlap(_))), "{}", path.display());
    }
    checked(&two).unwrap().run(&mut ()).unwrap();
    assert!(records.exists());
}
