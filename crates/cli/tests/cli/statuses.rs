//! One table of statuses: what each status means, at each door that takes one.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::batch_warc::response;
use crate::common::{Dir, answer_to};

/// What a status says of the file.
fn meaning(status: u16) -> &'static str {
    match status {
        202 | 204 | 205 | 407 | 408 | 412..=417 | 421 | 425 | 429 | 431 => "no-answer",
        206 => "part",
        200..=299 => "rules",
        301..=303 | 307 | 308 => "redirect",
        304 => "not-modified",
        300..=499 => "allow-all",
        _ => "disallow-all",
    }
}

const FILE: &str = "User-agent: *\nDisallow: /x\nAllow: /y\n";

/// The records of a door of `batch` or `census`, by status.
fn by_status(records: Vec<Value>, name: &str) -> BTreeMap<u64, Value> {
    records.into_iter().map(|record| (record[name].as_u64().unwrap(), record)).collect()
}

/// Each status from 100 to 599 at `batch` (archives and lines), `census` and the NDJSON of `test`. [batch.status]
/// [status.access]
#[test]
fn a_status_means_the_same_at_each_door() {
    let dir = Dir::new();
    let (mut archive, mut lines, mut questions) = (Vec::new(), String::new(), String::new());
    for status in 100..600_u16 {
        archive.extend(response("e.com", &format!("{status} X"), FILE.as_bytes()));
        writeln!(lines, "{}", json!({ "robots": FILE, "status": status })).unwrap();
        let options = json!({ "status": status });
        let question =
            json!({ "id": status, "robots": FILE, "agent": "MyBot", "urls": ["/x", "/y"], "options": options });
        writeln!(questions, "{question}").unwrap();
    }
    dir.write("a.warc", archive);
    let of_archive = by_status(dir.run(&["batch", "-q", "-a", "MyBot", "a.warc"]).json(), "status");
    let of_lines = dir.run_with(&["batch", "-q", "-a", "MyBot", "--input", "ndjson"], lines.as_bytes());
    let of_lines = by_status(of_lines.json(), "status");
    let rows = by_status(dir.run(&["census", "-q", "a.warc"]).json(), "http_status");
    let answers = by_status(dir.run_with(&["test", "--ndjson"], questions.as_bytes()).json(), "id");
    assert_eq!([of_archive.len(), of_lines.len(), rows.len(), answers.len()], [500; 4]);
    for status in 100..600_u16 {
        let meant = meaning(status);
        let outcome = if meant == "part" { "rules" } else { meant };
        let key = u64::from(status);
        for record in [&of_archive[&key], &of_lines[&key]] {
            assert_eq!(record["outcome"], outcome, "{status}");
            assert_eq!(
                record["text"].is_string(),
                !matches!(meant, "no-answer" | "redirect" | "not-modified"),
                "{status}"
            );
            assert_eq!(record["truncated"] == "partial", meant == "part", "{status}");
        }
        assert_eq!(rows[&key]["outcome"], outcome, "{status}");
        let root = match meant {
            "disallow-all" => json!(false),
            "allow-all" | "rules" | "part" => json!(true),
            _ => Value::Null,
        };
        assert_eq!(rows[&key]["root"], root, "{status}: {}", rows[&key]);
        let allowed: Vec<&Value> =
            answers[&key]["results"].as_array().unwrap().iter().map(|one| &one["allowed"]).collect();
        // Who tests one file has followed redirects, and has no copy.
        let expected = match meant {
            "rules" | "part" => [false, true],
            "disallow-all" | "no-answer" => [false, false],
            _ => [true, true],
        };
        assert_eq!(allowed, expected, "{status}");
    }
    dir.write("robots.txt", FILE);
    for (status, words) in
        [("429", "the status closes the site"), ("404", "the status opens the site"), ("200", "line 3")]
    {
        let ran = dir.run(&["test", "-a", "MyBot", "--status", status, "robots.txt", "/y"]);
        assert!(ran.out().contains(words), "{status}: {}", ran.out());
    }
}

/// The text of all agents for a part of a file, or for a site that its status closes, opens nothing to crawlers that never
/// use the groups of `*`. [input.incomplete] [batch.incomplete] [crawlers.groups]
#[test]
fn a_text_of_a_part_closes_crawlers_with_groups_of_their_own() {
    let dir = Dir::with("User-agent: AdsBot-Google\nDisallow: /a\nUser-agent: Foo\nDisallow: /x\n");
    let request =
        json!({ "robots": "User-agent: Foo\nDisallow: /x\n", "options": { "complete": false, "all_agents": true } });
    let of_request = answer_to(&["filter"], request)["text"].as_str().unwrap().to_owned();
    let line = "{\"robots\":\"User-agent: Foo\\nDisallow: /x\\n\",\"truncated\":true}\n{\"status\":503}\n";
    let records = dir.run_with(&["batch", "-q", "--all-agents", "--input", "ndjson"], line.as_bytes()).json();
    let of_batch = records.iter().map(|record| record["text"].as_str().unwrap().to_owned());
    let of_file = dir.run(&["filter", "--all-agents", "--incomplete", "robots.txt"]).out().to_owned();
    for (place, text) in [of_request].into_iter().chain(of_batch).chain([of_file]).enumerate() {
        dir.write("text", &text);
        for agent in ["AdsBot-Google-Mobile", "APIs-Google", "YandexMobileBot", "MyBot"] {
            let ran = dir.run(&["test", "-a", agent, "text", "/y"]);
            assert!(ran.out().starts_with("disallowed"), "{place}, {agent}: {}\n{text}", ran.out());
        }
        // The group that the part has stays.
        if place == 3 {
            assert!(text.contains("User-agent: adsbot-google\nDisallow: /a\n"), "{text}");
        }
        let again = dir.run(&["filter", "--all-agents", "text"]);
        assert_eq!(again.out(), text, "{place}");
    }
}
