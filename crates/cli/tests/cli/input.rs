//! The input of all commands: packed files, empty files, agents.

use std::io::Write;

use serde_json::{Value, json};

use crate::common::{Dir, Ran, answer_to, base64, gzip};

const FILE: &str = "User-agent: MyBot\nDisallow: /mine\n\nUser-agent: *\nDisallow: /all\n";

fn zstd(bytes: &[u8]) -> Vec<u8> {
    // With a checksum, like the program `zstd`. The library writes none by default.
    let mut packer = zstd::Encoder::new(Vec::new(), 3).unwrap();
    packer.include_checksum(true).unwrap();
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// Each command on this file, as a file and as the standard input.
fn each_command(bytes: &[u8], mut look: impl FnMut(&str, Ran)) {
    let dir = Dir::with(bytes);
    dir.write("plain.txt", FILE);
    for file in ["robots.txt", "-"] {
        for args in [
            &["filter", "-a", "mybot", file][..],
            &["test", "-a", "mybot", file, "/mine/x"],
            &["explain", "-a", "mybot", file],
            &["inspect", "-a", "mybot", file],
            &["diff", "-a", "mybot", file, "plain.txt"],
            &["diff", "-a", "mybot", "plain.txt", file],
        ] {
            let stdin: &[u8] = if file == "-" { bytes } else { b"" };
            look(args[0], dir.run_with(args, stdin));
        }
    }
}

/// [cmd.unpack]
#[test]
fn packed_files_are_unpacked_in_every_command() {
    for packed in [
        gzip(FILE.as_bytes()),
        zstd(FILE.as_bytes()),
        [gzip(&FILE.as_bytes()[..20]), gzip(&FILE.as_bytes()[20..])].concat(),
    ] {
        each_command(&packed, |command, ran| match command {
            "filter" => assert_eq!(ran.ok().out(), "User-agent: *\nDisallow: /mine\n"),
            "test" => assert!(ran.code(1).out().contains("line 2: Disallow: /mine")),
            "explain" => assert!(ran.ok().out().contains("Disallow: /all")),
            "inspect" => assert!(ran.ok().out().contains("Disallow: /mine  (line 2)")),
            _ => assert_eq!(ran.ok().out(), ""),
        });
        for (command, url) in [("filter", Value::Null), ("test", json!("/mine/x")), ("inspect", Value::Null)] {
            let answer = answer_to(&[command], json!({"agent": "mybot", "robots_b64": base64(&packed), "url": url}));
            assert!(answer.to_string().contains("/mine"), "{command}: {answer}");
        }
    }
}

/// [cmd.unpack]
#[test]
fn damaged_packing_is_an_error_and_not_a_shorter_file() {
    let file = [FILE.as_bytes(), b"Disallow: /last\n"].concat();
    for whole in [gzip(&file), zstd(&file)] {
        let mut spoilt = whole.clone();
        let at = spoilt.len() / 2;
        spoilt[at] ^= 0x55;
        let after = [&whole[..], b"garbage"].concat();
        for damaged in [&spoilt, &after] {
            each_command(damaged, |command, ran| {
                let err = ran.err().to_owned();
                assert!(err.contains("cannot be unpacked from"), "{command}: {err}");
                ran.fails(2, &["unpack it and see"]);
            });
            let answer = answer_to(&["test"], json!({"agent": "mybot", "robots_b64": base64(damaged)}));
            assert_eq!(answer["error"]["kind"], "bad-request", "{answer}");
        }
    }
}

/// [cmd.unpack] [input.incomplete]
#[test]
fn packing_that_ends_early_is_a_part_of_a_file() {
    let whole = gzip(FILE.as_bytes());
    each_command(&whole[..4], |command, ran| {
        assert!(ran.err().contains("the gzip data ends early"), "{command}: {}", ran.err());
        match command {
            "filter" => assert_eq!(ran.ok().out(), "User-agent: *\nDisallow: /\n"),
            "test" => assert!(ran.code(1).out().contains("the file is incomplete")),
            "diff" => drop(ran.code(1)),
            _ => drop(ran.ok()),
        }
    });
    // All rules came; only the checksum is missing.
    let dir = Dir::with(&whole[..whole.len() - 1]);
    let ran = dir.run(&["filter", "-q", "-a", "mybot", "robots.txt"]).ok();
    assert!(ran.out().contains("Disallow: /mine") && ran.err().contains("ends early"), "{}", ran.err());
    dir.run(&["filter", "-a", "mybot", "--fail-on", "loss", "robots.txt"]).fails(3, &["the file is not whole"]);
    dir.run(&["test", "-a", "mybot", "robots.txt", "/mine"]).code(1);
    let why = dir.run(&["explain", "--json", "-a", "mybot", "robots.txt"]).ok().one_json();
    assert_eq!(why["counts"]["input-incomplete"], 1, "{why}");
    // No advice is given about a part, and nothing is written of it.
    dir.run(&["lint", "robots.txt"]).fails(2, &["only a part of it is there"]);
    dir.run(&["lint", "--fix", "robots.txt"]).fails(2, &["only a part of it is there"]);
    let fixed = dir.run_with(&["lint", "--fix", "-"], &whole[..whole.len() - 1]).fails(2, &["only a part of it"]);
    assert_eq!(fixed.out(), "");
    let answer = answer_to(&["test"], json!({"agent": "mybot", "robots_b64": base64(&whole[..20])}));
    assert_eq!((&answer["allowed"], &answer["reason"]), (&false.into(), &"incomplete".into()), "{answer}");
}

/// Each kind of damage, in a file of a batch and in one alone; the tests above have the other doors. [cmd.unpack]
/// [batch.body] [batch.incomplete]
#[test]
fn damage_is_the_same_in_two_doors() {
    const REST: &str = "User-agent: *\nDisallow: /mine\n";
    let long = format!("{FILE}{}", "# a comment that is not needed\n".repeat(20_000));
    let spoilt = |mut bytes: Vec<u8>, from_end: usize| {
        let at = bytes.len() - from_end;
        bytes[at] ^= 1;
        bytes
    };
    let then = |bytes: Vec<u8>, more: &[u8]| [&bytes[..], more].concat();
    let cut = |bytes: Vec<u8>, count: usize| bytes[..bytes.len() - count].to_vec();
    let ends = |bytes: Vec<u8>, length: usize| bytes[..length].to_vec();
    for (pack, coding, sum) in [(gzip as fn(&[u8]) -> Vec<u8>, "gzip", 8), (zstd, "zstd", 4)] {
        let packed = || pack(FILE.as_bytes());
        let cases = [
            ("whole", packed(), "rules", REST, true),
            (
                "several",
                [pack(&FILE.as_bytes()[..9]), pack(b""), pack(&FILE.as_bytes()[9..])].concat(),
                "rules",
                REST,
                true,
            ),
            ("zeros", then(packed(), &[0; 700]), "rules", REST, true),
            ("zeros between", then(then(packed(), &[0; 9]), &pack(b"# end")), "rules", REST, true),
            ("a checksum", spoilt(packed(), sum), "failed", "checksum", false),
            ("a checksum of several", then(spoilt(packed(), sum), &packed()), "failed", "checksum", false),
            ("garbage", then(packed(), b"garbage"), "failed", "", false),
            ("a line", then(packed(), b"\n"), "failed", "", false),
            ("garbage after zeros", then(packed(), b"\0\0x"), "failed", "", false),
            ("a checksum that comes late", spoilt(pack(long.as_bytes()), sum), "rules", REST, false),
            ("all but the checksum", cut(packed(), 1), "rules", REST, false),
            ("a second one that is cut", then(packed(), &ends(packed(), 12)), "rules", REST, false),
            ("a second one after its magic", then(packed(), &ends(packed(), 2)), "rules", REST, false),
            ("its head", ends(packed(), 7), "incomplete", "User-agent: *\nDisallow: /\n", false),
            ("its magic", ends(packed(), 2), "incomplete", "User-agent: *\nDisallow: /\n", false),
        ];
        for (name, bytes, outcome, text, exact) in cases {
            let dir = Dir::with(&bytes);
            for (input, stdin) in [("robots.txt", &[][..]), ("-", &bytes)] {
                let record = dir.run_with(&["batch", "-q", "-a", "mybot", input], stdin).one_json();
                let said = (&record["outcome"], record["exact"] == true);
                assert_eq!(said, (&outcome.into(), exact), "{coding}, {name}, {input}: {record}");
                let words = record["text"].as_str().or(record["error"]["message"].as_str()).unwrap();
                let is_said = words.starts_with(&format!("cannot be unpacked from {coding}: ")) && words.contains(text);
                assert!(words == text || outcome == "failed" && is_said, "{coding}, {name}, {input}: {words}");
                let ran = dir.run_with(&["filter", "-q", "-a", "mybot", input], stdin);
                assert_eq!(ran.code == Some(2), outcome == "failed", "{coding}, {name}, {input}: {}", ran.err());
            }
        }
    }
}

/// [cmd.unpack] [limit.bytes]
#[test]
fn bombs_cost_no_more_than_the_limit() {
    let rules = b"User-agent: *\nDisallow: /x\n";
    let bomb = |pack: fn(&[u8]) -> Vec<u8>| pack(&[&rules[..], &vec![b'#'; 40 << 20]].concat());
    for bomb in [bomb(gzip), bomb(zstd)] {
        let dir = Dir::with(&bomb);
        // Read up to the limit like any file. The rest is reported as a loss.
        let ran = dir.run(&["filter", "-a", "x", "robots.txt"]).ok();
        assert_eq!(ran.out(), "User-agent: *\nDisallow: /x\n");
        assert!(ran.err().contains("not exact") && ran.err().contains("[limit.bytes]"), "{}", ran.err());
        // Without a limit there still is one.
        dir.run(&["filter", "-a", "x", "--max-bytes", "none", "robots.txt"]).fails(2, &["more than 16777216 bytes"]);
        dir.run(&["test", "-a", "x", "--dialect", "google", "robots.txt", "/"]).fails(2, &["more than 16777216 bytes"]);
    }
    // Endless members without content.
    let endless = gzip(b"").repeat(200_000);
    Dir::with(endless).run(&["filter", "-a", "x", "robots.txt"]).fails(2, &["it is longer than"]);
    // Only one layer is unpacked.
    let twice = gzip(&gzip(FILE.as_bytes()));
    assert_eq!(
        Dir::with(twice).run(&["filter", "-q", "-a", "x", "robots.txt"]).ok().out(),
        "User-agent: *\nDisallow:\n"
    );
}

/// [cmd.unpack] [limit.bytes]
#[test]
fn the_limit_on_packed_files_is_exact_to_the_byte() {
    for pack in [gzip, zstd] {
        let dir = Dir::with(pack(FILE.as_bytes()));
        for (max, code) in [(FILE.len() - 2, 3), (FILE.len() - 1, 0), (FILE.len(), 0), (FILE.len() + 1, 0)] {
            let args =
                ["filter", "-a", "x", "--on-over-limit", "refuse", "--max-bytes", &max.to_string(), "robots.txt"];
            dir.run(&args).code(code);
        }
    }
}

/// [cmd.empty]
#[test]
fn an_empty_standard_input_causes_a_warning() {
    let dir = Dir::with(FILE);
    dir.write("empty.txt", "");
    for args in [
        &["filter", "-a", "x"][..],
        &["filter", "-a", "x", "-"],
        &["test", "-a", "x", "-", "/"],
        &["explain"],
        &["inspect", "-a", "x"],
        &["diff", "-a", "x", "-", "empty.txt"],
    ] {
        let ran = dir.run(args).ok();
        assert!(ran.err().contains("an empty robots.txt allows everything"), "{args:?}: {}", ran.err());
        assert!(!dir.run_with(args, b"#").ok().err().contains("an empty robots.txt"), "{args:?}");
    }
    for args in
        [&["filter", "-q", "-a", "x"][..], &["test", "-q", "-a", "x", "-", "/"], &["filter", "-a", "x", "empty.txt"]]
    {
        assert!(!dir.run(args).ok().err().contains("an empty robots.txt"), "{args:?}");
    }
}

/// [input.incomplete] [cmd.filter] [cmd.test] [cmd.ndjson]
#[test]
fn a_part_of_a_file_is_read_as_one() {
    let dir = Dir::with("User-agent: *\nDisallow: /\nAllow: /");
    let text = dir.run(&["filter", "-q", "-a", "MyBot", "--incomplete", "robots.txt"]).ok().out().to_owned();
    assert_eq!(text, "User-agent: *\nDisallow: /\n");
    dir.run(&["test", "-a", "MyBot", "--incomplete", "robots.txt", "/a"]).code(1);
    dir.run(&["filter", "-a", "MyBot", "--incomplete", "--fail-on", "loss", "robots.txt"]).code(3);
    let request = json!({"robots": "User-agent: *\nDis", "agent": "MyBot", "options": {"complete": false}});
    let answer = answer_to(&["test"], request);
    assert_eq!((&answer["allowed"], &answer["reason"]), (&false.into(), &"incomplete".into()), "{answer}");
}
