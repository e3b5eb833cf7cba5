//! `--ndjson`: requests and answers.

use serde_json::{Value, json};

use crate::common::{Dir, answer_to};

const FILE: &str = "User-agent: *\nDisallow: /x\n";

/// The answers to requests.
fn ask(args: &[&str], requests: &[Value]) -> Vec<Value> {
    let lines: Vec<String> = requests.iter().map(Value::to_string).collect();
    ask_raw(args, lines.join("\n").as_bytes())
}

fn ask_raw(args: &[&str], lines: &[u8]) -> Vec<Value> {
    let ran = Dir::new().run_with(&[args, &["--ndjson"]].concat(), lines).ok();
    assert_eq!(ran.err(), "");
    let answers = ran.json();
    assert!(answers.iter().all(|answer| answer["v"] == 1));
    answers
}

fn kinds(answers: &[Value]) -> Vec<&str> {
    answers.iter().map(|answer| answer["error"]["kind"].as_str().unwrap_or("")).collect()
}

/// [cmd.ndjson]
#[test]
fn answers_in_order_with_the_ids_unchanged() {
    let ids = [json!(1), json!("a"), json!(null), json!([1, {"b": "\u{e9}"}]), json!(-1.5), json!(true)];
    let requests: Vec<Value> =
        ids.iter().map(|id| json!({"id": id, "robots": FILE, "agent": "MyBot", "url": "/x"})).collect();
    let answers = ask(&["test"], &requests);
    assert_eq!(answers.iter().map(|answer| answer["id"].clone()).collect::<Vec<_>>(), ids);
    assert!(answers.iter().all(|answer| answer["allowed"] == false && answer["line"] == 2));
}

/// [cmd.ndjson]
#[test]
fn ids_are_not_read_as_numbers() {
    let line = br#"{"robots":"","agent":"a","url":"/","id":123456789012345678901234567890.10}"#;
    let ran = Dir::new().run_with(&["test", "--ndjson"], line).ok();
    assert!(ran.out().contains("\"id\":123456789012345678901234567890.10,"), "{}", ran.out());
}

