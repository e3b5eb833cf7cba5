//! [`Linter::fix`]: a file with its edits applied.
//!
//! Invariant: the result obeys the law against the file as it was ([lint.fix]): nothing changes. The
//! number of passes is bounded.

use robosieve::policy::Parser;

use super::edit::Edit;
use super::law::keeps_words;
use super::proof::{Proof, Read};
use super::silence::LintFilter;
use super::{Fix, Linted, Linter};

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
    /// The number of edits that are offered and were not applied: those that change something.
    pub left: usize,
}

impl Linter {
    /// One edit may make room for another one, so a file is looked at again. Our choice: real files need three.
    const MAX_PASSES: usize = 8;

    /// Applies the edits that change nothing, until there is none left. Those of lints that the filter leaves out are not
    /// applied.
    ///
    /// ```
    /// use robosieve_explain::{LintFilter, Linter};
    ///
    /// let file = b"User-agent: *\nDisalow: /a\nDisallow: /b // old\n";
    /// let fixed = Linter::default().fix(file, &LintFilter::default());
    /// assert_eq!(fixed.bytes, b"User-agent: *\nDisallow: /a\nDisallow: /b // old\n");
    /// assert_eq!((fixed.applied, fixed.left), (1, 1));
    /// ```
    ///
    /// Cost: some [`Linter::lint`]s.
    #[must_use]
    pub fn fix(&self, input: &[u8], filter: &LintFilter) -> Fixed {
        let mut fixed = Fixed { bytes: input.to_vec(), applied: 0, passes: 0, looks_like: None, left: 0 };
        let original = Parser::new(self.options.clone()).parse_lines(input);
        let read = Read::both(input, &self.options);
        let mut proof = Proof::new(input, &read, &self.options);
        let mut removing: Vec<Fix> = Vec::new();
        for _ in 0..Self::MAX_PASSES {
            let bytes = fixed.bytes.clone();
            let linted = self.lint(&bytes);
            // Also if an edit made it look so: then there is no other pass.
            if let Some(what) = linted.looks_like() {
                fixed.looks_like = Some(what.to_owned()).filter(|_| fixed.passes == 0);
                break;
            }
            let heard = filter.apply(&linted).counted.lints;
            let offered = || heard.iter().filter_map(|lint| lint.fix.as_deref());
            let fixes: Vec<&Fix> = offered().filter(|fix| fix.is_safe).collect();
            let offered = offered().filter(|fix| !fix.is_safe).count();
            fixed.left = offered;
            if fixes.is_empty() {
                break;
            }
            let Some(edited) = Edit::apply(fixes.iter().map(|fix| &fix.edit), &linted.file) else { break };
            // Each pass was tried; all passes together are tried here.
            removing.extend(
                fixes.iter().filter(|fix| !(fix.lost.is_empty() && fix.twins.is_empty())).map(|fix| (*fix).clone()),
            );
            proof.renew();
            let obeys = keeps_words(&original, &edited, removing.iter())
                && match proof.effects(&edited) {
                    Some(effects) => effects.is_nothing(),
                    // Where the whole is too much to compare, each pass that changes nothing changes nothing of it.
                    None => self.is_same(&bytes, &edited),
                };
            if !obeys {
                break;
            }
            let (applied, passes) = (fixed.applied.saturating_add(fixes.len()), fixed.passes.saturating_add(1));
            fixed = Fixed { bytes: edited, applied, passes, left: offered, looks_like: None };
        }
        fixed
    }
}

impl Linter {
    /// Whether it is proved that two files say the same.
    fn is_same(&self, old: &[u8], new: &[u8]) -> bool {
        let read = Read::both(old, &self.options);
        Proof::new(old, &read, &self.options).effects(new).is_some_and(|effects| effects.is_nothing())
    }
}

impl Linted<'_> {
    /// The edits that are offered, by line.
    pub fn fixes(&self) -> impl Iterator<Item = &Fix> {
        self.lints.iter().filter_map(|lint| lint.fix.as_deref())
    }
}
