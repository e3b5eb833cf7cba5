//! The canonical text of a policy.
//!
//! Invariant: a text is for `*`, and has no lines of the file as a whole. So the same policy of two sites, and of two
//! crawlers, has one text. All texts of a file have a limit.

use robosieve::agent::Interest;
use robosieve::policy::{RecordSet, Selection, filter_selected};
use robosieve::text::Newline;

use crate::file_row::hash;
use crate::normal::TextRow;

/// The text that allows everything, and the one that stands for a file that the options refuse.
pub(crate) const OPEN: &str = "User-agent: *\nDisallow:\n";
pub(crate) const CLOSED: &str = "User-agent: *\nDisallow: /\n";

/// The bytes of all texts of a file. Our choice: with these, a line of the normal form is far from its limit.
pub(crate) const MAX_TEXTS: usize = 1 << 22;

/// The texts of a file, each once, up to [`MAX_TEXTS`].
#[derive(Debug, Default)]
pub(crate) struct Texts {
    pub(crate) rows: Vec<TextRow>,
    bytes: usize,
    /// Whether a text was left out. Then no more are made: each of thousands could be as long as the file.
    is_over: bool,
}

impl Texts {
    /// Adds the text for an agent. Returns its hash, and whether it answers as the file does; without a text, there is
    /// no hash and nothing answers.
    pub(crate) fn add<'a>(
        &mut self,
        set: &RecordSet<'a>,
        interest: &Interest,
        selection: Selection<'_, 'a>,
    ) -> (String, bool) {
        if self.is_over {
            return (String::new(), false);
        }
        let (text, is_exact) = text_of(set, interest, selection);
        let hash = text.hash.clone();
        if !self.rows.iter().any(|known| known.hash == hash) {
            let bytes = self.bytes.saturating_add(text.text.len());
            self.is_over = bytes > MAX_TEXTS;
            if self.is_over {
                return (String::new(), false);
            }
            self.bytes = bytes;
            self.rows.push(text);
        }
        (hash, is_exact)
    }
}

/// The text for an agent, and whether it answers as the file does.
fn text_of<'a>(set: &RecordSet<'a>, interest: &Interest, selection: Selection<'_, 'a>) -> (TextRow, bool) {
    let row = |text: &str| TextRow { hash: hash(text), text: text.to_owned() };
    if selection.rules().len() == 0 && selection.extensions().len() == 0 {
        return (row(OPEN), selection.report().is_exact());
    }
    let Ok((filtered, _)) = filter_selected(set, interest, selection) else { return (row(CLOSED), false) };
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
