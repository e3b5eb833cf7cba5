//! `robosieve filter`.

use std::io::Read;

use crate::common::{Dir, answer_to};

const FILE: &str = "User-agent: MyBot\nDisallow: /mine\n\nUser-agent: *\nDisallow: /all\nSitemap: http://e.com/s\n";
/// The second rule exceeds the limit of ten stars.
const OVER: &str = "User-agent: *\nDisallow: /a\nDisallow: /*b*c*d*e*f*g*h*i*j*k*l\n";

/// [cmd.filter]
#[test]
fn writes_the_rules_for_an_agent() {
    let dir = Dir::with(FILE);
    let ran = dir.run(&["filter", "--agent", "mybot", "robots.txt"]).ok();
    assert_eq!(ran.out(), "User-agent: *\nDisallow: /mine\n\nSitemap: http://e.com/s\n");
    assert_eq!(ran.err(), "robosieve: robots.txt: exact (group mybot applies)\n");
}

/// [cmd.filter]
#[test]
fn prefers_the_first_agent_that_is_named() {
    let dir = Dir::with(FILE);
    let ran = dir.run(&["filter", "-a", "MyBot-Image", "-a", "MyBot", "robots.txt"]).ok();
    assert!(ran.out().contains("/mine"));
    let ran = dir.run(&["filter", "-a", "Other", "robots.txt"]).ok();
    assert!(ran.out().contains("/all"));
    let ran = dir.run(&["filter", "-a", "Other", "--no-fallback", "robots.txt"]).ok();
    assert!(ran.out().starts_with("User-agent: *\nDisallow:\n"), "{}", ran.out());
}

/// [cmd.filter]
#[test]
fn reads_the_standard_input_named_or_not() {
    let dir = Dir::new();
    for args in [&["filter", "-a", "x"][..], &["filter", "-a", "x", "-"]] {
        let ran = dir.run_with(args, FILE.as_bytes()).ok();
        assert!(ran.out().contains("Disallow: /all\n"));
        assert_eq!(ran.err(), "robosieve: -: exact (group * applies)\n");
    }
}

/// [cmd.filter]
#[test]
fn keeps_all_agents_on_request() {
    let ran = Dir::with(FILE).run(&["filter", "--all-agents", "robots.txt"]).ok();
    assert_eq!(
        ran.out(),
        "User-agent: *\nDisallow: /all\n\nUser-agent: mybot\nDisallow: /mine\n\nSitemap: http://e.com/s\n"
    );
}

/// [cmd.filter]
#[test]
fn a_missing_agent_is_an_error_with_help() {
    let dir = Dir::with(FILE);
    dir.run(&["filter", "robots.txt"]).fails(2, &["--agent MyBot", "--all-agents"]);
    dir.run(&["filter", "--all-agents", "--agent", "x", "robots.txt"]).fails(2, &["cannot be used with"]);
}

/// [cmd.summary]
#[test]
fn the_summary_counts_losses_by_direction() {
    let ran = Dir::with(OVER).run(&["filter", "-a", "x", "robots.txt"]).ok();
    assert!(
        ran.err().contains("not exact: 1 Disallow rule dropped: result is more permissive (group * applies)"),
        "{}",
        ran.err()
    );
    assert!(ran.err().contains("line 3:") && ran.err().contains("[limit.wildcards]"), "{}", ran.err());
    assert_eq!(Dir::with(OVER).run(&["filter", "-q", "-a", "x", "robots.txt"]).ok().err(), "");
}

/// [cmd.filter]
#[test]
fn reports_go_to_the_standard_error_or_to_a_file() {
    let dir = Dir::with(OVER);
    let ran = dir.run(&["filter", "-a", "x", "--report", "json", "robots.txt"]).ok();
    let report: serde_json::Value = serde_json::from_str(ran.err()).unwrap();
    assert_eq!((&report["v"], &report["file"], &report["exact"]), (&1.into(), &"robots.txt".into(), &false.into()));
    assert_eq!((&report["losses"]["more_permissive"], &report["findings"][0]["line"]), (&1.into(), &3.into()));
    let ran = dir.run(&["filter", "-a", "x", "--report", "text", "robots.txt"]).ok();
    assert!(ran.err().contains("1  a rule with more than"), "{}", ran.err());
    let args = ["filter", "-a", "x", "--report", "json", "--report-to", "r.json", "robots.txt"];
    assert!(dir.run(&args).ok().err().contains("not exact"));
    assert_eq!(serde_json::from_str::<serde_json::Value>(&dir.read("r.json")).unwrap(), report);
}

