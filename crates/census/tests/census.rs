//! The rows: against what each crawler is answered alone, and within their limits.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::format_collect,
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    reason = "a test may fail"
)]

#[path = "../../../tests/families/corpus.rs"]
mod corpus;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use robosieve::records::{Parser, Selection};
use robosieve::settings::{Agent, Dialect};
use robosieve::{Options, Tester};
use robosieve_batch::{Filter, Form};
use robosieve_census::{AgentList, Census};
use robosieve_diff::Coverage;
use robosieve_explain::{Crawler, Names};
use serde_json::{Value, json};
use tempfile::TempDir;

fn list(text: &str) -> AgentList {
    AgentList::read(text).unwrap()
}

/// The rows of an input, as bytes.
fn lines_of(filter: &Filter, input: &[u8], form: Form) -> Vec<u8> {
    let rows = filter
        .items("in", std::io::Cursor::new(input.to_vec()))
        .form(form)
        .filter_map(|item| filter.run(item).into_record()?.rows);
    rows.flatten().collect()
}

fn read(out: &[u8]) -> Vec<Value> {
    assert!(out.iter().all(|byte| matches!(byte, b'\n' | b' '..=b'~')), "{}", String::from_utf8_lossy(out));
    out.split(|byte| *byte == b'\n')
        .filter(|row| !row.is_empty())
        .map(|row| serde_json::from_slice(row).unwrap())
        .collect()
}

/// How rows are made in a dialect.
fn filter_in(agents: &str, dialect: Dialect) -> Filter {
    let census = Census::new(list(agents)).options(dialect.options());
    Filter::all_agents().options(dialect.options()).table(Arc::new(census))
}

fn filter(agents: &str) -> Filter {
    filter_in(agents, Dialect::Standard)
}

/// The rows of a request.
fn asked(agents: &str, request: &Value) -> Vec<Value> {
    read(&lines_of(&filter(agents), format!("{request}\n").as_bytes(), Form::Ndjson))
}

fn rows(agents: &str, file: &str) -> Vec<Value> {
    asked(agents, &json!({"robots": file, "url": "https://a.e.com/robots.txt"}))
}

fn agents_of(row: &Value) -> Vec<&str> {
    row["agents"].as_array().unwrap().iter().map(|agent| agent.as_str().unwrap()).collect()
}

/// Each row as its crawlers and its status.
fn said(rows: &[Value]) -> Vec<String> {
    rows.iter().map(|row| format!("{} {}", agents_of(row).join(","), row["status"].as_str().unwrap())).collect()
}

/// Files in which crawlers share groups in every way.
const SHARED: &[&str] = &[
    "User-agent: *\nDisallow: /x\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /",
    "User-agent: GPTBot/1.0\nDisallow: /\nUser-agent: gptbot2\nAllow: /\nUser-agent: GPTBot-x\nDisallow: /y",
    "User-agent: MJ12bot\nDisallow: /\nUser-agent: MJ12\nDisallow: /y\nUser-agent: MJ\nDisallow: /z",
    "User-agent: Googlebot\nDisallow: /\nUser-agent: Googlebot-Image\nAllow: /\nUser-agent: *\nDisallow: /a",
    "User-agent: Googlebot\nCrawl-delay: 5\nUser-agent: GPTBot\nCrawl-delay: 9\nDisallow: /q\nUser-agent: *\nDisallow: /",
    "User-agent: GPTBot\nDisallow: /a\n\nUser-agent: CCBot\nUser-agent: GPTBot\nDisallow: /b\n\nUser-agent: CCBot\nAllow: /b",
    "Crawl-delay: 7\nContent-Signal: ai-train=no\nUser-agent: GPTBot\nDisallow: /a\nUser-agent: *\nContent-Usage: search=n\nAllow: /",
    "User-agent: AdsBot-Google\nDisallow: /",
    "User-agent: a.b1\nDisallow: /\nUser-agent: *\nAllow: /x\nDisallow: /",
    "User-agent: *\nUser-agent: CCBot\nUser-agent: anthropic-ai\nContent-Signal: search=yes, ai-train=no, use=reference\nDisallow: /",
    "User-agent: Mozilla/5.0 (compatible; Yahoo! Slurp)\nDisallow: /\nUser-agent: *\nDisallow: /x\n",
];

