//! One name, one answer: a known crawler through every door of the command.

use serde_json::{Value, json};

use crate::common::Dir;

const FILE: &str =
    "User-agent: Googlebot\nDisallow: /a\n\nUser-agent: GPTBot\nDisallow: /b\n\nUser-agent: *\nDisallow: /\n";

/// The group that answers: its agent or `*`, and whether another would by the name alone.
type Group = (Value, Value, bool);

fn group(answer: &Value) -> Group {
    (answer["answered_by"].clone(), answer["agent"].clone(), answer["documented"].is_string())
}

/// The same crawler through each door, with flags.
fn doors(dir: &Dir, agent: &str, flags: &[&str]) -> Vec<(&'static str, Group)> {
    let json = |args: &[&str]| dir.run(&[args, flags].concat()).one_json();
    let request = |options: &str, url: &str| {
        let known = !flags.contains(&"--plain-names");
        format!(
            "{{\"agent\":\"{agent}\",\"robots\":{},\"options\":{{\"known\":{known}{options}}}{url}}}\n",
            json!(FILE)
        )
    };
    let asked = |command: &str, url: &str| {
        let dialect = flags.iter().find_map(|flag| flag.strip_prefix("--dialect="));
        let options = dialect.map(|dialect| format!(",\"dialect\":\"{dialect}\"")).unwrap_or_default();
        dir.run_with(&[command, "--ndjson"], request(&options, url).as_bytes()).ok().one_json()
    };
    let mut found = vec![
        ("test", group(&json(&["test", "--json", "--agent", agent, "robots.txt", "/b"]))),
        ("test --ndjson", group(&asked("test", ",\"url\":\"/b\""))),
        ("inspect", group(&json(&["inspect", "--json", "--agent", agent, "robots.txt"]))),
        ("inspect --ndjson", group(&asked("inspect", ""))),
        ("filter --ndjson", group(&asked("filter", ""))),
        ("explain", group(&json(&["explain", "--json", "--agent", agent, "robots.txt"]))),
        (
            "explain --url",
            group(&json(&["explain", "--json", "--url", "/b", "--agent", agent, "robots.txt"])["answer"]),
        ),
    ];
    dir.write("e.txt", format!("{agent} allow /b\n"));
    let expected = json(&["test", "robots.txt", "--expect", "e.txt", "--json"]);
    found.push(("expect", group(&expected["answer"])));
    let filtered = dir.run(&[&["filter", "--report", "json", "--agent", agent, "robots.txt"], flags].concat()).ok();
    let report = filtered.err().lines().find(|line| line.starts_with('{')).unwrap().to_owned();
    found.push(("filter", group(&serde_json::from_str(&report).unwrap())));
    if cfg!(feature = "batch") {
        found.push(("batch", group(&json(&["batch", "-q", "--agent", agent, "robots.txt"]))));
    }
    found
}

/// [names.known] [names.doors] [names.plain] [names.dialect]
#[test]
fn a_known_crawler_has_one_answer() {
    let dir = Dir::with(FILE);
    let by = |word: &str, agent: Option<&str>, is_documented: bool| (json!(word), json!(agent), is_documented);
    for (agent, known, plain) in [
        ("Googlebot-News", by("agent", Some("Googlebot"), true), by("everyone", None, false)),
        ("Applebot", by("agent", Some("Googlebot"), true), by("everyone", None, false)),
        ("AdsBot-Google-Mobile", by("nobody", None, true), by("everyone", None, false)),
        ("GPTBot", by("agent", Some("GPTBot"), false), by("agent", Some("GPTBot"), false)),
        ("Bytespider", by("everyone", None, false), by("everyone", None, false)),
        ("MyBot", by("everyone", None, false), by("everyone", None, false)),
    ] {
        for dialect in ["--dialect=standard", "--dialect=google", "--dialect=processor"] {
            for (door, found) in doors(&dir, agent, &[dialect]) {
                assert_eq!(found, known, "{agent} {door} {dialect}");
            }
            for (door, found) in doors(&dir, agent, &[dialect, "--plain-names"]) {
                assert_eq!(found, plain, "{agent} {door} {dialect} --plain-names");
            }
        }
    }
}