/// [cmd.filter] [cmd.exit]
#[test]
fn over_limit_drops_widens_or_refuses() {
    let dir = Dir::with(OVER);
    let out = |choice| dir.run(&["filter", "-a", "x", "--on-over-limit", choice, "robots.txt"]).ok().out().to_owned();
    assert_eq!(out("drop"), "User-agent: *\nDisallow: /a\n");
    assert!(out("widen").contains("Disallow: /*b*c"));
    let args = ["filter", "-a", "x", "--on-over-limit", "refuse", "-o", "out.txt", "robots.txt"];
    dir.run(&args).fails(3, &["robots.txt: refused: line 3:", "raise the limit"]);
    assert_eq!(dir.names(), ["robots.txt"]);
}

/// [cmd.filter] [cmd.output]
#[test]
fn an_output_is_replaced_in_one_step() {
    let dir = Dir::with(FILE);
    dir.write("out.txt", "old");
    let mut old = std::fs::File::open(dir.path("out.txt")).unwrap();
    let ran = dir.run(&["filter", "-a", "x", "-o", "out.txt", "robots.txt"]).ok();
    assert_eq!(ran.out(), "");
    assert!(dir.read("out.txt").contains("/all"));
    let mut seen = String::new();
    old.read_to_string(&mut seen).unwrap();
    assert_eq!(seen, "old", "a reader of the old file keeps it");
    assert_eq!(dir.names(), ["out.txt", "robots.txt"], "nothing is left");
    // A file that cannot be filtered leaves the old one.
    dir.run(&["filter", "-a", "x", "-o", "out.txt", "missing.txt"]).fails(2, &["missing.txt"]);
    assert!(dir.read("out.txt").contains("/all"));
}

/// [cmd.filter] [cmd.output]
#[test]
fn impossible_outputs_are_errors() {
    let dir = Dir::with(FILE);
    dir.run(&["filter", "-a", "x", "-o", "no/such/out.txt", "robots.txt"]).fails(2, &["no/such/out.txt", "directory"]);
    dir.run(&["filter", "-a", "x", "-o", ".", "robots.txt"]).fails(2, &["is a directory"]);
}

/// [cmd.filter]
#[test]
fn several_files_go_to_a_directory() {
    let dir = Dir::with(FILE);
    dir.write("over.txt", OVER);
    dir.run(&["filter", "-a", "x", "robots.txt", "over.txt"]).fails(2, &["--output-dir"]);
    dir.run(&["filter", "-a", "x", "-o", "out.txt", "robots.txt", "over.txt"]).fails(2, &["--output-dir"]);
    let ran = dir.run(&["filter", "-a", "x", "--output-dir", "clean", "robots.txt", "over.txt"]).ok();
    assert_eq!(ran.out(), "");
    assert!(dir.read("clean/robots.txt").contains("/all"));
    assert_eq!(dir.read("clean/over.txt"), "User-agent: *\nDisallow: /a\n");
    let clash = dir.path("robots.txt");
    let args = ["filter", "-a", "x", "--output-dir", "clean", "robots.txt", clash.to_str().unwrap()];
    dir.run(&args).fails(2, &["same file"]);
    dir.run(&["filter", "-a", "x", "--output-dir", "clean", "-"]).fails(2, &["--output-dir"]);
}

/// [cmd.filter] [cmd.exit]
#[test]
fn one_bad_file_does_not_stop_the_others() {
    let dir = Dir::with(FILE);
    dir.write("over.txt", OVER);
    let args = ["filter", "-a", "x", "--on-over-limit", "refuse", "--output-dir", "clean", "over.txt", "robots.txt"];
    dir.run(&args).fails(3, &["over.txt: refused"]);
    assert!(dir.read("clean/robots.txt").contains("/all"));
    assert!(!dir.path("clean/over.txt").exists());
    dir.run(&[&args[..], &["missing.txt"]].concat()).fails(2, &["missing.txt"]);
}

