//! The properties of the archive reader that fuzz targets check, on every file of the corpus.
//!
//! Invariant: a missing or empty folder fails.

use robosieve_batch::warc::{Damage, Step};

use crate::{archives, corpus};

fn corpus() -> Vec<Vec<u8>> {
    corpus::files().into_iter().map(|(_, file)| file).collect()
}

/// Blanks in front of an archive do not decide by how many bytes arrive at once. [batch.warc] [batch.record]
#[test]
fn blanks_in_front_of_an_archive_may_come_alone() {
    for blanks in [0, 1, 4, 5, 6, 26, 506, 507, 508, 512, 513, 600] {
        let archive = format!("{}WARC/1.0\r\n\r\n", "\n".repeat(blanks));
        for step in [1, 3, 7, 512] {
            archives::records_are_the_same(archive.as_bytes(), step);
        }
    }
}

/// Archives that contain the files, complete and cut at any place, and the files read as archives. [batch.warc]
/// [batch.bounds] [batch.record]
#[test]
fn any_bytes_are_an_archive() {
    let mut found = 0;
    for (number, file) in corpus().iter().enumerate() {
        let file = &file[..file.len().min(4_000)];
        let head = format!("WARC/1.1\r\nWARC-Type: response\r\nContent-Length: {}\r\n\r\n", file.len());
        let record = [head.as_bytes(), file, b"\r\n\r\n"].concat();
        let archive = [&record[..], &record, file, b"\n", &record].concat();
        found += archives::steps(&archive[..], 4_000).iter().filter(|step| matches!(step, Step::Record(_))).count();
        for bytes in [&archive[..], &archive[..number * 7919 % archive.len()], file] {
            for max_block in [0, 1, 100, 4_000] {
                archives::the_same_however_it_comes(bytes, max_block, 1 + number % 50);
            }
            archives::records_are_the_same(bytes, 1 + number % 50);
        }
    }
    assert!(found >= corpus().len() * 2, "only {found} records were found");
}

/// [batch.warc]
#[test]
fn fields_are_found_by_their_names() {
    let bytes = b"WARC/1.0\r\nwarc-type \t:  resource \r\nWARC-Date:\r\nWARC-Date: late\r\n no field\r\n\
        X-Own : 1 : 2\r\nx-own: 3\nContent-Length: 0\r\nContent-Length: 0\r\nWARC-Target-URI: u\r\n\r\n\r\n\r\n";
    let steps = archives::steps(&bytes[..], 9);
    let [Step::Record(record)] = &steps[..] else { panic!("{steps:?}") };
    for (name, expected) in [
        ("WARC-Type", Some(&b"resource"[..])),
        ("Warc-Date", Some(b"")),
        ("x-OWN", Some(b"1 : 2")),
        ("WARC-Target-URI", Some(b"u")),
        ("content-length", Some(b"0")),
        ("WARC-Truncated", None),
        ("no field", None),
    ] {
        assert_eq!(record.head.field(name), expected, "{name}");
    }
    // Two lengths are none.
    let twice = b"WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 0\r\nContent-Length: 00\r\n\r\n\r\n\r\n";
    assert_eq!(archives::steps(&twice[..], 9), [Step::Damage(Damage::NoLength)]);
}

const BLOCK: &str = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\n";

fn archive(records: usize) -> Vec<u8> {
    let length = BLOCK.len();
    format!("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: {length}\r\n\r\n{BLOCK}\r\n\r\n").repeat(records).into()
}

/// [batch.bounds]
#[test]
fn blocks_are_kept_to_the_limit() {
    for (max_block, is_cut) in [(BLOCK.len() - 1, true), (BLOCK.len(), false), (BLOCK.len() + 1, false)] {
        let found = archives::steps(&archive(2)[..], max_block);
        assert_eq!(found.len(), 2);
        for step in found {
            let Step::Record(record) = step else { panic!("{step:?}") };
            assert_eq!((record.is_cut, record.block.len()), (is_cut, max_block.min(BLOCK.len())));
        }
    }
}

/// Archives made from valid ones by changes at pseudo-random places. [batch.warc] [batch.bounds]
#[test]
fn changed_archives_keep_the_invariants() {
    const PIECES: [&[u8]; 8] =
        [b"WARC/", b"\r\n", b"\n\nWARC/1.0\n", b"Content-Length: 9\r\n", b"\0", b"99999999", b"-", b"\r\n\r\n"];
    let mut draw = crate::common::draws();
    for _ in 0..3000 {
        let mut bytes = archive(draw(6));
        for _ in 0..draw(8) {
            let at = draw(bytes.len() + 1);
            match draw(3) {
                0 => bytes.truncate(at),
                1 => drop(bytes.drain(at..(at + draw(60)).min(bytes.len()))),
                _ => drop(bytes.splice(at..at, PIECES[draw(8)].iter().copied())),
            }
        }
        archives::the_same_however_it_comes(&bytes, draw(60), 1 + draw(9));
    }
}
