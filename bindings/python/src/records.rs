//! The records of a batch as columns of Arrow.
//!
//! Invariant: the fields are those of the command's records, by the same names. `file` is left out: no text goes to a
//! directory. A field that a record leaves out is a null.

use pyo3::prelude::*;
use robosieve::report::{ByteOrder, Effect, InputKind, Report};
use robosieve_batch::{Policy, Record};

use crate::buffers::{Bits, Lists, Node, Numbers, Texts, Truths};
use crate::report::effect_name;

/// What a file looks like: `kind` and `format`.
struct Kinds {
    valid: Bits,
    kind: Texts,
    format: Texts,
    rows: usize,
}

impl Kinds {
    fn new() -> Self {
        Self { valid: Bits::default(), kind: Texts::new(), format: Texts::new(), rows: 0 }
    }

    fn push(&mut self, input: Option<InputKind>) -> PyResult<()> {
        self.rows = self.rows.saturating_add(1);
        self.valid.push(input.is_some());
        self.kind.push(input.map(InputKind::as_str))?;
        self.format.push(input.and_then(format_of))
    }

    fn finish(self) -> Node {
        Node::of_fields(self.rows, Some(self.valid), [self.kind.finish(), self.format.finish()])
    }
}

const fn format_of(input: InputKind) -> Option<&'static str> {
    match input {
        InputKind::Image(format)
        | InputKind::Document(format)
        | InputKind::Archive(format)
        | InputKind::Program(format)
        | InputKind::Compressed(format) => Some(format),
        InputKind::Utf16(order) | InputKind::Utf32(order) => Some(match order {
            ByteOrder::Little => "le",
            ByteOrder::Big => "be",
        }),
        _ => None,
    }
}

/// The reports of texts.
struct Reports {
    rows: usize,
    valid: Bits,
    input: Kinds,
    exact: Truths,
    losses: [Numbers<8>; 3],
    suspects: Numbers<8>,
    counts: Lists,
    counted: (Texts, Numbers<8>, usize),
    findings: Lists,
    found: (Numbers<8>, Texts, Texts, usize),
}

/// The effects that losses are counted for.
pub(crate) const EFFECTS: [Effect; 3] = [Effect::MorePermissive, Effect::MoreRestrictive, Effect::Either];

impl Reports {
    fn new() -> Self {
        Self {
            rows: 0,
            valid: Bits::default(),
            input: Kinds::new(),
            exact: Truths::default(),
            losses: Default::default(),
            suspects: Numbers::default(),
            counts: Lists::new(),
            counted: (Texts::new(), Numbers::default(), 0),
            findings: Lists::new(),
            found: (Numbers::default(), Texts::new(), Texts::new(), 0),
        }
    }

    fn push(&mut self, report: Option<&Report>) -> PyResult<()> {
        self.rows = self.rows.saturating_add(1);
        self.valid.push(report.is_some());
        self.input.push(report.map(Report::input))?;
        self.exact.push(report.map(Report::is_exact));
        for (losses, effect) in self.losses.iter_mut().zip(EFFECTS) {
            losses.push(report.map(|report| report.losses(effect)));
        }
        self.suspects.push(report.map(Report::suspects));
        self.counts.push(report.map(|report| report.counts().count()))?;
        for (kind, count) in report.into_iter().flat_map(Report::counts) {
            self.counted.0.push(Some(kind.as_str()))?;
            self.counted.1.push(Some(count));
            self.counted.2 = self.counted.2.saturating_add(1);
        }
        let details = report.map(Report::details);
        self.findings.push(details.map(<[_]>::len))?;
        for finding in details.unwrap_or_default() {
            self.found.0.push(Some(finding.line.into()));
            self.found.1.push(Some(finding.kind.as_str()))?;
            self.found.2.push(Some(effect_name(finding.effect)))?;
            self.found.3 = self.found.3.saturating_add(1);
        }
        Ok(())
    }

    fn finish(self) -> Node {
        let Self { rows, valid, input, exact, losses, suspects, counts, counted, findings, found } = self;
        let losses = Node::of_fields(rows, None, losses.map(Numbers::finish));
        let counted = Node::of_fields(counted.2, None, [counted.0.finish(), counted.1.finish()]);
        let found = Node::of_fields(found.3, None, [found.0.finish(), found.1.finish(), found.2.finish()]);
        let lists = [counts.finish(counted), findings.finish(found)];
        let fields = [input.finish(), exact.finish(), losses, suspects.finish()];
        Node::of_fields(rows, Some(valid), fields.into_iter().chain(lists))
    }
}

