//! The canonical text of a policy.
//!
//! Invariant: a text is for `*`, and has no lines of the file as a whole. So the same policy of two sites, and of two
//! crawlers, has one text.

use robosieve::agent::Interest;
use robosieve::policy::{RecordSet, Selection, filter_for};
use robosieve::text::Newline;

use crate::file_row::hash;
use crate::normal::TextRow;

/// The text that allows everything, and the one that stands for a file that the options refuse.
const OPEN: &str = "User-agent: *\nDisallow:\n";
const CLOSED: &str = "User-agent: *\nDisallow: /\n";

/// The text for an agent, and whether it answers as the file does.
pub(crate) fn text_of(set: &RecordSet<'_>, interest: &Interest, selection: &Selection<'_, '_>) -> (TextRow, bool) {
    let row = |text: &str| TextRow { hash: hash(text), text: text.to_owned() };
    if selection.rules().len() == 0 && selection.extensions().len() == 0 {
        return (row(OPEN), selection.report().is_exact());
    }
    let Ok((filtered, _)) = filter_for(set, interest) else { return (row(CLOSED), false) };
    let (text, report) = filtered.to_text(Newline::Lf);
    let is_exact = report.is_exact() && filtered.report().is_exact();
    if filtered.records().len() == 0 {
        return (row(OPEN), is_exact);
    }
    // The lines of the file as a whole come after an empty line.
    let text = text.as_str();
    let mut ends = text.match_indices('\n').map(|(at, _)| at.saturating_add(1));
    let own = ends.find(|at| text.as_bytes().get(*at) == Some(&b'\n')).and_then(|at| text.get(..at)).unwrap_or(text);
    (row(own), is_exact)
}
