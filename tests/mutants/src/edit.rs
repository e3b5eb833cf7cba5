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
    Delete,
    /// An expression. Each variant is used if its mutant is active, otherwise the expression itself.
    Choose(Vec<(usize, Variant)>),
}

/// What replaces an expression.
pub enum Variant {
    Text(String),
    /// A part of the expression only.
    Part(Range<usize>),
    /// The expression with another operator between its two parts.
    Operator {
        left: Range<usize>,
        operator: String,
        right: Range<usize>,
    },
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
        match &edit.kind {
            Kind::Delete => {}
            Kind::Insert(more) => out.push_str(more),
            Kind::Choose(variants) => choose(text, edit, variants, &edits[number + 1..], &mut out),
        }
    }
    out.push_str(&text[at..range.end]);
    out
}

fn choose(text: &str, edit: &Edit, variants: &[(usize, Variant)], inner: &[Edit], out: &mut String) {
    let part = |range: &Range<usize>| render(text, range.clone(), inner);
    out.push('(');
    for (place, variant) in variants {
        let changed = match variant {
            Variant::Text(text) => text.clone(),
            Variant::Part(range) => part(range),
            Variant::Operator { left, operator, right } => format!("{} {operator} {}", part(left), part(right)),
        };
        out.push_str(&format!("\nif crate::mutant({place}) {{ {} }} else // mutant {place}\n", one_line(&changed)));
    }
    out.push_str(&format!("{{ {} }})", part(&edit.range)));
}

/// Comments end at a line's end, so a variant with lines keeps them.
fn one_line(text: &str) -> String {
    if text.contains("//") { format!("{text}\n") } else { text.replace('\n', " ") }
}
