//! What is made from the table of options: the types of the packages, and the lists of READMEs.

use std::fmt::Write as _;

use robosieve::Options;
use robosieve::settings::{Dialect, Limits};
use robosieve_ask::{Door, Kind, Plan, SETTINGS, Setting, Settings};

use crate::made::{expect, wrapped};

const SOURCE: &str = "table of options";

fn of_packages(is_limit: bool) -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().filter(move |setting| setting.doors == Door::Package && setting.is_limit() == is_limit)
}

/// The plan of a dialect.
fn plan(dialect: &str) -> Plan {
    let mut settings = Settings::default();
    settings.set(Door::Package, "dialect", dialect).unwrap();
    Plan::new(&settings).unwrap()
}

fn value(setting: &Setting, dialect: &str) -> Option<String> {
    let mut plan = plan(dialect);
    let number = |count: usize| match count {
        usize::MAX => "no limit".to_owned(),
        _ => count
            .to_string()
            .as_bytes()
            .rchunks(3)
            .rev()
            .map(|part| str::from_utf8(part).unwrap())
            .collect::<Vec<_>>()
            .join(","),
    };
    match setting.kind {
        Kind::Flag(place) => Some(if *place(&mut plan) { "True" } else { "False" }.to_owned()),
        Kind::Count(place) => Some(number(*place(&mut plan, setting.name).unwrap())),
        _ => None,
    }
}

/// What an option is, and its value in each dialect.
fn words(setting: &Setting) -> String {
    let (what, more) = setting.words.split_once(". ").unwrap_or((setting.words, ""));
    let Some(standard) = value(setting, "standard") else { return setting.words.to_owned() };
    // Google's parser has no limits, which is said once.
    let is_other =
        |name: &&&str| value(setting, name).unwrap() != standard && !(setting.is_limit() && **name == "google");
    let others = Dialect::NAMES.iter().filter(is_other);
    let others: Vec<String> = others
        .map(|name| match setting.kind {
            Kind::Flag(_) => format!(", except with ``{name}``"),
            _ => format!("; {} with ``{name}``", value(setting, name).unwrap()),
        })
        .collect();
    let more = if more.is_empty() { String::new() } else { format!(" {more}.") };
    format!("{what}: {standard}{}.{more}", others.concat())
}

fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |all, part| all + &part[..1].to_uppercase() + &part[1..])
}

fn literals(setting: &Setting, separator: &str) -> String {
    let Kind::Choice(names, _) = setting.kind else { unreachable!() };
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(separator)
}

/// [ask.options]
#[test]
fn types_of_javascript_are_those_of_the_table() {
    let field = |setting: &Setting| {
        let kind = match setting.kind {
            Kind::Flag(_) => "boolean".to_owned(),
            Kind::Count(_) => "Limit".to_owned(),
            Kind::Choice(..) => literals(setting, " | "),
            Kind::Url(_) => "string | URL".to_owned(),
            _ => "string".to_owned(),
        };
        let words = words(setting).replace("``", "`").replace("True", "true").replace("False", "false");
        let comment = wrapped(&format!("{words} */"), "  /** ", "   *  ");
        format!("{comment}  {}?: {kind};\n", camel(setting.name))
    };
    expect(
        "bindings/wasm/types.d.ts",
        SOURCE,
        &[of_packages(true).map(field).collect(), of_packages(false).map(field).collect()],
    );
}

/// [ask.options]
#[test]
fn types_of_python_are_those_of_the_table() {
    let kind = |setting: &Setting| match setting.kind {
        Kind::Flag(_) => "bool".to_owned(),
        Kind::Count(_) => "int".to_owned(),
        Kind::Choice(..) => format!("Literal[{}]", literals(setting, ", ")),
        _ => "str".to_owned(),
    };
    let class = |is_limit: bool, head: &str, more: &str| {
        let mut out = head.to_owned();
        let limits = if is_limit { "" } else { "    limits: Limits by name; see ``Limits``.\n" };
        let docs: String = of_packages(is_limit)
            .map(|one| wrapped(&format!("{}: {}", one.name, words(one)), "    ", "        "))
            .collect();
        write!(out, "{docs}{limits}    \"\"\"\n\n").unwrap();
        of_packages(is_limit).for_each(|one| writeln!(out, "    {}: {} | None", one.name, kind(one)).unwrap());
        out + more
    };
    let limits = class(
        true,
        concat!(
            "class Limits(TypedDict, total=False):\n",
            "    \"\"\"How much of a file is read and kept. None is no limit. With ``google``, there is none but those given.\n\n",
            "    Verdicts are made from the whole file up to ``max_bytes``: the other limits count for them only if they are given.\n\n",
        ),
        "",
    );
    let options = class(
        false,
        concat!(
            "class Options(TypedDict, total=False):\n",
            "    \"\"\"How a file is read. Each is a keyword argument; None is the same as leaving it out.\n\n",
        ),
        "    limits: dict[str, int | None] | Limits | None\n",
    );
    expect("bindings/python/python/robosieve/_values.py", SOURCE, &[format!("{limits}\n\n{options}")]);
}

/// [ask.options]
#[test]
fn the_table_of_the_readme_is_the_table() {
    let row = |setting: &Setting| {
        let values = match setting.kind {
            Kind::Flag(_) => "true or false".to_owned(),
            Kind::Count(_) => "a number or no limit".to_owned(),
            Kind::Status => "100 to 999".to_owned(),
            Kind::Choice(..) => literals(setting, ", ").replace('"', "`"),
            Kind::Several(names, _) => names.iter().map(|one| format!("`{}`", one.0)).collect::<Vec<_>>().join(", "),
            Kind::Url(_) => "a URL".to_owned(),
            Kind::Own(_) => "text, also several".to_owned(),
        };
        let default = value(setting, "standard").unwrap_or_default().replace("True", "true").replace("False", "false");
        let flag = match setting.place {
            "own" => String::new(),
            _ => format!("`--{}`", setting.flag.replace('_', "-")),
        };
        let doors = match setting.doors {
            Door::Command => "command",
            Door::Request => "and requests",
            Door::Package => "and packages",
        };
        format!("| `{}` | {values} | {default} | {flag} | {doors} |\n", setting.name)
    };
    expect(
        "crates/ask/README.md",
        SOURCE,
        &[format!(
            "\n| option | values | default | flag | of the command |\n|---|---|---|---|---|\n{}\n",
            SETTINGS.iter().map(row).collect::<String>()
        )],
    );
}

/// [ask.options]
#[test]
fn a_plan_without_options_is_the_librarys() {
    assert_eq!(Limits::NAMES.len(), of_packages(true).count());
    assert_eq!(plan("standard").options, Options::default());
}
