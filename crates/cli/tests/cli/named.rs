//! What the command line names: files that are not there, and agents that no line can name.

use serde_json::json;

use crate::common::{Dir, answer_to};

const FILE: &str = "User-agent: MyBot\nDisallow: /mine\n\nUser-agent: *\nDisallow: /all\n";

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
    for (agent, rule) in [("*", "/all"), ("MyBot", "/mine"), ("mybot/2.1", "/mine"), ("Foo Bar", "/all")] {
        let ran = dir.run(&["filter", "-a", agent, "robots.txt"]).ok();
        assert!(!ran.err().contains("no group") && ran.out().contains(rule), "{agent}: {}", ran.out());
    }
}

/// Nothing is read, answered or written if a name of the command line is not there, or is not what is read, and it is said
/// once. [cmd.named]
#[test]
fn a_name_that_is_not_there_is_an_error_of_the_command_line() {
    let dir = Dir::with(FILE);
    std::fs::create_dir_all(dir.path("folder/sub")).unwrap();
    dir.write("folder/robots.txt", "User-agent: *\nDisalow: /x\n");
    for output in ["old.txt", "old.ndjson", "old.csv", "old.json"] {
        dir.write(output, "of an earlier run\n");
    }
    dir.write("gone", "M allow /\n");
    let before = dir.names();
    let mut all: Vec<Vec<&str>> = vec![
        vec!["filter", "-a", "M", "-o", "old.txt", "--report-to", "old.json", "nosuch"],
        vec!["filter", "-a", "M", "--output-dir", "new", "robots.txt", "nosuch"],
        vec!["filter", "-a", "M", "--output-dir", "new", "robots.txt", "nosuch/x"],
        vec!["test", "-a", "M", "nosuch", "/"],
        vec!["test", "-a", "M", "--files-from", "nosuch", "/"],
        vec!["test", "--expect", "gone", "nosuch"],
        vec!["test", "--expect", "nosuch", "robots.txt"],
        vec!["explain", "robots.txt", "nosuch"],
        vec!["explain", "-a", "M", "--url", "/", "robots.txt", "nosuch"],
        vec!["inspect", "-a", "M", "robots.txt", "nosuch"],
        vec!["diff", "-a", "M", "robots.txt", "nosuch"],
        vec!["diff", "-a", "M", "folder", "nosuch"],
        vec!["diff", "-a", "M", "nosuch", "robots.txt"],
        vec!["lint", "robots.txt", "nosuch"],
        vec!["lint", "--format", "sarif", "nosuch", "robots.txt"],
        vec!["lint", "--fix", "folder", "nosuch"],
    ];
    if cfg!(feature = "batch") {
        all.extend([
            vec!["batch", "-a", "M", "nosuch"],
            vec!["batch", "-a", "M", "-o", "old.ndjson", "robots.txt", "nosuch"],
            vec!["batch", "-a", "M", "-o", "old.ndjson", "--files-from", "nosuch"],
            vec!["census", "-o", "old.ndjson", "nosuch"],
            vec!["census", "-o", "old.ndjson", "--files-from", "nosuch"],
        ]);
    }
    if cfg!(feature = "gate") {
        let bot = "M/1.0 (+https://example.com/)";
        all.extend([
            vec!["check", "-a", bot, "--root-cert", "nosuch", "--store", "new.db", "https://example.com/"],
            vec!["site", "--store", "nosuch", "https://example.com/"],
        ]);
    }
    for args in all {
        let ran = dir.run(&args).fails(2, &["nosuch"]);
        let said = ran.err().matches("o such file").count() + ran.err().matches("cannot find").count();
        assert_eq!(said, 1, "{args:?}: {}", ran.err());
        assert_eq!(dir.names(), before, "{args:?}");
        for output in before.iter().filter(|name| name.starts_with("old")) {
            assert_eq!(dir.read(output), "of an earlier run\n", "{args:?}");
        }
        assert!(dir.read("folder/robots.txt").contains("Disalow"), "{args:?}");
    }
    // Where a file is read, a directory is not what was meant.
    for args in [
        &["filter", "-a", "M", "-o", "old.txt", "folder"][..],
        &["explain", "robots.txt", "folder"],
        &["test", "-a", "M", "--files-from", "folder", "/"],
        &["diff", "-a", "M", "robots.txt", "folder"],
    ] {
        let ran = dir.run(args).fails(2, &["folder", "is a directory"]);
        assert_eq!(ran.err().matches("is a directory").count(), 1, "{args:?}: {}", ran.err());
    }
    #[cfg(feature = "batch")]
    dir.run(&["batch", "-a", "M", "-o", "old.ndjson", "--files-from", "folder"]).fails(2, &["folder: ", "irectory"]);
    assert_eq!((dir.names(), dir.read("old.ndjson").as_str()), (before, "of an earlier run\n"));
    let ran = dir.run(&["lint", "nosuch", "robots.txt", "a", "b"]).fails(2, &["nosuch: ", "2 other names"]);
    assert_eq!(ran.err().lines().count(), 1, "{}", ran.err());
}

