//! The border of the packages: what is wrong with a request is said by its kind and by its name.

use robosieve_ask::{Problem, ask};

const FILE: &[u8] = b"User-agent: *\nDisallow: /x\n";

/// What the packages tell apart.
fn kind(problem: &Problem) -> &'static str {
    if problem.is_value { "value" } else { problem.kind }
}

fn sieved(options: &str) -> Result<String, Problem> {
    let request = format!(r#"{{"ask":"sieve","agents":["MyBot"],"options":{options}}}"#);
    ask(&request, FILE, b"")
}

#[test]
fn a_name_or_a_type_that_does_not_exist_is_one_kind_and_a_value_another() {
    for (options, expected, words) in [
        (r#"{"dialekt":null}"#, "bad-option", "there is no option \"dialekt\": the options are dialect"),
        (r#"{"max_bytes":1}"#, "bad-option", "max_bytes is one of the limits"),
        (r#"{"limits":{"max_byte":1}}"#, "bad-option", "there is no limit \"max_byte\": the limits are max_bytes"),
        (r#"{"limits":3}"#, "bad-option", "limits: expected an object"),
        (r#"{"fold":1}"#, "bad-option", "fold: expected true or false"),
        (r#"{"limits":{"max_bytes":1.0}}"#, "bad-option", "max_bytes: expected a whole number"),
        (r#"{"limits":{"max_bytes":1e3}}"#, "bad-option", "max_bytes: expected a whole number"),
        (r#"{"limits":{"max_bytes":""}}"#, "value", "max_bytes: write a whole number"),
        (r#"{"limits":{"max_bytes":-1}}"#, "value", "max_bytes: it must not be negative"),
        (r#"{"dialect":"bing"}"#, "value", "dialect: "),
        (r#"{"limits":{"max_bytes":3},"over_limit":"refuse"}"#, "refused", ""),
    ] {
        let problem = sieved(options).unwrap_err();
        assert!(kind(&problem) == expected && problem.message.starts_with(words), "{options}: {problem}");
    }
    for (request, words) in [("{}", "missing field `ask`"), (r#"{"ask":"sive"}"#, "ask: unknown variant"), ("", "EOF")]
    {
        let wrong = ask(request, FILE, b"").unwrap_err();
        assert!(kind(&wrong) == "bad-option" && wrong.message.starts_with(words), "{request}: {wrong}");
    }
    for (agents, words) in [("[]", "agents is empty"), (r#"[" "]"#, "an agent is empty")] {
        let wrong = ask(&format!(r#"{{"ask":"sieve","agents":{agents}}}"#), FILE, b"").unwrap_err();
        assert!(kind(&wrong) == "value" && wrong.message.starts_with(words), "{agents}: {wrong}");
    }
}

#[test]
fn a_limit_that_is_null_or_beyond_all_numbers_is_none() {
    let beyond = [r#"{"limits":{"max_bytes":18446744073709551616}}"#, r#"{"limits":{"max_bytes":1e30}}"#];
    for options in ["{}", r#"{"limits":null,"fold":null}"#, r#"{"limits":{"max_bytes":null}}"#].iter().chain(&beyond) {
        assert!(sieved(options).unwrap().contains(r#""exact":true"#), "{options}");
    }
    let exact =
        |most: usize| sieved(&format!(r#"{{"limits":{{"max_bytes":{most}}}}}"#)).unwrap().contains(r#""exact":true"#);
    assert_eq!([FILE.len() - 1, FILE.len(), FILE.len() + 1].map(exact), [false, true, true]);
}
