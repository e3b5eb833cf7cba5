//! What is made from the schema of answers: the types of Python. And whether all answers are of these types, and the
//! functions of the packages return them.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use robosieve::agent::Agent;
use robosieve::settings::OverLimit;
use robosieve_ask::{Door, Given, Plan, Question, Settings, answer};
use serde_json::{Value, json};

use crate::corpus;
use crate::made::{self, expect, wrapped};
use crate::schema::{Field, Schema, choices, list, types};

const SOURCE: &str = "schema of answers";
const JAVASCRIPT: &str = "bindings/wasm/types.d.ts";
const STUBS: &str = "bindings/python/python/robosieve/_core.pyi";

/// The function of JavaScript that asks this, and the type of its answers.
fn call(question: &Question<'_>, is_for_all: bool) -> (&'static str, &'static str) {
    match question {
        Question::Sieve => ("sieve", "Sieved"),
        Question::Test { .. } => ("test", "Results"),
        Question::Why(_) => ("why", "WhyAnswer"),
        Question::Usage(_) => ("usage", "UsageAnswer"),
        Question::Explain { .. } => ("explain", "Explained"),
        Question::Inspect => ("inspect", "Inspection"),
        Question::Lint { .. } => ("lint", "Linted"),
        Question::Diff(_) => ("diff", if is_for_all { "AllChanges" } else { "Changes" }),
        Question::Matrix { .. } => ("matrix", "MatrixRows"),
        Question::Tree => ("tree", "Tree"),
        Question::Picture(_) => ("treeSvg", "string"),
        Question::Crawlers => ("crawlers", "KnownCrawler[]"),
    }
}

/// What both packages answer about a page, with no [`Question`]: it is no file.
const OF_A_PAGE: &str = "SignalsAnswer";

/// The functions and properties of Python, and what they return. They ask for less than JavaScript.
const PYTHON: [(&str, &str, &str); 7] = [
    ("to_dict", "Report", "answers.Report"),
    ("groups", "FileGroup", "list[answers.FileGroup] | None"),
    ("for_everybody", "GroupValues", "answers.GroupValues | None"),
    ("explain", "Page", "answers.Page"),
    ("lint", "Linted", "answers.Linted"),
    ("diff", "Changes", "answers.Changes"),
    ("answer", OF_A_PAGE, "answers.SignalsAnswer"),
];

/// All questions.
fn questions<'q>(urls: &[&'q str], newer: &'q [u8]) -> Vec<Question<'q>> {
    let urls = || urls.to_vec();
    vec![
        Question::Sieve,
        Question::Test { urls: urls(), words: true },
        Question::Why("/a/b?c"),
        Question::Usage("/blog/x"),
        Question::Explain { part: Some((2, 3)), words: true },
        Question::Explain { part: None, words: false },
        Question::Inspect,
        Question::Lint { most: None },
        Question::Diff(newer),
        Question::Matrix { urls: vec!["/", "/a"], agents: vec!["MyBot", "AdsBot-Google"], crawlers: None },
        Question::Tree,
        Question::Picture("title"),
        Question::Crawlers,
    ]
}

