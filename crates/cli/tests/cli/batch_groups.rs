//! `batch --all-agents`: what each group of a file says.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::common::Dir;

const FILE: &str = "Crawl-delay: 3\nUser-agent: A\nCrawl-delay: 2\nUser-agent: b\nDisallow: /x\nRequest-rate: 1/5\n\
    Content-Signal: ai-train=no\nUser-agent: *\nContent-Usage: /p train-ai=n\nVisit-time: 0600-0845\nNoindex: /n\nAllow: /\n";

fn record(dir: &Dir, args: &[&str]) -> Value {
    dir.run(&[&["batch", "--all-agents", "-q"], args].concat()).ok().one_json()
}

/// [batch.groups] [explain.groups]
#[test]
fn each_group_has_its_own_values() {
    let found = record(&Dir::with(FILE), &["robots.txt"]);
    assert_eq!((&found["crawl_delay"], &found["answered_by"]), (&Value::Null, &json!("all")));
    let delay = |line: u32, seconds: f64, raw: &str| json!({"line": line, "seconds": seconds, "raw": raw});
    assert_eq!(found["for_everybody"]["crawl_delay"], delay(1, 3.0, "3"));
    let names: Vec<_> = found["groups"].as_array().unwrap().iter().map(|group| group["agents"][0].clone()).collect();
    assert_eq!(json!(names), json!([{"name": "A", "line": 2}, {"name": "b", "line": 4}, {"name": "*", "line": 8}]));
    let expected = json!({
        "agents": [{"name": "A", "line": 2}],
        "rules": [{"line": 5, "kind": "disallow", "pattern": "/x"}],
        "crawl_delay": delay(3, 2.0, "2"),
        "request_rates": [{"line": 6, "pages": 1, "seconds": 5, "hours": null}],
        "visit_times": [],
        "content_signals": [{"line": 7, "path": "", "uses": [{"name": "ai-train", "value": "no"}]}],
        "content_usage": [],
        "extensions": [],
    });
    assert_eq!(found["groups"][0], expected);
    let everyone = &found["groups"][2];
    assert_eq!(everyone["visit_times"], json!([{"line": 10, "from": 360, "to": 525}]));
    assert_eq!(everyone["content_usage"][0]["path"], "/p");
    assert_eq!(everyone["extensions"], json!([{"line": 11, "name": "Noindex", "value": "/n"}]));
    let one = Dir::with(FILE).run(&["batch", "-a", "MyBot", "-q", "robots.txt"]).ok().one_json();
    assert!(one.get("groups").is_none() && one.get("for_everybody").is_none());
}

/// [batch.groups] [batch.incomplete]
#[test]
fn groups_never_allow_what_the_text_disallows() {
    let lines = concat!(
        "{\"status\":404}\n{\"status\":503}\n{\"status\":301}\n",
        "{\"robots\":\"User-agent: a\\nAllow: /public\",\"truncated\":true}\n"
    );
    let dir = Dir::new();
    let ran = dir.run_with(&["batch", "--all-agents", "-q", "--input", "ndjson"], lines.as_bytes());
    let said: Vec<Value> = ran
        .json()
        .iter()
        .map(|record| {
            let groups = record["groups"].as_array();
            let group = |group: &Value| json!([group["agents"][0], group["rules"].as_array().unwrap()]);
            json!([record["outcome"], groups.map(|groups| groups.iter().map(group).collect::<Vec<_>>())])
        })
        .collect();
    let closed = json!([{"line": null, "kind": "disallow", "pattern": "/"}]);
    let everyone = json!({"name": "*", "line": null});
    let expected = json!([
        ["allow-all", [[everyone, []]]],
        ["disallow-all", [[everyone, closed]]],
        ["redirect", null],
        ["incomplete", [[everyone, closed], [{"name": "a", "line": 1}, closed]]],
    ]);
    assert_eq!(json!(said), expected);
}

/// [batch.groups]: a request has the groups of the record.
#[test]
fn requests_have_the_same_groups() {
    let dir = Dir::with(FILE);
    let request = json!({"robots": FILE, "options": {"all_agents": true}}).to_string();
    let answer = dir.run_with(&["filter", "--ndjson"], request.as_bytes()).ok().one_json();
    let found = record(&dir, &["robots.txt"]);
    for field in ["groups", "for_everybody", "text"] {
        assert!(answer.get(field).is_some());
        assert_eq!(answer[field], found[field], "{field}");
    }
}

/// [batch.groups]: the files whose groups are the longest, for their bytes. The first makes copies of its rules.
#[test]
fn groups_are_bounded_by_file_and_text() {
    let dir = Dir::new();
    let numbered = |count: u32, unit: &dyn Fn(u32) -> String| (0..count).map(unit).collect::<String>();
    let mut copied = numbered(70, &|number| format!("User-agent: a{number}\nCrawl-delay: {number}\n"));
    let _ = write!(copied, "{}", numbered(200, &|number| format!("Allow:/{number}\n")));
    let files = [
        copied,
        "User-agent:a\n".to_owned() + &"Allow:/\n".repeat(4_000),
        numbered(3_000, &|number| format!("User-agent:{number}\nAllow:/\n")),
        "User-agent:a\n".to_owned() + &"X:\n".repeat(10_000),
        "User-agent:a\n".to_owned() + &"X:\\\n".repeat(10_000),
        "User-agent:a\n".to_owned() + &"Content-Usage:a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u\n".repeat(600),
        "User-agent:a\n".to_owned() + &"Request-rate:1/1 0-1\n".repeat(2_000),
    ];
    for file in &files {
        dir.write("robots.txt", file);
        let found = record(&dir, &["robots.txt", "--keep-unknown", "--max-findings", "0"]);
        let groups = found["groups"].to_string().len() + found["for_everybody"].to_string().len();
        let bytes = file.len() + found["text"].as_str().unwrap().len();
        assert!(groups > file.len() && groups <= 20 * bytes, "{groups} of {bytes}: {}", &file[..40]);
    }
}
