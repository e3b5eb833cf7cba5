//! `robosieve batch` on archives: the result of each record, and the cost of hostile archives.

use std::fs;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde_json::{Value, json};

use crate::common::{Dir, gzip};

const RULES: &str = "User-agent: *\nDisallow: /x\n";

/// A record of this type, with these additional lines in its head.
fn record(kind: &str, host: &str, lines: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://{host}/robots.txt\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n\
         {lines}Content-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

fn http(head: &str, body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 {head}\r\n\r\n").as_bytes(), body].concat()
}

pub(crate) fn response(host: &str, head: &str, body: &[u8]) -> Vec<u8> {
    record("response", host, "", &http(head, body))
}

fn fine(host: &str) -> Vec<u8> {
    response(host, "200 OK", RULES.as_bytes())
}

/// The records of an archive and the exit code.
fn batch(dir: &Dir, archive: &[u8], code: i32) -> Vec<Value> {
    dir.write("a.warc", archive);
    dir.run(&["batch", "-a", "MyBot", "-q", "a.warc"]).code(code).json()
}

/// The host and outcome of each record.
fn outcomes(records: &[Value]) -> Vec<(String, String)> {
    let host = |record: &Value| {
        let url = record["url"].as_str().unwrap_or("http:///");
        url.split('/').nth(2).unwrap().to_owned()
    };
    records.iter().map(|record| (host(record), record["outcome"].as_str().unwrap().to_owned())).collect()
}

/// The same with borrowed strings.
#[track_caller]
fn expect(records: &[Value], expected: &[(&str, &str)]) {
    let found = outcomes(records);
    let found: Vec<(&str, &str)> = found.iter().map(|(host, outcome)| (host.as_str(), outcome.as_str())).collect();
    assert_eq!(found, expected);
}

/// [batch.warc] [batch.status]
#[test]
fn records_are_distinguished() {
    let dir = Dir::new();
    let archive = [
        record("warcinfo", "i", "", b"software: x"),
        record("request", "a", "", b"GET /robots.txt HTTP/1.1\r\n\r\n"),
        fine("a"),
        response("b", "301 Moved\r\nLocation: http://c/robots.txt", b""),
        response("c", "404 Not Found", b"<html>"),
        response("d", "503 Busy", b""),
        response("e", "304 Not Modified", b""),
        record("revisit", "f", "WARC-Refers-To-Target-URI: http://a/robots.txt\r\n", b""),
        record("resource", "g", "", RULES.as_bytes()),
        record("response", "h", "WARC-Truncated: time\r\n", &http("200 OK", RULES.as_bytes())),
        record("response", "i", "WARC-Segment-Number: 1\r\n", &http("200 OK", RULES.as_bytes())),
        record("made-up", "j", "", b""),
        fine("k/other?"),
        record("metadata", "l", "", b"x"),
    ]
    .concat();
    dir.write("a.warc", &archive);
    let ran = dir.run(&["batch", "-a", "x", "--summary", "json", "a.warc"]).ok();
    let records = ran.json();
    expect(
        &records,
        &[
            ("a", "rules"),
            ("b", "redirect"),
            ("c", "allow-all"),
            ("d", "disallow-all"),
            ("e", "not-modified"),
            ("f", "revisit"),
            ("g", "rules"),
            ("h", "rules"),
            ("i", "rules"),
        ],
    );
    assert_eq!(records[1]["location"], "http://c/robots.txt");
    assert_eq!(records[5]["location"], "http://a/robots.txt");
    assert_eq!((&records[6]["status"], &records[0]["status"]), (&Value::Null, &json!(200)));
    assert_eq!(records[0]["time"], "2026-01-02T03:04:05Z");
    assert_eq!((&records[7]["truncated"], &records[7]["exact"]), (&json!("time"), &json!(false)));
    assert_eq!(records[8]["truncated"], "segment");
    let summary: Value = serde_json::from_str(ran.err()).unwrap();
    let skipped = json!({"warcinfo": 1, "request": 1, "unknown-type": 1, "other-url": 1, "metadata": 1});
    assert_eq!(summary["summary"]["skipped"], skipped);
    let all = dir.run(&["batch", "-a", "x", "-q", "--all-urls", "a.warc"]).ok();
    assert_eq!(all.json().len(), records.len() + 1);
}

/// [batch.warc] [batch.inputs]
#[test]
fn archives_are_unpacked_from_every_packing() {
    let dir = Dir::new();
    let parts: Vec<Vec<u8>> = (0..300).map(|number| fine(&format!("h{number}"))).collect();
    let plain = batch(&dir, &parts.concat(), 0);
    assert_eq!(plain.len(), 300);
    let each = |pack: &dyn Fn(&[u8]) -> Vec<u8>| parts.iter().flat_map(|part| pack(part)).collect::<Vec<u8>>();
    let frame = |bytes: &[u8]| zstd::encode_all(bytes, 3).unwrap();
    let padded = |bytes: &[u8]| [gzip(bytes), vec![0; 700]].concat();
    let skipped = |magic: u8| [magic, 0x2A, 0x4D, 0x18, 1, 0, 0, 0, 7];
    let named: [(&str, Vec<u8>); 7] = [
        ("members.warc.gz", each(&gzip)),
        ("padded.warc.gz", each(&padded)),
        ("whole.warc.gz", gzip(&parts.concat())),
        ("frames.warc.zst", each(&frame)),
        ("whole.warc.zst", frame(&parts.concat())),
        ("skipped.warc.zst", [&skipped(0x50)[..], &each(&frame), &skipped(0x5F)].concat()),
        // Its name does not show the packing.
        ("packed.warc", each(&gzip)),
    ];
    for (name, bytes) in named {
        dir.write(name, &bytes);
        let ran = dir.run(&["batch", "-a", "MyBot", "-q", name]).ok();
        let strip =
            |records: &[Value]| records.iter().map(|one| (one["url"].clone(), one["text"].clone())).collect::<Vec<_>>();
        assert_eq!(strip(&ran.json()), strip(&plain), "{name}");
        let piped = dir.run_with(&["batch", "-a", "MyBot", "-q"], &bytes).ok();
        assert_eq!(piped.json().len(), 300, "{name}");
    }
}

/// A single file of any name is also unpacked, up to the limit. Damage is reported, each kind by the tests of inputs:
/// [batch.inputs]
#[test]
fn single_files_are_unpacked() {
    let dir = Dir::new();
    let packed = gzip(RULES.as_bytes());
    fs::create_dir(dir.path("in")).unwrap();
    dir.write("in/r.txt", &packed);
    dir.write("in/r.txt.gz", &packed);
    dir.write("in/r.txt.zst", zstd::encode_all(RULES.as_bytes(), 3).unwrap());
    dir.write("in/plain.gz", RULES);
    let records = dir.run(&["batch", "-a", "MyBot", "-q", "in"]).ok().json();
    assert_eq!(records.len(), 4);
    for record in records {
        assert_eq!((&record["text"], &record["exact"]), (&json!(RULES), &json!(true)), "{record}");
        assert_eq!(record["bytes"], RULES.len());
    }
    for (length, is_cut) in [(999, false), (1000, false), (1001, true)] {
        dir.write("r.txt", gzip(&b"#".repeat(length)));
        let ran = dir.run(&["batch", "-a", "x", "-q", "--max-bytes", "1000", "r.txt"]).ok();
        assert_eq!(ran.one_json()["report"]["counts"]["input-cut"] == 1, is_cut, "{length}");
    }
    // The packed file is longer than the limit for its content.
    dir.write("r.txt", [gzip(b"").repeat(100), packed.clone()].concat());
    let ran = dir.run(&["batch", "-a", "x", "-q", "--max-bytes", "1000", "r.txt"]).ok();
    assert_eq!((&ran.one_json()["text"], &ran.one_json()["exact"]), (&json!(RULES), &json!(true)));
    for (broken, of, expected) in
        [(&packed[..5], "truncated", json!("encoding")), (&[&packed[..], b"x"].concat(), "outcome", json!("failed"))]
    {
        dir.write("r.txt", broken);
        assert_eq!(dir.run(&["batch", "-a", "x", "-q", "r.txt"]).code(3).one_json()[of], expected);
    }
}

/// [batch.warc]
#[test]
fn a_dictionary_unpacks_the_frames_after_it() {
    let dir = Dir::new();
    let parts: Vec<Vec<u8>> = (0..200).map(|number| fine(&format!("h{number}"))).collect();
    let dictionary = parts[..50].concat();
    let mut packer = zstd::bulk::Compressor::with_dictionary(3, &dictionary).unwrap();
    let frames: Vec<u8> = parts.iter().flat_map(|part| packer.compress(part).unwrap()).collect();
    for raw in [dictionary.clone(), zstd::encode_all(&dictionary[..], 3).unwrap()] {
        let length = u32::try_from(raw.len()).unwrap().to_le_bytes();
        dir.write("d.warc.zst", [&[0x5D, 0x2A, 0x4D, 0x18][..], &length, &raw, &frames].concat());
        assert_eq!(dir.run(&["batch", "-a", "x", "-q", "d.warc.zst"]).ok().json().len(), 200);
    }
    dir.write("long.warc.zst", [&[0x5D, 0x2A, 0x4D, 0x18][..], &[0xFF; 4], &frames].concat());
    let ran = dir.run(&["batch", "-a", "x", "-q", "long.warc.zst"]).code(3);
    assert!(ran.err().contains("dictionary is longer than 8388608 bytes"), "{}", ran.err());
}

/// [batch.body]
#[test]
fn bodies_are_unpacked() {
    let dir = Dir::new();
    let rules = RULES.as_bytes();
    let mut raw = DeflateEncoder::new(Vec::new(), Compression::best());
    raw.write_all(rules).unwrap();
    let raw = raw.finish().unwrap();
    let chunks = |bytes: &[u8]| [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n0\r\n\r\n"].concat();
    let head = |coding: &str| format!("200 OK\r\nContent-Encoding: {coding}");
    let archive = [
        response("gzip", &head("gzip"), &gzip(rules)),
        response("x-gzip", &head("X-GZIP"), &gzip(rules)),
        response("raw", &head("deflate"), &raw),
        response("zstd", &head("zstd"), &zstd::encode_all(rules, 3).unwrap()),
        response(
            "skipped",
            &head("zstd"),
            &[&b"\x50\x2A\x4D\x18\x02\0\0\0ab"[..], &zstd::encode_all(rules, 3).unwrap()].concat(),
        ),
        response("twice", &head("gzip, gzip"), &gzip(&gzip(rules))),
        response(
            "lines",
            "200 OK\r\nContent-Encoding: zstd\r\nContent-Encoding: gzip",
            &gzip(&zstd::encode_all(rules, 3).unwrap()),
        ),
        response("chunked", "200 OK\r\nTransfer-Encoding: chunked", &chunks(rules)),
        response("transfer", "200 OK\r\nTransfer-Encoding: gzip, chunked", &chunks(&gzip(rules))),
        response("outer", "200 OK\r\nTransfer-Encoding: gzip", &gzip(rules)),
        response("inner", "200 OK\r\nTransfer-Encoding: x-gzip, identity\r\nContent-Encoding: zstd", &{
            gzip(&zstd::encode_all(rules, 3).unwrap())
        }),
        response("both", &format!("{}\r\nTransfer-Encoding: gzip, chunked", head("gzip")), &chunks(&gzip(rules))),
        response("unpacked", &format!("{}\r\nTransfer-Encoding: chunked", head("gzip, br")), rules),
        response("unknown", &head("utf-8"), rules),
    ]
    .concat();
    for record in batch(&dir, &archive, 0) {
        assert_eq!((record["text"].as_str(), record["exact"].as_bool()), (Some(RULES), Some(true)), "{record}");
    }
    let cut = gzip(&RULES.repeat(50).into_bytes());
    let archive = [
        response("cut", &head("gzip"), &cut[..cut.len() - 12]),
        response("nonsense", &head("gzip"), &[&b"\x1F\x8B"[..], &[0xFF; 9]].concat()),
        response("deep", &head("gzip,gzip,gzip,gzip,gzip"), rules),
        response("compress", "200 OK\r\nTransfer-Encoding: compress, chunked", &chunks(b"\x1F\x9D\x90\x55")),
    ]
    .concat();
    let records = batch(&dir, &archive, 3);
    expect(&records, &[("cut", "rules"), ("nonsense", "failed"), ("deep", "failed"), ("compress", "incomplete")]);
    for at in [0, 3] {
        assert_eq!((&records[at]["truncated"], &records[at]["exact"]), (&json!("encoding"), &json!(false)), "{at}");
    }
}

/// A body that is shorter than its length is incomplete. The longest length counts, that of a packed body only where the
/// stored bytes are packed: [batch.status]
#[test]
fn bodies_are_compared_with_their_length() {
    type Pack = fn(&[u8]) -> Vec<u8>;
    let dir = Dir::new();
    let length = RULES.len();
    for (head, is_short) in [
        (format!("200 OK\r\nContent-Length: {length}"), false),
        (format!("200 OK\r\nContent-Length: {}", length - 1), false),
        (format!("200 OK\r\nContent-Length: {}", length + 1), true),
        (format!("200 OK\r\ncontent-length: {0}\r\nContent-Length: {0}", length + 1), true),
        ("200 OK\r\nContent-Length: 99999999999999999999999".into(), true),
        ("200 OK\r\nContent-Length: 99\r\nContent-Encoding: identity".into(), true),
        ("200 OK\r\nContent-Length: 14\r\nContent-Length: 98".into(), true),
        ("200 OK\r\nContent-Length: 14, 500".into(), true),
        ("200 OK\r\nContent-Length: 14, 9x".into(), false),
        ("200 OK\r\nContent-Length: 99\r\nContent-Encoding: utf-8".into(), true),
        ("200 OK\r\nContent-Length: 99x".into(), false),
        ("200 OK\r\nContent-Length:".into(), false),
        ("200 OK\r\nContent-Length: 99\r\nContent-Encoding: gzip".into(), false),
        ("200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked".into(), false),
    ] {
        let record = batch(&dir, &response("a", &head, RULES.as_bytes()), 0).remove(0);
        let expected = if is_short { json!("content-length") } else { Value::Null };
        assert_eq!((&record["truncated"], &record["exact"]), (&expected, &json!(!is_short)), "{head}");
        assert_eq!(record["text"], "User-agent: *\nDisallow: /x\n");
    }
    let packings: [(&str, Pack); 3] = [
        ("gzip", gzip),
        ("zstd", |bytes| zstd::encode_all(bytes, 3).unwrap()),
        ("gzip, gzip", |bytes| gzip(&gzip(bytes))),
    ];
    for (coding, pack) in packings {
        let packed = pack(RULES.as_bytes());
        for (more, is_short) in [(0, false), (1, true), (500, true)] {
            let head = format!("200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {}", packed.len() + more);
            let record = batch(&dir, &response("a", &head, &packed), 0).remove(0);
            assert_eq!(record["exact"], !is_short, "{coding}, {more}");
        }
        // None of the packed bytes came.
        let head = format!("200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: 99");
        assert_eq!(batch(&dir, &response("a", &head, b""), 3).remove(0)["outcome"], "incomplete", "{coding}");
    }
    let record = batch(&dir, &response("a", "304 Not Modified\r\nContent-Length: 99", b""), 0).remove(0);
    assert_eq!((&record["outcome"], &record["truncated"]), (&json!("not-modified"), &Value::Null));
    // A block that we cut does not show whether the server sent the whole body.
    let long = "# long\n".repeat(60_000);
    dir.write("a.warc", response("a", &format!("200 OK\r\nContent-Length: {}", long.len()), long.as_bytes()));
    let record = dir.run(&["batch", "-a", "x", "-q", "--max-bytes", "1000", "a.warc"]).ok().one_json();
    assert_eq!((&record["truncated"], &record["report"]["counts"]["input-cut"]), (&Value::Null, &json!(1)));
}

/// [batch.body] [batch.bounds]
#[test]
fn a_bomb_is_unpacked_to_the_limit() {
    let dir = Dir::new();
    // A gigabyte of zeros packed into a megabyte, and packed again into kilobytes.
    let bomb = gzip(&vec![0; 1 << 20]).repeat(1024);
    let archive = [
        response("once", "200 OK\r\nContent-Encoding: gzip", &bomb),
        response("twice", "200 OK\r\nContent-Encoding: gzip, gzip", &gzip(&bomb)),
        fine("after"),
    ]
    .concat();
    let records = batch(&dir, &archive, 0);
    expect(&records, &[("once", "rules"), ("twice", "rules"), ("after", "rules")]);
    for record in &records[..2] {
        assert_eq!((&record["bytes"], &record["exact"]), (&json!(512_016), &json!(false)), "{record}");
        assert_eq!(record["report"]["counts"]["input-cut"], 1);
    }
    // The archive itself is a bomb: bytes that are not a record are skipped, and reported once.
    dir.write("bomb.warc.gz", [gzip(&fine("before")), gzip(&vec![0; 1 << 20]).repeat(64)].concat());
    let ran = dir.run(&["batch", "-a", "x", "-q", "bomb.warc.gz"]).code(3);
    assert_eq!(outcomes(&ran.json()).len(), 1);
}

/// [batch.warc] [batch.failures]
#[test]
fn a_wrong_length_costs_its_record() {
    let dir = Dir::new();
    let lying = |host: &str, by: i64| {
        let block = http("200 OK", RULES.as_bytes());
        let length = i64::try_from(block.len()).unwrap() + by;
        let honest = String::from_utf8(record("response", host, "", &block)).unwrap();
        honest.replace(&format!("Content-Length: {}", block.len()), &format!("Content-Length: {length}")).into_bytes()
    };
    for by in [-20, -2, 5, 40, 120] {
        let archive = [fine("a"), lying("b", by), fine("c"), fine("d")].concat();
        let records = batch(&dir, &archive, 3);
        let found = outcomes(&records);
        // The records that it may have included are used neither as its rules nor as rules of others.
        assert!(!found.iter().any(|(host, outcome)| host == "b" && outcome == "rules"), "{by}: {found:?}");
        assert_eq!(found.first().unwrap().0, "a");
        assert_eq!(found.last().unwrap(), &("d".to_owned(), "rules".to_owned()), "{by}");
        assert!(found.iter().any(|(_, outcome)| outcome == "failed"), "{by}: {found:?}");
    }
    // If the length leads past the end, the record is reported as truncated.
    let records = batch(&dir, &[fine("a"), lying("b", 1_000_000)].concat(), 0);
    assert_eq!((&records[1]["truncated"], &records[1]["exact"]), (&json!("archive"), &json!(false)));
    for length in ["", "-1", "1e3", "0x10", "99999999999999999999", "18446744073709551615", "12\r\nContent-Length: 13"]
    {
        let bad = format!("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: {length}\r\n\r\nHTTP/1.1 200 OK\r\n\r\n");
        let records = batch(&dir, &[fine("a"), bad.into_bytes(), b"\r\n\r\n".to_vec(), fine("b")].concat(), 3);
        assert_eq!(outcomes(&records)[0], ("a".to_owned(), "rules".to_owned()));
        if !length.starts_with("184") {
            assert_eq!(outcomes(&records)[2], ("b".to_owned(), "rules".to_owned()), "{length}");
        }
    }
}

/// [batch.warc] [batch.bounds]
#[test]
fn heads_are_bounded() {
    let dir = Dir::new();
    // The size of a head includes its empty line.
    let plain =
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://b/robots.txt\r\nContent-Length: 19\r\nX: \r\n\r\n";
    for (length, outcome) in [(65_535, "rules"), (65_536, "rules"), (65_537, "failed")] {
        let long = plain.replace("X: ", &format!("X: {}", "y".repeat(length - plain.len())));
        let archive = [fine("a"), long.into_bytes(), b"HTTP/1.1 200 OK\r\n\r\n\r\n\r\n".to_vec(), fine("c")].concat();
        let records = batch(&dir, &archive, if outcome == "failed" { 3 } else { 0 });
        assert_eq!((records.len(), records[1]["outcome"].as_str()), (3, Some(outcome)), "{length}");
    }
    // A head without an end, and a head of a million lines.
    for endless in ["x".repeat(5_000_000), "X: y\r\n".repeat(1_000_000)] {
        let archive = [b"WARC/1.0\r\n".to_vec(), endless.into_bytes(), b"\r\n\r\n".to_vec(), fine("b")].concat();
        expect(&batch(&dir, &archive, 3), &[("", "failed"), ("b", "rules")]);
    }
}

/// [batch.warc] [batch.failures]
#[test]
fn damage_affects_no_other_record() {
    let dir = Dir::new();
    let archive = [b"what is this\n".to_vec(), fine("a"), b"<html>\n</html>\n".to_vec(), fine("b"), fine("c")].concat();
    let records = batch(&dir, &archive, 3);
    // The record before bytes that are not a record is not trusted: its length may be wrong.
    expect(&records, &[("", "failed"), ("", "failed"), ("b", "rules"), ("c", "rules")]);
    let headless = [
        record("response", "a", "", RULES.as_bytes()),
        record("response", "b", "", b""),
        record("response", "c", "", b"HTTP/1.1 200 OK\r\nServer: x"),
        fine("d"),
    ];
    expect(&batch(&dir, &headless.concat(), 3), &[("a", "failed"), ("b", "failed"), ("c", "failed"), ("d", "rules")]);

    let members: Vec<Vec<u8>> = (0..5).map(|number| gzip(&fine(&format!("h{number}")))).collect();
    for at in [1, 12, 40, 100] {
        let mut broken = members.clone();
        broken[2][at] ^= 0xFF;
        dir.write("a.warc.gz", broken.concat());
        let ran = dir.run(&["batch", "-a", "x", "-q", "a.warc.gz"]);
        let found = outcomes(&ran.json());
        for host in ["h0", "h1", "h4"] {
            assert!(
                found.iter().any(|(name, outcome)| name == host && outcome == "rules"),
                "{at}: {host} in {found:?}"
            );
        }
    }
    // An end directly after a record makes that record incomplete, and damage makes it fail, but no record that has
    // ended before: [batch.body]
    let sum = members[2].len() - 8;
    let mut spoilt = members.clone();
    spoilt[2][sum] ^= 0xFF;
    let headless = [members[0].clone(), members[1].clone(), b"xx".to_vec(), members[3].clone()].concat();
    let mut bad_head = members.clone();
    bad_head[2][12] ^= 0xFF;
    let short = members.concat();
    let two = gzip(&[fine("h0"), fine("h1")].concat());
    for (bytes, damaged) in [
        (spoilt.concat(), vec![]),
        (short[..short.len() - 1].to_vec(), vec!["h4"]),
        (short[..short.len() - 8].to_vec(), vec!["h4"]),
        (two[..two.len() - 1].to_vec(), vec!["h1"]),
        (headless, vec![]),
        (bad_head.concat(), vec![]),
        (short, vec![]),
    ] {
        dir.write("a.warc.gz", bytes);
        let records = dir.run(&["batch", "-a", "x", "-q", "a.warc.gz"]).json();
        let rules: Vec<&Value> = records.iter().filter(|record| record["outcome"] == "rules").collect();
        let (spoilt, whole): (Vec<_>, Vec<_>) = rules.into_iter().partition(|record| record["truncated"] == "damage");
        assert!(whole.iter().all(|record| record["exact"] == true), "{records:?}");
        assert!(spoilt.iter().all(|record| record["exact"] == false), "{records:?}");
        let hosts: Vec<_> = spoilt.iter().filter_map(|record| record["url"].as_str()?.split('/').nth(2)).collect();
        assert_eq!(hosts, damaged, "{records:?}");
    }
    dir.write("a.warc.gz", spoilt.concat());
    let records = dir.run(&["batch", "-a", "x", "-q", "a.warc.gz"]).code(3).json();
    expect(&records, &[("h0", "rules"), ("h1", "rules"), ("", "failed"), ("h3", "rules"), ("h4", "rules")]);
    // Cut off: in the last member, and between two frames.
    let whole = members.concat();
    dir.write("a.warc.gz", &whole[..whole.len() - 30]);
    let ran = dir.run(&["batch", "-a", "x", "-q", "a.warc.gz"]).code(3);
    assert_eq!(ran.json().iter().filter(|record| record["outcome"] == "rules").count(), 4);
    let frames: Vec<u8> =
        (0..5).flat_map(|number| zstd::encode_all(&fine(&format!("h{number}"))[..], 3).unwrap()).collect();
    dir.write("a.warc.zst", &frames[..frames.len() - 30]);
    let ran = dir.run(&["batch", "-a", "x", "-q", "a.warc.zst"]).code(3);
    assert_eq!(ran.json().iter().filter(|record| record["outcome"] == "rules").count(), 4);
    for empty in ["e.warc", "e.warc.gz", "e.warc.zst"] {
        fs::write(dir.path(empty), b"").unwrap();
        assert_eq!(dir.run(&["batch", "-a", "x", "-q", empty]).ok().out(), "");
    }
}

/// What broke off never permits more than the whole, and what is not known is not allowed: [batch.incomplete]
#[test]
fn a_part_of_a_file_opens_nothing() {
    type Archive<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;
    let dir = Dir::new();
    // The last line was `Allow: /public/only`; the other part ends before the rules.
    let (part, head) = ("User-agent: *\nDisallow: /\nAllow: /", "User-agent: *\nDisall");
    let kinds: [(&str, Archive<'_>); 5] = [
        ("length", &|body| record("response", "e", "WARC-Truncated: length\r\n", &http("200 OK", body))),
        ("content-length", &|body| response("e", "200 OK\r\nContent-Length: 99", body)),
        ("segment", &|body| record("response", "e", "WARC-Segment-Number: 1\r\n", &http("200 OK", body))),
        ("partial", &|body| response("e", "206 Partial Content", body)),
        ("archive", &|body| {
            let whole = response("e", "200 OK", &[body, b"0123456789"].concat());
            whole[..whole.len() - 14].to_vec()
        }),
    ];
    for (reason, archive) in kinds {
        let record = batch(&dir, &archive(part.as_bytes()), 0).remove(0);
        assert_eq!((&record["outcome"], &record["truncated"]), (&json!("rules"), &json!(reason)), "{record}");
        assert_eq!(record["text"], "User-agent: *\nDisallow: /\n", "{reason}");
        assert_eq!((&record["exact"], &record["report"]["exact"]), (&json!(false), &json!(false)), "{reason}");
        let record = batch(&dir, &archive(head.as_bytes()), 3).remove(0);
        assert_eq!((&record["outcome"], &record["truncated"]), (&json!("incomplete"), &json!(reason)), "{record}");
        assert_eq!(record["text"], "User-agent: *\nDisallow: /\n", "{reason}");
        assert_eq!(record["report"]["counts"]["group-incomplete"], 1);
    }
    for (line, outcome, code) in [
        (json!({"robots": part, "truncated": true}), "rules", 0),
        (json!({"robots": part, "status": 206}), "rules", 0),
        (json!({"robots": head, "truncated": true}), "incomplete", 3),
        (json!({"robots": "", "truncated": true, "status": 200}), "incomplete", 3),
        (json!({"robots": head, "truncated": true, "status": 404}), "allow-all", 0),
    ] {
        dir.write("a.ndjson", format!("{line}\n"));
        let record = dir.run(&["batch", "-a", "MyBot", "-q", "a.ndjson"]).code(code).one_json();
        assert_eq!(record["outcome"], outcome, "{line}");
        let is_open = outcome == "allow-all";
        assert_eq!(record["text"], if is_open { "User-agent: *\nDisallow:\n" } else { "User-agent: *\nDisallow: /\n" });
    }
}
