//! Small archives in each packing, with each byte changed and cut at each place.

use std::collections::BTreeSet;
use std::io::{self, Write as _};

use data_encoding::BASE32;
use flate2::Compression;
use flate2::write::GzEncoder;
use robosieve_batch::{Filter, Form};
use sha1::{Digest as _, Sha1};

/// A record with its digest.
fn record(number: usize) -> Vec<u8> {
    let block = format!("HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /{number}\n");
    let digest = BASE32.encode(&Sha1::digest(block.as_bytes()));
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h{number}/robots.txt\r\n\
         WARC-Block-Digest: sha1:{digest}\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    format!("{head}{block}\r\n\r\n").into_bytes()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::new(6));
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

/// With a checksum, as the program `zstd` writes it.
fn frame(bytes: &[u8]) -> Vec<u8> {
    let mut zstd = zstd::Encoder::new(Vec::new(), 3).unwrap();
    zstd.include_checksum(true).unwrap();
    zstd.write_all(bytes).unwrap();
    zstd.finish().unwrap()
}

/// The files that were read as whole ones, by URL and text, and how many items were something else: failed, not whole,
/// or skipped.
fn read(archive: Vec<u8>) -> (Vec<(String, String)>, usize) {
    let filter = Filter::new(["MyBot"]);
    let mut said = 0;
    let mut whole = Vec::new();
    for item in filter.items("a.warc", io::Cursor::new(archive)).form(Form::Warc) {
        let record = filter.run(item).into_record().filter(|record| record.truncated.is_none());
        match record.and_then(|record| Some((record.url?, record.policy?.text))) {
            Some(one) => whole.push(one),
            None => said += 1,
        }
    }
    (whole, said)
}

/// No record is lost, doubled or invented without an error: [batch.warc] [batch.proven] [batch.ends]
#[test]
fn damage_of_any_byte_is_said() {
    type Pack = fn(&[u8]) -> Vec<u8>;
    const COUNT: usize = 3;
    let parts: Vec<Vec<u8>> = (0..COUNT).map(record).collect();
    let one = [parts.concat()];
    let archives: [(&str, &[Vec<u8>], Pack); 5] = [
        ("plain", &parts, <[u8]>::to_vec),
        ("gzip", &parts, gzip),
        ("one gzip", &one, gzip),
        ("zstd", &parts, frame),
        ("one zstd", &one, frame),
    ];
    for (name, parts, pack) in archives {
        let mut archive = Vec::new();
        let mut bounds = vec![0];
        for part in parts {
            archive.extend(pack(part));
            bounds.push(archive.len());
        }
        let (right, said) = read(archive.clone());
        assert_eq!((right.len(), said), (COUNT, 0), "{name}");
        let texts: BTreeSet<&String> = right.iter().map(|(_, text)| text).collect();
        let expect = |bytes: Vec<u8>, how: &str| {
            let (found, said) = read(bytes);
            assert!(found.iter().all(|(_, text)| texts.contains(text)), "{name}, {how}: {found:?}");
            let distinct: BTreeSet<_> = found.iter().collect();
            assert!(distinct.len() == found.len(), "{name}, {how}: {found:?}");
            assert!(found.len() + said >= COUNT || said > 0, "{name}, {how}: {found:?}");
            // What no checksum protects is a head in an archive that is not packed.
            let is_known = found.iter().all(|one| right.contains(one)) || name == "plain";
            assert!(is_known, "{name}, {how}: {found:?}");
        };
        for at in 0..archive.len() {
            for change in [1, 0x20, 0x80, 0xFF] {
                let mut bytes = archive.clone();
                bytes[at] ^= change;
                expect(bytes, &format!("byte {at} ^ {change}"));
            }
        }
        for length in 0..archive.len() {
            let (found, said) = read(archive[..length].to_vec());
            assert!(found.iter().all(|one| right.contains(one)), "{name}, {length}: {found:?}");
            // Where a record ends, nobody can know that there was another. Its last four bytes are line ends.
            let last = bounds.iter().filter(|bound| **bound <= length + usize::from(name == "plain") * 4).max();
            let is_bound = last.is_some_and(|bound| *bound >= length);
            assert!(said > 0 || is_bound, "{name}, {length}: {found:?}");
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
    let of_two = |pack: fn(&[u8]) -> Vec<u8>| [pack(&file[..40]), pack(&file[40..])].concat();
    let right = [false, false, true, true];
    // The first rule of the group is there, or all is closed.
    let is_fine = |bytes: &[u8]| answers(bytes).is_none_or(|(found, is_part)| found == right || is_part && !found[0]);
    let mut cases = 0;
    for (name, whole) in [
        ("gzip", gzip(file)),
        ("zstd", frame(file)),
        ("two of gzip", of_two(gzip)),
        ("two of zstd", of_two(frame)),
        ("zstd after a skipped frame", [&b"\x50\x2A\x4D\x18\x02\0\0\0ab"[..], &frame(file)].concat()),
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
            let is_seam = name.starts_with("two") && [gzip, frame].iter().any(|pack| pack(&file[..40]).len() == length);
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