/// [names.said]
#[test]
fn another_group_than_by_the_name_is_said() {
    let dir = Dir::with(FILE);
    dir.write("new.txt", "User-agent: Googlebot\nDisallow: /c\n");
    dir.write("own.txt", "User-agent: Applebot\nDisallow: /c\n");
    let news = "Googlebot-News has no group of its own and uses that of Googlebot, says Google: https://";
    let ads = "AdsBot-Google does not use the group for `*`, says Google: https://";
    for args in [
        &["test", "-a", "Googlebot-News", "robots.txt", "/a"][..],
        &["filter", "-a", "Googlebot-News", "robots.txt"],
        &["inspect", "-a", "Googlebot-News", "robots.txt"],
        &["explain", "-a", "Googlebot-News", "robots.txt"],
        &["explain", "-a", "Googlebot-News", "--url", "/a", "robots.txt"],
        &["diff", "-a", "Googlebot-News", "robots.txt", "new.txt"],
        &["diff", "--agents", "GPTBot,Googlebot-News", "robots.txt"],
    ] {
        let said = dir.run(args);
        assert!(said.err().contains(news) && said.err().contains("; --plain-names reads the name alone"), "{args:?}");
        if !args.contains(&"--agents") {
            let other: Vec<&str> =
                args.iter().map(|it| if *it == "Googlebot-News" { "AdsBot-Google" } else { *it }).collect();
            let said = dir.run(&other);
            assert!(args[0] == "diff" || said.err().contains(ads), "{other:?}: {}", said.err());
        }
        assert_eq!(dir.run(&[args, &["--plain-names"]].concat()).err().matches("--plain-names reads").count(), 0);
    }
    let many = "for Googlebot-News; --plain-names";
    dir.write("e.txt", "Googlebot-News allow /b\nGPTBot allow /a\n");
    assert!(dir.run(&["test", "robots.txt", "--expect", "e.txt"]).ok().err().contains(many));
    // The answer is the same by the name alone, or a list of names is the caller's own order.
    for agents in [&["-a", "Applebot"][..], &["-a", "GPTBot"], &["-a", "Applebot", "-a", "MyBot"]] {
        let args = [&["test", "own.txt", "/a"], agents].concat();
        assert!(!dir.run(&args).ok().err().contains("--plain-names"), "{agents:?}");
    }
    assert!(dir.run(&["test", "-a", "Google-Safety", "robots.txt", "/a"]).err().contains("does not always obey"));
    // A company's name: [crawlers.owned]
    let words = "no crawler has the name Google; those of Google are Googlebot, ";
    assert!(dir.run(&["test", "-a", "Google", "robots.txt", "/a"]).err().contains(words));
    let diff = dir.run(&["diff", "-a", "Googlebot-News", "robots.txt", "new.txt", "--json"]).one_json();
    assert_eq!(diff["documented"], json!(["Googlebot-News"]));
}

/// [names.several]
#[test]
fn a_list_of_names_is_the_callers_own_order() {
    let dir = Dir::with(FILE);
    let args = ["test", "--json", "-a", "Applebot", "-a", "GPTBot", "robots.txt", "/a"];
    assert_eq!(group(&dir.run(&args).one_json()), (json!("agent"), json!("GPTBot"), false));
    let args = ["test", "--json", "-a", "AdsBot-Google", "-a", "MyBot", "robots.txt", "/a"];
    assert_eq!(group(&dir.run(&args).one_json()), (json!("everyone"), json!(null), false));
    // The flag still takes `*` away.
    let args = ["test", "--json", "-a", "Applebot", "--no-fallback", "new.txt", "/a"];
    dir.write("new.txt", "User-agent: *\nDisallow: /\n");
    assert_eq!(group(&dir.run(&args).one_json()), (json!("nobody"), json!(null), false));
}
