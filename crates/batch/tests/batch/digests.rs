//! The digests of an archive's records, and inputs that are damaged or just end.

use std::collections::BTreeSet;
use std::io::Write as _;

use data_encoding::{BASE32, BASE64, HEXLOWER, HEXUPPER};
use flate2::Compression;
use flate2::write::GzEncoder;
use md5::Md5;
use robosieve_batch::{Filter, Form, Inputs, Items, Outcome, Record};
use sha1::Sha1;
use sha2::{Digest as _, Sha256, Sha512};

use crate::runs::Folder;

const RULES: &str = "User-agent: *\nDisallow: /x\n";

/// An archive's record with these lines in its head.
fn record(kind: &str, url: &str, lines: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n{lines}Content-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

fn robots(lines: &str, block: &[u8]) -> Vec<u8> {
    record("response", "http://a.example/robots.txt", lines, block)
}

fn response(head: &str, body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 200 OK\r\n{head}\r\n").as_bytes(), body].concat()
}

/// The records of the files, and why the other items have none.
fn read(archive: Vec<u8>, form: Form) -> (Vec<Record>, Vec<&'static str>) {
    let filter = Filter::new(["MyBot"]);
    let items = Items::new("a", std::io::Cursor::new(archive)).form(form);
    let (mut records, mut skipped) = (Vec::new(), Vec::new());
    for done in items.map(|item| filter.run(item)) {
        skipped.extend(done.skipped());
        records.extend(done.into_record());
    }
    (records, skipped)
}

fn outcome(archive: Vec<u8>) -> (Outcome, Option<&'static str>) {
    let (records, _) = read(archive, Form::Warc);
    let first = records.into_iter().next().unwrap();
    (first.outcome, first.error.map(|error| error.kind))
}

const WRONG: (Outcome, Option<&str>) = (Outcome::Failed, Some("bad-digest"));
const RIGHT: (Outcome, Option<&str>) = (Outcome::Rules, None);

/// Every algorithm in every form, of the block and of the payload: [batch.digest]
#[test]
fn digests_are_read_in_all_forms() {
    let (block, other) = (response("", RULES.as_bytes()), response("", b"User-agent: *\nAllow: /\n"));
    let of = |bytes: &[u8]| {
        let all = [
            ("md5", Md5::digest(bytes).to_vec()),
            ("SHA1", Sha1::digest(bytes).to_vec()),
            ("sha-256", Sha256::digest(bytes).to_vec()),
            ("sha512", Sha512::digest(bytes).to_vec()),
        ];
        let forms = [HEXLOWER, HEXUPPER, BASE32, BASE64];
        let values = all.iter().flat_map(|(name, digest)| forms.iter().map(move |form| (*name, form.encode(digest))));
        let values: Vec<(&str, String)> = values.collect();
        let cut = |value: &str| value.trim_end_matches('=').to_owned();
        values.iter().flat_map(|(name, value)| [format!("{name}:{value}"), format!("{name}: {}", cut(value))]).collect()
    };
    let (blocks, payloads): (Vec<String>, Vec<String>) = (of(&block), of(RULES.as_bytes()));
    assert_eq!(blocks.len(), 32);
    for (field, values) in [("WARC-Block-Digest", &blocks), ("warc-payload-digest", &payloads)] {
        for value in values {
            let lines = format!("{field}: {value}\r\n");
            assert_eq!(outcome(robots(&lines, &block)), RIGHT, "{lines}");
            assert_eq!(outcome(robots(&lines, &other)), WRONG, "{lines}");
        }
    }
    for (digest, expected) in [
        ("sha1:", WRONG),
        ("sha1:AAAA", WRONG),
        ("sha1:!", WRONG),
        ("sha1", WRONG),
        ("", WRONG),
        (":AAAA", WRONG),
        ("0000000000000000000000000000000000000000", WRONG),
        ("crc32:00000000", RIGHT),
        ("urn:sha1:AAAA", RIGHT),
    ] {
        assert_eq!(outcome(robots(&format!("WARC-Block-Digest: {digest}\r\n"), &block)), expected, "{digest}");
    }
    // The block's decides: writers differ in what a payload is.
    let wrong = format!("WARC-Payload-Digest: sha1:AAAA\r\nWARC-Block-Digest: {}\r\n", blocks[2]);
    assert_eq!(outcome(robots(&wrong, &block)), RIGHT);
    assert_eq!(outcome(robots("WARC-Payload-Digest: sha1:AAAA\r\nWARC-Truncated: time\r\n", &block)).0, Outcome::Rules);
    let resource = |lines: &str| record("resource", "http://a.example/robots.txt", lines, RULES.as_bytes());
    assert_eq!(outcome(resource(&format!("WARC-Payload-Digest: {}\r\n", payloads[0]))), RIGHT);
    assert_eq!(outcome(resource(&format!("WARC-Payload-Digest: {}\r\n", blocks[0]))), WRONG);
}

/// A payload is what was stored, without chunks, or without its codings: [batch.digest]
#[test]
fn payloads_are_compared_in_each_form() {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(RULES.as_bytes()).unwrap();
    let packed = gzip.finish().unwrap();
    let chunked = [format!("{:x}\r\n", packed.len()).as_bytes(), &packed, b"\r\n0\r\n\r\n"].concat();
    let block = response("Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n", &chunked);
    for payload in [&chunked[..], &packed, RULES.as_bytes()] {
        let lines = format!("WARC-Payload-Digest: sha1:{}\r\n", BASE32.encode(&Sha1::digest(payload)));
        assert_eq!(outcome(robots(&lines, &block)), RIGHT);
    }
    let lines = format!("WARC-Payload-Digest: sha1:{}\r\n", BASE32.encode(&Sha1::digest(b"x")));
    assert_eq!(outcome(robots(&lines, &block)), WRONG);
}

/// Of all archives in which one bit is flipped, none has another text: [batch.digest]
#[test]
fn no_flipped_bit_changes_a_text() {
    let block = response("", RULES.as_bytes());
    for (field, bytes) in [("WARC-Block-Digest", &block[..]), ("WARC-Payload-Digest", RULES.as_bytes())] {
        let lines = format!("{field}: sha1:{}\r\n", BASE32.encode(&Sha1::digest(bytes)));
        let archive = robots(&lines, &block);
        let (mut said, mut silent) = (0_u32, BTreeSet::new());
        for bit in 0..archive.len() * 8 {
            let mut flipped = archive.clone();
            *flipped.get_mut(bit / 8).unwrap() ^= 1 << (bit % 8);
            let (records, skipped) = read(flipped, Form::Warc);
            for record in records {
                if let Some(policy) = &record.policy {
                    let text = policy.text.as_str();
                    // A status can become one that decides by itself, if only the payload has a digest.
                    let by_status = field == "WARC-Payload-Digest" && record.status != Some(200);
                    assert!(text == RULES || by_status, "{field}, bit {bit}: {text}");
                }
                said += u32::from(record.outcome == Outcome::Failed);
            }
            silent.extend(skipped);
        }
        assert!(said >= 8 * u32::try_from(bytes.len()).unwrap(), "{field}: {said}");
        // Flips in the URL and in the type.
        assert_eq!(silent, BTreeSet::from(["other-url", "unknown-type"]), "{field}");
    }
}

/// An archive that just ends is reported as that, wherever it ends, in any packing: [batch.ends]
#[test]
fn an_archive_that_ends_is_said_to() {
    let other = record("response", "http://a.example/", "", b"HTTP/1.1 200 OK\r\n\r\npage");
    let request = record("request", "http://a.example/robots.txt", "", b"GET /robots.txt HTTP/1.1\r\n\r\n");
    let first = robots("", &response("", RULES.as_bytes()));
    for (last, is_used) in [(&other, false), (&request, false), (&first, true)] {
        for length in 1..last.len() - 4 {
            let archive = [&first[..], &last[..length]].concat();
            let (records, _) = read(archive, Form::Warc);
            let is_in_mark = length < 5;
            let end = records.last().unwrap();
            let is_said = end.error.as_ref().is_some_and(|error| error.message.contains("the archive ends inside"));
            let is_truncated = is_used && end.truncated == Some("archive");
            assert!(is_said || is_truncated || is_in_mark, "{length}: {end:?}");
            assert!(end.outcome != Outcome::Rules || is_truncated, "{length}: {end:?}");
        }
    }
}

/// The same for what is packed: [batch.ends]
#[test]
fn a_packed_archive_that_ends_is_said_to() {
    let first = gzip(0, &robots("", &response("", RULES.as_bytes())));
    for last in [robots("", &response("", RULES.as_bytes())), record("response", "http://a.example/", "", b"page")] {
        let last = gzip(0, &last);
        for length in 3..last.len() {
            let (records, _) = read([&first[..], &last[..length]].concat(), Form::Warc);
            let said = records.iter().filter_map(|record| record.error.as_ref());
            assert!(said.clone().any(|error| error.message.contains("ends")), "{length}: {records:?}");
        }
    }
}

/// An archive whose first bytes are damaged is no robots.txt: [batch.ends]
#[test]
fn damaged_first_bytes_are_no_robots_txt() {
    let archive = robots("", &response("", b"User-agent: *\nAllow: /\n"));
    for at in 0.."WARC/".len() {
        let mut damaged = archive.clone();
        *damaged.get_mut(at).unwrap() = b'#';
        let (records, _) = read(damaged, Form::Auto);
        assert!(records.iter().all(|record| record.outcome == Outcome::Failed), "{at}: {records:?}");
    }
    let (records, _) = read(RULES.replace('/', "/WARC-Type: ").into_bytes(), Form::Auto);
    assert_eq!(records.first().unwrap().outcome, Outcome::Rules);
}

fn gzip(level: u32, bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::new(level));
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

/// With a checksum, as the program `zstd` writes it.
fn zstd(level: i32, bytes: &[u8]) -> Vec<u8> {
    let mut zstd = zstd::Encoder::new(Vec::new(), level).unwrap();
    zstd.include_checksum(true).unwrap();
    zstd.write_all(bytes).unwrap();
    zstd.finish().unwrap()
}

/// Lines or archive records, one for each number.
fn entries(form: Form, numbers: std::ops::Range<u32>, blanks: usize) -> Vec<u8> {
    let entry = |number: u32| {
        let sum = number.wrapping_mul(0x9E37_79B9);
        let rules = format!("User-agent: *\nDisallow: /{sum:08x}\n{}", " ".repeat(blanks));
        let url = format!("http://h{number}.example/robots.txt");
        match form {
            Form::Warc => record("response", &url, "", &response("", rules.as_bytes())),
            _ => format!("{{\"url\":{url:?},\"robots\":{rules:?}}}\n").into_bytes(),
        }
    };
    numbers.flat_map(entry).collect()
}

/// The texts of the files that were read as whole ones, and what failed: from a file if there is one, or else from a
/// stream.
fn texts(name: &str, bytes: &[u8], file: Option<&Folder>) -> (Vec<String>, Vec<String>) {
    let filter = Filter::new(["MyBot"]);
    let records: Vec<Record> = match file {
        Some(folder) => {
            let path = folder.0.join(name);
            std::fs::write(&path, bytes).unwrap();
            let all = Inputs::new().path(path).filtered(filter, 2);
            all.filter_map(|done| done.unwrap().into_record()).collect()
        }
        None => Items::new("-", std::io::Cursor::new(bytes.to_vec()))
            .filter_map(|item| filter.run(item).into_record())
            .collect(),
    };
    let failed = records.iter().filter_map(|record| Some(record.error.as_ref()?.message.clone())).collect();
    let whole = records.into_iter().filter(|record| record.truncated.is_none());
    (whole.filter_map(|record| Some(record.policy?.text)).collect(), failed)
}

/// Each packing of several lines or records in each member or frame.
fn packed(form: Form) -> Vec<(String, Vec<u8>)> {
    type Pack = fn(&[u8]) -> Vec<u8>;
    let packings: [(&str, Pack); 4] = [
        ("0.gz", |bytes| gzip(0, bytes)),
        ("6.gz", |bytes| gzip(6, bytes)),
        ("1.zst", |bytes| zstd(1, bytes)),
        ("9.zst", |bytes| zstd(9, bytes)),
    ];
    let suffix = if form == Form::Warc { "warc" } else { "ndjson" };
    let name = |packing: &str| packing.replacen('.', &format!(".{suffix}."), 1);
    packings
        .iter()
        .map(|(packing, pack)| (name(packing), [0..3, 3..5, 5..6].map(|few| pack(&entries(form, few, 0))).concat()))
        .collect()
}

/// Damaged bits of packed lines and records, several in each member: no text comes from wrong bytes, from a file or a
/// stream. [cmd.unpack] [batch.body] [batch.proven]
#[test]
fn a_damaged_bit_is_no_rule() {
    let folder = Folder::new("bits");
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    let rounds = std::env::var("ROBOSIEVE_BITS").map_or(60, |count| count.parse().unwrap());
    let (mut found, mut cut) = (0, 0);
    for (form, (name, whole)) in
        [Form::Ndjson, Form::Warc].into_iter().flat_map(|form| packed(form).into_iter().map(move |one| (form, one)))
    {
        let (right, none) = texts(&name, &whole, Some(&folder));
        assert_eq!((right.len(), none.len(), texts(&name, &whole, None).0), (6, 0, right.clone()), "{name}");
        for round in 0..rounds {
            let mut bytes = whole.clone();
            for _ in 0..=draw(2) {
                // The first bytes say that it is packed.
                bytes[4 + draw(whole.len() - 4)] ^= 1 << draw(8);
            }
            for file in [Some(&folder), None] {
                let (texts, failed) = texts(&name, &bytes, file);
                let is_right = texts.iter().all(|text| right.contains(text));
                // An end that comes early is no damage.
                let is_cut = failed.iter().any(|why| why.contains("ends early"));
                cut += usize::from(is_cut && !is_right);
                assert!(is_right || is_cut, "{name}, {round}: {texts:?}, {failed:?}");
                found += texts.len();
            }
        }
        // The first rule, in the first of three.
        if name.starts_with('0') {
            let mut bytes = whole;
            let at = bytes.windows(4).position(|four| four == b"llow").unwrap();
            bytes[at] ^= 1;
            let lines = if form == Form::Warc { right.get(3..).unwrap() } else { &[] };
            for file in [Some(&folder), None] {
                let (texts, failed) = texts(&name, &bytes, file);
                assert_eq!(texts, lines, "{name}: {failed:?}");
                assert!(
                    failed.len() == 1 && failed.iter().all(|why| why.contains("damaged") || why.contains("checksum")),
                    "{failed:?}"
                );
            }
        }
    }
    eprintln!("{found} texts, {cut} runs with wrong ones and an early end");
    assert!(found > rounds * 16);
}

/// The checksum of a gzip member is compared, also if the length after it is cut. [cmd.unpack]
#[test]
fn a_checksum_before_a_cut_is_compared() {
    let whole = gzip(0, &entries(Form::Ndjson, 0..2, 0));
    let mut wrong = whole.clone();
    let at = wrong.windows(4).position(|four| four == b"llow").unwrap();
    wrong[at] ^= 1;
    let folder = Folder::new("trailer");
    for missing in 1..=4 {
        for (bytes, count, word) in [(&whole, 2, "ends early"), (&wrong, 0, "checksum")] {
            let (texts, failed) = texts("a.ndjson.gz", &bytes[..bytes.len() - missing], Some(&folder));
            assert!(
                texts.len() == count && failed.len() == 1 && failed[0].contains(word),
                "{missing}: {texts:?} {failed:?}"
            );
        }
    }
}

/// A member longer than what is held is checked in a file before its first line is used. In a stream it is used, and
/// that is said. [batch.proven]
#[test]
fn a_long_member_is_checked_in_a_file() {
    let folder = Folder::new("long");
    for (form, name) in [(Form::Ndjson, "a.ndjson.gz"), (Form::Warc, "a.warc.gz")] {
        let long = gzip(1, &entries(form, 0..300, 60_000));
        let last = gzip(1, &entries(form, 7..8, 0));
        let whole = [&long[..], &last].concat();
        let mut wrong = long.clone();
        *wrong.last_mut().unwrap() ^= 1;
        let wrong = [&wrong[..], &last].concat();
        assert_eq!(texts(name, &whole, Some(&folder)).0.len(), 301);
        let lines = usize::from(form == Form::Warc);
        let (used, failed) = texts(name, &wrong, Some(&folder));
        assert_eq!(used.len(), lines, "{:?}", failed.first());
        assert!(failed.first().unwrap().contains("damage") || failed.first().unwrap().contains("checksum"));
        let (used, failed) = texts(name, &wrong, None);
        assert!(used.len() > 290, "{}", used.len());
        assert!(failed.last().unwrap().contains("name a file"), "{failed:?}");
        assert_eq!(texts(name, &whole, None).0.len(), 301);
    }
}

/// A digest that stands twice is compared twice, in both orders. [batch.digest]
#[test]
fn each_of_several_digests_must_hold() {
    let block = response("", RULES.as_bytes());
    for (name, bytes) in [("WARC-Block-Digest", &block[..]), ("warc-payload-digest", RULES.as_bytes())] {
        let right = [HEXLOWER.encode(&Sha1::digest(bytes)), HEXLOWER.encode(&Sha1::digest(b"other"))];
        let [right, wrong] = right.map(|value| format!("{name}: sha1:{value}\r\n"));
        let (md5, unknown) =
            (format!("{name}: md5:{}\r\n", HEXLOWER.encode(&Md5::digest(bytes))), format!("{name}: x:y\r\n"));
        for (lines, expected) in [
            ([&right, &right], RIGHT),
            ([&right, &md5], RIGHT),
            ([&unknown, &right], RIGHT),
            ([&right, &wrong], WRONG),
            ([&wrong, &right], WRONG),
            ([&md5, &wrong], WRONG),
            ([&unknown, &wrong], WRONG),
        ] {
            assert_eq!(outcome(robots(&lines.map(String::as_str).concat(), &block)), expected, "{lines:?}");
        }
    }
}
