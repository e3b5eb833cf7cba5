//! Values of flags and requests: which are accepted, and what the message says about the others.

use serde_json::{Value, json};

use crate::common::Dir;

/// The result of `robosieve test` for each URL: `None` if it can be tested, otherwise the message.
fn messages(urls: &[&str]) -> Vec<Option<String>> {
    let request = json!({"robots": "", "agent": "MyBot", "urls": urls}).to_string();
    let ran = Dir::new().run_with(&["test", "--ndjson"], request.as_bytes()).ok();
    let answer = ran.one_json();
    let results = answer["results"].as_array().unwrap();
    assert_eq!(results.len(), urls.len());
    results
        .iter()
        .map(|result| {
            assert!(result["allowed"] == true || result["error"]["kind"] == "bad-url", "{result}");
            result["error"]["message"].as_str().map(ToOwned::to_owned)
        })
        .collect()
}

/// [cmd.url]
#[test]
fn urls_paths_and_queries_pass() {
    let urls = [
        "/",
        "/a b",
        "/a#b",
        "?q",
        "/http://x",
        "//e.com",
        "//e.com/a",
        "//[::1]:80/a",
        "http://e.com",
        "HTTPS://E.com/a?b#c",
        "http://u:p@e.com:8080/a",
        "http://[2001:db8::1]/",
        "https://\u{fc}.de/",
        "ftp://e.com/a",
        "http://e.com?q",
        "http://127.0.0.1:0/",
        "http://e.com:/",
        "http://e.com;x",
        "//e.com:65535",
    ];
    for (url, message) in urls.iter().zip(messages(&urls)) {
        assert_eq!(message, None, "{url}");
    }
    for (url_b64, is_url) in [("L/8=", true), ("/w==", false)] {
        let request = json!({"robots": "", "agent": "MyBot", "url_b64": url_b64}).to_string();
        let answer = Dir::new().run_with(&["test", "--ndjson"], request.as_bytes()).ok().one_json();
        assert_eq!(answer["allowed"] == true, is_url, "{answer}");
    }
}

/// [cmd.url]
#[test]
fn for_anything_else_the_message_says_what_to_write() {
    let cases = [
        ("", "`/` for the front page"),
        ("# c", "comment"),
        ("#top", "fragment"),
        ("tmp/x", "`/tmp/x` for a path, or `https://tmp/x` for a host"),
        ("e.com", "https://e.com"),
        ("localhost:8000/x", "https://localhost:8000/x"),
        (" /x", "/ /x"),
        ("*", "`/*`"),
        ("mailto:a@b", "`mailto:`"),
        ("javascript:alert(1)", "`javascript:`"),
        ("file:///etc/passwd", "`file:`"),
        ("http:/x", "http://example.com/a"),
        ("http:", "http://example.com/a"),
        ("http:\\\\e.com", "http://example.com/a"),
        ("http://", "host"),
        ("https:///x", "host"),
        ("//", "host"),
        ("///x", "host"),
        ("http://u@/x", "host"),
        ("http://:80/x", "host"),
        ("http://a b/", "`a b` is not a host"),
        ("http://a\nb/", "is not a host"),
        ("http://[::1/", "brackets"),
        ("http://[::1]x/", "brackets"),
        ("http://[e.com]/", "brackets"),
        ("http://a]/", "not a host"),
        ("http://e.com:80a/", "`80a` is not a port"),
        ("http://e.com:65536/", "not a port"),
        ("http://e.com:+80/", "not a port"),
        ("http://[::1]:x/", "not a port"),
    ];
    for ((url, words), message) in cases.iter().zip(messages(&cases.map(|case| case.0))) {
        let message = message.unwrap_or_default();
        assert!(message.contains(words), "{url:?}: {message:?}");
    }
}

