//! The public interface of the library: items from any reader, records, runs, errors.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use robosieve_batch::files::Apart;
use robosieve_batch::{Batch, Error, Filter, Form, Inputs, Items, Observer, Outcome, Output, Record, Start, Summary};

use crate::common::{Folder, robots, rules};

/// Counts the bytes that are read from it.
struct Watched<R>(R, Arc<AtomicUsize>);

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(into)?;
        self.1.fetch_add(count, Ordering::Relaxed);
        Ok(count)
    }
}

/// An archive is read one member at a time: no more of it is read than fits into a few buffers. [batch.bounds]
/// [batch.warc]
#[test]
fn an_archive_is_read_as_its_items_are_taken() {
    let archive: Vec<u8> = (0..2000).flat_map(|number| robots(number, &"Disallow: /x\n".repeat(400))).collect();
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
    let archive = [robots(1, "Disallow: /"), b"garbage\n".to_vec(), robots(2, "Disallow: /"), robots(3, "")].concat();
    let broken = io::Cursor::new(archive).chain(Failing);
    let filter = Filter::new(["MyBot"]);
    let records: Vec<Record> =
        Items::new("a\n.warc", broken).form(Form::Warc).filter_map(|item| filter.run(item).into_record()).collect();
    let reported: Vec<(Outcome, String)> = records.iter().map(|record| (record.outcome, record.name())).collect();
    let name = |end: &str| format!("a\\x0A.warc{end}");
    assert_eq!(
        reported,
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
    let folder = Folder::new();
    for number in 0..300 {
        folder.write(&format!("in/{number:03}"), rules(number));
    }
    for jobs in [1, 4] {
        let inputs = Inputs::new().path(folder.path("in")).stream("lines", "lines", &b"{\"status\":404}\n"[..]);
        let records = inputs.filtered(Filter::new(["MyBot"]), jobs).filter_map(|done| done.unwrap().into_record());
        let texts: Vec<String> = records.map(|record| record.policy.unwrap().text).collect();
        assert_eq!(texts.len(), 301);
        for (number, text) in texts[..300].iter().enumerate() {
            assert_eq!(*text, rules(number));
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
    let folder = Folder::new();
    let lines = "{\"robots\":\"\"}\nx\n{\"status\":404}\ny\n";
    let path = folder.write("in.ndjson", lines);
    let mut heard = Heard::default();
    let output = folder.path("out.ndjson.gz");
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
    let folder = Folder::new();
    let (one, two) = (folder.write("a/x", ""), folder.write("b/x", ""));
    let records = folder.path("out.ndjson");
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
    assert!(matches!(check(input(), Output::path(folder.path("a/..")), Start::New), Error::NoFileName(_)));
    let texts = || Output::path(folder.path("texts"));
    let within = Inputs::new().path(folder.path("a"));
    assert!(matches!(check(within, Output::path(folder.path("a/out")), Start::New), Error::Overlap { .. }));
    assert!(matches!(check(input().path(&two), texts(), Start::New), Error::SameName { .. }));
    fs::create_dir(folder.path("d.ndjson")).unwrap();
    assert!(matches!(check(input(), Output::path(folder.path("d.ndjson")), Start::New), Error::NotAFile(_)));
    let journal = folder.write("out.ndjson.journal", "robosieve journal 5 x {}\n");
    assert!(matches!(check(input(), out(), Start::New), Error::Interrupted(_)));
    assert!(matches!(check(input(), out(), Start::Resume), Error::NoJournal { .. }));
    assert!(journal.exists() && !folder.path("out.ndjson.part").exists());
    assert!(!records.exists() && !folder.path("texts").exists());
    let checked = |path: &Path| {
        let mut apart = Apart::default();
        apart.writes(path);
        Batch::new(Filter::new(["MyBot"]), input(), out()).start(Start::Over).also_uses(apart).check()
    };
    for path in [&one, &records, &folder.path("out.ndjson.part"), &folder.path("out.ndjson.journal")] {
        assert!(matches!(checked(path), Err(Error::Overlap(_))), "{}", path.display());
    }
    checked(&two).unwrap().run(&mut ()).unwrap();
    assert!(records.exists());
}