/// And each crawler that is asked about is in exactly one row.
#[test]
fn each_crawler_is_answered_as_if_it_were_alone() {
    let names = "*,MJ12bot,MJ12,MJ,gptbot2,a.b1,a.b,a,008,known";
    let every: Vec<String> = {
        let rows = rows(names, "");
        agents_of(&rows[0])
            .into_iter()
            .chain(agents_of(rows.get(1).unwrap_or(&json!({"agents": []}))))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(every.len(), list(names).len());
    let files = corpus::files();
    let files = files.iter().map(|(_, file)| file.as_slice()).chain(SHARED.iter().map(|file| file.as_bytes()));
    let mut compared = 0;
    for file in files {
        for dialect in [Dialect::Standard, Dialect::Google] {
            let options = Options { max_details: 0, ..dialect.options() }.for_verdicts();
            let rows = read(&lines_of(&filter_in(names, dialect), file, Form::Robots));
            // Packed files are unpacked before a parser sees them.
            if rows[0]["bytes"] != file.len() {
                continue;
            }
            let mut once: Vec<&str> = rows.iter().flat_map(agents_of).collect();
            let count = once.len();
            once.sort_unstable();
            once.dedup();
            assert_eq!((count, once.len()), (every.len(), every.len()));
            for (row, agent) in rows.iter().flat_map(|row| agents_of(row).into_iter().map(move |agent| (row, agent))) {
                let groups = match agent {
                    "*" => robosieve::settings::Interest::everyone().into(),
                    _ => Names::Known.groups(Agent::new(agent)),
                };
                let options = groups.options(options.clone());
                let set = Parser::new(options).for_agents(groups.interest().clone()).parse(file);
                let selection = Selection::of(&set, &groups);
                let status = row["status"].as_str().unwrap();
                if ["none", "some", "all"].contains(&status) {
                    assert_eq!(status, Coverage::of(&selection).share().as_str(), "{agent} {dialect} {row}");
                }
                assert_eq!(row["root"], Tester::of(&selection).is_allowed("/"), "{agent} {dialect} {row}");
                assert!(row["proved"].as_bool().unwrap_or(true), "{agent} {row}");
                let delay = selection.values().crawl_delay().map(|delay| delay.as_duration().as_secs_f64());
                assert_eq!(row["crawl_delay"].as_f64(), delay, "{agent} {dialect} {row}");
                // The rule that closes a file that broke off is none of its own.
                let own = if selection.is_incomplete() { 0 } else { selection.rules().len() as u64 };
                let rules = row["allows"].as_u64().unwrap() + row["disallows"].as_u64().unwrap();
                assert_eq!(rules, own, "{agent} {dialect} {row}");
                compared += 1;
            }
        }
    }
    assert!(compared > 30_000, "{compared}");
}

#[test]
fn a_status_says_what_is_closed_and_what_is_not_known() {
    for (file, expected) in [
        (
            "User-agent: *\nDisallow: /x\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /",
            &["* some", "GPTBot all"][..],
        ),
        ("User-agent: *\nDisallow:", &["*,GPTBot none"]),
        ("User-agent: *\nDisallow: /*\n", &["*,GPTBot all"]),
        ("User-agent: *\nAllow: /robots.txt\nDisallow: /", &["*,GPTBot all"]),
        ("User-agent: gptbot/1.0\nDisallow : /", &["* none", "GPTBot all"]),
        ("", &["*,GPTBot empty"]),
        ("\u{feff}", &["*,GPTBot empty"]),
        ("# nothing\n\n  # here\r\n", &["*,GPTBot empty"]),
        ("Sitemap: https://e.com/s.xml", &["*,GPTBot none"]),
        ("<!DOCTYPE html><html><body>User-agent", &["*,GPTBot not-robots"]),
        ("<br />\n<b>Warning</b>: x\nUser-agent: *\nDisallow: /", &["*,GPTBot all"]),
    ] {
        assert_eq!(said(&rows("*,GPTBot", file)), expected, "{file}");
    }
    for (request, status, root) in [
        (json!({"status": 404}), "no-file", json!(true)),
        (json!({"status": 503}), "no-file", json!(false)),
        (json!({"status": 301, "location": "https://e.com/robots.txt"}), "unknown", Value::Null),
        (json!({"status": 200, "robots_b64": "?"}), "unknown", Value::Null),
    ] {
        let rows = asked("*,GPTBot", &request);
        assert_eq!(said(&rows), [format!("*,GPTBot {status}")], "{request}");
        assert_eq!(rows[0]["root"], root, "{request}");
        // Nothing is said of rules that nobody has seen.
        for column in ["named", "line", "proved", "allows", "disallows", "crawl_delay", "training", "hash", "kind"] {
            assert_eq!(rows[0].get(column), Some(&Value::Null), "{request} {column}");
        }
    }
}

#[test]
fn a_file_that_is_not_whole_is_closed_where_it_is_not_known() {
    let part = |file: &str| {
        let rows = asked("*,GPTBot", &json!({"robots": file, "truncated": true}));
        rows.iter().map(|row| format!("{} {}", said(std::slice::from_ref(row))[0], row["root"])).collect::<Vec<_>>()
    };
    let cut = "User-agent: *\nDisallow: /x\nUser-agent: GPTBot\nDisal";
    assert_eq!(part(cut), ["* some true", "GPTBot incomplete false"]);
    assert_eq!(part("User-agent: *\n"), ["*,GPTBot incomplete false"]);
}

#[test]
fn a_row_says_who_is_named_and_what_the_content_may_be_used_for() {
    let file = "User-agent: Other\nUser-agent: Googlebot\nDisallow: /g\n\
        Content-Signal: search=yes, ai-train=no, use=reference\n\nUser-agent: *\nCrawl-delay: 2.5\n\
        Content-Usage: train-ai=n\nContent-Usage: train-ai=y\nDisallow: /a\nAllow: /a/b\n";
    let rows = rows("Googlebot,Googlebot-Image,GPTBot,AdsBot-Google,*", file);
    let cells = |names: &[&str]| -> Vec<String> {
        let of = |row: &Value| names.iter().map(|name| row[name].to_string().replace('"', "")).collect::<Vec<_>>();
        rows.iter().map(|row| of(row).join(" ")).collect()
    };
    assert_eq!(
        cells(&["agents", "named", "line", "status", "root", "allows", "disallows", "crawl_delay"]),
        [
            "[Googlebot] true 1 some true 0 1 null",
            // Its owner documents that it uses the group of Googlebot.
            "[Googlebot-Image] false 1 some true 0 1 null",
            "[GPTBot,*] false 6 some true 1 1 2.5",
            "[AdsBot-Google] false null none true 0 0 null",
        ]
    );
    // The strictest of several lines.
    assert_eq!(
        cells(&["training", "ai_input", "search", "extent"])[..3],
        ["no null yes reference", "no null yes reference", "no null null null"]
    );
    assert_eq!(cells(&["host", "domain", "outcome", "kind"])[0], "a.e.com e.com rules text");
}

#[test]
fn those_that_a_file_names_are_asked_about_too() {
    let file = "User-agent: Foo\nUser-agent: foo/2\nUser-agent: GPTBot\nDisallow: /\nUser-agent: *\nAllow: /\nUser-agent: \nDisallow: /";
    assert_eq!(said(&rows("named", file)), ["Foo,GPTBot all"]);
    assert_eq!(said(&rows("*,gptbot,named", file)), ["* none", "gptbot,Foo all"]);
    // A file that names nobody is in the table, too: it has the answer of `*`.
    assert_eq!(said(&rows("named", "User-agent: *\nDisallow: /")), [" all"]);
    assert_eq!(said(&asked("named", &json!({"status": 404}))), [" no-file"]);
}

fn letters(number: usize) -> String {
    format!("{number:04}").bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}

/// A file of this folder.
fn written(folder: &TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_list_is_names_kinds_and_files() {
    let folder = tempfile::tempdir().unwrap();
    let text = written(&folder, "names.txt", "# mine\nMyBot\n\nOther\nmybot\n");
    assert_eq!(list(&format!("{text},OTHER")).len(), 2);
    assert_eq!(list("known").len(), Crawler::all().count());
    // Editors begin files so.
    assert_eq!(list(&format!("{},MyBot", written(&folder, "bom.txt", "\u{feff}MyBot\n"))).len(), 1);
    for wrong in [
        "",
        ",",
        "known:",
        "known:x",
        "knwon:ai",
        "ai:",
        "know",
        "knonw",
        "NAMED",
        "My Bot",
        "Mozilla/5.0.txt",
        "(),x",
        "./nothing.txt",
        "nothing.json",
        &written(&folder, "ai.json", "{\"MyBot\": {}}"),
        &written(&folder, "bad.txt", "()\n"),
        &written(&folder, "none.txt", "# nobody\n\n"),
        &format!("GPTBot,{}", written(&folder, "empty.txt", "\u{feff}\n")),
    ] {
        let error = AgentList::read(wrong).unwrap_err().to_string();
        assert!(!error.is_empty() && !error.contains(char::is_control), "{error}");
    }
}

/// One below each limit, at it, and one above.
#[test]
fn lists_and_rows_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let most = AgentList::MAX_AGENTS;
    for (count, fits) in [(most - 1, true), (most, true), (most + 1, false)] {
        let many: String = (0..count).map(|name| format!("bot-{}\n", letters(name))).collect();
        assert_eq!(AgentList::read(&written(&folder, "many.txt", &many)).is_ok(), fits, "{count}");
    }
    let most = AgentList::MAX_BYTES;
    for (bytes, fits) in [(most - 1, true), (most, true), (most + 1, false)] {
        let text = format!("a\n{}", "#".repeat(bytes - 2));
        assert_eq!(AgentList::read(&written(&folder, "long.txt", &text)).is_ok(), fits, "{bytes}");
    }
    let most = AgentList::MAX_NAMED;
    for (names, expected) in [(most - 1, most - 1), (most, most), (most + 1, most)] {
        let file: String = (0..names).map(|name| format!("User-agent: bot-{}\n", letters(name))).collect();
        let rows = rows("named", &format!("{file}Disallow: /"));
        assert_eq!((rows.len(), agents_of(&rows[0]).len()), (1, expected));
        // As many rows, if each has an answer of its own.
        let file: String = (0..names)
            .map(|name| format!("User-agent: bot-{0}\nDisallow: /{0}\nCrawl-delay: {name}\n\n", letters(name)))
            .collect();
        assert_eq!(self::rows("named", &file).len(), expected);
    }
    let most = AgentList::MAX_NAME;
    for (length, is_kept) in [(most - 1, true), (most, true), (most + 1, false)] {
        let name = "x".repeat(length);
        assert_eq!(AgentList::read(&name).is_ok(), is_kept, "{length}");
        let file = format!("User-agent: {name}\nUser-agent: b\nDisallow: /\n");
        assert_eq!(agents_of(&rows("named", &file)[0]).len(), 1 + usize::from(is_kept));
        let url = format!("https://e.com/{}", "x".repeat(length - "https://e.com/".len()));
        let row = &asked("*", &json!({"robots": "", "url": url}))[0];
        assert_eq!((row["url"].is_string(), row["host"].is_string()), (is_kept, is_kept), "{length}");
    }
}

#[test]
fn texts_of_the_input_are_harmless() {
    let row =
        &asked("*", &json!({"robots": "User-agent: \u{1b}[2J\u{202e}x\n", "url": "https://e.com/robots.txt?\u{7}\\"}))
            [0];
    assert_eq!(row["url"], "https://e.com/robots.txt?\\x07\\\\");
    let rows = rows("named", "User-agent: a\u{1b}b\u{202e}\nDisallow: /");
    assert!(agents_of(&rows[0]).iter().all(|name| name.bytes().all(|byte| byte.is_ascii_graphic())), "{rows:?}");
}

/// A resumed run compares it.
#[test]
fn a_run_knows_everything_that_rows_depend_on() {
    let census = |agents: &str, names: Names| Census::new(AgentList::with_names(agents, names).unwrap());
    let said = |census: Census| format!("{census:?}");
    let first = said(census("*,GPTBot", Names::Known));
    assert_eq!(first, said(census("*,GPTBot", Names::Known)));
    assert!(first.len() < 4_000, "{first}");
    for other in [
        census("GPTBot,*", Names::Known),
        census("*,gptbot", Names::Known),
        census("*,GPTBot,named", Names::Known),
        census("*,GPTBot", Names::Plain),
        census("*,GPTBot", Names::Known).options(Dialect::Google.options()),
    ] {
        assert_ne!(first, said(other));
    }
}

#[test]
fn the_readme_has_the_columns() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let documented: Vec<&str> =
        readme.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | ")).map(|(name, _)| name).collect();
    let out = lines_of(&filter("*"), b"", Form::Robots);
    let row = String::from_utf8(out).unwrap();
    let columns: Vec<&str> = row.split("\":").filter_map(|part| part.rsplit_once('"')).map(|(_, name)| name).collect();
    assert_eq!(columns.len(), 27);
    assert!(documented.windows(columns.len()).any(|some| some == columns), "{columns:?} {documented:?}");
}
