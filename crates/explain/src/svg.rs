//! A tree as an SVG picture.
//!
//! Invariant: one file without scripts and without anything from elsewhere. A circle with a tick is allowed, a square
//! with a cross is disallowed, and words say it too: colour is never the only sign.

use crate::markup::Markup;
use crate::tree::{Tree, TreeNode};

/// The height of a line, the indent of a level, and the width of a letter, in pixels.
const LINE: usize = 24;
const INDENT: usize = 22;
const LETTER: usize = 8;

const STYLE: &str = include_str!("svg/style.css");

/// Draws a tree. The picture has at most [`Tree::MAX_NODES`] lines and a heading: some 200 kB. The title is shown above
/// it.
///
/// ```
/// use robosieve::agent::Interest;
/// use robosieve::policy::{Parser, Selection};
/// use robosieve_explain::{Tree, svg};
///
/// let set = Parser::default().parse(b"User-agent: *\nDisallow: /<x>\n");
/// let picture = svg("MyBot & co", &Tree::of(&Selection::of(&set, &Interest::new(["MyBot"]))));
/// assert!(picture.starts_with("<svg ") && picture.contains("MyBot &amp; co"));
/// assert!(picture.contains("%3Cx%3E") && picture.contains("disallowed by line 2"));
/// ```
#[must_use]
pub fn svg(title: &str, tree: &Tree) -> String {
    let title = crate::printable::harmless_short(title, 100);
    let longest = tree.nodes.iter().map(|node| indent(node).saturating_add(letters(node))).max().unwrap_or(0);
    let width = longest.max(width_of(&title).saturating_mul(LETTER).saturating_add(32)).saturating_add(24);
    let height = tree.nodes.len().saturating_add(2).saturating_mul(LINE).saturating_add(8);
    let mut out = Markup::default();
    out.raw("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"").number(width).raw("\" height=\"");
    out.number(height).raw("\" viewBox=\"0 0 ").number(width).raw(" ").number(height).raw("\">");
    out.element("<title>", &title, "</title>").raw("<style>").raw(STYLE).raw("</style>");
    out.raw("<rect class=\"page\" width=\"100%\" height=\"100%\"/>");
    out.element("<text class=\"head\" x=\"12\" y=\"22\">", &title, "</text>\n");
    // The line of the node above each depth.
    let mut above = vec![0; Tree::MAX_DEPTH.saturating_add(2)];
    for (line, node) in tree.nodes.iter().enumerate() {
        let y = line.saturating_add(2).saturating_mul(LINE).saturating_sub(4);
        let parent = node.depth.checked_sub(1).and_then(|depth| above.get(depth));
        draw(&mut out, node, y, parent.copied());
        if let Some(place) = above.get_mut(node.depth) {
            *place = y;
        }
    }
    out.raw("</svg>\n");
    out.into_string()
}

fn indent(node: &TreeNode) -> usize {
    node.depth.saturating_mul(INDENT).saturating_add(20)
}

/// Letters that may be wide count twice.
fn width_of(text: &str) -> usize {
    text.chars().map(|letter| if letter < '\u{1100}' { 1 } else { 2 }).sum()
}

fn letters(node: &TreeNode) -> usize {
    let all = width_of(&node.label).saturating_add(node.words().len()).saturating_add(4);
    // The letters are a little wider than eight pixels.
    all.saturating_mul(LETTER).saturating_add(all.div_ceil(2))
}

fn draw(out: &mut Markup, node: &TreeNode, y: usize, parent: Option<usize>) {
    let x = indent(node);
    if let Some(above) = parent {
        let left = x.saturating_sub(INDENT);
        out.raw("<path class=\"line\" d=\"M").number(left).raw(" ").number(above.saturating_add(8)).raw("V").number(y);
        out.raw("H").number(x.saturating_sub(8)).raw("\"/>");
    }
    out.raw("<g transform=\"translate(").number(x).raw(" ").number(y).raw(")\">");
    out.raw(match node.allowed {
        Some(true) => "<circle class=\"yes\" r=\"7\"/><path class=\"mark\" d=\"M-3.5 .5L-1 3L3.5 -3\"/>",
        Some(false) => {
            "<rect class=\"no\" x=\"-7\" y=\"-7\" width=\"14\" height=\"14\"/>\
                        <path class=\"mark\" d=\"M-3 -3L3 3M-3 3L3 -3\"/>"
        }
        None => "<circle class=\"none\" r=\"7\"/>",
    });
    out.element("<text x=\"14\" y=\"5\"><tspan class=\"path\">", &node.label, "</tspan>");
    out.element("<tspan class=\"why\" dx=\"12\">", &node.words(), "</tspan></text></g>\n");
}
