//! Kinds of input: formats other than robots.txt, and robots.txt files that only resemble such a format.

use std::io::Read;

use robosieve::Sieve;
use robosieve::records::Parser;
use robosieve::report::{Effect, FindingClass, FindingKind, InputKind, Report};
use robosieve::settings::{Dialect, Interest, Limits};

use crate::{Numbers, at};

fn report(input: &[u8]) -> Report {
    Sieve::new(["MyBot"]).filter(input).unwrap().report().clone()
}

#[track_caller]
fn expect(kind: InputKind, inputs: &[&[u8]]) {
    for input in inputs {
        let report = report(input);
        assert_eq!(report.input(), kind, "{:?}", String::from_utf8_lossy(input));
        assert_eq!(report.count(FindingKind::Utf16), u64::from(matches!(kind, InputKind::Utf16(_))));
        #[cfg(feature = "serde")]
        {
            let json = serde_json::to_value(&report).unwrap();
            assert_eq!((&json["input"]["kind"], &json["suspects"]), (&kind.as_str().into(), &report.suspects().into()));
            if let InputKind::Image(format) | InputKind::Utf16(format) = kind {
                assert_eq!(json["input"]["format"], format);
            }
        }
    }
}

/// [input.kind] [input.utf16] [report.input] [report.suspect]
#[test]
fn formats_are_known_by_their_first_bytes() {
    expect(InputKind::Empty, &[b"", b"\xEF\xBB\xBF"]);
    expect(InputKind::Html, &[b"<!DOCTYPE html>\n", b"\n  <br />\n", b"<?xml version=\"1.0\"?>\n<!DOCTYPE html>"]);
    expect(InputKind::Xml, &[b"<?xml version=\"1.0\"?>\n<urlset>", b"<sitemapindex>"]);
    expect(InputKind::Php, &[b"<?php echo 1;"]);
    expect(InputKind::Json, &[b"{\"a\": 1}", b" { }", b"[\n {}]", b"[]", b"[[1]]", b"\"User-agent: *\"\n"]);
    expect(InputKind::HttpResponse, &[b"HTTP/1.1 200 OK\r\n", b"HTTP/2 200\r\n"]);
    expect(InputKind::Image("png"), &[b"\x89PNG\r\n"]);
    expect(InputKind::Image("webp"), &[b"RIFF\0\0\0\0WEBP"]);
    expect(InputKind::Image("bmp"), &[b"BM\x01\x02\x03\x04\0\0\0\0"]);
    expect(InputKind::Document("pdf"), &[b"%PDF-1.7"]);
    expect(InputKind::Document("rtf"), &[b"{\\rtf1\\ansi"]);
    expect(InputKind::Archive("zip"), &[b"PK\x03\x04"]);
    expect(InputKind::Archive("tar"), &[&[&b"robots.txt"[..], &[0; 247], b"ustar\0"].concat()]);
    expect(InputKind::Program("elf"), &[b"\x7FELF"]);
    expect(InputKind::Compressed("bzip2"), &[b"BZh91AY&SY"]);
    expect(InputKind::Gzip, &[b"\x1F\x8B\x08\0"]);
    expect(InputKind::Zstd, &[b"\x28\xB5\x2F\xFD\0"]);
    expect(InputKind::Utf16("le"), &[b"U\0s\0"]);
    expect(InputKind::Utf16("be"), &[b"\0U\0s"]);
    expect(InputKind::Binary, &[b"a\0\x01\0", b"\x01\0a\0", b"\0a\0\x01", b"\0\x01\0a"]);
    // What has a mark is decoded, but for Google's parser.
    let google = |input: &[u8]| Parser::new(Dialect::Google.options()).parse(input).report().input();
    assert_eq!(google(b"\xFF\xFEU\0s\0"), InputKind::Utf16("le"));
    assert_eq!(google(b"\xFE\xFF\0U\0s"), InputKind::Utf16("be"));
    assert_eq!(google(b"\xFF\xFE\0\0U\0\0\0"), InputKind::Utf32("le"));
    assert_eq!(google(b"\0\0\xFE\xFF\0\0\0U"), InputKind::Utf32("be"));
    expect(InputKind::Html, &[b"\xFF\xFE<\0b\0r\0>\0"]);
}