/// The types that an answer needs, each after those that it is made of.
fn needed(schema: &Schema, roots: &[&str]) -> Vec<String> {
    fn add(schema: &Schema, value: &Value, found: &mut Vec<String>) {
        match (Schema::reference(value), value) {
            (Some((name, _)), _) if found.iter().any(|known| known == name) => {}
            (Some((name, is_type)), _) => {
                add(schema, schema.definition(name), found);
                found.extend(is_type.then(|| name.to_owned()));
            }
            (None, Value::Object(object)) => object.values().for_each(|value| add(schema, value, found)),
            (None, Value::Array(values)) => values.iter().for_each(|value| add(schema, value, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    for root in roots {
        add(schema, &json!({ "$ref": format!("#/$defs/{root}") }), &mut found);
    }
    found
}

/// How Python writes a type.
fn written(schema: &Schema, value: &Value) -> String {
    let join = |parts: Vec<String>| parts.join(" | ");
    match Schema::reference(value) {
        Some((name, true)) => return name.to_owned(),
        Some((name, false)) => return written(schema, schema.definition(name)),
        None => {}
    }
    let kinds = list(value, "anyOf");
    if !kinds.is_empty() {
        return join(kinds.iter().map(|kind| written(schema, kind)).collect());
    }
    let literals: Vec<String> = choices(value).map(ToString::to_string).collect();
    if !literals.is_empty() {
        return format!("Literal[{}]", literals.join(", "));
    }
    let array = |value: &Value| {
        let first: Vec<_> = list(value, "prefixItems").iter().map(|one| written(schema, one)).collect();
        let items = if first.is_empty() { written(schema, &value["items"]) } else { join(first) };
        format!("list[{items}]")
    };
    let kind = |kind| match kind {
        "array" => array(value),
        "boolean" => "bool".into(),
        "integer" => "int".into(),
        "number" => "float".into(),
        "null" => "None".into(),
        "string" => "str".into(),
        _ => {
            let values = value.get("additionalProperties").filter(|values| values.is_object());
            let values = values.unwrap_or_else(|| panic!("{value}: an object of an answer is a type"));
            format!("dict[str, {}]", written(schema, values))
        }
    };
    join(types(value).map(kind).collect())
}

/// The kinds of a long type, one a line.
fn broken(kinds: &str) -> String {
    if kinds.len() < 80 { kinds.to_owned() } else { kinds.replace(" | ", "\n    | ") }
}

fn words(schema: &Value) -> Option<&str> {
    schema.get("description").and_then(Value::as_str)
}

/// Whether a name is one for a property or an attribute.
fn is_word(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A type for Python.
fn python(schema: &Schema, name: &str) -> String {
    let definition = schema.definition(name);
    let kind = |field: &Field<'_>| {
        let kind = written(schema, field.schema);
        if field.is_required { kind } else { format!("NotRequired[{kind}]") }
    };
    let fields = schema.own_fields(name);
    if fields.is_empty() {
        let (kinds, words) = (written(schema, definition), words(definition).unwrap());
        return format!("\n\n{name} = (\n    {}\n)\n\"\"\"{words}\"\"\"\n", broken(&kinds));
    }
    if fields.iter().any(|field| !is_word(field.name) || ["class", "from", "is"].contains(&field.name)) {
        let fields: Vec<_> =
            fields.iter().map(|field| format!("        \"{}\": {},\n", field.name, kind(field))).collect();
        let doc = format!("\"\"\"{}\"\"\"\n", words(definition).unwrap().replace('`', "``"));
        return format!("\n\n{name} = TypedDict(\n    \"{name}\",\n    {{\n{}    }},\n)\n{doc}", fields.concat());
    }
    let mut bases: Vec<_> = Schema::bases(definition).collect();
    if bases.is_empty() {
        bases.push("TypedDict");
    }
    let mut out = format!("\n\nclass {name}({}):\n", bases.join(", "));
    let doc = |words: &str, first: &str| wrapped(&words.replace('`', "``"), first, "        ");
    let docs: String =
        fields.iter().filter_map(|one| Some(doc(&format!("{}: {}", one.name, words(one.schema)?), "    "))).collect();
    out += doc(&format!("\"\"\"{}", words(definition).unwrap()), "    ").trim_end();
    if !docs.is_empty() {
        write!(out, "\n\n{docs}    ").unwrap();
    }
    out += "\"\"\"\n\n";
    fields.iter().fold(out, |out, field| format!("{out}    {}: {}\n", field.name, kind(field)))
}

/// The types of the packages are those of the schema, and their functions return them. [ask.answers]
#[test]
fn types_of_answers_are_those_of_the_schema() {
    let schema = Schema::read();
    let stated = made::read(JAVASCRIPT);
    for (question, is_for_all) in questions(&[], b"").iter().zip([false, true].into_iter().cycle()) {
        let (function, kind) = call(question, is_for_all);
        let is_stated = stated
            .split("export function ")
            .any(|one| one.starts_with(&format!("{function}(")) && one.contains(&format!("): {kind};")));
        assert!(is_stated, "{JAVASCRIPT}: {function} returns {kind}");
    }

    let stubs = made::read(STUBS);
    for (function, _, returned) in PYTHON {
        let is_stated = stubs.lines().any(|line| {
            line.trim_start().starts_with(&format!("def {function}(")) && line.contains(&format!("-> {returned}:"))
        });
        assert!(is_stated, "{STUBS}: {function} returns {returned}");
    }
    let needed = needed(&schema, &PYTHON.map(|one| one.1));
    let all: String = needed.iter().map(|name| python(&schema, name)).collect();
    expect("bindings/python/python/robosieve/answers.py", SOURCE, &[all]);
}

/// Files of lines that occur in the wild, and of some that do not.
fn invented(count: usize) -> Vec<Vec<u8>> {
    const LINES: [&[u8]; 36] = [
        b"User-agent: *",
        b"User-agent: MyBot",
        b"User-agent: Googlebot",
        b"user agent: AdsBot-Google",
        b"Disallow: /a",
        b"Disallow:",
        b"Allow: /a/b*c$",
        b"Disalow: tmp",
        b"Disallow: /",
        b"Allow: /*?*&*=*%2A",
        b"Crawl-delay: 2.5",
        b"Request-rate: 1/10m 0600-0845",
        b"Visit-time: 0600-0845",
        b"Clean-param: a&b /x",
        b"Host: example.com",
        b"Sitemap: https://example.com/s.xml",
        b"Content-Signal: search=yes, ai-train=no, use=reference, x=y",
        b"Content-Usage: /blog train-ai=n;p=1",
        b"License: https://example.com/rsl.xml",
        b"Noindex: /n",
        b"# words",
        b"Disallow: https://example.com/private/",
        b"",
        b"  /folded",
        b"<html>",
        b"\xff\x00\x1b[31m",
        b"User-agent:",
        b"# robosieve: allow(nothing)",
        b"# robosieve-lint: ignore url-in-rule",
        b"Disallow: /\xc3\xa9 x",
        b"Dissallow /b",
        b"Disallow: /a*b*c*d*e*f*g*h*i*j*k*l",
        b"Content-Signal: use=full",
        b"Content-Signal: use=immediate",
        b"User-agent: Googlebot-News",
        b"User-agent: Googlebot-Image",
    ];
    // The constants are Knuth's.
    let mut state = 9_309_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    let mut file = || {
        let count = next(25);
        let lines: Vec<_> = (0..count).map(|_| LINES[next(LINES.len())]).collect();
        lines.join(&b"\n"[..])
    };
    // More groups than are compared.
    let groups = (0..120).map(|agent| format!("User-agent: b{agent}\nDisallow: /{agent}\n\n"));
    [groups.collect::<String>().into_bytes()].into_iter().chain((1..count).map(|_| file())).collect()
}

/// A plan with these options, for these agents; without any, for all.
fn plan(options: &[(&str, Given<'_>)], agents: &[&str]) -> Plan {
    let mut settings = Settings::default();
    for (name, given) in options {
        settings.set(Door::Request, name, given.clone()).unwrap();
    }
    let named = || agents.iter().map(|agent| Agent::new(agent.as_bytes())).collect();
    Plan::new(&settings).unwrap().for_agents((!agents.is_empty()).then(named))
}

/// What no answer here has.
const NOT_HERE: [(&str, &str); 9] = [
    ("Answer.reason = \"not-a-url\"", "what is no URL has an error instead"),
    ("ChangedRule.witness = \"not-found\"", "a search gives up in larger files only"),
    ("ChangedRule.witness = \"not-searched\"", "as above"),
    ("PolicyDiff.answers = \"unknown\"", "as above"),
    ("Changes.agents is array", "the command compares two agents"),
    ("Changes.agents is string", "as above"),
    ("GroupAgent.line is null", "only a file that is not whole has a group that no line names"),
    ("LineFinding.class = \"note\"", "only a text has such a finding"),
    ("TreeNode.was_allowed is boolean", "the command's page has the tree of two files"),
];

/// Each field of each answer is in the schema with its type, and all that the schema has is in an answer: each field,
/// each type of it, each name. [ask.answers]
#[test]
fn answers_are_those_of_the_schema() {
    let schema = Schema::read();
    let mut bodies = invented(200);
    bodies.extend(corpus::files().into_iter().map(|(_, body)| body).filter(|body| body.len() < 4_000));
    // What `usage` takes for meant.
    bodies.extend(vec![b"User-agent: *\nContent-Signals: ai-train=no\n".to_vec(); 16]);
    // Two files whose change for one agent is mostly that for `*`.
    let many: String = ('a'..='z').map(|rule| ["Disallow: /", &rule.to_string(), ".\n"].concat()).collect();
    let files = ["User-agent: a\nDisallow: /a\n".to_owned(), format!("User-agent: *\n{many}")];
    bodies.extend(files.iter().cycle().take(16).map(|file| file.clone().into_bytes()));
    assert!(bodies.len() > 400, "{}", bodies.len());
    let (limit, widen) = (("max_wildcards", Given::Count(1)), ("over_limit", Given::Text(OverLimit::NAMES[1])));
    let plans = [
        plan(&[], &[]),
        plan(&[], &["MyBot"]),
        plan(&[("dialect", Given::Text("google"))], &["AdsBot-Google"]),
        plan(&[limit.clone(), widen], &["MyBot"]),
        plan(&[limit, ("over_limit", Given::Text("refuse"))], &["Googlebot"]),
        plan(&[("complete", Given::Flag(false))], &["MyBot"]),
        plan(&[("status", Given::Count(503))], &["MyBot"]),
        plan(&[("order", Given::Text("file"))], &["MyBot, Other"]),
    ];
    let urls = ["/", "/a/b?c", "https://example.com/robots.txt", "/a*b", "no URL", ""];
    let (mut seen, mut all, mut kinds, mut count) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new(), 0);
    for (at, body) in bodies.iter().enumerate() {
        let mut newer: Vec<_> = body.split_inclusive(|byte| *byte == b'\n').collect();
        newer.reverse();
        let newer =
            if (at / plans.len()).is_multiple_of(2) { newer.concat() } else { bodies[(at + 1) % bodies.len()].clone() };
        // What is for all agents has most kinds of answers.
        let asked = [&plans[0], &plans[1 + at % (plans.len() - 1)]];
        for (plan, question) in
            asked.iter().flat_map(|plan| questions(&urls, &newer).into_iter().map(move |one| (plan, one)))
        {
            // Files that are refused have no answer.
            let Ok(json) = answer(plan, &question, body) else { continue };
            let (value, (function, kind)) = (serde_json::from_slice(&json).unwrap(), call(&question, plan.all_agents));
            let of_one = match kind.strip_suffix("[]") {
                Some(item) => json!({"type": "array", "items": {"$ref": format!("#/$defs/{item}")}}),
                None if kind == "string" => json!({"type": "string"}),
                None => json!({"$ref": format!("#/$defs/{kind}")}),
            };
            if let Err(why) = schema.check(&of_one, &value, function, &mut seen) {
                panic!("{function} of {:?}: {why}", String::from_utf8_lossy(body));
            }
            if kinds.insert(kind) {
                schema.possible(&of_one, function, &mut all);
            }
            count += 1;
        }
    }
    assert!(count > 5_000, "only {count} answers");
    let missing: BTreeSet<_> = all.difference(&seen).map(String::as_str).collect();
    assert_eq!(missing, NOT_HERE.map(|one| one.0).into(), "what no answer has");
}
