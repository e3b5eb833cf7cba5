//! The properties of the archive reader that fuzz targets check, on every file of the corpus.
//!
//! Invariant: a missing or empty folder fails.

use robosieve_batch::warc::Step;

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
