//! The rows: against what each crawler is answered alone, against the columns, and within their limits.
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

use robosieve::Tester;
use robosieve::agent::Agent;
use robosieve::diff::Coverage;
use robosieve::policy::{Parser, Selection};
use robosieve::settings::{Dialect, Options};
use robosieve_batch::Outcome;
use robosieve_census::columns::{Column, Type};
use robosieve_census::normal::{FileRow, NameRow, PolicyRow, Row as _, TextRow};
use robosieve_census::{AgentList, Census, Entry, Form, Rows, Seen, View};
use robosieve_explain::{Crawler, Names};
use serde_json::Value;

fn rows(census: &Census, file: &[u8]) -> Vec<Value> {
    let mut out = Vec::new();
    let seen = Seen { source: "s", url: Some("https://e.com/robots.txt"), ..Seen::default() };
    census.add(&seen, file, true, &mut out);
    read(&out)
}

fn read(out: &[u8]) -> Vec<Value> {
    assert!(out.iter().all(|byte| matches!(byte, b'\n' | b' '..=b'~')), "{}", String::from_utf8_lossy(out));
    out.split(|byte| *byte == b'\n')
        .filter(|row| !row.is_empty())
        .map(|row| serde_json::from_slice(row).unwrap())
        .collect()
}

fn list(text: &str) -> AgentList {
    AgentList::read(text).unwrap()
}

fn by_agent(agents: &str) -> Census {
    Census::new(list(agents)).rows(Rows::Agents)
}

fn statuses(agents: &str, file: &str) -> Vec<String> {
    let rows = rows(&by_agent(agents), file.as_bytes());
    rows.iter().map(|row| format!("{} {}", row["agent"].as_str().unwrap(), row["status"].as_str().unwrap())).collect()
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
];