/// [cmd.filter] [cmd.input]
#[test]
fn files_that_cannot_be_read_are_named() {
    let dir = Dir::with(FILE);
    dir.run(&["filter", "-a", "x", "missing.txt"]).fails(2, &["missing.txt", "No such file", "check the path"]);
    dir.run(&["filter", "-a", "x", "."]).fails(2, &["is a directory", "for example ./robots.txt", "read directories"]);
    dir.run(&["filter", "-a", "x", "-", "-"]).fails(2, &["once"]);
}

/// [cmd.filter] [cmd.exit]
#[test]
fn invalid_values_are_named() {
    let dir = Dir::with(FILE);
    for (flag, value) in [
        ("--max-bytes", "1k"),
        ("--max-lines", "-1"),
        ("--max-wildcards", "many"),
        ("--dialect", "french"),
        ("--order", "random"),
        ("--leniency", "very"),
        ("--newline", "cr"),
        ("--on-over-limit", "ignore"),
        ("--directive", "X-A:somewhere"),
        ("--directive", "X-A:files"),
        ("--directive", "X A"),
        ("--directive", "Disallow"),
        ("--report", "xml"),
    ] {
        let flag_and_value = format!("{flag}={value}");
        dir.run(&["filter", "-a", "x", &flag_and_value, "robots.txt"]).fails(2, &[flag, value]);
    }
    dir.run(&["filter", "-a", "x", "--max-bytes", "1k", "robots.txt"]).fails(2, &["whole number", "none"]);
    dir.run(&["filter", "-a", "x", "--user-agent-name", "Allow", "robots.txt"])
        .fails(2, &["Allow", "already has a meaning"]);
}

/// [cmd.filter] [ext.scope]
#[test]
fn each_option_changes_the_result() {
    let out = |file: &str, args: &[&str]| {
        let dir = Dir::with(file);
        dir.run(&[&["filter", "-q", "-a", "b", "robots.txt"], args].concat()).ok().out().to_owned()
    };
    let changes = |file: &str, args: &[&str]| assert_ne!(out(file, &[]), out(file, args), "{args:?}");
    changes("User-agent: *\nDisallow: /a\nAllow: /abc\n", &["--order", "file"]);
    changes(FILE, &["--newline", "crlf"]);
    changes("User-agent: *\nDisalow: /x\n", &["--dialect", "processor"]);
    changes("User-agent: *\nCrawl-delay: 1\nUser-agent: a\nDisallow: /x\n", &["--any-line-ends-run"]);
    changes("User-agent: *\nDisallow: x\n", &["--dialect", "google"]);
    changes("User-agent: *\nDisallow: x\n", &["--no-leading-slash"]);
    changes("User-agent: *\nDisalow: /x\n", &["--leniency", "strict"]);
    changes("User-agent: *\nDisallow:\n  /x\n", &["--no-fold"]);
    changes("User-agent: *\nDisallow: /x  \n", &["--keep-trailing-spaces"]);
    changes("User-agent: *\nDisallow: /x%2A\n", &["--decode-wildcard"]);
    let escaped = format!("User-agent: *\nDisallow: /{}\n", "%2Aa".repeat(11));
    changes(&escaped, &["--no-escaped-wildcard"]);
    changes("User-agent: *\nFoo: bar\nDisallow: /x\n", &["--keep-unknown"]);
    changes("Crawler: b\nDisallow: /x\n", &["--user-agent-name", "Crawler"]);
    changes("User-agent: *\nX-A: bar\nDisallow: /x\n", &["--directive", "X-A"]);
    let path = out("User-agent: *\nDisallow: /x\nX-A: b%7ec\n", &["--directive", "X-A:record:path"]);
    assert!(path.contains("X-a: /b~c\n"), "{path}");
    for (scope, value) in [("X-A:file", "bar"), ("X-A:file:path", "/bar"), ("X-A:path:file", "/bar")] {
        let of_file = out("User-agent: c\nX-A: bar\n", &["--directive", scope]);
        assert!(of_file.contains(&format!("\n\nX-a: {value}\n")), "{of_file}");
    }
}

