//! `batch --url`: the verdicts of `test` for each file of a run.

use std::env;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::common::Dir;
use crate::families::corpus;

const URLS: [&str; 4] = ["/", "/robots.txt", "/search?q=a,b", "?x"];
const LINES: &str = concat!(
    "{\"robots\":\"User-agent: MyBot\\nDisallow: /x\",\"url\":\"https://e.com/robots.txt\"}\n",
    "{\"status\":404}\n{\"status\":503}\n{\"status\":301,\"location\":\"/y\"}\n{\"status\":304}\nnonsense\n",
    "{\"robots\":\"User-agent: MyBot\\n\",\"truncated\":true}\n",
    "{\"robots\":\"User-agent: *\\nDisallow: /x\\nAllow: /\",\"truncated\":true}\n",
);

fn batch(dir: &Dir, args: &[&str], stdin: &str) -> crate::common::Ran {
    dir.run_with(&[&["batch", "-q", "-a", "MyBot", "--input", "ndjson"], args].concat(), stdin.as_bytes())
}

/// [batch.answers]
#[test]
fn records_have_answers_where_the_rules_are_known() {
    let dir = Dir::new();
    let ran = batch(&dir, &["--url", "/x", "--url", "/"], LINES);
    assert_eq!(ran.code, Some(3), "{}", ran.err());
    let records = ran.json();
    let said: Vec<Value> = records
        .iter()
        .map(|record| {
            let answers = record["results"].as_array();
            json!([record["outcome"], answers.map(|all| all.iter().map(|one| &one["allowed"]).collect::<Vec<_>>())])
        })
        .collect();
    let expected = json!([
        ["rules", [false, true]],
        ["allow-all", [true, true]],
        ["disallow-all", [false, false]],
        ["redirect", null],
        ["not-modified", null],
        ["failed", null],
        ["incomplete", [false, false]],
        ["rules", [false, true]],
    ]);
    assert_eq!(json!(said), expected);
    assert_eq!(
        records[0]["results"][0],
        json!({"url": "/x", "allowed": false, "line": 2, "rule": {"kind": "disallow", "pattern": "/x"}, "reason": "rule",
            "answered_by": "agent", "agent": "MyBot"})
    );
    assert_eq!(
        (&records[2]["results"][0]["reason"], &records[2]["text"]),
        (&json!("status"), &json!("User-agent: *\nDisallow: /\n"))
    );
    // A rule is kept from texts by a limit, and counts for verdicts; a file that the options refuse has no answer.
    let line = "{\"robots\":\"User-agent: *\\nDisallow: /a*a*a\"}\n";
    let allowed = |args: &[&str]| {
        let records = batch(&dir, &[&["--url", "/aaa"], args].concat(), line).json();
        records[0]["results"][0]["allowed"].clone()
    };
    assert_eq!(allowed(&[]), json!(false));
    assert_eq!(allowed(&["--on-over-limit", "refuse", "--max-wildcards", "1"]), Value::Null);
    assert_eq!(allowed(&["--fail-on", "loss", "--max-wildcards", "1"]), Value::Null);
}

/// [batch.answers]
#[test]
fn questions_that_have_no_answer_are_errors() {
    let dir = Dir::with("User-agent: *\nDisallow: /\n");
    for url in ["https://e.com/", "//e.com/", "e.com", "", "#x", "mailto:a@b"] {
        let ran = dir.run(&["batch", "-a", "MyBot", "robots.txt", "--url", url]);
        assert_eq!((ran.code, ran.out()), (Some(2), ""), "{url}: {}", ran.err());
    }
    let fails = |args: &[&str], words: &[&str]| {
        dir.run(&[&["batch", "robots.txt"], args].concat()).fails(2, words);
    };
    fails(&["-a", "MyBot", "--url", "https://e.com/"], &["names a host", "write a path"]);
    fails(&["--all-agents", "--url", "/"], &["--agent", "census"]);
    fails(&["-a", "MyBot", "--url", "/", "-o", "clean/"], &["-o FILE.ndjson"]);
    fails(&["-a", "MyBot", "-o", "x.csv"], &[".ndjson"]);
    assert_eq!(dir.names(), ["robots.txt"]);
}

/// [batch.answers]: the answers are those of `test`. `ROBOSIEVE_WILD` names another folder than the corpus.
#[test]
fn answers_are_those_of_test() {
    let dir = Dir::new();
    let folder = env::var_os("ROBOSIEVE_WILD").map_or_else(|| dir.path("corpus"), PathBuf::from);
    corpus::unfold(&dir.path("corpus"));
    let folder = fs::canonicalize(folder).unwrap();
    let folder = folder.to_str().unwrap();
    let mut compared = 0;
    for agents in [&["MyBot"][..], &["GPTBot"], &["Googlebot-News"], &["*"], &["008", "bingbot"]] {
        for more in [&[][..], &["--dialect", "google"], &["--max-bytes", "300"], &["--plain-names", "--no-fallback"]] {
            let agents: Vec<&str> = agents.iter().flat_map(|agent| ["--agent", agent]).collect();
            let urls: Vec<&str> = URLS.iter().flat_map(|url| ["--url", url]).collect();
            let args = [&["batch", "-q", "--input", "robots", folder][..], &agents, more, &urls].concat();
            let records = dir.run(&args).json();
            let args = [&["test", "--json", "--files", "*", folder][..], &agents, more, &URLS].concat();
            let mut tested = dir.run(&args).json().into_iter();
            for record in records {
                // A file that looks packed and is not.
                let Some(results) = record["results"].as_array() else { continue };
                for result in results {
                    let mut one = tested.next().unwrap();
                    assert_eq!(one["file"], record["source"]);
                    one.as_object_mut().unwrap().retain(|name, _| result.get(name).is_some());
                    assert_eq!(one, *result, "{agents:?} {more:?} {}", record["source"]);
                    compared += 1;
                }
            }
            assert!(tested.next().is_none());
        }
    }
    assert!(compared > 20 * 4 * 100, "{compared}");
    println!("{compared} answers");
}