/// [harmless.json]
///
/// The fuzz target found this: a lone surrogate was repeated, so other readers did not accept the answer as JSON.
#[test]
fn an_id_that_other_readers_reject_is_not_repeated() {
    let file = r#""robots":"","agent":"a","url":"/""#;
    let ids = [r#""\ud83e""#, "1e999", &format!("{}{}", "[".repeat(200), "]".repeat(200))];
    for id in ids {
        let answers = ask_raw(&["test"], format!("{{\"id\":{id},{file}}}").as_bytes());
        assert_eq!((answers[0]["id"].clone(), kinds(&answers)), (Value::Null, vec!["bad-request"]));
        assert!(answers[0]["error"]["message"].as_str().unwrap().starts_with("id: "), "{answers:?}");
    }
}

/// [cmd.ndjson]
#[test]
fn test_answers_one_url_or_several() {
    let answers = ask(
        &["test"],
        &[
            json!({"robots": FILE, "agent": "MyBot", "url": "/x"}),
            json!({"robots": FILE, "agents": ["A", "B"], "urls": ["/x", "/y"]}),
            json!({"robots_b64": "VXNlci1hZ2VudDogKgpEaXNhbGxvdzogL/8", "agent": "MyBot", "url_b64": "L/8="}),
            json!({"robots": FILE, "agent": "MyBot", "urls": [], "options": null}),
        ],
    );
    assert_eq!(answers[0]["rule"], json!({"kind": "disallow", "pattern": "/x"}));
    assert_eq!((&answers[0]["reason"], &answers[0]["answered_by"]), (&json!("rule"), &json!("everyone")));
    assert_eq!(answers[1]["results"][0]["url"], "/x");
    assert_eq!(answers[1]["results"][0]["allowed"], false);
    assert_eq!(answers[1]["results"][1]["allowed"], true);
    assert_eq!(answers[1]["results"][1]["line"], Value::Null);
    assert_eq!(answers[2]["rule"]["pattern"], "/%FF");
    assert_eq!(answers[3]["results"], json!([]));
}

/// [cmd.ndjson]
#[test]
fn anything_is_an_agent() {
    for agent in ["Foo Bar", "googlebot/2.1", "*", "\u{1b}[2J", "\u{1f916}"] {
        let answers = ask(&["test"], &[json!({"robots": FILE, "agent": agent, "url": "/x"})]);
        assert_eq!(answers[0]["allowed"], false, "{agent}");
    }
    let named = "User-agent: Googlebot\nDisallow: /g\n";
    let answers = ask(&["test"], &[json!({"robots": named, "agent": "googlebot/2.1", "url": "/g"})]);
    assert_eq!((&answers[0]["allowed"], &answers[0]["agent"]), (&json!(false), &json!("googlebot")));
}

/// [cmd.ndjson]
#[test]
fn bad_requests_are_answered_and_do_not_end_the_command() {
    let good = json!({"id": "good", "robots": FILE, "agent": "a", "url": "/x"}).to_string();
    for (bad, kind, word) in [
        ("{", "bad-json", "this line is not a JSON object: EOF"),
        ("\u{1b}[2J", "bad-json", "expected value"),
        ("\"text\"", "bad-request", "expected a JSON object"),
        ("null", "bad-request", "expected a JSON object"),
        (r#"[1,null,"","","a",null,null,"/"]"#, "bad-request", "expected a JSON object, found an array"),
        (r#"[{"id":7}]"#, "bad-request", "expected a JSON object, found an array"),
        (
            r#"{"id":7,"robots":"","agent":"a","url":"/","options":["google"]}"#,
            "bad-option",
            "options: expected a JSON object, found an array",
        ),
        (
            r#"{"id":7,"robots":"","agent":"a","url":"/","options":{"limits":[1]}}"#,
            "bad-option",
            "expected a JSON object",
        ),
        (r#"{"id":7,"robots":"","agent":"a","url":"/","options":{"max_findings":-1}}"#, "bad-option", "whole number"),
        (r#"{"id":7,"robots":"","user_agent":["a"],"url":"/"}"#, "bad-request", "string"),
        (r#"{"id":7}"#, "bad-request", "agent"),
        (r#"{"id":7,"agent":"a","url":"/"}"#, "bad-request", "robots"),
        (r#"{"id":7,"robots":"","url":"/"}"#, "bad-request", "--agent"),
        (r#"{"id":7,"robots":"","agent":"a"}"#, "bad-request", "url"),
        (r#"{"id":7,"robots":"","agent":"a","url":"/","urls":[]}"#, "bad-request", "one of url"),
        (r#"{"id":7,"robots":"","robots_b64":"","agent":"a","url":"/"}"#, "bad-request", "not both"),
        (r#"{"id":7,"robots":"","agent":"a","agents":[],"url":"/"}"#, "bad-request", "not both"),
        (r#"{"id":7,"robots_b64":"?","agent":"a","url":"/"}"#, "bad-request", "robots_b64"),
        (r#"{"id":7,"robots":"","agent":"a","url_b64":"?"}"#, "bad-request", "url_b64"),
        (
            r#"{"id":7,"robots":1,"agent":"a","url":"/"}"#,
            "bad-request",
            "expected a string, found integer `1` at column",
        ),
        (r#"{"id":7,"agnet":"a"}"#, "bad-request", "agnet"),
        (r#"{"id":7,"v":2,"robots":"","agent":"a","url":"/"}"#, "bad-request", "version"),
        (r#"{"id":7,"robots":"","agent":"a","url":"/","options":{"colour":1}}"#, "bad-option", "colour"),
        (r#"{"id":7,"robots":"","agent":"a","url":"/","options":{"limits":{"max_x":1}}}"#, "bad-option", "max_x"),
        (r#"{"id":7,"robots":"","agent":"a","url":"/","options":{"status":7}}"#, "bad-option", "status"),
        (r#"{"id":7,"robots":"","agent":"a","url":"/","options":{"all_agents":true}}"#, "bad-option", "all_agents"),
        (r#"{"id":7,"robots":"","agent":"a","url":1}"#, "bad-request", "url: expected a string, found integer `1`"),
        (r#"{"id":7,"robots":"","agents":["a",true],"url":"/"}"#, "bad-request", "agents[1]: expected a string"),
        (r#"{"id":7,"robots":"","agent":"a","agent":"b","url":"/"}"#, "bad-request", "the same field twice: `agent`"),
        (
            r#"{"id":7,"robots":"","agent":"a","url":"/","options":{"fold":1}}"#,
            "bad-option",
            "fold: expected true or false",
        ),
        (
            r#"{"id":7,"robots":"","agent":"a","url":"/","options":{"fold":true,"fold":false}}"#,
            "bad-option",
            "fold is given twice",
        ),
        (r#"{"id":7,"robots":"","agent":"a","url":"/","status":404}"#, "bad-request", "status is one of the `options`"),
        (r#"{"id":7,"robots":"","agent":"a","url":"/","truncated":true}"#, "bad-request", "truncated is for"),
    ] {
        let answers = ask_raw(&["test"], format!("{bad}\n\n{good}\n").as_bytes());
        assert_eq!(kinds(&answers), [kind, ""], "{bad}");
        let message = answers[0]["error"]["message"].as_str().unwrap();
        assert!(message.contains(word), "{message}");
        assert_eq!(answers[0]["id"], if bad.starts_with("{\"id\"") { json!(7) } else { Value::Null });
        assert_eq!((&answers[1]["id"], &answers[1]["allowed"]), (&json!("good"), &json!(false)));
    }
    assert_eq!(kinds(&ask_raw(&["test"], b"{\"id\":\"\xff\"}\n")), ["bad-json"]);
    let deep =
        format!("{{\"robots\":\"\",\"agent\":\"a\",\"url\":\"/\",\"options\":{{\"fold\":{}", "[".repeat(100_000));
    assert_eq!(kinds(&ask_raw(&["test"], deep.as_bytes())), ["bad-json"]);
}

/// [cmd.ndjson] [cmd.url]
#[test]
fn an_invalid_url_is_a_separate_error() {
    let request = |url: Value| json!({"id": 1, "robots": FILE, "agent": "a", "url": url});
    let answers = ask(&["test"], &[request(json!("tmp/x")), request(json!("/x")), request(json!(""))]);
    assert_eq!(kinds(&answers), ["bad-url", "", "bad-url"]);
    assert!(answers[0]["error"]["message"].as_str().unwrap().contains("`/tmp/x` for a path"), "{answers:?}");
    let in_base64 = json!({"robots": FILE, "agent": "a", "url_b64": "Iw=="});
    assert_eq!(kinds(&ask(&["test"], &[in_base64])), ["bad-url"]);
    // If one of several is invalid, only that one fails.
    let several = json!({"robots": FILE, "agent": "a", "urls": ["/x", "mailto:a@b", "/y"]});
    let answers = ask(&["test"], &[several]);
    let results = answers[0]["results"].as_array().unwrap();
    assert_eq!((&results[0]["allowed"], &results[2]["allowed"]), (&json!(false), &json!(true)));
    assert_eq!((&results[1]["url"], &results[1]["error"]["kind"]), (&json!("mailto:a@b"), &json!("bad-url")));
    assert_eq!(results[1]["allowed"], Value::Null);
}

/// [cmd.ndjson] [cmd.agent]
#[test]
fn an_empty_agent_is_a_bad_request() {
    for agent in [
        json!({"agent": ""}),
        json!({"agent": " "}),
        json!({"agents": ["a", ""]}),
        json!({"agents": []}),
        json!({"user_agent": ""}),
        json!({"agent": "Mozilla"}),
        json!({"user_agent": "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0"}),
    ] {
        for command in ["filter", "test", "inspect"] {
            let mut request = agent.clone();
            request["robots"] = json!(FILE);
            let error = answer_to(&[command, "--agent", "b"], request)["error"].clone();
            assert_eq!(error["kind"], "bad-request", "{agent}");
            let message = error["message"].as_str().unwrap();
            assert!(message.contains("empty") || message.contains("names no crawler"), "{error}");
        }
    }
}

/// [cmd.ndjson]
#[test]
fn a_line_over_64_mib_is_answered_and_skipped() {
    let ran = Dir::new().run_fed(&["test", "--ndjson"], |pipe| {
        let chunk = vec![b' '; 1 << 20];
        pipe.write_all(b"{\"id\":1,").unwrap();
        for _ in 0..65 {
            pipe.write_all(&chunk).unwrap();
        }
        pipe.write_all(b"}\n{\"id\":2,\"robots\":\"\",\"agent\":\"a\",\"url\":\"/\"}").unwrap();
    });
    let answers = ran.ok().json();
    assert_eq!(kinds(&answers), ["line-too-long", ""]);
    assert_eq!(answers[1]["id"], 2);
}

/// [cmd.ndjson]
#[test]
fn options_override_the_command_line() {
    let robots = "User-agent: *\nDisallow: /a\nDisallow: /b\n";
    let request = |options: Value| json!({"robots": robots, "agent": "a", "options": options});
    let answers = ask(
        &["filter", "--max-lines", "1", "--newline", "crlf"],
        &[
            json!({"robots": robots, "agent": "a"}),
            request(json!({"limits": {"max_lines": "none"}, "newline": "lf"})),
            request(json!({"limits": {"max_lines": 2, "max_bytes": 13}})),
            request(json!({"limits": {}})),
        ],
    );
    assert_eq!(answers[0]["text"], "User-agent: *\r\nDisallow: /a\r\n");
    assert_eq!(answers[0]["exact"], false);
    assert_eq!(answers[0]["report"]["losses"]["more_permissive"], 1);
    assert_eq!(answers[1]["text"], "User-agent: *\nDisallow: /a\nDisallow: /b\n");
    assert_eq!((&answers[1]["exact"], &answers[1]["answered_by"]), (&json!(true), &json!("everyone")));
    assert_eq!(answers[2]["text"], "User-agent: *\r\nDisallow:\r\n");
    assert_eq!(answers[3]["text"], answers[0]["text"], "a request changes nothing for the next one");
}

/// [cmd.ndjson]
#[test]
fn filter_keeps_all_agents_or_some() {
    let robots = "User-agent: b\nDisallow: /b\n\nUser-agent: *\nDisallow: /\n";
    let answers = ask(
        &["filter", "--agent", "b"],
        &[
            json!({"robots": robots}),
            json!({"robots": robots, "agent": "c"}),
            json!({"robots": robots, "options": {"all_agents": true}}),
            json!({"robots": robots, "agent": "c", "options": {"all_agents": true}}),
            json!({"robots": robots, "url": "/"}),
            json!({"robots": robots, "options": {"status": 404}}),
        ],
    );
    assert_eq!(answers[0]["text"], "User-agent: *\nDisallow: /b\n");
    assert_eq!(answers[1]["text"], "User-agent: *\nDisallow: /\n");
    assert_eq!(answers[2]["text"], "User-agent: *\nDisallow: /\n\nUser-agent: b\nDisallow: /b\n");
    assert_eq!(answers[2]["answered_by"], "all");
    assert_eq!(kinds(&answers[3..]), ["bad-request", "bad-request", "bad-option"]);
    let answers =
        ask(&["filter", "--all-agents"], &[json!({"robots": robots, "agent": "b"}), json!({"robots": robots})]);
    assert_eq!(answers[0]["text"], "User-agent: *\nDisallow: /b\n");
    assert_eq!(answers[1]["answered_by"], "all");
}

/// [cmd.ndjson]
#[test]
fn a_refusal_is_an_error_with_its_finding() {
    let robots = "User-agent: *\nDisallow: /*a*b*c\n";
    let options = json!({"limits": {"max_wildcards": 2}, "on_over_limit": "refuse"});
    for command in ["filter", "test", "inspect"] {
        let error = answer_to(&[command], json!({"robots": robots, "agent": "a", "options": options}))["error"].clone();
        let finding = &error["finding"];
        assert_eq!((&error["kind"], &finding["line"]), (&json!("refused"), &json!(2)));
        assert_eq!(finding["kind"], "too-many-wildcards");
    }
}

/// [cmd.ndjson]
#[test]
fn a_status_needs_no_file() {
    let answers = ask(
        &["test"],
        &[
            json!({"agent": "a", "url": "/x", "options": {"status": 404}}),
            json!({"agent": "a", "url": "/x", "options": {"status": 503}}),
            json!({"agent": "a", "url": "/x", "options": {"status": 401, "forbidden": "disallow"}}),
            json!({"agent": "a", "url": "/x", "options": {"status": 200}}),
        ],
    );
    assert_eq!(answers[0]["allowed"], true);
    assert_eq!((&answers[1]["allowed"], &answers[1]["reason"]), (&json!(false), &json!("status")));
    assert_eq!(answers[2]["allowed"], false);
    assert_eq!(kinds(&answers[3..]), ["bad-request"]);
}

/// [cmd.ndjson]
#[test]
fn a_kept_tester_is_kept_for_the_same_request_only() {
    let other = "User-agent: *\nAllow: /x\n";
    let request = |robots: &str, agent: &str, options: Value| json!({"robots": robots, "agent": agent, "url": "/x", "options": options});
    let answers = ask(
        &["test"],
        &[
            request(FILE, "a", json!({})),
            request(FILE, "a", json!({})),
            request(other, "a", json!({})),
            request(FILE, "a", json!({"fallback": false})),
            request(FILE, "a", json!({})),
            json!({"robots": FILE, "agent": "a"}),
            request(FILE, "b", json!({"status": 404})),
            request(FILE, "b", json!({})),
        ],
    );
    let allowed: Vec<&Value> = answers.iter().map(|answer| &answer["allowed"]).collect();
    let (yes, no, none) = (&json!(true), &json!(false), &Value::Null);
    assert_eq!(allowed, [no, no, yes, yes, no, none, yes, no]);
}

/// [cmd.ndjson]
#[test]
fn inspect_answers_with_all_values() {
    let robots = "User-agent: *\nDisallow: /x\nCrawl-delay: 2\nSitemap: http://e.com/s\n";
    let answers =
        ask(&["inspect"], &[json!({"id": "i", "robots": robots, "agent": "a"}), json!({"robots": robots, "url": "/"})]);
    assert_eq!(answers[0]["id"], "i");
    assert_eq!(answers[0]["crawl_delay"]["seconds"], 2.0);
    assert_eq!(answers[0]["sitemaps"], json!(["http://e.com/s"]));
    assert_eq!(kinds(&answers), ["", "bad-request"]);
}

/// No answer is held back: [cmd.ndjson] [batch.stream]
#[test]
fn answers_come_while_the_input_pauses() {
    let batch = ["batch", "-a", "a", "-q", "--input", "ndjson", "-"];
    let mut commands = vec![&["test", "-a", "a", "--ndjson"][..], &["filter", "-a", "a", "--ndjson"]];
    commands.extend(
        [&["inspect", "-a", "a", "--ndjson"][..], &batch][..if cfg!(feature = "batch") { 2 } else { 1 }].iter(),
    );
    for args in commands {
        let url = if args[0] == "test" { ",\"url\":\"/x\"" } else { "" };
        let lines: Vec<_> = (0..4).map(|id| format!("{{\"id\":{id},\"robots\":\"\"{url}}}")).collect();
        for (id, answer) in Dir::new().run_in_turns(args, &lines, 0).iter().enumerate() {
            assert_eq!(serde_json::from_str::<Value>(answer).unwrap()["id"], id, "{args:?}");
        }
    }
}

/// [cmd.ndjson]
#[test]
fn many_requests_at_once_are_all_answered() {
    let request = |id: u32| {
        let robots = format!("User-agent: *\nDisallow: /{}", id % 10);
        json!({"id": id, "robots": robots, "agent": "a", "url": "/7"})
    };
    let answers = ask(&["test"], &(0..5_000).map(request).collect::<Vec<_>>());
    assert_eq!(answers.len(), 5_000);
    for (id, answer) in answers.iter().enumerate() {
        assert_eq!(answer["id"], id);
        assert_eq!(answer["allowed"], id % 10 != 7);
    }
}

/// [cmd.ndjson]
#[test]
fn files_and_ndjson_do_not_go_together() {
    let dir = Dir::with(FILE);
    dir.run(&["test", "--ndjson", "robots.txt"]).fails(2, &["--ndjson"]);
    dir.run(&["filter", "--ndjson", "robots.txt"]).fails(2, &["--ndjson"]);
}

/// [cmd.ndjson] [agent.header]
#[test]
fn a_request_may_have_a_whole_user_agent_header() {
    let robots = "User-agent: MyBot\nDisallow: /m\n\nUser-agent: Other\nDisallow: /o\n";
    let header = "Mozilla/5.0 (compatible; MyBot/2.1; +https://e.com/bot)";
    let requests = [
        json!({"robots": robots, "user_agent": header}),
        json!({"robots": robots, "user_agent": header, "agent": "other"}),
        json!({"robots": robots, "user_agent": header, "agents": ["nobody"]}),
        json!({"robots": robots}),
    ];
    for (command, first) in [("filter", "other"), ("inspect", "other")] {
        let answers = ask(&[command, "--agent", "other"], &requests);
        let named: Vec<&Value> = answers.iter().map(|answer| &answer["agent"]).collect();
        assert_eq!(named, [&json!("MyBot"), &json!("other"), &json!("MyBot"), &json!(first)], "{command}");
    }
    let mut tested = requests[..3].to_vec();
    tested.push(json!({"robots": robots, "agent": "*"}));
    for request in &mut tested {
        request["url"] = json!("/m");
    }
    let answers = ask(&["test"], &tested);
    let allowed: Vec<&Value> = answers.iter().map(|answer| &answer["allowed"]).collect();
    assert_eq!(allowed, [&json!(false), &json!(true), &json!(false), &json!(true)]);
    let answers = ask(&["test", "--user-agent", header], &[json!({"robots": robots, "url": "/m"})]);
    assert_eq!(answers[0]["agent"], "MyBot");
}

/// A request has at most 1,000 agents, because each is compared with each user-agent line: [cmd.ndjson]
#[test]
fn agents_are_limited() {
    let request = |count: usize| {
        let agents: Vec<String> = (0..count).map(|number| format!("bot{number}")).collect();
        json!({"robots": "User-agent: *\nDisallow: /\n", "agents": agents, "url": "/"})
    };
    let answers = ask(&["test"], &[request(1_000), request(1_001)]);
    assert_eq!((&answers[0]["allowed"], kinds(&answers)), (&json!(false), vec!["", "bad-request"]));
    assert!(answers[1]["error"]["message"].as_str().unwrap().contains("1000 agents"), "{}", answers[1]);
}
