//! One answer through each door: the sieve, which reads for its agents only, and the parts one by one.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use std::path::Path;

use robosieve::{
    Agents, Dialect, FindingKind, Form, Interest, Limits, Options, OverLimit, Parser, RecordSet, Refused, Report,
    Sieve, filter_for, write,
};

const AGENTS: [&str; 2] = ["MyBot", "Googlebot"];

/// What there is about hazards, a little of everything, and records of one's own, of others and of nobody.
fn files() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/hazards");
    let read = |entry: std::io::Result<std::fs::DirEntry>| std::fs::read(entry.unwrap().path()).unwrap();
    let mut files: Vec<Vec<u8>> = std::fs::read_dir(folder).unwrap().map(read).filter(|it| it.len() < 500).collect();
    for file in [
        "User-agent: MyBot\nDisallow:\nDisallow: /a\nCrawl-delay: 2\nCrawl-delay: 1\nHost: b\nHost: a\nSitemap: http://e.com/\n",
        "User-agent: other\nDisallow: /a\nbroken\nUser-agent: MyBot\nbroken\nDisallow: /b\nUser-agent: *\nDisallow: /c\n",
        "Disallow: /a\nCrawl-delay: 5\nUser-agent: MyBot\nCrawl-delay: 5\nDisallow: /*a*b\nAllow: /aaaaaaaaaaaaaaaaaa\n",
        "User-agent: *\nDisallow: /aaaaaaaaaaaaaaaaaaaaaaa\nAllow: /aaaaaaaaaaaa\nAllow: /a/index.html\nbroken\nNoindex: /x\n",
        "User-agent: a\nUser-agent: MyBot\nUser-agent: *\nDisallow: /\nUser-agent: Googlebot\nAllow: /g\nUser-agent: MyBot\nAllow: /m\n",
    ] {
        files.push(file.into());
    }
    files
}

fn choices() -> Vec<Options> {
    let tight = [
        Limits::DEFAULT,
        Limits { max_lines: 1, ..Limits::DEFAULT },
        Limits { max_value_length: 12, max_wildcards: 1, ..Limits::DEFAULT },
        Limits { max_records: 1, max_user_agents: 2, ..Limits::DEFAULT },
        Limits { max_bytes: 60, ..Limits::DEFAULT },
    ];
    let of = |dialect: Dialect| {
        let policies = [OverLimit::Drop, OverLimit::Widen, OverLimit::Refuse];
        let with = move |limits: Limits| {
            policies.map(|over_limit| Options { limits, over_limit, keep_unknown: true, ..dialect.options() })
        };
        tight.into_iter().flat_map(with)
    };
    [Dialect::Standard, Dialect::Google].into_iter().flat_map(of).collect()
}

fn said(set: &RecordSet<'_>, form: Form) -> (String, Vec<u32>) {
    let text = write(set, form, &mut Report::default()).into_string();
    let agents = set.records().flat_map(|record| record.agents()).map(robosieve::AgentLine::line);
    (text, agents.collect())
}

/// [input.directed] [text.one-record] [report.scope] [over-limit.refuse] [over-limit.widen]
#[test]
fn the_sieve_says_what_its_parts_say() {
    for file in files() {
        for options in choices() {
            let told = || format!("{}\n{options:?}", String::from_utf8_lossy(&file));
            let interest = Interest { agents: Agents::new(AGENTS), fallback: true };
            let whole = Sieve::new(AGENTS).options(options.clone()).run(&file);
            // Read for everyone, and for these agents only.
            let directed = Parser::new(options.clone()).for_agents(interest.clone()).parse(&file);
            let parts = filter_for(&directed, &interest);
            match (whole, parts) {
                (Ok(whole), Ok((parts, by))) => {
                    assert_eq!(said(whole.records(), Form::Faithful), said(&parts, Form::Faithful), "{}", told());
                    assert_eq!(whole.answered_by(), by, "{}", told());
                    let mut report = parts.report();
                    let _ = write(&parts, Form::Faithful, &mut report);
                    let counts = |report: &Report| report.counts().collect::<Vec<_>>();
                    assert_eq!(counts(whole.report()), counts(&report), "{}", told());
                    assert_eq!(whole.report().first_loss(), report.first_loss(), "{}", told());
                }
                (whole, parts) => {
                    let refused = |error: Option<Refused>| error.map(|it| it.finding);
                    assert_eq!(refused(whole.err()), refused(parts.err()), "{}", told());
                }
            }
            if options.limits != Limits::DEFAULT || options.over_limit != OverLimit::Drop {
                // Who reads for all does not know whom a lost record named.
                continue;
            }
            let everyone = Parser::new(options.clone()).parse(&file);
            let lines = |set: &RecordSet<'_>| filter_for(set, &interest).map(|it| said(&it.0, Form::Faithful).0).ok();
            assert_eq!(lines(&everyone), lines(&directed), "{}", told());
        }
    }
}

/// The records of a file one by one are those of the whole. [input.records]
#[test]
fn records_are_those_of_the_whole() {
    for file in files() {
        let whole = Parser::default().parse(&file);
        let parser = Parser::default();
        let one_by_one: Vec<RecordSet<'_>> = parser.records(&file).collect();
        let texts = |sets: &[RecordSet<'_>]| {
            let records = sets.iter().flat_map(RecordSet::records);
            let rules =
                records.map(|record| record.rules().iter().map(|rule| (rule.line(), rule.kind())).collect::<Vec<_>>());
            rules.collect::<Vec<_>>()
        };
        let told = String::from_utf8_lossy(&file);
        assert_eq!(texts(&one_by_one), texts(core::slice::from_ref(&whole)), "{told}");
        let loose: usize = one_by_one.iter().map(|set| set.file_lines().len()).sum();
        assert_eq!(loose, whole.file_lines().len(), "{told}");
        let found: u64 = one_by_one.iter().map(|set| set.report().total()).sum();
        assert_eq!(found, whole.report().total(), "{told}");
    }
}

/// A set that was read for others may lack what answers, and says so. [input.directed]
#[test]
fn what_was_read_for_others_is_told() {
    let mine = Interest { agents: Agents::new(["MyBot"]), fallback: true };
    let file = b"User-agent: MyBot\nDisallow: /a\n";
    let set = Parser::default().for_agents(mine.clone()).parse(file);
    let told = |interest: &Interest| filter_for(&set, interest).unwrap().0.report().count(FindingKind::ReadForOthers);
    assert_eq!(told(&mine), 0);
    assert_eq!(told(&Interest { fallback: false, ..mine.clone() }), 1);
    assert_eq!(told(&Interest { agents: Agents::new(["Other"]), ..mine }), 1);
    assert_eq!(
        Sieve::new(["MyBot"]).fallback(false).run(b"User-agent: *\nDisallow: /\n").unwrap().text().as_str(),
        "User-agent: *\nDisallow:\n"
    );
}