/// In a request a limit is a number or `none`; the tests of limits have the flags: [cmd.ndjson] [limit.lines]
#[test]
fn limits_are_numbers_or_none() {
    let dir = Dir::new();
    for (value, fine) in [
        ("0", true),
        ("18446744073709551615", true),
        ("\"none\"", true),
        ("null", true),
        ("18446744073709551616", true),
        ("-1", false),
        ("1.0", false),
        ("1e3", false),
        ("\"\"", false),
        ("[1]", false),
    ] {
        let request = format!(r#"{{"robots":"","agent":"a","options":{{"limits":{{"max_lines":{value}}}}}}}"#);
        let answer = dir.run_with(&["filter", "--ndjson"], request.as_bytes()).ok().one_json();
        assert_eq!(answer["error"] == Value::Null, fine, "{value}: {answer}");
    }
}

#[cfg(feature = "gate")]
mod gate {
    use super::*;
    use crate::serving::WHO;

    /// Runs `check` with what is no URL of a site, so that nothing is requested: 3 if the flags are fine.
    fn check(args: &[&str]) -> crate::common::Ran {
        Dir::new().run(&[&["check", "ftp://e.com/"], args].concat())
    }

    /// Seconds, networks, rulings and addresses are read or refused: [cmd.network]
    #[test]
    fn values_are_read_or_refused() {
        // With zero, and without.
        for (text, fine, some) in [
            ("0", true, false),
            ("-0", true, false),
            ("0.000999", true, false),
            ("0.001", true, true),
            ("1e-400", true, false),
            ("1", true, true),
            ("2.5", true, true),
            ("999999999", true, true),
            ("1000000000", true, true),
            ("1000000000.001", false, false),
            ("1000000001", false, false),
            ("1.7976931348623157e308", false, false),
            ("", false, false),
            ("-1", false, false),
            ("NaN", false, false),
            ("inf", false, false),
            ("2s", false, false),
        ] {
            for (flag, fine) in [("--delay", fine), ("--retry", some)] {
                let ran = check(&["--agent", WHO, &format!("{flag}={text}")]);
                assert_eq!(ran.code, Some(if fine { 3 } else { 2 }), "{flag}={text}: {}", ran.err());
            }
        }
        for (flag, value, fine) in [
            ("--allow-net", "127.0.0.1", true),
            ("--allow-net", "fd00::/8", true),
            ("--allow-net", "10.0.0.0/33", false),
            ("--resolve", "Example.com:443:[::1],127.0.0.1", true),
            ("--resolve", "a", false),
            ("--resolve", "a:1", false),
            ("--resolve", "a:b:127.0.0.1", false),
            ("--resolve", "a:99999:127.0.0.1", false),
            ("--resolve", "127.0.0.1:80:127.0.0.1", false),
            ("--resolve", "a:80:b", false),
        ] {
            let ran = check(&["--agent", WHO, flag, value]);
            assert_eq!(ran.code, Some(if fine { 3 } else { 2 }), "{flag} {value}: {}", ran.err());
        }
    }

    /// The header that is sent has a contact, and the rules for its product token apply, or those for the other names:
    /// [cmd.identity]
    #[test]
    fn headers_and_tokens() {
        let danbot = "Mozilla/5.0 (compatible; DanBot/1.0; +http://www.example.com/about)";
        for (args, sent, rules) in [
            (&["--agent", WHO][..], WHO, "MyBot"),
            (&["--agent", "MyBot-Image", "--agent", WHO], WHO, "MyBot-Image, MyBot"),
            (&["--agent", "Googlebot", "--user-agent", WHO], WHO, "Googlebot"),
            (&["--agent", danbot], danbot, "DanBot"),
            (&["--agent", "MyBot/1.0 (bot@example.com)"], "MyBot/1.0 (bot@example.com)", "MyBot"),
        ] {
            let ran = check(args).code(3);
            let names = format!("User-Agent {sent} (rules for ");
            assert!(ran.err().contains(&names), "{}", ran.err());
            assert!(ran.err().contains(rules), "{}", ran.err());
        }
        for args in [
            &[][..],
            &["--agent", WHO, "--user-agent", "MyBot/1.0"],
            &["--agent", "(+https://e.com)"],
            &["--agent", "My\nBot/1 (+https://e.com)"],
        ] {
            check(args).code(2);
        }
    }

    /// A URL is read up to its limit: [cmd.check]
    #[test]
    fn urls_are_as_long_as_the_limit() {
        const MOST: usize = 16_000;
        let dir = Dir::new();
        for (length, fine) in [(1, true), (MOST - 1, true), (MOST, true), (MOST + 1, false), (MOST + 2, false)] {
            for end in ["", "\n", "\r\n"] {
                let input = format!("\n{}{end}", "a".repeat(length));
                let args = ["check", "-", "--json", "--agent", WHO];
                let answer = dir.run_with(&args, input.as_bytes()).code(3).one_json();
                assert_eq!(answer["url"] == "a".repeat(length), fine, "{length} {end:?}: {}", answer["why"]);
            }
        }
    }
}

/// What is meant is said where a word is not what it seems. [cmd.mistake] [cmd.url-in-place]
#[test]
fn a_word_in_another_place_says_what_to_write() {
    let dir = Dir::new();
    dir.write("robots.txt", "User-agent: *\nDisallow: /a\n");
    for (line, advice) in [
        ("lint --jsn robots.txt", "unexpected argument '--jsn'"),
        ("filtr robots.txt", "a similar subcommand exists: 'filter'"),
        ("lint --only foo robots.txt", "possible values: google-differs, "),
        ("lint --stdin-filename x robots.txt", "write `-` as FILE"),
        ("test --agent A --stdin-filename x robots.txt /a", "write `-` as FILE"),
        ("test -agent=A robots.txt /a", "-agent: write `--agent`"),
        ("filter -agent A robots.txt", "-agent: write `--agent`"),
        ("filter --agent My Bot robots.txt", "Bot: no such file; a name with blanks needs quotes"),
    ] {
        let ran = dir.run(&line.split(' ').collect::<Vec<_>>()).code(2);
        assert!(ran.err().contains(advice), "{line}: {}", ran.err());
        assert_eq!(ran.out(), "", "{line}");
    }
}

/// [cmd.mistake]
#[test]
fn a_list_whose_names_end_otherwise_says_so() {
    let dir = Dir::new();
    dir.write("robots.txt", "User-agent: *\nDisallow: /a\n");
    dir.write("nul", "robots.txt\0robots.txt\0");
    dir.write("lines", "robots.txt\nrobots.txt\n");
    let ran = dir.run(&["batch", "--agent", "A", "--files-from", "nul"]).code(3);
    assert!(ran.err().contains("write each name on a line of its own"), "{}", ran.err());
    dir.run(&["test", "--agent", "A", "--files-from", "lines", "/b"]).ok();
}