/// Records as columns.
pub(crate) struct Records {
    rows: usize,
    version: Numbers<4>,
    id: Texts,
    source: Texts,
    number: Numbers<8>,
    url: Texts,
    time: Texts,
    status: Numbers<4>,
    outcome: Texts,
    failed: Bits,
    error: [Texts; 2],
    location: Texts,
    truncated: Texts,
    bytes: Numbers<8>,
    input: Kinds,
    suspects: Numbers<8>,
    answered_by: Texts,
    agent: Texts,
    exact: Truths,
    report: Reports,
    sitemaps: Lists,
    sitemap: Texts,
    crawl_delay: Numbers<8>,
    hash: Texts,
    text: Texts,
}

impl Records {
    pub(crate) fn new() -> Self {
        Self {
            rows: 0,
            version: Numbers::default(),
            id: Texts::new(),
            source: Texts::new(),
            number: Numbers::default(),
            url: Texts::new(),
            time: Texts::new(),
            status: Numbers::default(),
            outcome: Texts::new(),
            failed: Bits::default(),
            error: [Texts::new(), Texts::new()],
            location: Texts::new(),
            truncated: Texts::new(),
            bytes: Numbers::default(),
            input: Kinds::new(),
            suspects: Numbers::default(),
            answered_by: Texts::new(),
            agent: Texts::new(),
            exact: Truths::default(),
            report: Reports::new(),
            sitemaps: Lists::new(),
            sitemap: Texts::new(),
            crawl_delay: Numbers::default(),
            hash: Texts::new(),
            text: Texts::new(),
        }
    }

    pub(crate) const fn rows(&self) -> usize {
        self.rows
    }

    /// About how many bytes they have: those of the fields that can be long.
    pub(crate) const fn size(&self) -> usize {
        let long = self.text.size().saturating_add(self.sitemap.size()).saturating_add(self.url.size());
        long.saturating_add(self.rows.saturating_mul(256))
    }

    pub(crate) fn push(&mut self, record: &Record) -> PyResult<()> {
        self.rows = self.rows.saturating_add(1);
        self.version.push(Some(1));
        self.id.push(record.id())?;
        self.source.push(Some(&record.source))?;
        self.number.push(record.number);
        self.url.push(record.url.as_deref())?;
        self.time.push(record.time.as_deref())?;
        self.status.push(record.status.map(u64::from));
        self.outcome.push(Some(record.outcome.as_str()))?;
        let [kind, message] = &mut self.error;
        self.failed.push(record.error.is_some());
        kind.push(record.error.as_ref().map(|error| error.kind))?;
        message.push(record.error.as_ref().map(|error| error.message.as_str()))?;
        self.location.push(record.location.as_deref())?;
        self.truncated.push(record.truncated)?;
        self.bytes.push(record.bytes.map(as_u64));
        self.input.push(record.input)?;
        self.suspects.push(record.suspects);
        self.push_policy(record.policy.as_ref())
    }

    fn push_policy(&mut self, policy: Option<&Policy>) -> PyResult<()> {
        self.answered_by.push(policy.map(|policy| policy.who.answered_by()))?;
        self.agent.push(policy.and_then(|policy| policy.who.agent()))?;
        self.exact.push(policy.map(|policy| policy.exact));
        self.report.push(policy.map(|policy| &policy.report))?;
        self.sitemaps.push(policy.map(|policy| policy.sitemaps.len()))?;
        for url in policy.into_iter().flat_map(|policy| &policy.sitemaps) {
            self.sitemap.push(Some(url))?;
        }
        self.crawl_delay.push_float(policy.and_then(|policy| policy.crawl_delay));
        self.hash.push(policy.map(|policy| hash_of(&policy.digest)).as_deref())?;
        self.text.push(policy.map(|policy| policy.text.as_str()))
    }

    pub(crate) fn finish(self) -> Node {
        let error = Node::of_fields(self.rows, Some(self.failed), self.error.map(Texts::finish));
        let fields = [
            self.version.finish(),
            self.id.finish(),
            self.source.finish(),
            self.number.finish(),
            self.url.finish(),
            self.time.finish(),
            self.status.finish(),
            self.outcome.finish(),
            error,
            self.location.finish(),
            self.truncated.finish(),
            self.bytes.finish(),
            self.input.finish(),
            self.suspects.finish(),
            self.answered_by.finish(),
            self.agent.finish(),
            self.exact.finish(),
            self.report.finish(),
            self.sitemaps.finish(self.sitemap.finish()),
            self.crawl_delay.finish(),
            self.hash.finish(),
            self.text.finish(),
        ];
        Node::of_fields(self.rows, None, fields)
    }
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// The hash as the command writes it.
fn hash_of(digest: &[u8; 32]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    let digits = digest.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xF)]);
    "sha256:".chars().chain(digits).collect()
}