#[cfg(feature = "batch")]
/// What is gone from a list costs itself, and a run that read nothing replaces nothing. [cmd.named] [batch.failures]
#[test]
fn a_run_that_read_nothing_replaces_nothing() {
    let dir = Dir::with(FILE);
    dir.write("gone", "nosuch\nneither\n");
    dir.write("some", "nosuch\nrobots.txt\n");
    std::fs::create_dir_all(dir.path("empty")).unwrap();
    #[cfg(unix)]
    for folder in ["empty", "links"] {
        std::fs::create_dir_all(dir.path(folder)).unwrap();
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink("nowhere", dir.path("links/robots.txt")).unwrap();
    for (command, output) in [
        (&["batch", "-a", "M"][..], &["-o", "old.ndjson"][..]),
        (&["census"], &["-o", "old.ndjson"]),
        (&["census"], &["-o", "old.ndjson.zst"]),
    ] {
        let old = output.iter().find(|name| name.starts_with("old")).unwrap();
        let unread = [&["--files-from", "gone"][..], &["empty"], &["links"]];
        for inputs in unread.into_iter().filter(|inputs| dir.path(inputs.last().unwrap()).exists()) {
            dir.write(old, "of an earlier run\n");
            let ran = dir.run(&[command, inputs, output].concat()).code(2);
            let expected = format!("{old}: not written: no input could be read; check the inputs");
            assert!(ran.err().contains(&expected), "{inputs:?}: {}", ran.err());
            assert_eq!(dir.read(old), "of an earlier run\n");
            let left = |name: &String| name.contains(".part") || name.contains(".journal");
            assert!(!dir.names().iter().any(left), "{:?}", dir.names());
        }
        dir.run(&[command, &["--files-from", "some"], output].concat()).code(3);
        std::fs::remove_file(dir.path(old)).unwrap();
        // The same where there is nothing to lose.
        dir.run(&[command, &["--files-from", "gone"], output].concat()).code(2);
        assert!(!dir.path(old).exists());
    }
}

/// What is neither a word nor a header is said to be read as less, and where a list is no list it is an error. [cmd.agent]
/// [cmd.diff.two]
#[test]
fn an_agent_of_several_words_is_said() {
    let dir = Dir::with("User-agent: My\nDisallow: /\n");
    let commands = [
        &["test", "--json", "robots.txt", "/"][..],
        &["filter", "--report", "json", "robots.txt"],
        &["explain", "--json", "robots.txt"],
        &["explain", "--json", "--url", "/", "robots.txt"],
        &["inspect", "--json", "robots.txt"],
        &["diff", "--json", "robots.txt", "robots.txt"],
    ];
    for (agent, names) in [("My Bot", &["My", "Bot"][..]), ("My", &[]), ("My/1.0 (+x)", &[])] {
        for command in commands {
            let ran = dir.run(&[&command[..1], &["-a", agent], &command[1..]].concat());
            let line = ran.out().lines().chain(ran.err().lines()).find(|line| line.starts_with('{')).unwrap();
            let read = format!("\"read_as\":{}", json!(names));
            assert_eq!(
                (line.contains("read_as"), line.contains(&read)),
                (!names.is_empty(), !names.is_empty()),
                "{line}"
            );
            assert_eq!(ran.err().matches("is read as `My`").count(), names.len().min(1), "{command:?}: {}", ran.err());
        }
        for command in ["test", "filter", "inspect"] {
            let answer = answer_to(&[command], json!({"robots": FILE, "agent": agent}));
            assert_eq!(answer.get("read_as").cloned().unwrap_or_else(|| json!([])), json!(names), "{answer}");
        }
    }
    // Google's parser takes the first name alone.
    let google = dir.run(&["test", "--json", "--dialect", "google", "-a", "My Bot", "robots.txt", "/"]);
    assert!(
        google.out().contains("\"read_as\":[\"My\"]") && google.err().contains("is read as `My`:"),
        "{}",
        google.err()
    );
    // A list of names in one is an error at each door.
    for command in commands {
        dir.run(&[&command[..1], &["-a", "mybot,nutch"], &command[1..]].concat())
            .fails(2, &["repeat --agent for each"]);
    }
    let answer = answer_to(&["test"], json!({"robots": FILE, "agent": "mybot, nutch"}));
    assert_eq!(answer["error"]["message"], "`mybot, nutch` is a list of names: give `agents`, an array");
    dir.run(&["test", "-a", "My/1.0 (KHTML, like Gecko)", "robots.txt", "/"]).code(1);
    dir.run(&["diff", "--agents", "known:ai,*", "robots.txt"]).fails(2, &["--agents: ", "name two crawlers"]);
    if cfg!(feature = "batch") {
        for (agents, words) in [
            ("knwon:ai", "has no colon"),
            ("*,ai:known", "has no colon"),
            ("knwon", "did you mean `known`?"),
            ("knon", "did you mean `known`?"),
            ("GPTBot,Known", "did you mean `known`?"),
            ("naned", "did you mean `named`?"),
            ("My Bot", "would be read as `My`"),
        ] {
            let ran = dir.run(&["census", "robots.txt", "--agents", agents]).fails(2, &[words, "known:KIND"]);
            assert_eq!(ran.err().matches("known:KIND").count(), 1);
        }
        dir.run(&["census", "-q", "--agents", "unknown,nameless,know-bot", "robots.txt"]).ok();
    }
}
