//! The reader: a crawler's agents and its options for reading. It turns a body into the text that is stored, and the
//! text into answers.
//!
//! Invariant: the stored text is the canonical text for these agents, with all rules that the body has within
//! `max_bytes`. It is read back without limits. So it decides as the body does. If it could not, it disallows
//! everything. A reader has a key, so a store can keep the results of different readers for one site.

use std::sync::Arc;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use robosieve::records::{Parser, RecordSet};
use robosieve::report::{Effect, FindingKind, Report};
use robosieve::settings::{Dialect, Interest, Limits, Style};
use robosieve::{Agents, Options, Sieve, closed};

use crate::retrieve::{Cut, Outcome, Retrieval};

/// A crawler's agents and its options for reading robots.txt.
#[derive(Clone, Debug)]
#[must_use]
pub struct Reader {
    agents: Agents,
    options: Options,
    key: String,
    is_named: bool,
}

/// The result of reading a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The canonical text for the reader's agents.
    pub text: Arc<str>,
    /// The report on the body, in JSON.
    pub report: Arc<str>,
    /// Whether it has errors (`gate.errors` in SPEC.md): it is not a robots.txt file, lines are no fields or have no
    /// user agent above them, or values can't be parsed. Only errors that concern the reader's agents, or are outside
    /// groups, count.
    pub has_errors: bool,
    /// Whether it may be a robots.txt: it is text, or other bytes with a group in them.
    pub may_be_file: bool,
}

impl Reader {
    /// Creates a reader for these agents, in order of preference, that reads as the standard says.
    pub fn new(agents: Agents) -> Self {
        let options = Options::default();
        Self { key: key_of(&agents, options.agents, ""), agents, options, is_named: false }
    }

    /// Sets the options of this dialect. Unless `joins`, groups of several agents are not joined: those that a known
    /// crawler's owner documents are asked in order. All programs name this reader in one way, so that they share what
    /// a store has.
    pub fn dialect(self, dialect: Dialect, joins: bool) -> Self {
        let own = dialect.options();
        if own.union_of_agents && !joins {
            return self.options(&format!("{}-in-order", dialect.as_str()), Options { union_of_agents: false, ..own });
        }
        self.options(if dialect == Dialect::default() { "" } else { dialect.as_str() }, own)
    }

    /// Sets the options. Only `max_bytes` counts of their limits, because a verdict needs the whole file. The name
    /// becomes part of the key: readers with the same name must have the same options.
    pub fn options(self, name: &str, options: Options) -> Self {
        Self { key: key_of(&self.agents, options.agents, name), options, ..self }
    }

    /// Sets whether a text names the agents next to `*` where a group of their own answers: for crawlers that ignore
    /// `*`, so that others read the text for them as it was meant. The gate itself applies `*` to each crawler.
    pub fn naming(self, is_named: bool) -> Self {
        Self { is_named, ..self }
    }

    /// The reader's name in a store: the agents in lower case, and the name of the options unless they are the
    /// standard's.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Reads a body. Without a body the text is empty. If the body was cut, its last line is read only if it has a line
    /// end: half a rule is a different rule. If it broke off before any rule for the agents, everything is disallowed.
    ///
    /// If the options refuse the file because of a limit, the text disallows everything.
    pub fn read(&self, retrieval: &Retrieval) -> Contents {
        let is_cut = retrieval.outcome == Outcome::Truncated;
        if !is_cut && retrieval.outcome != Outcome::Rules {
            let report = json(&Report::default());
            return Contents { text: "".into(), report, has_errors: false, may_be_file: false };
        }
        // What is over the cap is not to be read (RFC 9309 2.5); what broke off is missing.
        let is_incomplete = is_cut && retrieval.cut != Some(Cut::AtCap);
        let part = if is_incomplete { &retrieval.body } else { retrieval.whole_lines() };
        let base_url = retrieval.origin.robots_txt().parse().ok();
        let options = Options { base_url, complete: !is_incomplete, ..self.options.clone().for_verdicts() };
        let interest = Interest::new(self.agents.clone()).named(self.is_named);
        match Sieve::for_agents(interest).options(options).filter(part) {
            Ok(sieved) => {
                let report = retrieval.report(&sieved);
                let may_be_file = report.input().may_be_robots_txt() || self.has_groups(retrieval);
                let text = Some(sieved.text()).filter(|_| has_all_rules(&report));
                let text = closed::expect(text, || closed::TEXT).into();
                Contents { text, report: json(&report), has_errors: has_errors(&report), may_be_file }
            }
            Err(refused) => Contents {
                text: closed::TEXT.into(),
                report: serde_json::json!({ "refused": refused.to_string() }).to_string().into(),
                has_errors: false,
                may_be_file: true,
            },
        }
    }

    fn has_groups(&self, retrieval: &Retrieval) -> bool {
        let set = Parser::new(self.options.clone()).parse(retrieval.whole_lines());
        set.records().any(|record| !record.agents().is_empty())
    }

    /// Parses a text that a reader with the same key made. In it, the reader's agents are written as `*`.
    pub fn records(&self, text: &str) -> RecordSet<'static> {
        // On a canonical text, Google's line style differs only in cutting long lines.
        let as_written = Options { limits: Limits::NONE, lines: Style::Standard, fold: false, ..self.options.clone() };
        Parser::new(as_written).for_agents(Interest::everyone()).parse(text.as_bytes()).into_owned()
    }
}

fn key_of(agents: &Agents, form: Style, name: &str) -> String {
    let names = agents.iter().map(|agent| match agent.token() {
        // A header can have several names, and another answer for each.
        Some(_) if form == Style::Standard => agent.names().map(str::to_ascii_lowercase).collect::<Vec<_>>().join("+"),
        _ => percent_encode(&agent.as_bstr().to_ascii_lowercase(), NOT_IN_TOKENS).to_string(),
    });
    let mut key = names.collect::<Vec<_>>().join(", ");
    if key.is_empty() {
        key.push('*');
    }
    if !name.is_empty() {
        key = format!("{key} ({name})");
    }
    key
}

/// The bytes that are encoded in a key: those that no product token has, so two lists of agents never have the same key.
const NOT_IN_TOKENS: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// [gate.errors]: a loss to our limits is not an error. Otherwise it would open the site under a policy where errors
/// do.
fn has_errors(report: &Report) -> bool {
    use FindingKind::{
        AgentWithoutToken, GluedDirective, InvalidValue, NotAField, NotRobotsTxt, RuleWithoutAgent, Utf16,
    };
    let errors = [NotRobotsTxt, Utf16, NotAField, RuleWithoutAgent, AgentWithoutToken, GluedDirective, InvalidValue];
    report.counts().any(|(kind, _)| errors.contains(&kind))
}

/// [gate.whole]: whether nothing that may permit more was lost, apart from the end of a long file.
fn has_all_rules(report: &Report) -> bool {
    let lost = report.losses(Effect::MorePermissive).saturating_add(report.losses(Effect::Either));
    lost <= report.count(FindingKind::InputCut).saturating_add(report.count(FindingKind::InputIncomplete))
}

fn json(report: &Report) -> Arc<str> {
    serde_json::to_string(report).unwrap_or_default().into()
}
