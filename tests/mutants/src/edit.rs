//! Edits of a text that may be inside one another.

use std::ops::Range;

/// One change of a part of the text.
pub struct Edit {
    pub range: Range<usize>,
    pub kind: Kind,
}

pub enum Kind {
    /// Text before the part. An insertion has an empty range.
    Insert(String),
    /// An expression. Each variant, piece by piece, is used if its mutant is active, otherwise the expression itself.
    Choose(Vec<(usize, Vec<Piece>)>),
}

pub enum Piece {
    Text(String),
    /// A part of the expression, with the edits inside it.
    Part(Range<usize>),
}

/// The text with all edits.
pub fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    // Outer ones first, and insertions before all that begins at their place.
    edits.sort_by_key(|edit| (edit.range.start, !edit.range.is_empty(), usize::MAX - edit.range.end));
    render(text, 0..text.len(), &edits)
}

/// A part of the text with the edits inside it.
fn render(text: &str, range: Range<usize>, edits: &[Edit]) -> String {
    let mut out = String::new();
    let mut at = range.start;
    for (number, edit) in edits.iter().enumerate() {
        if edit.range.start < at || edit.range.end > range.end {
            continue;
        }
        out.push_str(&text[at..edit.range.start]);
        at = edit.range.end;
        let part = |range: &Range<usize>| render(text, range.clone(), &edits[number + 1..]);
        match &edit.kind {
            Kind::Insert(more) => out.push_str(more),
            Kind::Choose(variants) => {
                out.push('(');
                for (place, variant) in variants {
                    let pieces = variant.iter().map(|piece| match piece {
                        Piece::Text(text) => text.clone(),
                        Piece::Part(range) => part(range),
                    });
                    let changed = one_line(&pieces.collect::<String>());
                    out.push_str(&format!("\nif crate::mutant({place}) {{ {changed} }} else // mutant {place}\n"));
                }
                out.push_str(&format!("{{ {} }})", part(&edit.range)));
            }
        }
    }
    out.push_str(&text[at..range.end]);
    out
}

/// Comments end at a line's end, so a variant with lines keeps them.
fn one_line(text: &str) -> String {
    if text.contains("//") { format!("{text}\n") } else { text.replace('\n', " ") }
}
