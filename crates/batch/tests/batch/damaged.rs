//! Small inputs in each packing, with each byte changed and cut at each place.

use std::collections::BTreeSet;
use std::io;

use data_encoding::BASE32;
use robosieve_batch::{Done, Filter, Form};
use sha1::{Digest as _, Sha1};

use crate::common::{Folder, entry, gzip, of_file, of_stream, record, response, rules, zstd};

type Pack = fn(u32, &[u8]) -> Vec<u8>;

/// What was read.
struct Found {
    /// The files that were whole, by URL and text.
    whole: Vec<(String, String)>,
    /// How many failed, or were not whole.
    said: usize,
    /// How many are none any more, as the status or the head says.
    skipped: usize,
}

impl From<Vec<Done>> for Found {
    fn from(all: Vec<Done>) -> Self {
        let mut found = Self { whole: Vec::new(), said: 0, skipped: 0 };
        for done in all {
            match done.into_record() {
                None => found.skipped += 1,
                Some(record) if record.error.is_some() || record.truncated.is_some() => found.said += 1,
                Some(record) if record.status.is_some_and(|status| status != 200) => found.skipped += 1,
                Some(record) => found.whole.push((record.url.unwrap(), record.policy.unwrap().text)),
            }
        }
        found
    }
}

/// No file is lost, doubled or invented without an error, wherever the input is changed in one of these ways, or cut.
/// `ends`: where nobody can know that there was more. `is_plain`: no checksum protects heads, and the last four bytes of a
/// record are line ends.
pub(crate) fn expect_damage_is_said(
    (name, whole): (&str, &[u8]),
    changes: &[u8],
    (ends, is_plain): (&[usize], bool),
    read: impl Fn(&[u8]) -> Vec<Done>,
) {
    let read = |bytes: &[u8]| Found::from(read(bytes));
    let right = read(whole);
    assert_eq!((right.said, right.skipped), (0, 0), "{name}");
    let texts: BTreeSet<&String> = right.whole.iter().map(|(_, text)| text).collect();
    assert!(right.whole.len() > 1 && texts.len() == right.whole.len(), "{name}: {:?}", right.whole);
    for (at, change) in (0..whole.len()).flat_map(|at| changes.iter().map(move |change| (at, change))) {
        let mut bytes = whole.to_vec();
        bytes[at] ^= change;
        let Found { whole: found, said, skipped } = read(&bytes);
        let how = format!("{name}, byte {at} ^ {change}: {found:?}, {said} said, {skipped} skipped");
        assert!(
            found.iter().all(|one| if is_plain { texts.contains(&one.1) } else { right.whole.contains(one) }),
            "{how}"
        );
        assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len(), "{how}");
        let is_said = said > 0 || is_plain && found.len() + skipped >= right.whole.len();
        assert!(found.len() == right.whole.len() || is_said, "{how}");
    }
    for length in 0..whole.len() {
        let Found { whole: found, said, .. } = read(&whole[..length]);
        assert!(found.iter().all(|one| right.whole.contains(one)), "{name}, {length}: {found:?}");
        let is_end = ends.iter().any(|end| (end.saturating_sub(if is_plain { 4 } else { 0 })..=*end).contains(&length));
        assert!(said > 0 || is_end, "{name}, {length}: {found:?}");
    }
}

