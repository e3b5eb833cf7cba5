//! Files that come in chunks: every cut, and the memory that reading holds.

use std::cell::Cell;

use allocation_counter::measure;
use robosieve::agent::Interest;
use robosieve::policy::{Parser, RecordSet};
use robosieve::report::FindingKind;
use robosieve::settings::{Dialect, Limits, Options};

/// Files whose parts depend on each other: byte order marks, line ends, continuations, characters, agents above rules.
const FILES: &[&[u8]] = &[
    b"",
    b"\n",
    b"\xEF\xBB\xBF",
    b"\xEF\xBB",
    b"\xEF\xBB\xBF\xEF\xBB\xBFUser-agent: a\r\n\r\nDisallow: /\xE3\x83\x84\r\n",
    b"\xFF\xFEU\0s\0",
    b"User-agent: a\r\nUser-agent: b\r\rDisallow:\r\n  /x\r\nDisallow\r\n : /y\r\n  # c\r\n  /z\r\nCrawl-delay: 1",
    b"  User-agent: a\n  Disallow:\n  /x\n   /y\n    https://e.com/\n\n   /z\n  Content-Signal: a=b,\n\tc=d\n\t,e=f\n  z",
    b"Sitemap:\n  https://e.com/s\n \n  x\nUser-agent: *\nSitemap\n\t:\n\t/a\n\t\t/b # c\n\t\t\t/d\nDisallow /e\n  /f\n",
    b"User-agent: other\nDisallow: /\nUser-agent: MyBot\nAllow: /\nx\nUser-agent\n: b\nDisallow: \x00/\n\n\n",
    b"a\rb\n\rc\r\n\rd\n\n\r\re",
];

fn parsers() -> Vec<Parser> {
    let mut parsers = Vec::new();
    for dialect in [Dialect::Standard, Dialect::Google, Dialect::Processor] {
        for max_bytes in [usize::MAX, 0, 1, 14, 15, 16, 40] {
            let mut options = dialect.options();
            options.limits.max_bytes = max_bytes;
            parsers.push(Parser::new(options.clone()));
            parsers.push(Parser::new(options).for_agents(Interest::new(["MyBot"])));
        }
    }
    parsers
}

/// [input.chunks] [limit.bytes]
#[test]
fn every_cut_gives_the_same_records() {
    for parser in parsers() {
        for file in FILES {
            let whole: Vec<RecordSet<'_>> = parser.records(file).collect();
            for cut in 0..=file.len() {
                let (front, rest) = file.split_at(cut);
                for batch in [1, 8, 4096] {
                    let parts: Vec<RecordSet<'_>> = parser.records_in_batches([front, rest], batch).collect();
                    assert_eq!(parts, whole, "at {cut} of {}, {batch}", file.escape_ascii());
                }
            }
            let parts: Vec<RecordSet<'_>> = parser.records_in_batches(file.chunks(1), 1).collect();
            assert_eq!(parts, whole, "byte by byte: {}", file.escape_ascii());
        }
    }
}

/// [input.chunks]
#[test]
fn every_cut_of_a_file_gives_the_same_records() {
    let parser = Parser::default();
    let mut files = 0;
    for (path, file) in crate::files::files().into_iter().filter(|(_, file)| file.len() < 300) {
        files += 1;
        let whole: Vec<RecordSet<'_>> = parser.records(&file).collect();
        for cut in 0..=file.len() {
            let (front, rest) = file.split_at(cut);
            let parts: Vec<RecordSet<'_>> = parser.records_in_batches([front, rest], 1 + cut % 32).collect();
            assert_eq!(parts, whole, "{} at {cut}", path.display());
        }
    }
    assert!(files > 100);
}

/// The cut end of a file is reported with its last record. [input.chunks] [limit.bytes]
#[test]
fn the_cut_end_is_reported_last_and_no_more_is_read() {
    let taken = Cell::new(0);
    let chunks = (0..1_000_000).map(|number| {
        taken.set(taken.get() + 1);
        format!("User-agent: a\nDisallow: /{number}\n")
    });
    let options = Options { limits: Limits { max_bytes: 10_000, ..Limits::DEFAULT }, ..Options::default() };
    let cuts: Vec<u64> =
        Parser::new(options).records_from(chunks).map(|set| set.report().count(FindingKind::InputCut)).collect();
    assert_eq!((cuts.iter().sum::<u64>(), cuts.last()), (1, Some(&1)));
    assert!(cuts.len() > 300 && taken.get() < 500, "{} records of {} chunks", cuts.len(), taken.get());
}

/// The most bytes that are held while a file of these lines is read, without limits.
fn held<'l>(lines: impl Iterator<Item = &'l [u8]>) -> u64 {
    let parser = Parser::new(Options { limits: Limits::NONE, ..Options::default() });
    let counted = measure(|| assert!(parser.records_from(lines).all(|set| set.records().len() < 2)));
    counted.bytes_max
}

/// [input.chunks] [bounds.parse]
#[test]
fn memory_is_bounded_by_a_record_and_a_line() {
    let record =
        [&b"User-agent: a\nCrawl-delay: 5\n# a comment\n"[..], &b"  Disallow: /folder\n\n".repeat(20)].concat();
    let junk: &[u8] = b"  <p> no field, and indented\n\n";
    let bytes = u64::try_from(record.len()).unwrap();
    for (name, line, of_line) in [
        ("records", &record[..], bytes),
        ("records of nobody", b"User-agent:\nDisallow: /\n", 24),
        ("comments", b"   # a comment\n", 15),
        ("empty lines", b" \n", 2),
        ("no fields", junk, 31),
        ("fields of nobody", b"  Disallow: /a\n", 15),
    ] {
        let lines = |count: usize| std::iter::repeat_n(line, count);
        let few = held(lines(400_000 / line.len()));
        let many = held(lines(1_600_000 / line.len()));
        assert_eq!(few, many, "{name}");
        assert!(many < 40 * of_line + 32_000, "{name}: {many}");
    }
    // A long line is held twice while the buffer grows, and a record with all its rules.
    let line = [&b"User-agent: a\nDisallow: /"[..], &b"a".repeat(300_000), b"\n"].concat();
    let most = held(line.chunks(1000).cycle().take(10 * line.len().div_ceil(1000)));
    assert!(most < 5 * 300_000, "{most}");
}
