//! [input.utf16]: UTF-16 and UTF-32 with a byte order mark.

use robosieve::Sieve;
use robosieve::records::{Parser, RecordSet};
use robosieve::report::{Effect, FindingKind, InputKind};
use robosieve::settings::{Limits, TextForm};

use crate::{at, limited, number};

/// The encodings, each with its mark.
type Encode = fn(&str) -> Vec<u8>;
const ENCODINGS: [(&[u8], Encode); 4] = [
    (b"\xFF\xFE", |text| text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
    (b"\xFE\xFF", |text| text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
    (b"\xFF\xFE\0\0", |text| text.chars().flat_map(|one| u32::from(one).to_le_bytes()).collect()),
    (b"\0\0\xFE\xFF", |text| text.chars().flat_map(|one| u32::from(one).to_be_bytes()).collect()),
];

fn encoded(text: &str) -> impl Iterator<Item = Vec<u8>> {
    ENCODINGS.iter().map(move |(mark, encode)| [mark, &encode(text)[..]].concat())
}

fn little(units: &[u16]) -> Vec<u8> {
    [0xFEFF].iter().chain(units).flat_map(|unit| unit.to_le_bytes()).collect()
}

fn counts(set: &RecordSet<'_>) -> Vec<(FindingKind, u32)> {
    set.report().details().iter().map(|finding| (finding.kind, number(finding.line))).collect()
}

/// [input.utf16]
#[test]
fn a_file_is_read_as_its_text() {
    let texts = [
        "User-agent: *\r\nDisallow: /a # x\n\rDisallow: /\u{e9}\u{20ac}\u{1f600}\nDisallow:\n  /folded",
        "",
        "<html>\n",
        "Disallow: /\u{2028}x\u{85}\n",
    ];
    for text in texts {
        let plain = Parser::default().parse(text.as_bytes());
        for input in encoded(text) {
            let set = Parser::default().parse(&input);
            assert_eq!(set.report().count(FindingKind::Decoded), 1);
            assert_eq!(set.report().count(FindingKind::Utf16), 0);
            let without = |set: &RecordSet<'_>| {
                let kinds = [FindingKind::Decoded, FindingKind::ByteOrderMark];
                let mut found = counts(set);
                found.retain(|(kind, _)| !kinds.contains(kind));
                found
            };
            assert_eq!(without(&set), without(&plain), "{text:?}");
            assert_eq!(set.report().input(), plain.report().input());
            assert_eq!(set.to_text(TextForm::Faithful), plain.to_text(TextForm::Faithful), "{text:?}");
            let sieved = Sieve::new(["MyBot"]).filter(&input).unwrap();
            assert!(sieved.report().is_exact() || text.starts_with('<') || text.starts_with('D'), "{text:?}");
        }
    }
    for input in encoded("User-agent: *\nDisallow: /a\n") {
        assert!(!Sieve::new(["MyBot"]).tester(&input).unwrap().is_allowed("/a"));
        assert_eq!(Sieve::new(["MyBot"]).filter(&input).unwrap().text(), "User-agent: *\nDisallow: /a\n");
    }
}

fn rules(set: &RecordSet<'_>) -> usize {
    set.records().map(|record| record.rules().len()).sum()
}

/// The bytes of the units count, and those of the text. [input.utf16] [limit.bytes]
#[test]
fn the_limit_is_on_both() {
    let read = |input: &[u8], max_bytes| {
        let set = Parser::new(limited(Limits { max_bytes, ..Limits::DEFAULT })).parse(input).into_owned();
        (rules(&set), set.report().count(FindingKind::InputCut))
    };
    // The last line end need not fit; of CR LF, both need not.
    let texts = ["Allow: /b\n", "\r\n", "\r\n\n", "\r\na"].map(|end| format!("User-agent: *\nDisallow: /a\n{end}"));
    for text in ["User-agent: *\nDisallow: /a\r\n".to_owned()].iter().chain(&texts) {
        for ((mark, encode), width) in ENCODINGS.iter().zip([2, 2, 4, 4]) {
            let input = [mark, &encode(text)[..]].concat();
            for max_bytes in 0..=input.len() {
                // A unit of which only a part fits is not read.
                let expected = read(text.as_bytes(), max_bytes / width);
                assert_eq!(read(&input, max_bytes), expected, "{text:?} at {max_bytes}");
            }
        }
    }
    // Here the text is longer than its units: 14 + 8 + 40 * 3 bytes.
    let text = format!("User-agent: *\nAllow: /{}", "\u{20ac}".repeat(40));
    for input in encoded(&text).take(2) {
        assert!(input.len() < text.len());
        assert_eq!(read(&input, text.len()), (1, 0));
        assert_eq!(read(&input, text.len() + 1), (1, 0));
        assert_eq!(read(&input, text.len() - 1), (0, 1));
    }
}

/// Units that are no character, and files that end within one. [input.utf16] [input.incomplete]
#[test]
fn what_is_broken_is_reported() {
    let text: Vec<u16> = "User-agent: *\nDisallow: /a\n".encode_utf16().collect();
    let of = |more: &[u16]| little(&[&text[..], &"Allow: /b".encode_utf16().collect::<Vec<_>>(), more].concat());
    // A low half, two high halves, a high half before a letter.
    for (units, count) in
        [(&[0xDC00, 10][..], 1), (&[0xD800, 0xD800, 0xDC00, 10], 1), (&[0xDBFF, 0x61, 10], 1), (&[10], 0)]
    {
        let input = of(units);
        let set = Parser::default().parse(&input);
        assert_eq!(set.report().count(FindingKind::BrokenCharacter), count, "{units:x?}");
        assert_eq!((rules(&set), set.report().count(FindingKind::InputIncomplete)), (2, 0), "{units:x?}");
        let report = set.report();
        let found = report.details().iter().find(|it| it.kind == FindingKind::BrokenCharacter);
        assert!(found.is_none_or(|it| it.line == at(3) && it.effect == Effect::Either));
    }
    let beyond = [&b"\xFF\xFE\0\0#\0\0\0"[..], &0x11_0000_u32.to_le_bytes(), &0xD800_u32.to_le_bytes()].concat();
    assert_eq!(Parser::default().parse(&beyond).report().count(FindingKind::BrokenCharacter), 1);
    // Cut within a unit, and within a pair: the last line is no line.
    for input in [[&of(&[])[..], b"\n"].concat(), of(&[0xD800])] {
        let set = Parser::default().parse(&input);
        assert_eq!((rules(&set), set.report().count(FindingKind::InputIncomplete)), (1, 1));
        assert!(set.is_incomplete());
        assert!(!Sieve::new(["MyBot"]).tester(&input).unwrap().is_allowed("/a"));
    }
    // Before any rule: everything is disallowed.
    for end in [&b"\xFF\xFEU"[..], b"\xFF\xFE\0", b"\0\0\xFE\xFF\0\0\0"] {
        assert!(!Sieve::new(["MyBot"]).tester(end).unwrap().is_allowed("/"), "{end:?}");
    }
    // A mark alone is an empty file. Two bytes are the mark of UTF-16.
    for mark in [&b"\xFF\xFE"[..], b"\xFE\xFF", b"\xFF\xFE\0\0", b"\0\0\xFE\xFF"] {
        let set = Parser::default().parse(mark);
        assert_eq!((set.report().input(), set.report().count(FindingKind::InputIncomplete)), (InputKind::Empty, 0));
        assert!(Sieve::new(["MyBot"]).tester(mark).unwrap().is_allowed("/"));
    }
}

/// A stray mark before a file of single bytes opens nothing: its first line is lost, and no other. [input.utf16]
#[test]
fn a_stray_mark_is_not_decoded() {
    for mark in [&b"\xFF\xFE"[..], b"\xFE\xFF", b"\xFF\xFE\0\0", b"\0\0\xFE\xFF"] {
        for start in ["# c\n", "\r", "\n", "\u{20ac}\n"] {
            let input = [mark, start.as_bytes(), b"User-agent: *\nDisallow: /\n"].concat();
            let set = Parser::default().parse(&input);
            assert_eq!(set.report().count(FindingKind::Decoded), 0, "{mark:?} {start:?}");
            assert!(!Sieve::new(["MyBot"]).tester(&input).unwrap().is_allowed("/"), "{mark:?} {start:?}");
        }
    }
}
