//! Real robots.txt files, if there is a folder of them: `ROBOSIEVE_WILD=folder cargo test --release --test wild`.
#![allow(
    missing_docs,
    clippy::arithmetic_side_effects,
    clippy::format_collect,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

#[path = "wild/changes.rs"]
mod changes;
#[allow(dead_code, unreachable_pub)]
#[path = "properties/urls.rs"]
mod urls;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use robosieve::policy::Parser;
use robosieve::report::{FindingClass, FindingKind, Report};
use robosieve::settings::{Dialect, Limits};
use robosieve::value::CrawlDelay;
use robosieve::{Sieve, sieve};

/// The files of the folder, in the order of their names. Without a folder there is none.
fn wild() -> impl Iterator<Item = (PathBuf, Vec<u8>)> {
    let mut paths = Vec::new();
    if let Some(folder) = std::env::var_os("ROBOSIEVE_WILD") {
        paths.extend(fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
        assert!(!paths.is_empty(), "the folder is empty");
    } else {
        println!("left out: ROBOSIEVE_WILD names no folder");
    }
    paths.sort();
    paths.into_iter().map(|path| {
        let input = fs::read(&path).unwrap();
        (path, input)
    })
}

/// The table of findings is for people: run with `--nocapture`. [input.bytes] [text.idempotent] [limit.after-normalising]
#[test]
fn wild_files_are_sieved() {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut files, mut exact) = (0, 0);
    for (path, input) in wild() {
        let sieved = sieve(&input, ["MyBot"]);
        let text = sieved.text().as_str();
        assert_eq!(sieve(text.as_bytes(), ["AnyBot"]).text().as_str(), text, "{}", path.display());
        assert!(text.bytes().all(|byte| matches!(byte, b'\n' | b' '..=b'~')), "{}", path.display());
        let longest = text.lines().filter_map(|line| line.split_once(": ")).map(|line| line.1.len()).max();
        assert!(longest <= Some(Limits::default().max_value_length), "{}", path.display());
        for dialect in [Dialect::Google, Dialect::Processor] {
            Sieve::new(["MyBot"]).dialect(dialect).run(&input).unwrap();
        }
        Sieve::all_agents().run(&input).unwrap();
        files += 1;
        exact += usize::from(sieved.report().is_exact());
        sieved.report().counts().for_each(|(kind, count)| *counts.entry(kind.as_str()).or_default() += count);
    }
    println!("{files} files, {exact} exact");
    for (kind, count) in counts {
        println!("{count:>9} {kind}");
    }
}

/// No limit on counts loses a line of any file, for one crawler or for all, and verdicts use all rules within
/// `max_bytes`. With the limits of the dialect `Processor`, some files lose lines. [limit.counts] [limit.verdicts]
/// [limit.lines] [limit.records] [limit.user-agents]
#[test]
fn no_wild_file_loses_a_rule_by_a_count() {
    let by_count = [FindingKind::TooManyLines, FindingKind::TooManyRecords, FindingKind::TooManyAgents];
    let lost = |report: &Report| by_count.into_iter().map(|kind| report.count(kind)).sum::<u64>();
    let (mut files, mut cut, mut limited) = (0, 0, Vec::new());
    for (path, input) in wild() {
        let reports = [Sieve::new(["MyBot"]), Sieve::all_agents()].map(|sieve| {
            let whole = sieve.clone().for_verdicts().run(&input).unwrap().report().clone();
            let is_cut = whole.count(FindingKind::InputCut) > 0;
            assert!(whole.is_exact() || is_cut, "{}: {whole:?}", path.display());
            cut += u64::from(is_cut);
            let report = sieve.run(&input).unwrap().report().clone();
            assert_eq!(lost(&report), 0, "{}", path.display());
            let of_processor = sieve.limits(Limits::PROCESSOR).run(&input).unwrap();
            lost(of_processor.report())
        });
        limited.extend(reports.into_iter().filter(|&lost| lost > 0));
        files += 1;
    }
    limited.sort_unstable();
    println!("{files} files, {cut} of twice as many readings cut at max_bytes; with counts of 1000 lost: {limited:?}");
}

/// The tables are for people. Run with `--nocapture`, and with `ROBOSIEVE_WILD_LIST` to list each file and line.
/// [input.kind] [report.suspect]
#[test]
fn wild_suspects_are_counted() {
    let lists = std::env::var_os("ROBOSIEVE_WILD_LIST").is_some();
    let mut kinds: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut suspects: BTreeMap<FindingKind, (u64, u64)> = BTreeMap::new();
    for (path, input) in wild() {
        let set = Parser::default().parse(&input);
        let report = set.report();
        let has_records = set.records().len() > 0;
        let (files, with_records) = kinds.entry(report.input().to_string()).or_default();
        *files += 1;
        *with_records += u64::from(has_records);
        for (kind, count) in report.counts().filter(|(kind, _)| kind.class() == FindingClass::Suspect) {
            let (files, lines) = suspects.entry(kind).or_default();
            *files += 1;
            *lines += count;
        }
        let lines: Vec<&[u8]> = split_lines(&input);
        for finding in report.details().iter().filter(|finding| lists && finding.kind.class() == FindingClass::Suspect)
        {
            let line = lines.get(finding.line as usize - 1).copied().unwrap_or_default();
            let shown: String = String::from_utf8_lossy(line).trim().chars().take(120).collect();
            let (file, kind) = (path.file_name().unwrap().display(), finding.kind.as_str());
            println!("{file}\t{}\t{kind}\t{}\t{shown}", finding.line, finding.effect.as_str());
        }
    }
    println!("{:>7} {:>12}  what they look like", "files", "with records");
    for (kind, (files, with_records)) in kinds {
        println!("{files:>7} {with_records:>12}  {kind}");
    }
    println!("{:>7} {:>12}  suspect", "files", "lines");
    for (kind, (files, lines)) in suspects {
        println!("{files:>7} {lines:>12}  {}", kind.as_str());
    }
}

