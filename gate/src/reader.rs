//! Who reads: a crawler's agents and its way of reading, which turn a body into the text that is remembered, and that into answers.
//!
//! Invariant: what is remembered is the canonical text for these agents, and it is read back with the options it was made with.
//! A reader has a key, so that a store can hold what different readers made of one site, and what each was answered, side by side.

use std::fmt::Write as _;
use std::sync::Arc;

use robosieve::{
    AgentForm, Agents, Class as FindingClass, Dialect, FindingKind, Interest, Options, Parser, RecordSet, Report, Sieve,
};

use crate::retrieval::{Outcome, Retrieval};

/// A crawler, as far as reading robots.txt goes.
///
/// ```
/// use robosieve::Agents;
/// use robosieve_gate::Reader;
/// let reader = Reader::new(Agents::new(["MyBot-Image", "MyBot/1.0"]));
/// assert_eq!(reader.key(), "mybot-image, mybot");
/// ```
#[derive(Clone, Debug)]
pub struct Reader {
    sieve: Sieve,
    /// Reads texts back.
    parser: Parser,
    agents: Agents,
    key: String,
}

/// What a body says to a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The canonical text for its agents.
    pub text: Arc<str>,
    /// The report on the body, in JSON.
    pub report: Arc<str>,
    /// Whether it has errors: it is no robots.txt, lines are no fields or stand below no agent, values are of no form, or a limit
    /// cost something. Only what concerns the reader's agents, or stands outside records, counts.
    pub has_errors: bool,
}

impl Reader {
    /// A crawler with these agents, the preferred first, that reads as the standard says.
    #[must_use]
    pub fn new(agents: Agents) -> Self {
        Self::build(agents, Options::default(), "")
    }

    /// Reads as this dialect does.
    #[must_use]
    pub fn dialect(self, dialect: Dialect) -> Self {
        match dialect {
            Dialect::Standard => self.options("", dialect.options()),
            Dialect::Google => self.options("google", dialect.options()),
            Dialect::Processor => self.options("processor", dialect.options()),
        }
    }

    /// Reads with options of the caller's. The name goes into the key: texts that were made with other options under the same name
    /// are taken for one's own.
    #[must_use]
    pub fn options(self, name: &str, options: Options) -> Self {
        Self::build(self.agents, options, name)
    }

    fn build(agents: Agents, options: Options, name: &str) -> Self {
        let sieve = Sieve::for_agents(agents.clone()).options(options.clone());
        let key = key_of(&agents, options.agents, name);
        let parser = Parser::new(options).for_agents(Self::everyone());
        Self { sieve, parser, agents, key }
    }

    /// The agents, the preferred first.
    #[must_use]
    pub const fn agents(&self) -> &Agents {
        &self.agents
    }

    /// Its name in a store: the agents in lower case, and the name of its options unless they are the standard's.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Reads a body; where there is none, the text is empty. Of one that was cut the last line goes, unless it has an end: half a rule is another rule.
    ///
    /// Where the options refuse what is over a limit, a text that disallows everything stands for the refused file.
    #[must_use]
    pub fn read(&self, retrieval: &Retrieval) -> Contents {
        let is_cut = retrieval.outcome == Outcome::Truncated;
        if !is_cut && retrieval.outcome != Outcome::Rules {
            return Contents { text: "".into(), report: json(&Report::default()), has_errors: false };
        }
        match self.sieve.run(retrieval.whole_lines()) {
            Ok(sieved) => {
                let report = retrieval.report(&sieved);
                let text = sieved.text().as_str().into();
                Contents { text, report: json(&report), has_errors: has_errors(&report) }
            }
            Err(refused) => Contents {
                text: "User-agent: *\nDisallow: /\n".into(),
                report: serde_json::json!({ "refused": refused.to_string() }).to_string().into(),
                has_errors: false,
            },
        }
    }

    /// The records of a text that a reader with the same key made. Cost: reading it.
    #[must_use]
    pub fn records(&self, text: &str) -> RecordSet<'static> {
        self.parser.parse(text.as_bytes()).into_owned()
    }

    /// Whom texts speak to: the agents they were made for are their `*`.
    #[must_use]
    pub fn everyone() -> Interest {
        Interest { agents: Agents::default(), fallback: true }
    }
}

fn key_of(agents: &Agents, form: AgentForm, name: &str) -> String {
    let names = agents.iter().map(|agent| match agent.token() {
        Some(token) if form == AgentForm::Token => token.as_str().to_ascii_lowercase(),
        _ => encoded(&agent.as_bstr().to_ascii_lowercase()),
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

/// Octets that no product token has are percent-encoded, so that two lists of agents never have one key.
fn encoded(name: &[u8]) -> String {
    let mut out = String::new();
    for &octet in name {
        if octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'_' | b'.') {
            out.push(char::from(octet));
        } else if write!(out, "%{octet:02X}").is_err() {
            break;
        }
    }
    out
}

fn has_errors(report: &Report) -> bool {
    use FindingKind::{
        AgentWithoutToken, GluedDirective, InvalidValue, NotAField, NotRobotsTxt, RuleWithoutAgent, Utf16,
    };
    let errors = [NotRobotsTxt, Utf16, NotAField, RuleWithoutAgent, AgentWithoutToken, GluedDirective, InvalidValue];
    report.counts().any(|(kind, _)| errors.contains(&kind) || kind.class() == FindingClass::Loss)
}

fn json(report: &Report) -> Arc<str> {
    serde_json::to_string(report).unwrap_or_default().into()
}