/// Archives with a digest in each record, and packed ones and lines without. [batch.warc] [batch.proven] [batch.ends]
/// [batch.digest] [batch.body] [cmd.unpack]
#[test]
fn damage_of_any_byte_is_said() {
    let folder = Folder::new();
    let bits = [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0xFF];
    for (field, is_block) in [("WARC-Block-Digest", true), ("WARC-Payload-Digest", false)] {
        let with_digest = |number: usize| {
            let (rules, url) = (rules(number), format!("http://h{number}/robots.txt"));
            let block = response("", rules.as_bytes());
            let digest = BASE32.encode(&Sha1::digest(if is_block { &block } else { rules.as_bytes() }));
            record("response", &url, &format!("{field}: sha1:{digest}\r\n"), &block)
        };
        let parts = [1, 2, 3].map(with_digest);
        let ends = [0, 1, 2, 3].map(|count| count * parts[0].len());
        expect_damage_is_said((field, &parts.concat()), &bits, (&ends, true), |bytes| of_stream(Form::Warc, bytes));
    }
    let packings: [(&str, Pack, u32); 3] = [("stored.gz", gzip, 0), ("packed.gz", gzip, 6), ("packed.zst", zstd, 3)];
    for (form, suffix) in [(Form::Warc, "warc"), (Form::Ndjson, "ndjson")] {
        for (packing, pack, level) in packings {
            let name = packing.replace('.', &format!(".{suffix}."));
            let entries = |numbers: std::ops::Range<usize>| -> Vec<u8> {
                pack(level, &numbers.flat_map(|number| entry(form, number, 0)).collect::<Vec<u8>>())
            };
            let parts = [entries(1..2), entries(2..4)];
            let (whole, ends) = (parts.concat(), [0, parts[0].len()]);
            expect_damage_is_said((&name, &whole), &bits, (&ends, false), |bytes| of_stream(form, bytes));
            let path = folder.path(&name);
            expect_damage_is_said((&name, &whole), &[1], (&ends, false), |bytes| of_file(&path, bytes));
            // After a damaged member, an archive goes on with the next.
            let mut bytes = whole.clone();
            bytes[parts[0].len() / 2] ^= 1;
            let others = if form == Form::Warc && name.ends_with("gz") { 2 } else { 0 };
            assert_eq!(Found::from(of_stream(form, &bytes)).whole.len(), others, "{name}");
        }
    }
}

/// What a file answers for four paths, and whether it is said that it is a part. None: it failed.
fn answers(bytes: &[u8]) -> Option<([bool; 4], bool)> {
    let filter = Filter::new(["MyBot"]).urls(["/x", "/y", "/x/a", "/"]).unwrap();
    let item = filter.items("robots.txt", io::Cursor::new(bytes.to_vec())).form(Form::Robots).next().unwrap();
    let record = filter.run(item).into_record().unwrap();
    let allowed: Vec<bool> = record.results?.iter().map(|one| one.answer().unwrap().allowed).collect();
    Some((allowed.try_into().unwrap(), record.truncated.is_some()))
}

/// A packed file that is cut anywhere, or of which a byte is changed, fails, or is said to be a part, or answers as the
/// whole; and a part opens nothing before its first rule. [cmd.unpack] [input.incomplete] [batch.incomplete]
#[test]
fn no_part_and_no_damage_of_a_file_opens_anything() {
    let file = b"User-agent: MyBot\nDisallow: /x\nDisallow: /y\nAllow: /x/a\n\nUser-agent: *\nDisallow: /\n";
    let of_two = |pack: Pack| [pack(6, &file[..40]), pack(6, &file[40..])].concat();
    let right = [false, false, true, true];
    // The first rule of the group is there, or all is closed.
    let is_fine = |bytes: &[u8]| answers(bytes).is_none_or(|(found, is_part)| found == right || is_part && !found[0]);
    let mut cases = 0;
    for (name, whole) in [
        ("gzip", gzip(6, file)),
        ("zstd", zstd(3, file)),
        ("two of gzip", of_two(gzip)),
        ("two of zstd", of_two(zstd)),
        ("zstd after a skipped frame", [&b"\x50\x2A\x4D\x18\x02\0\0\0ab"[..], &zstd(3, file)].concat()),
    ] {
        assert_eq!(answers(&whole), Some((right, false)), "{name}");
        // Bytes without the magic number are no packed file, and what is skipped is not compared.
        let from = if name.contains("skipped") { 14 } else { 4 };
        for at in from..whole.len() {
            for change in [1, 0x20, 0x80, 0xFF] {
                let mut bytes = whole.clone();
                bytes[at] ^= change;
                cases += 1;
                assert!(is_fine(&bytes), "{name}, byte {at} ^ {change}: {:?}", answers(&bytes));
            }
        }
        // The first bytes may be text.
        for length in if name.contains("skipped") { 4 } else { 2 }..whole.len() {
            cases += 1;
            // Between two parts nobody can know that there was another.
            let is_seam =
                name.starts_with("two") && [gzip, zstd].iter().any(|pack| pack(6, &file[..40]).len() == length);
            let is_skipped = name.contains("skipped") && length == 10;
            assert!(
                is_fine(&whole[..length]) || is_seam || is_skipped,
                "{name}, {length}: {:?}",
                answers(&whole[..length])
            );
        }
    }
    eprintln!("{cases} damaged files");
}