/// [census.groups] [census.status]
#[test]
fn each_crawler_is_answered_as_if_it_were_alone() {
    let names = "*,MJ12bot,MJ12,MJ,gptbot2,a.b1,a.b,a,008,known";
    let files = corpus::files();
    let files = files.iter().map(|(_, file)| file.as_slice()).chain(SHARED.iter().map(|file| file.as_bytes()));
    let mut compared = 0;
    for file in files {
        for dialect in [Dialect::Standard, Dialect::Google] {
            let options = Options { max_details: 0, ..dialect.options() }.for_verdicts();
            for row in rows(&by_agent(names).options(dialect.options()), file) {
                let agent = row["agent"].as_str().unwrap();
                let groups = match agent {
                    "*" => robosieve::agent::Interest::everyone().into(),
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
                let values = selection.values();
                let delay = values.crawl_delay().map(|delay| delay.as_duration().as_secs_f64());
                assert_eq!(row["crawl_delay"].as_f64(), delay, "{agent} {dialect} {row}");
                // The rule that closes a file that broke off is none of its own.
                let own = if selection.is_incomplete() { 0 } else { selection.rules().len() as u64 };
                assert_eq!(
                    row["allows"].as_u64().unwrap() + row["disallows"].as_u64().unwrap(),
                    own,
                    "{agent} {dialect} {row}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 30_000, "{compared}");
}

/// [census.status]
#[test]
fn a_status_says_what_is_closed_and_what_is_not_known() {
    for (file, expected) in [
        ("User-agent: *\nDisallow: /x\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /", ["* some", "GPTBot all"]),
        ("User-agent: *\nDisallow:", ["* none", "GPTBot none"]),
        ("User-agent: *\nDisallow: /*\n", ["* all", "GPTBot all"]),
        ("User-agent: *\nAllow: /robots.txt\nDisallow: /", ["* all", "GPTBot all"]),
        ("User-agent: gptbot/1.0\nDisallow : /", ["* none", "GPTBot all"]),
        ("", ["* empty", "GPTBot empty"]),
        ("\u{feff}", ["* empty", "GPTBot empty"]),
        ("# nothing\n\n  # here\r\n", ["* empty", "GPTBot empty"]),
        ("Sitemap: https://e.com/s.xml", ["* none", "GPTBot none"]),
        ("<!DOCTYPE html><html><body>User-agent", ["* not-robots", "GPTBot not-robots"]),
        ("<br />\n<b>Warning</b>: x\nUser-agent: *\nDisallow: /", ["* all", "GPTBot all"]),
    ] {
        assert_eq!(statuses("*,GPTBot", file), expected, "{file}");
    }
    let census = by_agent("*,GPTBot");
    for (outcome, status, root) in [
        (Outcome::AllowAll, "no-file", Some(true)),
        (Outcome::DisallowAll, "no-file", Some(false)),
        (Outcome::Redirect, "unknown", None),
        (Outcome::Failed, "unknown", None),
    ] {
        let mut out = Vec::new();
        census.add_without(&Seen::default(), outcome, &mut out);
        let rows = read(&out);
        assert_eq!(rows.len(), 2);
        for row in rows {
            assert_eq!((row["status"].as_str(), row["root"].as_bool()), (Some(status), root), "{outcome:?}");
        }
    }
}

/// [census.status] [input.incomplete]
#[test]
fn a_file_that_is_not_whole_is_closed_where_it_is_not_known() {
    let part = |file: &str| {
        let mut out = Vec::new();
        let seen = Seen { truncated: Some("length"), ..Seen::default() };
        by_agent("*,GPTBot").add(&seen, file.as_bytes(), false, &mut out);
        let rows = read(&out);
        rows.iter().map(|row| format!("{} {}", row["status"].as_str().unwrap(), row["root"])).collect::<Vec<_>>()
    };
    assert_eq!(part("User-agent: *\nDisallow: /x\nUser-agent: GPTBot\nDisal"), ["some true", "incomplete false"]);
    assert_eq!(part("User-agent: *\n"), ["incomplete false", "incomplete false"]);
}

/// [census.row]
#[test]
fn a_row_says_who_is_named_and_what_the_content_may_be_used_for() {
    let file = b"User-agent: Googlebot\nDisallow: /g\nContent-Signal: search=yes, ai-train=no, use=reference\n\nUser-agent: *\n\
        Crawl-delay: 2.5\nContent-Usage: train-ai=n\nContent-Usage: train-ai=y\nDisallow: /a\nAllow: /a/b\n";
    let rows = rows(&by_agent("Googlebot,Googlebot-Image,GPTBot,AdsBot-Google,*"), file);
    let cells = |row: usize, names: &[&str]| {
        names.iter().map(|name| rows[row][name].to_string().replace('"', "")).collect::<Vec<_>>().join(" ")
    };
    let named: &[&str] = &["named", "group", "line", "status", "root", "allows", "disallows", "crawl_delay"];
    assert_eq!(cells(0, named), "true Googlebot 1 some true 0 1 null");
    // Its owner documents that it uses the group of Googlebot.
    assert_eq!(cells(1, named), "false Googlebot 1 some true 0 1 null");
    assert_eq!(cells(2, named), "false * 5 some true 1 1 2.5");
    assert_eq!(cells(3, named), "false null null none true 0 0 null");
    assert_eq!(cells(4, named), "true * 5 some true 1 1 2.5");
    let uses =
        &["training", "training_line", "ai_input", "ai_input_line", "search", "search_line", "extent", "extent_line"];
    assert_eq!(cells(0, uses), "no 3 null null yes 3 reference 3");
    // The strictest of several lines.
    assert_eq!(cells(2, uses), "no 7 null null null null null null");
    assert_eq!(cells(2, &["owner", "kinds", "host"]), "OpenAI ai e.com");
}

/// [census.named]
#[test]
fn those_that_a_file_names_have_rows_of_their_own() {
    let file = "User-agent: Foo\nUser-agent: foo/2\nUser-agent: GPTBot\nDisallow: /\nUser-agent: *\nAllow: /\nUser-agent: \nDisallow: /";
    assert_eq!(statuses("named", file), ["Foo all", "GPTBot all"]);
    assert_eq!(statuses("*,gptbot,named", file), ["* none", "gptbot all", "Foo all"]);
    for (names, expected) in [(999, 999), (1_000, 1_000), (1_001, 1_000)] {
        let file: String = (0..names).map(|name| format!("User-agent: bot-{}\n", letters(name))).collect();
        assert_eq!(statuses("named", &format!("{file}Disallow: /")).len(), expected);
    }
}

fn letters(number: usize) -> String {
    format!("{number:04}").bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}

/// [census.agents]
#[test]
fn a_list_is_names_kinds_and_files() {
    let folder = std::env::temp_dir().join(format!("robosieve-census-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let json = file(
        "robots.json",
        r#"{"MyBot": {"operator": "[Me](https://e.com/)", "respect": "Yes", "function": "tests"}}"#,
    );
    let text = file("names.txt", "# mine\nMyBot\n\nOther\nmybot\n");
    assert_eq!(list(&format!("{text},{json}")).len(), 2);
    let rows = rows(&by_agent(&json), b"User-agent: mybot\nDisallow: /");
    assert_eq!(
        (rows[0]["owner"].as_str(), rows[0]["purpose"].as_str(), rows[0]["status"].as_str()),
        (Some("Me"), Some("tests"), Some("all"))
    );
    assert_eq!(list("known").len(), Crawler::all().count());
    let many =
        |count: usize| file("many.txt", &(0..count).map(|name| format!("bot-{}\n", letters(name))).collect::<String>());
    for (count, fits) in [(999, true), (1_000, true), (1_001, false)] {
        assert_eq!(AgentList::read(&many(count)).is_ok(), fits, "{count}");
    }
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
        "./nothing.json",
        &file("bad.json", "{]"),
        &file("bad.txt", "()\n"),
        &file("none.txt", "# nobody\n\n"),
        &file("none.json", "{}"),
        &format!("GPTBot,{}", file("bom.txt", "\u{feff}\n")),
    ] {
        let error = AgentList::read(wrong).unwrap_err().to_string();
        assert!(!error.is_empty() && !error.contains(char::is_control), "{error}");
    }
    // Editors begin files so.
    for (name, text) in [("bom.txt", "\u{feff}MyBot\n"), ("bom.json", "\u{feff}{\"MyBot\": {}}")] {
        assert_eq!(list(&format!("{},MyBot", file(name, text))).len(), 1, "{name}");
    }
    fs::remove_dir_all(folder).unwrap();
}

/// [census.resume]
#[test]
fn a_run_knows_everything_that_rows_say_of_crawlers() {
    let folder = std::env::temp_dir().join(format!("robosieve-census-resume-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("list.json");
    let known = |operator: &str, function: &str| {
        let json = serde_json::json!({"MyBot": {"operator": operator, "function": function}, "B": {}});
        fs::write(&path, json.to_string()).unwrap();
        format!("{:?}", Census::new(list(path.to_str().unwrap())))
    };
    let first = known("Me", "tests");
    assert_eq!(first, known("Me", "tests"));
    assert!(first.len() < 4_000, "{first}");
    for other in [known("You", "tests"), known("Me", "search")] {
        assert_ne!(first, other);
    }
    // The comma is in a name.
    let text = folder.join("list.txt");
    let lines = |lines: &str| {
        fs::write(&text, lines).unwrap();
        format!("{:?}", Census::new(list(text.to_str().unwrap())))
    };
    assert_ne!(lines("a,b\nc"), lines("a\nb,c"));
    fs::remove_dir_all(folder).unwrap();
}

/// [census.bounds] [census.named] [census.agents]
#[test]
fn names_and_lists_are_bounded() {
    for (length, is_kept) in [(2_047, true), (2_048, true), (2_049, false)] {
        let name = "x".repeat(length);
        assert_eq!(AgentList::read(&name).is_ok(), is_kept, "{length}");
        let file = format!(
            "User-agent: {name}\nUser-agent: b\nDisallow: /\nSitemap: https://e.com/{0}\nLicense: https://e.com/{0}\n",
            "x".repeat(length - "https://e.com/".len()),
        );
        assert_eq!(statuses("named", &file).len(), 1 + usize::from(is_kept));
        let row = &rows(&Census::new(list("*")).rows(Rows::Files), file.as_bytes())[0];
        let lengths = ["agents", "sitemaps", "licenses"].map(|name| row[name].as_array().unwrap().len());
        assert_eq!(lengths, [1 + usize::from(is_kept), is_kept.into(), is_kept.into()], "{length}");
        assert_eq!((row["agents_count"].as_u64(), row["sitemaps_count"].as_u64()), (Some(2), Some(1)));
    }
}

/// [census.csv]
#[test]
fn a_spreadsheet_runs_no_text() {
    let file = "User-agent: -a\nUser-agent: a-\nDisallow: /\n-foo: 1";
    let written = |form: Form, table: Rows| {
        let mut out = Vec::new();
        let seen = Seen { source: "=s", url: Some("+u"), time: Some("@t"), location: Some("a=b"), ..Seen::default() };
        Census::new(list("named")).form(form).rows(table).add(&seen, file.as_bytes(), true, &mut out);
        String::from_utf8(out).unwrap()
    };
    let csv = written(Form::Csv, Rows::Agents);
    let rows: Vec<Vec<String>> = csv.lines().map(cells_of).collect();
    let cells: Vec<&str> = [1, 3, 5, 8, 14].iter().map(|cell| rows[0][*cell].as_str()).collect();
    assert_eq!(cells, ["'=s", "'+u", "'@t", "a=b", "'-a"]);
    assert_eq!(rows[1][14], "a-");
    assert!(written(Form::Csv, Rows::Files).contains(",'-foo=1 disallow=1 "));
    let json = read(written(Form::Ndjson, Rows::Agents).as_bytes());
    assert_eq!((&json[0]["agent"], &json[0]["url"]), (&"-a".into(), &"+u".into()));
}

/// [census.bounds]
#[test]
fn texts_of_the_input_are_bounded() {
    for (length, is_kept) in [(2_047, true), (2_048, true), (2_049, false)] {
        let url = format!("https://e.com/{}", "x".repeat(length - "https://e.com/".len()));
        let mut out = Vec::new();
        let seen = Seen { url: Some(&url), time: Some(&url), ..Seen::default() };
        by_agent("*").add(&seen, b"", true, &mut out);
        let row = &read(&out)[0];
        assert_eq!(
            (row["url"].is_string(), row["time"].is_string(), row["host"].is_string()),
            (is_kept, is_kept, is_kept)
        );
    }
}

fn fits(value: &Value, column: &Column) -> bool {
    if value.is_null() {
        return column.nullable;
    }
    match column.holds {
        Type::Text => value.as_str().is_some_and(|text| column.values.is_empty() || column.values.contains(&text)),
        Type::Count => value.is_u64(),
        Type::Seconds => value.is_number(),
        Type::Flag => value.is_boolean(),
        Type::List => value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
        Type::Counts => value.as_object().is_some_and(|counts| counts.values().all(Value::is_u64)),
        _ => false,
    }
}

/// Rows of every kind. [census.columns]
fn all_rows(rows: Rows, form: Form) -> (Census, Vec<u8>) {
    let census = Census::new(list("*,GPTBot,Googlebot-Image,AdsBot-Google,named")).form(form).rows(rows);
    let mut out = Vec::new();
    for (_, file) in corpus::files() {
        let seen =
            Seen { source: "a\"b, c", record: Some(7), url: Some("http://e.com/\"\n,\u{1b}\u{e4}"), ..Seen::default() };
        census.add(&seen, &file, true, &mut out);
    }
    for outcome in [Outcome::AllowAll, Outcome::Redirect] {
        census.add_without(&Seen { http_status: Some(404), ..Seen::default() }, outcome, &mut out);
    }
    (census, out)
}

/// [census.columns]
#[test]
fn rows_have_the_columns_in_their_order() {
    for table in [Rows::Agents, Rows::Files] {
        let columns: Vec<&Column> = table.columns().collect();
        let (_, json) = all_rows(table, Form::Ndjson);
        let json = read(&json);
        for row in &json {
            let row = row.as_object().unwrap();
            assert_eq!(row.len(), columns.len());
            for column in &columns {
                assert!(fits(&row[column.name], column), "{}: {}", column.name, row[column.name]);
            }
        }
        // The same values in CSV.
        let (_, csv) = all_rows(table, Form::Csv);
        let csv: Vec<Vec<String>> = String::from_utf8(csv).unwrap().lines().map(cells_of).collect();
        assert_eq!(csv.len(), json.len());
        for (cells, row) in csv.iter().zip(&json) {
            assert_eq!(cells.len(), columns.len());
            for (cell, column) in cells.iter().zip(&columns) {
                let text = in_csv(&row[column.name]);
                let guard = if text.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
                assert_eq!(cell, &format!("{guard}{text}"), "{}", column.name);
            }
        }
    }
}

fn in_csv(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(in_csv).collect::<Vec<_>>().join(" "),
        Value::Object(counts) => {
            counts.iter().map(|(name, count)| format!("{name}={count}")).collect::<Vec<_>>().join(" ")
        }
        // JSON readers write whole seconds with a point.
        other => other.to_string().trim_end_matches(".0").to_owned(),
    }
}

fn cells_of(row: &str) -> Vec<String> {
    let (mut cells, mut is_quoted) = (vec![String::new()], false);
    let mut bytes = row.chars().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            '"' if is_quoted && bytes.peek() == Some(&'"') => cells.last_mut().unwrap().push(bytes.next().unwrap()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            other => cells.last_mut().unwrap().push(other),
        }
    }
    cells
}

/// [census.file]
#[test]
fn a_row_for_a_file_counts_its_lines() {
    let file = b"User-agent: A\nUser-agent: a\nUseragent: B\nDisallow: /x\nDisalow: /y\nAllow:\nFoo: bar\nFOO: bar\nfont-size: 1\nnothing\n\
        # comment\nSitemap: /s.xml\nSitemap: https://e.com/s.xml\nLicense: https://e.com/l.xml\nCrawl-delay: 1\n";
    let census = Census::new(list("*")).rows(Rows::Files);
    let rows = rows(&census, file);
    let row = &rows[0];
    let directives = serde_json::json!({"user-agent": 3, "disallow": 2, "allow": 1, "foo": 2, "font-size": 1, "sitemap": 2, "license": 1,
        "crawl-delay": 1});
    assert_eq!(row["directives"], directives);
    assert_eq!((row["lines"].as_u64(), row["groups"].as_u64()), (Some(13), Some(1)));
    assert_eq!(row["agents"], serde_json::json!(["A", "B"]));
    assert_eq!(row["sitemaps"], serde_json::json!(["https://e.com/s.xml"]));
    assert_eq!(row["licenses"], serde_json::json!(["https://e.com/l.xml"]));
    assert_eq!((row["allows"].as_u64(), row["disallows"].as_u64()), (Some(0), Some(2)));
    assert_eq!(row["status"], "none");
    let canonical = robosieve::Sieve::all_agents().run(file).unwrap().text().as_str().to_owned();
    let other = self::rows(&census, canonical.as_bytes());
    assert_eq!(row["text_hash"], other[0]["text_hash"]);
    assert_ne!(row["hash"], other[0]["hash"]);
}

/// [census.columns] [census.normal]
#[test]
fn the_readme_has_the_columns() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let of_rows = [Rows::Agents, Rows::Files].into_iter().flat_map(Rows::columns);
    let of_tables = [FileRow::COLUMNS, PolicyRow::COLUMNS, NameRow::COLUMNS, TextRow::COLUMNS].into_iter().flatten();
    for column in of_rows.chain(of_tables) {
        let row = format!("| `{}` | {} | {} |", column.name, column.meaning, column.source);
        assert!(readme.contains(&row), "README.md lacks {row}");
    }
}

/// The files of the corpus, those of `SHARED`, and some that name a crawler by a part of a name.
fn every_file() -> Vec<Vec<u8>> {
    let more: [&[u8]; 7] = [
        b"User-agent: foo123\nDisallow: /\n",
        b"User-agent: foo123\nDisallow: /a\nUser-agent: foo\nDisallow: /b\nUser-agent: a.b1.c\nDisallow: /c\n",
        b"User-agent: Mozilla/5.0 (compatible; Yahoo! Slurp)\nDisallow: /\nUser-agent: *\nDisallow: /x\n",
        b"User-agent: *\nDisallow: /x\n\nUser-agent: AdsBot-Google-Mobile\nDisallow: /",
        b"<!DOCTYPE html><html>",
        b"# nothing\n",
        b"Sitemap: https://e.com/s.xml\nContent-Signal: ai-train=no\n",
    ];
    let own = corpus::files().into_iter().map(|(_, file)| file);
    own.chain(SHARED.iter().map(|file| file.as_bytes().to_vec())).chain(more.iter().map(|file| file.to_vec())).collect()
}

/// The view has the rows of the census, for crawlers of its list and for others: [census.expand] [census.names]
#[test]
fn the_normal_form_expands_to_the_rows() {
    let lists = ["*,known,named", "GPTBot,MJ12,MJ,gptbot2,a.b1,a.b,a,foo,foo12,foo123,named,AdsBot-Google,*", "named"];
    let mut compared = 0;
    for (number, file) in every_file().into_iter().enumerate() {
        for (way, (dialect, names, is_whole)) in [
            (Dialect::Standard, Names::Known, true),
            (Dialect::Standard, Names::Plain, true),
            (Dialect::Standard, Names::Known, false),
            (Dialect::Google, Names::Known, true),
            (Dialect::Processor, Names::Known, false),
        ]
        .into_iter()
        .enumerate()
        {
            // Each file in two of the ways.
            if way != 0 && number % 4 != way - 1 {
                continue;
            }
            let truncated = (!is_whole).then_some("length");
            let seen = Seen { source: "s", url: Some("https://a.e.com/robots.txt"), truncated, ..Seen::default() };
            for agents in lists.into_iter().cycle().skip(number).take(1 + usize::from(number % 9 == 0)) {
                let list = AgentList::with_names(agents, names).unwrap();
                {
                    let made_for = [agents, "GPTBot"][number / 3 % 2];
                    let of = AgentList::with_names(made_for, names).unwrap();
                    let census = |list: &AgentList| Census::new(list.clone()).options(dialect.options());
                    let (mut line, mut expected, mut found) = (Vec::new(), Vec::new(), Vec::new());
                    census(&of).add(&seen, &file, is_whole, &mut line);
                    census(&list).rows(Rows::Agents).add(&seen, &file, is_whole, &mut expected);
                    View::new(list.clone(), Form::Ndjson).expand(&Entry::read(&line).unwrap(), &mut found);
                    let (found, expected) = (String::from_utf8(found).unwrap(), String::from_utf8(expected).unwrap());
                    for (found, expected) in found.lines().zip(expected.lines()) {
                        assert_eq!(
                            found,
                            expected,
                            "{dialect} {names:?} {is_whole} {}",
                            String::from_utf8_lossy(&file)
                        );
                    }
                    assert_eq!(found.lines().count(), expected.lines().count());
                    compared += expected.lines().count();
                }
            }
        }
    }
    assert!(compared > 30_000, "{compared}");
}

/// A line of the normal form for a file of a source.
fn line_of(source: &str, url: &str, file: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let seen = Seen { source, url: Some(url), ..Seen::default() };
    Census::new(list("GPTBot")).add(&seen, file.as_bytes(), true, &mut out);
    out
}

/// In a file with more names, a crawler that has no row is not known. [census.names]
#[test]
fn names_are_bounded() {
    for (count, expected) in [(1_999, "none"), (2_000, "none"), (2_001, "unknown")] {
        let letter = |number: usize| ('a'..='z').nth(number % 26).unwrap();
        let names: String = (0..count)
            .map(|number| format!("User-agent: x{}{}{}\n", letter(number / 676), letter(number / 26), letter(number)))
            .collect();
        let file = format!("{names}Disallow: /\n\nUser-agent: GPTBot\nDisallow: /g\n");
        let entry =
            Entry::read(&line_of("s", "http://e.com/robots.txt", &file.replace("\n\nUser-agent: GPTBot", ""))).unwrap();
        assert_eq!(entry.names.iter().filter(|name| name.listed).count(), count.min(2_000));
        let mut found = Vec::new();
        View::new(list("other,GPTBot"), Form::Ndjson).expand(&entry, &mut found);
        let found = read(&found);
        assert_eq!((&found[0]["status"], &found[1]["status"]), (&expected.into(), &"none".into()), "{count}");
    }
}

/// Lines that are damaged are none. [census.normal]
#[test]
fn a_line_of_another_form_is_none() {
    let line = String::from_utf8(line_of("s", "http://e.com/robots.txt", "User-agent: *\nDisallow: /")).unwrap();
    assert!(Entry::read(line.as_bytes()).is_some());
    let names = &line[line.find("\"names\":[").unwrap()..line.find(",\"texts\"").unwrap()];
    for (from, to) in [
        ("\"v\":2", "\"v\":3"),
        ("\"policy\":0,\"listed\"", "\"policy\":1,\"listed\""),
        ("{\"v\"", "{\"w\""),
        // It would be open.
        (names, "\"names\":[]"),
        ("\"agent\":\"*\"", "\"agent\":\"a\""),
        ("\"policies\":[{\"policy\":0", "\"policies\":[{\"policy\":1"),
        ("\"outcome\":\"rules\"", "\"outcome\":\"redirect\""),
        ("\"redirects\":0", "\"redirects\":0,\"redirects\":0"),
        ("\"redirects\":0", "\"redirects\":-1"),
        ("\"redirects\":0", "\"redirects\":\"0\""),
        ("\"redirects\":0", "\"redirects\":null"),
        ("\"redirects\":0,", ""),
        ("\"file\":{", "\"file\":[{"),
    ] {
        assert!(line.contains(from) && Entry::read(line.replacen(from, to, 1).as_bytes()).is_none(), "{from}");
    }
    // Columns of later versions, and another order.
    let more = line.replacen("\"redirects\":0", "\"x\":{\"a\":[1]},\"redi\\u0072ects\":0", 1);
    let mut entry = Entry::read(more.as_bytes()).unwrap();
    assert_eq!(Some(&entry), Entry::read(line.as_bytes()).as_ref());
    for (text, expected) in [("2", 2.0), ("2.5", 2.5)] {
        let slow = line.replacen("\"crawl_delay\":null", &format!("\"crawl_delay\":{text}"), 1);
        entry.policies[0].crawl_delay = Some(expected);
        assert_eq!(Entry::read(slow.as_bytes()).as_ref(), Some(&entry));
    }
}

#[cfg(feature = "parquet")]
/// Whatever parts are called, and if one is not there. [census.tables] [census.listed]
#[test]
fn tables_are_read_in_the_order_of_files() {
    use robosieve_census::{Read, Stored, Tables};
    let folder = std::env::temp_dir().join(format!("census-order-{}", std::process::id()));
    for part in 0..3 {
        let line = |number: usize| {
            line_of("s", &format!("http://s{number}.com/robots.txt"), &format!("User-agent: b\nDisallow: /{number}"))
        };
        let lines: Vec<u8> = (part * 10..part * 10 + 10).flat_map(line).collect();
        let tables = Tables::new(&folder).part(u32::try_from(part).unwrap()).crawl(Some("a".to_owned()));
        tables.write(&*lines, &[].into()).unwrap();
    }
    let read = || {
        let mut urls = Vec::new();
        let done = Stored::new(&folder).each(&mut |read| {
            if let Read::Entry(entry, Some("a")) = read {
                assert_eq!((entry.policies.len(), entry.names.len()), (2, 2));
                urls.extend(entry.file.url);
            }
            Ok::<_, std::io::Error>(())
        });
        done.map(|()| urls).map_err(|error| error.to_string())
    };
    let path = |table: &str, name: &str| folder.join(table).join("crawl=a").join(name);
    let rename = |table: &str, from: &str, to: &str| fs::rename(path(table, from), path(table, to)).unwrap();
    let urls: Vec<String> = (0..30).map(|number| format!("http://s{number}.com/robots.txt")).collect();
    assert_eq!(read().as_ref(), Ok(&urls));
    rename("policies", "00000.parquet", "part-00000-x.c000.zstd.parquet");
    assert!(read().unwrap_err().contains("lacks rows of `policies`"));
    for part in 1..3 {
        rename("policies", &format!("0000{part}.parquet"), &format!("part-0000{part}-x.c000.zstd.parquet"));
    }
    assert_eq!(read().as_ref(), Ok(&urls));
    // A part without files is one that is not complete.
    rename("files", "00001.parquet", ".part");
    assert!(read().unwrap_err().contains("00001.parquet: `files` has no such part"));
    rename("files", ".part", "00001.parquet");
    // Nor is another file read as nothing.
    fs::write(path("names", "00009.ndjson"), "").unwrap();
    assert!(read().unwrap_err().contains("00009.ndjson: is no Parquet"));
    fs::remove_file(path("names", "00009.ndjson")).unwrap();
    fs::write(folder.join("files/_SUCCESS"), "").unwrap();
    fs::write(folder.join("files/crawl=b"), "").unwrap();
    assert!(read().unwrap_err().contains("files/crawl=b"));
    fs::remove_file(folder.join("files/crawl=b")).unwrap();
    for table in ["names", "policies"] {
        let name = fs::read_dir(folder.join(table).join("crawl=a")).unwrap().next().unwrap().unwrap().file_name();
        let name = name.to_str().unwrap();
        rename(table, name, ".part");
        assert!(read().unwrap_err().contains("lacks rows of `policies` or `names`"), "{table}");
        rename(table, ".part", name);
    }
    // A number of more digits is a later one.
    for table in ["files", "names", "texts"] {
        rename(table, "00002.parquet", "100000.parquet");
        rename(table, "00001.parquet", "99999.parquet");
    }
    assert_eq!(read(), Ok(urls));
    fs::copy(path("files", "00000.parquet"), path("files", "00001.parquet")).unwrap();
    assert!(read().unwrap_err().contains("not in the order of files"));
    fs::remove_dir_all(folder).unwrap();
}

/// [census.texts-bounds]
#[test]
fn the_texts_of_a_file_are_bounded() {
    const MOST: usize = 1 << 22;
    let front = "User-agent: *\n";
    let rule = |number: usize| format!("Disallow: /{number:07}/{}\n", "x".repeat(980));
    let rules: String = (0..(MOST - front.len() - 12) / rule(0).len()).map(rule).collect();
    let rest = MOST - front.len() - rules.len() - "Disallow: /\n".len();
    for (more, has_text) in [(-1, true), (0, true), (1, false)] {
        let last = "y".repeat(rest.checked_add_signed(more).unwrap());
        let file = format!("{front}{rules}Disallow: /{last}\n\nUser-agent: b\nDisallow: /b\n");
        let limits = robosieve::settings::Limits { max_bytes: usize::MAX, ..Options::default().limits };
        let census = Census::new(list("*")).options(Options { limits, ..Options::default() });
        let entry = census.entry(&Seen::default(), file.as_bytes(), true);
        let star = &entry.policies[0];
        assert_eq!((star.exact, !star.hash.is_empty()), (has_text, has_text), "{more}");
        assert!(entry.texts.iter().map(|text| text.text.len()).sum::<usize>() <= MOST);
        // What is said stays the same.
        assert!((&*star.status, star.disallows) == ("some", rules.lines().count() as u64 + 1));
    }
}

#[cfg(feature = "parquet")]
/// [census.tables]
#[test]
fn crawls_of_a_run_are_bounded() {
    use robosieve_census::{Tables, tables};
    let folder = std::env::temp_dir().join(format!("census-{}", std::process::id()));
    let lines = |count: usize| -> Vec<u8> {
        let source = |number: usize| format!("CC-MAIN-{}-{:02}/a.warc.gz", 2000 + number / 50, number % 50);
        (0..count).flat_map(|number| line_of(&source(number), "http://e.com/robots.txt", "")).collect()
    };
    let most = tables::MAX_CRAWLS;
    let mut earlier = std::collections::BTreeSet::new();
    for (count, fits) in [(most + 1, false), (most - 1, true), (most, true)] {
        let written = Tables::new(&folder).write(&*lines(count), &earlier);
        assert_eq!(written.is_ok(), fits, "{count}");
        assert_eq!(folder.join("files").exists(), fits);
        if let Ok(written) = written {
            assert_eq!((written.files.len(), written.files["CC-MAIN-2000-00"]), (count, 1));
            earlier = written.files.into_keys().collect();
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

#[cfg(feature = "parquet")]
/// Runs for two parts have nothing in common. [census.tables]
#[test]
fn parts_are_written_at_the_same_time() {
    use robosieve_census::Tables;
    let folder = std::env::temp_dir().join(format!("census-parts-{}", std::process::id()));
    let lines = line_of("s", "http://e.com/robots.txt", "User-agent: *\nDisallow: /x").repeat(500);
    std::thread::scope(|scope| {
        for part in 0..4 {
            let (folder, lines) = (&folder, &*lines);
            scope.spawn(move || {
                for crawl in ["a", "b"] {
                    let tables = Tables::new(folder).part(part).crawl(Some(crawl.to_owned()));
                    assert_eq!(tables.write(lines, &[].into()).unwrap().texts, 1);
                }
            });
        }
    });
    for table in ["files", "policies", "names", "texts"] {
        for crawl in ["a", "b"] {
            assert_eq!(fs::read_dir(folder.join(table).join(format!("crawl={crawl}"))).unwrap().count(), 4);
        }
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 4);
    fs::remove_dir_all(folder).unwrap();
}