/// Unusual text in real files is not mistaken for another format. [input.kind]
#[test]
fn text_is_text() {
    let cyrillic: Vec<u8> = b"# ".iter().copied().chain((0..200).map(|n| 0xC0 + n % 64)).collect();
    let padded = [&b"User-agent: *\nDisallow: /\n"[..], &[0; 600]].concat();
    expect(
        InputKind::Text,
        &[
            b"User-agent: *\n",
            b"\n\n# here\n",
            b"{% if staging %}\n",
            b"{{ robots }}\n",
            b"[robots]\n",
            b"BMWbot: x\n",
            b"\"quoted\"\nUser-agent: *\n",
            b"\"not closed",
            b"\"",
            b"\0",
            b"a\0",
            b"\xFF",
            b"/* a comment */\nUser-agent: *\n",
            b"Not found",
            b"User-agent: *\x00\nDisallow: /\x01\x02\n",
            "\u{a0}User-agent: *\n".as_bytes(),
            "Zugriff für alle".as_bytes(),
            "ロボットへ".repeat(60).as_bytes(),
            &cyrillic,
            &padded,
        ],
    );
}

/// [input.kind]
#[test]
fn random_bytes_are_binary() {
    for seed in 0..200 {
        for length in [64, 512, 5_000] {
            let mut numbers = Numbers(seed);
            let noise: Vec<u8> = (0..length).map(|_| u8::try_from(numbers.below(256)).unwrap()).collect();
            let kind = report(&noise).input();
            assert!(!kind.may_be_robots_txt(), "seed {seed}, {length} bytes: {kind}");
        }
    }
    let old_encoding: Vec<u8> = (0..200).map(|n| 0xC0 + n % 64).collect();
    expect(InputKind::Binary, &[&old_encoding]);
}

/// A packed file may contain rules that are not read, so its effect is unknown. An error page contains none.
/// [input.not-robots] [report.suspect]
#[test]
fn what_is_no_robots_txt_is_suspect() {
    for (input, effect) in [
        (&b"<html>"[..], Effect::None),
        (b"{\"a\": 1}", Effect::None),
        (b"\x89PNG\r\n", Effect::None),
        (b"\x1F\x8B\x08\0", Effect::Either),
        (b"\x01\x02\x03\x04\x05", Effect::Either),
    ] {
        let report = report(input);
        let found = report.details().first().copied().unwrap();
        assert_eq!((found.kind, found.effect, found.line), (FindingKind::NotRobotsTxt, effect, at(1)), "{input:?}");
        assert_eq!(found.kind.class(), FindingClass::Suspect);
        assert!(report.has_suspects() && report.is_exact());
        assert_eq!((report.suspects(), report.suspects_with(Effect::Either)), (1, u64::from(effect == Effect::Either)));
        assert_eq!(report.first_suspect().is_some(), effect == Effect::Either);
    }
    assert!(!report(b"").has_suspects() && !report(b"User-agent: *\nDisallow: /\n").has_suspects());
}

/// [report.input]
#[test]
fn the_kind_of_the_input_stays_with_the_report() {
    let page = b"<br />\nUser-agent: MyBot\nDisallow: /x\nUser-agent: b\nUser-agent: mybot\nDisallow: /y\n";
    let set = Parser::default().parse(page);
    assert_eq!(set.report().input(), InputKind::Html);
    let interest = Interest::new(["MyBot"]);
    assert_eq!(set.filter_for(&interest).unwrap().0.report().input(), InputKind::Html);
    assert_eq!(Sieve::all_agents().filter(page).unwrap().report().input(), InputKind::Html);
    assert_eq!(Sieve::new(["MyBot"]).filter(page).unwrap().report().input(), InputKind::Html);
    let mut joined = Report::default();
    joined.absorb(&set.report());
    joined.absorb(&report(b"{}"));
    assert_eq!(joined.input(), InputKind::Html);
}

/// A connection that breaks off.
struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::UnexpectedEof.into())
    }
}

/// A reader is read as far as its bytes can matter: [input.reader] [limit.bytes]
#[test]
fn an_endless_reader_is_read_to_the_limit() {
    let sieve = Sieve::new(["MyBot"]);
    assert_eq!(sieve.read(std::io::repeat(b'a')).unwrap().len(), 512_016);
    // What is longer is reported as cut, and what breaks off is an error, not a file.
    let file = b"User-agent: *\nDisallow: /a\n";
    let long = sieve.clone().with(|options| options.limits = Limits { max_bytes: 20, ..Limits::DEFAULT });
    let cut = long.read(&[&file[..], &[b'#'; 100]].concat()[..]).unwrap();
    let report = long.filter(&cut).unwrap().report().clone();
    assert_eq!((report.count(FindingKind::InputCut), report.is_exact()), (1, false));
    assert!(sieve.read(file.chain(Broken)).is_err());
}
