//! The labels for uses of content: which there are in which directive, what they mean, and since when.
//!
//! Invariant: this table is the only place that knows a label. The values of a label are in order, the strictest first.
//! A label that was removed stays in the table, with the draft that removed it.

use crate::choice::names;
use crate::syntax::names::Directive;

/// A use of content that lines can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Purpose {
    /// Training of AI models.
    AiTraining,
    /// Input of AI models.
    AiUse,
    /// Search.
    Search,
    /// How much of the content may be kept and shown, whatever it is used for.
    Extent,
}

names!(Purpose, "a use of content", {
    AiTraining => "ai-training",
    AiUse => "ai-use",
    Search => "search",
    Extent => "extent",
});

impl Purpose {
    /// For people.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::AiTraining => "training of AI models",
            Self::AiUse => "input of AI models",
            Self::Search => "search",
            Self::Extent => "extent of use",
        }
    }
}

/// A document that adds or removes a label, and its date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Draft {
    /// Its name, such as `draft-ietf-aipref-vocab-08`.
    pub name: &'static str,
    /// Its date, such as `2026-09-14`.
    pub date: &'static str,
}

const fn draft(name: &'static str, date: &'static str) -> Draft {
    Draft { name, date }
}

const VOCAB_01: Draft = draft("draft-ietf-aipref-vocab-01", "2025-06-19");
const VOCAB_02: Draft = draft("draft-ietf-aipref-vocab-02", "2025-07-21");
const VOCAB_03: Draft = draft("draft-ietf-aipref-vocab-03", "2025-09-05");
const VOCAB_04: Draft = draft("draft-ietf-aipref-vocab-04", "2025-10-28");
const VOCAB_05: Draft = draft("draft-ietf-aipref-vocab-05", "2025-12-01");
const VOCAB_08: Draft = draft("draft-ietf-aipref-vocab-08", "2026-09-14");
const SIGNALS: Draft = draft("contentsignals.org", "2025-09-24");
const SIGNALS_WITH_EXTENT: Draft = draft("contentsignals.org", "2026-07-01");

/// A label of Content-Usage or Content-Signal.
///
/// ```
/// use robosieve::records::Directive;
/// use robosieve::values::{Label, Purpose};
/// let label = Label::find(Directive::ContentUsage, "ai-use").unwrap();
/// assert_eq!((label.purpose, label.added.date), (Some(Purpose::AiUse), "2026-09-14"));
/// assert!(Label::find(Directive::ContentUsage, "bots").is_none());
/// assert_eq!(Label::retired(Directive::ContentUsage, "bots").unwrap().removed.unwrap().date, "2025-12-01");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Label {
    /// `Content-Usage` or `Content-Signal`.
    pub directive: Directive,
    /// The label, byte by byte: case matters.
    pub name: &'static str,
    /// What it means. None for one that had a meaning of its own.
    pub purpose: Option<Purpose>,
    /// Its values, the strictest first.
    pub values: &'static [&'static str],
    /// The document that added it.
    pub added: Draft,
    /// The document that removed it.
    pub removed: Option<Draft>,
}

/// The values of Content-Usage, and of most labels of Content-Signal.
const Y_N: &[&str] = &["n", "y"];
const YES_NO: &[&str] = &["no", "yes"];
const EXTENT: &[&str] = &["immediate", "reference", "full"];

const fn usage(name: &'static str, purpose: Option<Purpose>, added: Draft, removed: Option<Draft>) -> Label {
    Label { directive: Directive::ContentUsage, name, purpose, values: Y_N, added, removed }
}

const fn signal(name: &'static str, purpose: Purpose, values: &'static [&'static str], added: Draft) -> Label {
    Label { directive: Directive::ContentSignal, name, purpose: Some(purpose), values, added, removed: None }
}

const LABELS: &[Label] = {
    use Purpose as P;
    &[
        usage("train-ai", Some(P::AiTraining), VOCAB_02, None),
        usage("ai-use", Some(P::AiUse), VOCAB_08, None),
        usage("search", Some(P::Search), VOCAB_01, None),
        usage("ai-use", Some(P::AiUse), VOCAB_02, Some(VOCAB_03)),
        usage("tdm", None, VOCAB_01, Some(VOCAB_02)),
        usage("ai", None, VOCAB_01, Some(VOCAB_02)),
        usage("genai", None, VOCAB_01, Some(VOCAB_02)),
        usage("inference", None, VOCAB_01, Some(VOCAB_02)),
        usage("all", None, VOCAB_02, Some(VOCAB_03)),
        usage("train-genai", None, VOCAB_02, Some(VOCAB_04)),
        usage("bots", None, VOCAB_03, Some(VOCAB_05)),
        usage("ai-output", None, VOCAB_04, Some(VOCAB_05)),
        signal("ai-train", P::AiTraining, YES_NO, SIGNALS),
        signal("ai-input", P::AiUse, YES_NO, SIGNALS),
        signal("search", P::Search, YES_NO, SIGNALS),
        signal("use", P::Extent, EXTENT, SIGNALS_WITH_EXTENT),
    ]
};

impl Label {
    /// All labels, also those that were removed.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        LABELS.iter()
    }

    /// The labels of a directive that have a meaning.
    pub fn current(directive: Directive) -> impl Iterator<Item = &'static Self> {
        Self::all().filter(move |label| label.directive == directive && label.removed.is_none())
    }

    /// The label with this name, if it has a meaning.
    #[must_use]
    pub fn find(directive: Directive, name: &str) -> Option<&'static Self> {
        Self::current(directive).find(|label| label.name == name)
    }

    /// The label with this name that a draft removed, if none with a meaning has it.
    #[must_use]
    pub fn retired(directive: Directive, name: &str) -> Option<&'static Self> {
        let is_one = |label: &&Self| label.directive == directive && label.name == name;
        Self::all().find(is_one).filter(|label| label.removed.is_some())
    }

    /// The place of a value among those of the label: 0 is the strictest. None if it has no meaning.
    #[must_use]
    pub fn rank(&self, value: &str) -> Option<usize> {
        self.values.iter().position(|known| *known == value)
    }
}