/// [cmd.filter] [cmd.input]
#[test]
fn an_endless_input_is_read_to_the_limit() {
    let ran = Dir::new().run_fed(&["filter", "-a", "x", "--max-bytes", "1000", "-"], |pipe| {
        // At most 64 MB. A pipe that is closed early ends it.
        let _ = pipe.write_all(b"User-agent: *\n");
        let lines = b"Disallow: /x\n".repeat(5_000);
        for _ in 0..1_000 {
            if pipe.write_all(&lines).is_err() {
                return;
            }
        }
        std::process::abort();
    });
    let ran = ran.ok();
    assert_eq!(ran.out(), "User-agent: *\nDisallow: /x\n");
    assert!(ran.err().contains("[limit.bytes]"), "{}", ran.err());
}

const HEADER: &str = "Mozilla/5.0 (Compatible; MyBot/2.1; +https://e.com/bot)";

/// [cmd.filter] [cmd.test] [cmd.explain] [cmd.inspect] [cmd.diff] [agent.header]
#[test]
fn every_command_takes_a_whole_user_agent_header() {
    let dir = Dir::with(FILE);
    let run = |command: &str, agent: &[&str], rest: &[&str]| {
        dir.run(&[&[command][..], agent, &["robots.txt"], rest].concat())
    };
    let header = ["--user-agent", HEADER];
    let ran = run("filter", &header, &[]).ok();
    assert!(ran.out().contains("/mine"), "{}", ran.out());
    assert_eq!(ran.err(), "robosieve: robots.txt: exact (group MyBot applies)\n");
    assert_eq!(run("filter", &["-a", HEADER], &[]).ok().out(), ran.out());
    assert!(run("test", &header, &["/mine"]).code(1).out().contains("(group MyBot applies)"));
    assert!(run("explain", &header, &[]).ok().out().contains("> group MyBot applies: 1 rule"));
    assert_eq!(run("inspect", &header, &["--json"]).ok().one_json()["agent"], "MyBot");
    run("diff", &header, &["robots.txt"]).ok();
    // After the agents, in order of preference.
    assert!(
        run("filter", &["--user-agent", HEADER, "-a", "mybot-image"], &[]).ok().err().contains("(group MyBot applies)")
    );
    assert!(run("filter", &["--user-agent", HEADER, "-a", "mybot"], &[]).ok().err().contains("(group mybot applies)"));
    run("filter", &["--user-agent", HEADER, "--all-agents"], &[]).fails(2, &["cannot be used with"]);
    run("filter", &["--user-agent", HEADER, "--user-agent", HEADER], &[]).fails(2, &["cannot be used multiple times"]);
}

#[cfg(unix)]
/// [cmd.filter] [cmd.output]
#[test]
fn a_link_that_leads_nowhere_stays_one() {
    use std::os::unix::fs::symlink;
    let dir = Dir::with(FILE);
    std::fs::create_dir(dir.path("sub")).unwrap();
    symlink("sub/target.txt", dir.path("link.txt")).unwrap();
    symlink("link.txt", dir.path("link2.txt")).unwrap();
    dir.run(&["filter", "-q", "-a", "x", "-o", "link2.txt", "robots.txt"]).ok();
    assert!(dir.path("link.txt").is_symlink() && dir.path("link2.txt").is_symlink());
    assert!(!dir.path("sub/target.txt").is_symlink());
    assert!(dir.read("sub/target.txt").contains("/all"));
    symlink("loop.txt", dir.path("loop.txt")).unwrap();
    dir.run(&["filter", "-a", "x", "-o", "loop.txt", "robots.txt"]).fails(2, &["loop.txt", "links"]);
    symlink("none/target.txt", dir.path("lost.txt")).unwrap();
    dir.run(&["filter", "-a", "x", "-o", "lost.txt", "robots.txt"]).fails(2, &["lost.txt", "directory"]);
    assert!(dir.path("loop.txt").is_symlink() && dir.path("lost.txt").is_symlink());
}

