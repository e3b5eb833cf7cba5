//! WARC archives in a `.wacz` file: the same records, limits, and damage of any byte.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Cursor, Write as _};
use std::path::Path;

use robosieve_batch::wacz::{MAX_DIRECTORY, MAX_ENTRIES, MAX_NAME};
use robosieve_batch::{Filter, Inputs, Outcome, Record};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::common::{gzip, of_file, robots, rules};
use crate::damaged::expect_damage_is_said;

fn record(number: usize) -> Vec<u8> {
    robots(number, &rules(number))
}

fn zip(entries: &[(&str, CompressionMethod, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, method, bytes) in entries {
        zip.start_file(*name, SimpleFileOptions::default().compression_method(*method)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

const STORED: CompressionMethod = CompressionMethod::Stored;
const DEFLATED: CompressionMethod = CompressionMethod::Deflated;

fn read(path: &Path) -> Vec<Record> {
    let done = Inputs::new().path(path).filtered(Filter::new(["MyBot"]), 1);
    done.filter_map(|done| done.unwrap().into_record()).collect()
}

/// The only error of a file.
fn error(path: &Path, bytes: &[u8]) -> String {
    fs::write(path, bytes).unwrap();
    let records = read(path);
    let [record] = records.as_slice() else { panic!("{records:?}") };
    assert_eq!(record.outcome, Outcome::Failed);
    serde_json::to_value(record).unwrap()["error"].to_string()
}

/// [batch.wacz]
#[test]
fn its_archives_have_the_records_that_they_have_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let warcs = [
        ("one.warc.gz", STORED, [gzip(6, &record(1)), gzip(6, &record(2))].concat()),
        ("two.warc", DEFLATED, [record(3), b"damaged\r\n".to_vec(), record(4)].concat()),
        ("in/Three.WARC.zst", STORED, zstd::encode_all(&record(5)[..], 3).unwrap()),
    ];
    let mut alone = Vec::new();
    fs::create_dir(path("in")).unwrap();
    for (name, _, bytes) in &warcs {
        fs::write(path(name), bytes).unwrap();
        alone.extend(read(&path(name)));
    }
    let names: Vec<String> = warcs.iter().map(|(name, ..)| format!("archive/{name}")).collect();
    let mut entries =
        vec![("datapackage.json", DEFLATED, &b"{}"[..]), ("archive/a.cdx", STORED, b"x"), ("x.warc", STORED, b"x")];
    entries.extend(names.iter().zip(&warcs).map(|(name, (_, method, bytes))| (name.as_str(), *method, &bytes[..])));
    let file = path("a.wacz");
    fs::write(&file, zip(&entries)).unwrap();
    let without_source = |records: &[Record]| -> Vec<serde_json::Value> {
        let rows = records.iter().map(|record| serde_json::to_value(record).unwrap());
        rows.map(|mut row| row.as_object_mut().map(|row| row.remove("source")).map(|_| row).unwrap()).collect()
    };
    let found = read(&file);
    assert_eq!(without_source(&found), without_source(&alone));
    // One is damaged.
    assert_eq!(found.iter().filter(|record| record.outcome == Outcome::Rules).count(), 4);
    let sources: BTreeSet<&str> = found.iter().map(|record| &*record.source).collect();
    let expected: Vec<String> = names.iter().map(|name| format!("{}/{name}", file.display())).collect();
    assert_eq!(sources, expected.iter().map(String::as_str).collect());
    // Also in a directory.
    fs::create_dir(path("folder")).unwrap();
    fs::rename(&file, path("folder/A.WACZ")).unwrap();
    assert_eq!(without_source(&read(&path("folder"))), without_source(&alone));
}

/// [batch.wacz]
#[test]
fn what_cannot_be_read_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.wacz");
    let whole = zip(&[("archive/a.warc", STORED, &record(1))]);
    let place = |sign: &[u8]| whole.windows(4).position(|four| four == sign).unwrap();
    let (local, central) = (place(b"PK\x03\x04"), place(b"PK\x01\x02"));
    let with = |at: [usize; 2], byte: u8| {
        let mut bytes = whole.clone();
        for at in at {
            bytes[at] |= byte;
        }
        bytes
    };
    let encrypted = error(&path, &with([local + 6, central + 8], 1));
    assert!(encrypted.to_ascii_lowercase().contains("password") || encrypted.contains("ncrypted"), "{encrypted}");
    let method = error(&path, &with([local + 8, central + 10], 12));
    assert!(method.contains("ompression"), "{method}");
    for (bytes, what) in [
        (zip(&[("pages/a.warc", STORED, &record(1))]), "no WARC archive in archive/"),
        (record(1), "nvalid"),
        (Vec::new(), "nvalid"),
        (zip(&[]), "no WARC archive in archive/"),
    ] {
        let error = error(&path, &bytes);
        assert!(error.contains(what), "{error}");
    }
}

/// [batch.wacz]
#[test]
fn entries_names_and_the_directory_have_limits() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.wacz");
    let is_read = |names: &mut dyn Iterator<Item = String>| {
        let names: Vec<String> = std::iter::once("archive/a.warc".to_owned()).chain(names).collect();
        let robots = record(1);
        let content = |name: &str| if name.starts_with("archive/") { &robots[..] } else { b"" };
        let entries: Vec<_> = names.iter().map(|name| (name.as_str(), STORED, content(name))).collect();
        fs::write(&path, zip(&entries)).unwrap();
        let records = read(&path);
        assert_eq!(records.len(), 1);
        records[0].outcome == Outcome::Rules
    };
    for (entries, expected) in [(MAX_ENTRIES - 1, true), (MAX_ENTRIES, true), (MAX_ENTRIES + 1, false)] {
        assert_eq!(is_read(&mut (1..entries).map(|number| number.to_string())), expected, "{entries}");
    }
    for (length, expected) in [(MAX_NAME - 1, true), (MAX_NAME, true), (MAX_NAME + 1, false)] {
        assert_eq!(is_read(&mut std::iter::once("n".repeat(length))), expected, "{length}");
    }
    // Where the last entry begins, after entries with heads of 46 bytes, all of the first name and one of this length.
    let (limit, long, count) = (usize::try_from(MAX_DIRECTORY).unwrap(), MAX_NAME - 1, 3_827);
    let most = limit - 46 * (count + 2) - "archive/a.warc".len() - count * long;
    for (length, expected) in [(most - 1, true), (most, true), (most + 1, false)] {
        let names = (0..count).map(|number| format!("{number:0long$}"));
        assert_eq!(is_read(&mut names.chain(["n".repeat(length), "last".to_owned()])), expected, "{length}");
    }
}

/// [batch.wacz]
#[test]
fn damage_of_any_byte_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.wacz");
    let packed = gzip(6, &record(1));
    let whole = zip(&[("archive/a.warc.gz", STORED, &packed), ("archive/b.warc", DEFLATED, &record(2))]);
    expect_damage_is_said(("wacz", &whole), &[1, 0x80, 0xFF], (&[], false), |bytes| of_file(&path, bytes));
}
