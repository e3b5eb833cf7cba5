//! The digests of an archive's records, and inputs that are damaged or just end.

use data_encoding::{BASE32, BASE64, HEXLOWER, HEXUPPER};
use md5::Md5;
use robosieve_batch::{Done, Form, Outcome, Record};
use sha1::Sha1;
use sha2::{Digest as _, Sha256, Sha512};

use crate::common::{Folder, entry, gzip, of_file, of_stream, record, response};

const RULES: &str = "User-agent: *\nDisallow: /x\n";

fn robots(lines: &str, block: &[u8]) -> Vec<u8> {
    record("response", "http://a.example/robots.txt", lines, block)
}

fn records(done: Vec<Done>) -> Vec<Record> {
    done.into_iter().filter_map(Done::into_record).collect()
}

fn outcome(archive: &[u8]) -> (Outcome, Option<&'static str>) {
    let first = records(of_stream(Form::Warc, archive)).remove(0);
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
            assert_eq!(outcome(&robots(&lines, &block)), RIGHT, "{lines}");
            assert_eq!(outcome(&robots(&lines, &other)), WRONG, "{lines}");
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
        assert_eq!(outcome(&robots(&format!("WARC-Block-Digest: {digest}\r\n"), &block)), expected, "{digest}");
    }
    // The block's decides: writers differ in what a payload is.
    let wrong = format!("WARC-Payload-Digest: sha1:AAAA\r\nWARC-Block-Digest: {}\r\n", blocks[2]);
    assert_eq!(outcome(&robots(&wrong, &block)), RIGHT);
    assert_eq!(
        outcome(&robots("WARC-Payload-Digest: sha1:AAAA\r\nWARC-Truncated: time\r\n", &block)).0,
        Outcome::Rules
    );
    let resource = |lines: &str| record("resource", "http://a.example/robots.txt", lines, RULES.as_bytes());
    assert_eq!(outcome(&resource(&format!("WARC-Payload-Digest: {}\r\n", payloads[0]))), RIGHT);
    assert_eq!(outcome(&resource(&format!("WARC-Payload-Digest: {}\r\n", blocks[0]))), WRONG);
}

/// A payload is what was stored, without chunks, or without its codings: [batch.digest]
#[test]
fn payloads_are_compared_in_each_form() {
    let packed = gzip(9, RULES.as_bytes());
    let chunked = [format!("{:x}\r\n", packed.len()).as_bytes(), &packed, b"\r\n0\r\n\r\n"].concat();
    let block = response("Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n", &chunked);
    for payload in [&chunked[..], &packed, RULES.as_bytes()] {
        let lines = format!("WARC-Payload-Digest: sha1:{}\r\n", BASE32.encode(&Sha1::digest(payload)));
        assert_eq!(outcome(&robots(&lines, &block)), RIGHT);
    }
    let lines = format!("WARC-Payload-Digest: sha1:{}\r\n", BASE32.encode(&Sha1::digest(b"x")));
    assert_eq!(outcome(&robots(&lines, &block)), WRONG);
}

/// An archive that just ends is reported as that, wherever it ends, in any packing: [batch.ends]
#[test]
fn an_archive_that_ends_is_said_to() {
    let other = record("response", "http://a.example/", "", b"HTTP/1.1 200 OK\r\n\r\npage");
    let request = record("request", "http://a.example/robots.txt", "", b"GET /robots.txt HTTP/1.1\r\n\r\n");
    let first = robots("", &response("", RULES.as_bytes()));
    for (last, is_used) in [(&other, false), (&request, false), (&first, true)] {
        // What is shorter than the mark of a record is no record.
        for length in 5..last.len() - 4 {
            let all = records(of_stream(Form::Warc, &[&first[..], &last[..length]].concat()));
            let end = all.last().unwrap();
            let is_said = end.error.as_ref().is_some_and(|error| error.message.contains("the archive ends inside"));
            let is_truncated = is_used && end.truncated == Some("archive");
            assert!(is_said || is_truncated, "{length}: {end:?}");
            assert!(end.outcome != Outcome::Rules || is_truncated, "{length}: {end:?}");
        }
        let (first, last) = (gzip(0, &first), gzip(0, last));
        for length in 3..last.len() {
            let all = records(of_stream(Form::Warc, &[&first[..], &last[..length]].concat()));
            let mut said = all.iter().filter_map(|record| record.error.as_ref());
            assert!(said.any(|error| error.message.contains("ends")), "{length}: {all:?}");
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
        let all = records(of_stream(Form::Auto, &damaged));
        assert!(all.iter().all(|record| record.outcome == Outcome::Failed), "{at}: {all:?}");
    }
    let rules = RULES.replace('/', "/WARC-Type: ");
    assert_eq!(records(of_stream(Form::Auto, rules.as_bytes()))[0].outcome, Outcome::Rules);
}

/// The texts of the files that were read as whole ones, and what failed.
fn texts(done: Vec<Done>) -> (Vec<String>, Vec<String>) {
    let records = records(done);
    let failed = records.iter().filter_map(|record| Some(record.error.as_ref()?.message.clone())).collect();
    let whole = records.into_iter().filter(|record| record.truncated.is_none());
    (whole.filter_map(|record| Some(record.policy?.text)).collect(), failed)
}

fn entries(form: Form, numbers: std::ops::Range<usize>, blanks: usize) -> Vec<u8> {
    numbers.flat_map(|number| entry(form, number, blanks)).collect()
}

/// The checksum of a gzip member is compared, also if the length after it is cut. [cmd.unpack]
#[test]
fn a_checksum_before_a_cut_is_compared() {
    let whole = gzip(0, &entries(Form::Ndjson, 0..2, 0));
    let mut wrong = whole.clone();
    let at = wrong.windows(4).position(|four| four == b"llow").unwrap();
    wrong[at] ^= 1;
    let folder = Folder::new();
    let path = folder.path("a.ndjson.gz");
    for missing in 1..=4 {
        for (bytes, count, word) in [(&whole, 2, "ends early"), (&wrong, 0, "checksum")] {
            let (texts, failed) = texts(of_file(&path, &bytes[..bytes.len() - missing]));
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
    let folder = Folder::new();
    for (form, name) in [(Form::Ndjson, "a.ndjson.gz"), (Form::Warc, "a.warc.gz")] {
        let long = gzip(1, &entries(form, 0..300, 60_000));
        let last = gzip(1, &entries(form, 7..8, 0));
        let whole = [&long[..], &last].concat();
        let mut wrong = long.clone();
        *wrong.last_mut().unwrap() ^= 1;
        let wrong = [&wrong[..], &last].concat();
        let path = folder.path(name);
        assert_eq!(texts(of_file(&path, &whole)).0.len(), 301);
        let lines = usize::from(form == Form::Warc);
        let (used, failed) = texts(of_file(&path, &wrong));
        assert_eq!(used.len(), lines, "{:?}", failed.first());
        assert!(failed.first().unwrap().contains("damage") || failed.first().unwrap().contains("checksum"));
        let (used, failed) = texts(of_stream(form, &wrong));
        assert!(used.len() > 290, "{}", used.len());
        assert!(failed.last().unwrap().contains("name a file"), "{failed:?}");
        assert_eq!(texts(of_stream(form, &whole)).0.len(), 301);
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
            assert_eq!(outcome(&robots(&lines.map(String::as_str).concat(), &block)), expected, "{lines:?}");
        }
    }
}