/// [cmd.summary]
#[test]
fn the_summary_shows_the_dangerous_losses_first() {
    let over = |kind: &str, count: usize| format!("{kind}: /*b*c*d*e*f*g*h*i*j*k*l\n").repeat(count);
    let file = ["User-agent: *\n", &over("Allow", 9), &over("Disallow", 2), "Disallow: /x\n"].concat();
    let dir = Dir::with(&file);
    let max_bytes = (file.len() - 3).to_string();
    let ran = dir.run(&["filter", "-a", "x", "--max-bytes", &max_bytes, "robots.txt"]).ok();
    let words = "not exact: 2 Disallow rules dropped: result is more permissive; 1 other loss: result may permit more or \
        less; 9 Allow rules dropped: result is more restrictive (";
    assert!(ran.err().contains(words), "{}", ran.err());
    let shown: Vec<&str> = ran.err().lines().skip(1).map(|line| line.split(':').next().unwrap().trim()).collect();
    assert_eq!(shown[..5], ["line 11", "line 12", "line 13", "line 2", "line 3"], "{}", ran.err());
    assert!(ran.err().contains("  and 7 more; `--report text` shows them\n"), "{}", ran.err());
}

/// [cmd.filter] [limit.lines]
#[test]
fn the_summary_counts_losses_that_change_no_verdict() {
    let dir = Dir::with("User-agent: *\nDisallow: /a\nCrawl-delay: 30\n");
    let ran = dir.run(&["filter", "-a", "x", "--max-lines", "1", "robots.txt"]).ok();
    assert_eq!(ran.err(), "robosieve: robots.txt: exact (group * applies); 1 loss that changes no verdict\n");
}

/// A byte order mark and a line end do not count, but do not hide bytes after them. [cmd.input] [limit.bytes]
/// [input.bom]
#[test]
fn truncation_is_reported_despite_a_bom_and_a_line_end() {
    for mark in [&b""[..], b"\xEF", b"\xEF\xBB", b"\xEF\xBB\xBF"] {
        for end in ["\n", "\r", "\r\n"] {
            for (rest, is_cut) in [("", false), ("Disallow: /\n", true), ("#", true)] {
                let file = [mark, b"User-agent: *", end.as_bytes(), rest.as_bytes()].concat();
                let dir = Dir::with(&file);
                for name in ["robots.txt", "-"] {
                    let args = ["filter", "-q", "-a", "x", "--max-bytes", "13", "--on-over-limit", "refuse", name];
                    let ran = if name == "-" { dir.run_with(&args, &file) } else { dir.run(&args) };
                    if is_cut {
                        ran.fails(3, &["max_bytes"])
                    } else {
                        ran.ok()
                    };
                }
                let batch = dir.run(&["batch", "-q", "-a", "x", "--max-bytes", "13", "robots.txt"]).ok();
                assert_eq!(
                    batch.out().contains(r#""exact":true"#),
                    !is_cut,
                    "{mark:?} {end:?} {rest}: {}",
                    batch.out()
                );
            }
        }
    }
}

/// [cmd.filter] [portable.neutral]
#[test]
fn the_text_can_be_for_other_testers() {
    let file = "User-agent: *\nDisallow: /a*\nDisallow: /a/b\nAllow: /c\nCrawl-delay: 5\n";
    let dir = Dir::with(file);
    let text =
        |form: &str| dir.run(&["filter", "-q", "--agent", "x", "--form", form, "robots.txt"]).ok().out().to_owned();
    assert_eq!(text("faithful"), "User-agent: *\nDisallow: /a/b\nDisallow: /a*\nAllow: /c\nCrawl-delay: 5\n");
    assert_eq!(text("portable"), "User-agent: *\nDisallow: /a\nCrawl-delay: 5\n");
    let request = serde_json::json!({"agent": "x", "robots": file, "options": {"form": "portable"}});
    assert_eq!(answer_to(&["filter"], request)["text"], text("portable"));
}
