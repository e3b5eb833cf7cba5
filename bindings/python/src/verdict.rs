//! [`Verdict`]: the answer to a URL.
//!
//! Invariant: its truth value is whether the URL may be fetched, so that `if robots.test(...)` never opens a site.

use pyo3::prelude::*;
use robosieve_explain::{Answer, Who};

/// The answer to a URL: whether it may be fetched, and why.
///
/// Its truth value is ``allowed``. It can be compared and hashed.
///
/// >>> verdict = robosieve.Robots.parse("User-agent: *\nDisallow: /x\n").test("/x/y", "MyBot")
/// >>> verdict.allowed, verdict.line, verdict.rule, verdict.reason
/// (False, 2, 'Disallow: /x', 'rule')
/// >>> print(verdict)
/// disallowed: line 2: Disallow: /x (group * applies)
#[pyclass(frozen, eq, hash, module = "robosieve")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Verdict {
    /// Whether the URL may be fetched.
    #[pyo3(get)]
    allowed: bool,
    /// The line of the rule that decided, or None.
    #[pyo3(get)]
    line: Option<u32>,
    /// The rule that decided, as in ``Disallow: /x``, or None. Printable ASCII.
    #[pyo3(get)]
    rule: Option<String>,
    /// ``rule``, ``no-rule`` (no rule matches), ``no-record`` (no group applies), ``robots-txt`` (always allowed),
    /// ``incomplete`` (the file is not whole, and no rule is known), or ``not-a-url``.
    #[pyo3(get)]
    reason: String,
    /// The reason for people: the line, the rule, and whose group applies.
    #[pyo3(get)]
    why: String,
    /// The page of a known crawler's owner that documents it, if by the name alone another group would apply; or None.
    #[pyo3(get)]
    documented: Option<String>,
}

impl Verdict {
    /// The answer of the library.
    pub(crate) fn new(verdict: &robosieve::Verdict<'_, '_>, who: &Who) -> Self {
        let answer = Answer::new(verdict, who);
        let rule = answer.rule.as_ref().map(|rule| format!("{}: {}", rule.kind, rule.pattern));
        let documented = who.documented().map(|crawler| crawler.source.to_owned());
        let (allowed, line, reason) = (answer.allowed, answer.line, answer.reason.into());
        Self { allowed, line, rule, reason, why: answer.words(), documented }
    }
}

#[pymethods]
impl Verdict {
    fn __bool__(&self) -> bool {
        self.allowed
    }

    fn __str__(&self) -> String {
        let word = if self.allowed { "allowed" } else { "disallowed" };
        format!("{word}: {}", self.why)
    }

    fn __repr__(&self) -> String {
        let allowed = if self.allowed { "True" } else { "False" };
        format!("<Verdict allowed={allowed} {}>", self.why)
    }
}
