//! The input of all commands: packed files, empty files, agents.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

use crate::common::{Dir, Ran};

const FILE: &str = "User-agent: MyBot\nDisallow: /mine\n\nUser-agent: *\nDisallow: /all\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

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
        let robots_b64 = base64(&packed);
        for command in ["filter", "test", "inspect"] {
            let mut request = json!({"agent": "mybot", "robots_b64": robots_b64});
            if command == "test" {
                request["url"] = json!("/mine/x");
            }
            let ran = Dir::new().run_with(&[command, "--ndjson"], request.to_string().as_bytes()).ok();
            assert!(ran.out().contains("/mine"), "{command}: {}", ran.out());
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
        let behind = [&whole[..], b"garbage"].concat();
        for damaged in [&whole[..whole.len() - 1], &whole[..whole.len() / 2], &whole[..4], &spoilt, &behind] {
            each_command(damaged, |command, ran| {
                let err = ran.err().to_owned();
                assert!(err.contains("cannot be unpacked from"), "{command}: {err}");
                ran.fails(2, &["unpack it and see"]);
            });
            let request = json!({"agent": "mybot", "robots_b64": base64(damaged), "url": "/"}).to_string();
            let ran = Dir::new().run_with(&["test", "--ndjson"], request.as_bytes()).ok();
            assert_eq!(ran.one_json()["error"]["kind"], "bad-request", "{}", ran.out());
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

/// [cmd.agent] [cmd.exit]
#[test]
fn an_empty_agent_is_an_error() {
    let dir = Dir::with(FILE);
    for agent in
        [&["--agent", ""][..], &["-a", "mybot", "-a", " "], &["--user-agent", ""], &["-a", "x", "--user-agent", "\t"]]
    {
        for rest in [
            &["filter", "robots.txt"][..],
            &["test", "robots.txt", "/"],
            &["explain", "robots.txt"],
            &["inspect", "robots.txt"],
            &["diff", "robots.txt", "robots.txt"],
            &["batch", "robots.txt"],
            &["filter", "--ndjson"],
        ] {
            dir.run(&[rest, agent].concat()).fails(2, &["is empty", "for example MyBot"]);
        }
    }
}

/// [cmd.agent]
#[test]
fn an_agent_that_no_group_can_name_causes_a_warning() {
    let dir = Dir::with(FILE);
    let browser = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    for agent in [&["-a", "Mozilla"][..], &["-a", browser], &["--user-agent", browser], &["-a", "x", "-a", "Chrome"]] {
        let args = [&["test", "robots.txt", "/"], agent].concat();
        dir.run(&args).fails(2, &["names no crawler but a browser", "for example MyBot"]);
    }
    for agent in ["???", "(compatible)", "\u{1f916}"] {
        let ran = dir.run(&["filter", "-a", agent, "robots.txt"]).ok();
        assert!(ran.err().contains("no group can name") && ran.out().contains("/all"), "{}", ran.err());
        assert_eq!(dir.run(&["filter", "-q", "-a", agent, "robots.txt"]).ok().err(), "");
    }
    for agent in ["*", "MyBot", "mybot/2.1", "Foo Bar"] {
        assert!(!dir.run(&["filter", "-a", agent, "robots.txt"]).ok().err().contains("no group"), "{agent}");
    }
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// [input.incomplete] [cmd.filter] [cmd.test] [cmd.ndjson]
#[test]
fn a_part_of_a_file_is_read_as_one() {
    let dir = Dir::with("User-agent: *\nDisallow: /\nAllow: /");
    let text = dir.run(&["filter", "-q", "-a", "MyBot", "--incomplete", "robots.txt"]).ok().out().to_owned();
    assert_eq!(text, "User-agent: *\nDisallow: /\n");
    dir.run(&["test", "-a", "MyBot", "--incomplete", "robots.txt", "/a"]).code(1);
    dir.run(&["filter", "-a", "MyBot", "--incomplete", "--fail-on", "loss", "robots.txt"]).code(3);
    let request = r#"{"robots":"User-agent: *\nDis","agent":"MyBot","url":"/a","options":{"complete":false}}"#;
    let answer = dir.run_with(&["test", "--ndjson"], request.as_bytes()).ok().one_json();
    assert_eq!((&answer["allowed"], &answer["reason"]), (&false.into(), &"incomplete".into()), "{answer}");
}
