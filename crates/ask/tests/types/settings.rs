//! The table of options, and what a caller may give.

use robosieve::settings::{Dialect, Limits};
use robosieve_ask::{Door, Kind, Plan, Request, SETTINGS, Settings, ask, id_of, read};
use serde_json::{Value, json};

fn kind(settings: &mut Settings, name: &str, given: Value) -> Option<&'static str> {
    settings.set(Door::Package, name, given).err().map(|wrong| if wrong.is_value { "value" } else { wrong.kind })
}

/// Every name of every choice is taken, by its own type only: [ask.options]
#[test]
fn a_value_has_the_type_of_its_option() {
    for setting in SETTINGS.iter().filter(|setting| setting.doors == Door::Package) {
        let mut settings = Settings::default();
        let fine = match setting.kind {
            Kind::Flag(_) => vec![json!(true), json!(false)],
            Kind::Count(_) => vec![json!(0), json!(usize::MAX), json!("none"), json!(null)],
            Kind::Choice(names, _) => names.iter().map(|name| json!(name)).collect(),
            _ => vec![json!("https://example.com/")],
        };
        let others = [json!(true), json!(7), json!("x"), json!([]), json!({}), json!(null)];
        for given in others.into_iter().filter(|given| !fine.iter().any(|one| same(one, given))) {
            assert_eq!(kind(&mut settings, setting.name, given), Some("bad-option"), "{}", setting.name);
        }
        assert_eq!(settings, Settings::default());
        for given in fine {
            assert_eq!(kind(&mut settings, setting.name, given), None, "{}", setting.name);
            assert!(settings.has(setting.name) && Plan::new(&settings).is_ok());
        }
    }
    let mut settings = Settings::default();
    assert_eq!(kind(&mut settings, "order", json!("file-order")), Some("value"));
    assert_eq!(kind(&mut settings, "max_lines", json!("7x")), Some("value"));
    assert_eq!(kind(&mut settings, "base_url", json!("x")), Some("value"));
    assert_eq!(kind(&mut settings, "status", json!(404)), Some("bad-option"));
}

fn same(one: &Value, other: &Value) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other)
}

/// A row changes what it says, and nothing else is laid over a dialect: [ask.options]
#[test]
fn without_options_a_plan_is_the_dialects() {
    for name in Dialect::NAMES {
        let mut settings = Settings::default();
        settings.set(Door::Request, "dialect", *name).unwrap();
        let (plan, dialect) = (Plan::new(&settings).unwrap(), name.parse::<Dialect>().unwrap());
        assert_eq!(plan.options, dialect.options());
        assert_eq!(plan.verdicts, dialect.options().for_verdicts());
    }
    let limits: Vec<&str> = SETTINGS.iter().filter(|setting| setting.is_limit()).map(|setting| setting.name).collect();
    assert_eq!(limits, Limits::NAMES);
    let rows = include_str!("../../data/settings.tsv").lines().filter(|row| !row.starts_with('#'));
    assert!(rows.clone().all(|row| row.split('\t').count() == 8), "a row has eight fields");
    assert_eq!(rows.count(), SETTINGS.len(), "a row has no type");
    for (at, setting) in SETTINGS.iter().enumerate() {
        let is_free = |name: &str| SETTINGS.iter().skip(at + 1).all(|other| other.name != name && other.flag != name);
        assert!(is_free(setting.name) && is_free(setting.flag), "{}", setting.name);
        let places = ["own", "first", "reading", "limits", "texts", "statuses"];
        assert!(places.contains(&setting.place), "{}: no command has its flag", setting.name);
    }
}

/// The options of a request are an object with no name twice: [ask.options]
#[test]
fn a_request_has_an_option_once() {
    let read = |text: &str| serde_json::from_str::<Settings>(text);
    for fine in [
        "{}",
        r#"{"fold":null,"limits":null}"#,
        r#"{"limits":{"max_bytes":null}}"#,
        r#"{"fold":false,"limits":{"max_lines":3,"max_bytes":"none"},"fail_on":["loss","repair"]}"#,
        r#"{"on_over_limit":"widen","status":404,"all_agents":true}"#,
    ] {
        assert!(read(fine).is_ok(), "{fine}: {:?}", read(fine));
    }
    for wrong in [
        r#"{"fold":true,"fold":true}"#,
        r#"{"over_limit":"drop","on_over_limit":"drop"}"#,
        r#"{"limits":{"max_lines":3,"max_lines":3}}"#,
        r#"{"max_lines":3}"#,
        r#"{"limits":{"fold":true}}"#,
        r#"{"fold":"true"}"#,
        r#"{"directives":["x"]}"#,
        r#"{"fail_on":["note"]}"#,
        r#"{"colour":null}"#,
        r#"{"status":99}"#,
        r#"{"status":1000}"#,
        "[]",
    ] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
    let (own, base) = (read(r#"{"fold":true}"#).unwrap(), read(r#"{"fold":false,"keep_unknown":true}"#).unwrap());
    let both = own.over(&base);
    assert_eq!((both.flag("fold"), both.flag("keep_unknown"), both.flag("known")), (Some(true), Some(true), None));
}

/// Every value of a request has a name: [batch.inputs]
#[test]
fn a_request_is_an_object() {
    let wrong = |line: &str| read::<Request<'_>>(line.as_bytes()).unwrap_err().message;
    for (line, found) in [
        ("[1]", "an array"),
        (" \t[", "an array at column 2"),
        (r#"[null,5,"User-agent: *"]"#, "an array"),
        ("1", "integer `1` at column 1"),
        ("null", "null at column 4"),
    ] {
        assert_eq!(wrong(line), format!("expected a JSON object, found {found}"));
    }
    assert!(id_of(br#"{"x":[],"id":5}"#).is_some() && id_of(b"[5]").is_none());
}

/// Tables ask as single questions do, and what cannot obey an option refuses it: [ask.options] [matrix.rows]
#[test]
fn no_question_ignores_the_fallback() {
    let file = b"User-agent: *\nDisallow: /x\n";
    let table = r#"{"ask":{"matrix":{"urls":["/x"],"names":["MyBot"]}},"options":{"fallback":false}}"#;
    let rows = ask(table, file, b"").unwrap();
    assert!(rows.contains("\"allowed\":true") && !rows.contains("\"allowed\":false"), "{rows}");
    let error = ask(r#"{"ask":"diff","options":{"fallback":false}}"#, file, b"").unwrap_err();
    assert!(error.message.contains("fallback"), "{}", error.message);
}
