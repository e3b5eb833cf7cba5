//! [`Fix`]: an edit that was tried, and what it changes; [`Linter::fix`]: a file with its safe edits.
//!
//! Invariant: a [`Fix`] exists only for an edit that was applied to the file and compared. A safe one changes nothing, alone
//! and together with all other safe ones. So nothing changes in a fixed file. The number of passes is bounded.

use super::Linter;
use super::edit::Edit;
use super::proof::Proof;

/// An edit that is offered to the owner of a file.
///
/// ```
/// use robosieve_explain::Linter;
///
/// let linted = Linter::default().lint(b"User-agent: *\nDisalow: /a\nDisallow: /b // old\n");
/// let [spelling, note] = &linted.lints[..] else { panic!() };
/// let fix = spelling.fix.as_deref().unwrap();
/// assert_eq!((fix.edit.lines[0].as_str(), fix.is_safe), ("Disallow: /a", true));
/// let fix = note.fix.as_deref().unwrap();
/// assert_eq!((fix.edit.lines[0].as_str(), fix.is_safe), ("Disallow: /b  # old", false));
/// assert_eq!(fix.effect, "changes answers for `*`: /b is then disallowed");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Fix {
    /// The lines, and what to write instead.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub edit: Edit,
    /// Whether it changes nothing: no answer and no value, for no agent, as the standard and as Google read the file; and
    /// no word is lost. All others are suggestions.
    #[cfg_attr(feature = "serde", serde(rename = "safe"))]
    pub is_safe: bool,
    /// What it changes, for people.
    pub effect: String,
}

/// A file with its edits applied.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fixed {
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// The number of edits that were applied.
    pub applied: usize,
    /// The number of passes that applied some.
    pub passes: usize,
    /// What a file looks like that is no robots.txt: it is not changed, unless [`Linter::force`] says so.
    pub looks_like: Option<String>,
    /// The number of edits that are offered and were not applied: suggestions.
    pub left: usize,
    /// The number of edits that are not known to change nothing, because there are too many.
    pub withheld: usize,
}

impl Linter {
    /// One edit may make room for another one, so a file is looked at again. Our choice: real files need three.
    const MAX_PASSES: usize = 8;

    /// Applies the edits that change nothing, until there is none left. Those of lints that are not asked for are not
    /// applied.
    ///
    /// ```
    /// use robosieve_explain::Linter;
    ///
    /// let fixed = Linter::default().fix(b"User-agent: *\nDisalow: /a\nDisallow: /b // old\n");
    /// assert_eq!(fixed.bytes, b"User-agent: *\nDisallow: /a\nDisallow: /b // old\n");
    /// assert_eq!((fixed.applied, fixed.left), (1, 1));
    /// ```
    ///
    /// Cost: some [`Linter::lint`]s.
    #[must_use]
    pub fn fix(&self, input: &[u8]) -> Fixed {
        let mut fixed = Fixed { bytes: input.to_vec(), applied: 0, passes: 0, looks_like: None, left: 0, withheld: 0 };
        while fixed.passes < Self::MAX_PASSES {
            let linted = self.lint(&fixed.bytes);
            // Also if an edit made it look so: then there is no other pass.
            if let Some(what) = linted.looks_like() {
                fixed.looks_like = Some(what.to_owned()).filter(|_| fixed.passes == 0);
                break;
            }
            let (safe, others): (Vec<&Fix>, Vec<&Fix>) = linted.fixes().partition(|fix| fix.is_safe);
            (fixed.left, fixed.withheld) = (others.len(), linted.withheld);
            let Some(edited) = Edit::apply(safe.iter().map(|fix| &fix.edit), &linted.file) else { break };
            // All safe edits were compared together, and a part of them was not.
            let changes_nothing = || {
                let mut proof = Proof::new(&fixed.bytes, &self.options);
                proof.effects(&edited).is_some_and(|effects| effects.is_nothing())
            };
            if safe.is_empty() || safe.len() != linted.safe && !changes_nothing() {
                break;
            }
            let (applied, passes) = (fixed.applied.saturating_add(safe.len()), fixed.passes.saturating_add(1));
            fixed = Fixed { bytes: edited, applied, passes, ..fixed };
        }
        fixed
    }
}