fn split_lines(input: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = input.split_inclusive(|byte| matches!(byte, b'\r' | b'\n')).collect();
    // CRLF is one line end.
    lines.dedup_by(|next, line| line.ends_with(b"\r") && *next == b"\n");
    lines
}

/// A line of a file, reduced to what matters for delays.
enum Field {
    Agent(String),
    Delay(Duration),
    Rule,
    Other,
}

/// The fields of a file. Uses the library only to read delays and to recognise misspelled names.
fn fields(file: &[u8]) -> Vec<Field> {
    let file = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file);
    let lines = file.split(|byte| matches!(byte, b'\r' | b'\n'));
    lines.filter_map(|line| field(line.split(|byte| *byte == b'#').next()?.trim_ascii())).collect()
}

fn field(line: &[u8]) -> Option<Field> {
    let text = String::from_utf8_lossy(line).to_lowercase();
    let (name, value) = match text.split_once(':') {
        Some((name, value)) => (name.trim_end(), value.trim()),
        None => text.split_once([' ', '\t']).map(|(name, value)| (name, value.trim()))?,
    };
    let has_colon = text.contains(':');
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !has_colon && (value.is_empty() || value.contains([' ', '\t'])) {
        return None;
    }
    match name {
        "user-agent" | "useragent" | "user agent" => {
            let is_everyone = value == "*" || value.starts_with("* ") || value.starts_with("*\t");
            let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
            let length = value.bytes().take_while(|byte| is_token(byte)).count();
            Some(Field::Agent(if is_everyone { "*".into() } else { value[..length].into() }))
        }
        "allow" | "disallow" | "dissallow" | "dissalow" | "disalow" | "diasllow" | "disallaw" => Some(Field::Rule),
        "crawl-delay" | "crawldelay" => {
            let delay = CrawlDelay::read(value.as_bytes()).map(|delay| delay.as_duration());
            Some(delay.map_or(Field::Other, Field::Delay))
        }
        _ if has_colon && is_name => Some(Field::Other),
        _ => None,
    }
}

/// Two delays of each agent in a file: the longest in its groups, and the longest that applies to it.
fn delays(fields: &[Field]) -> BTreeMap<&str, [Option<Duration>; 2]> {
    let mut delays: BTreeMap<&str, [Option<Duration>; 2]> = BTreeMap::new();
    // The agents of the group and of the block, and the delays so far.
    let (mut group, mut block, mut of_group): (Vec<&str>, Vec<&str>, Vec<Duration>) = Default::default();
    let (mut has_rule, mut in_block) = (true, false);
    for field in fields {
        match field {
            Field::Agent(name) => {
                if has_rule {
                    (group, of_group, has_rule) = (Vec::new(), Vec::new(), false);
                }
                if !in_block {
                    block.clear();
                }
                group.push(name);
                block.push(name);
                let known = delays.entry(name).or_default();
                known[0] = known[0].max(of_group.iter().copied().max());
            }
            Field::Delay(delay) => {
                of_group.push(*delay);
                for name in &group {
                    let known = delays.get_mut(name).unwrap();
                    known[0] = known[0].max(Some(*delay));
                    if has_rule || block.contains(name) {
                        known[1] = known[1].max(Some(*delay));
                    }
                }
            }
            Field::Rule => has_rule = true,
            Field::Other => {}
        }
        in_block = matches!(field, Field::Agent(_));
    }
    delays
}

/// How many agents would have another crawler's delay if each agent of a group had all its delays, and how many have
/// one in filtered files. [value.agents]
#[test]
fn no_wild_file_gives_an_agent_the_delay_of_another() {
    let (mut files, mut shared, mut wrong, mut longest) = (0, 0, 0, Duration::ZERO);
    let (mut divided, mut left_out) = (0, 0);
    for (path, input) in wild() {
        let fields = fields(&input);
        if !fields.iter().any(|field| matches!(field, Field::Delay(_))) {
            continue;
        }
        files += 1;
        let delays = delays(&fields);
        let is_other = |delay: &[Option<Duration>; 2]| delay[0] != delay[1];
        shared += usize::from(delays.values().any(is_other));
        longest = longest
            .max(delays.values().filter(|delay| is_other(delay)).filter_map(|it| it[0]).max().unwrap_or_default());
        let all = Sieve::all_agents().run(&input).unwrap();
        let not_shared = all.report().count(FindingKind::ValueNotShared);
        divided += usize::from(all.records().records().len() > Parser::default().parse(&input).records().len());
        left_out += usize::from(not_shared > 0);
        let mut is_wrong = false;
        // A name without token bytes names no agent. One that is a prefix of another name may be used for both.
        for (&agent, &[_, own]) in delays.iter().filter(|(agent, _)| !agent.is_empty()) {
            let asked = if agent == "*" { "SomebodyElse" } else { agent };
            let sieved = sieve(&input, [asked]);
            let record = sieved.records().records().next();
            let found = record.and_then(|record| record.crawl_delay()).map(|delay| delay.as_duration());
            if found != own {
                println!("{}: {agent} has {found:?} instead of {own:?}", path.display());
                is_wrong = true;
            }
        }
        wrong += usize::from(is_wrong);
    }
    println!("{files} files with a delay; shared by the group, {shared} give an agent another's, up to {longest:?}");
    println!("filtered, {wrong} do");
    println!("texts of all agents: {divided} have more groups than the file, {left_out} leave a value out");
    assert_eq!(wrong, 0);
}
