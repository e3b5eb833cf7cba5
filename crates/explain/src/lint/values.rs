//! Lints of values: uses of content, and directives that nobody follows.
//!
//! Invariant: what is said once of a directive is said at its first line.

use std::collections::BTreeSet;

use robosieve::lines::{FileLines, LineMeaning, LogicalLine};
use robosieve::records::Directive;
use robosieve::values::{ContentUse, Label, Use};

use super::drafts::Drafts;
use super::{Lint, LintKind, shown};

/// `[lint.values]`, `[lint.uses]`
pub(super) fn lint(file: &FileLines<'_>, drafts: &mut Drafts) {
    let mut reported = BTreeSet::new();
    for line in file.iter() {
        if let LineMeaning::Extension(directive) = line.meaning()
            && line.kept().is_some()
            && let Some((message, help)) = of_directive(directive)
            && reported.insert(directive.name())
        {
            let (message, help) = (message.into(), help.into());
            drafts.push(Lint { message, help, ..Lint::new(LintKind::Retired, &line) }.into());
        }
    }
    uses(file, drafts);
    above_groups(file, drafts);
}

/// `[lint.uses]`: the first use of a line that has no meaning.
fn uses(file: &FileLines<'_>, drafts: &mut Drafts) {
    for line in file.records().records().flat_map(|record| record.extensions()) {
        let uses = read(line.directive(), line.value());
        let has_other = |one: &Use| names_in(&one.parameters).any(|name| Label::find(line.directive(), name).is_some());
        let has_meaning = |one: &Use| one.label().is_some_and(|label| label.rank(&one.value).is_some());
        let Some(one) = uses.iter().find(|one| has_other(one) || !has_meaning(one)) else { continue };
        let Some(at) = file.line_at(line.line()) else { continue };
        let (name, shown) = (shown(one.name.as_bytes()), shown(one.to_string().as_bytes()));
        let (message, help) = match (one.label(), Label::retired(line.directive(), &one.name)) {
            _ if has_other(one) => {
                (format!("of `{shown}` crawlers ignore all that is after the semicolon"), COMMAS.into())
            }
            (Some(label), _) => {
                let values: Vec<String> = label.values.iter().map(|value| format!("{name}={value}")).collect();
                (format!("`{shown}` says nothing: crawlers ignore it"), format!("write one of {}", values.join(", ")))
            }
            (None, retired) => {
                let [is, ignore] =
                    if retired.is_some() { ["is no longer a", "may ignore"] } else { ["is no", "ignore"] };
                let message = format!("`{name}` {is} use that {} knows, so crawlers {ignore} it", line.name());
                (message, format!("write one of {}", known(line.directive())))
            }
        };
        drafts.push(Lint { message, help, ..Lint::new(LintKind::UseWithoutMeaning, &at) }.into());
    }
}

/// The uses of a line; none of another directive.
fn read(directive: Directive, value: &[u8]) -> Vec<Use> {
    ContentUse::read(directive, value).map(|value| value.uses).unwrap_or_default()
}

/// The names that have a meaning in a directive.
fn known(directive: Directive) -> String {
    Label::current(directive).map(|label| label.name).collect::<Vec<_>>().join(", ")
}

/// The names of parameters, such as `;p=1`.
fn names_in(parameters: &str) -> impl Iterator<Item = &str> {
    parameters.split(';').map(|one| one.split('=').next().unwrap_or_default().trim())
}

/// What to do about uses that no commas separate.
pub(super) const COMMAS: &str = "separate the uses by commas, as in `train-ai=n, search=y`";

/// Whether a line of uses has several with a blank, or a semicolon, in the place of a comma.
pub(super) fn lacks_commas(line: &LogicalLine<'_, '_>) -> bool {
    let is_one = matches!(line.meaning(), LineMeaning::Extension(Directive::ContentUsage | Directive::ContentSignal));
    let value = line.value().unwrap_or_default();
    let uses = value.split(|byte| matches!(byte, b' ' | b'\t' | b';')).filter(|part| part.contains(&b'='));
    is_one && !value.contains(&b',') && uses.count() > 1
}

/// `[lint.uses]`: a permission above all groups.
fn above_groups(file: &FileLines<'_>, drafts: &mut Drafts) {
    for line in file.iter().take_while(|line| line.meaning() != LineMeaning::UserAgent) {
        let LineMeaning::Extension(directive) = line.meaning() else { continue };
        let value = line.value().unwrap_or_default().trim_ascii();
        let uses = read(directive, value);
        let Some(one) = uses.iter().find(|one| one.is_allowed() == Some(true)) else { continue };
        let message = format!(
            "`{}` says nothing here: above all groups only what restricts counts, and other readers ignore the line",
            shown(one.to_string().as_bytes())
        );
        drafts.at(Some(line), LintKind::AboveGroups, message);
    }
}

/// Why nobody follows a directive any more, and what to do instead.
const fn of_directive(directive: Directive) -> Option<(&'static str, &'static str)> {
    match directive {
        Directive::Noindex => Some((
            "Noindex is no part of the standard, and Google has ignored it since September 2019",
            "write `<meta name=\"robots\" content=\"noindex\">` into the pages, or send `X-Robots-Tag: noindex`; and let \
             crawlers fetch them",
        )),
        Directive::Host => Some((
            "only Yandex used Host, and has ignored it since March 2018",
            "redirect to the preferred host with status 301",
        )),
        _ => None,
    }
}
