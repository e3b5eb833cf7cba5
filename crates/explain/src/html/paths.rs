//! A tree as nested lists.
//!
//! Invariant: each answer is a word and a sign; colour is never the only sign.

use crate::markup::Markup;
use crate::tree::{Tree, TreeNode};

/// Adds a tree.
pub(super) fn add(page: &mut Markup, tree: &Tree) {
    page.raw("<ul class=\"tree\">");
    let mut depth = 0;
    for (place, node) in tree.nodes.iter().enumerate() {
        if node.depth > depth {
            page.raw("<ul>");
        } else if place > 0 {
            page.raw("</li>");
        }
        for _ in node.depth..depth {
            page.raw("</ul></li>");
        }
        depth = node.depth;
        add_node(page, node);
    }
    for _ in 0..depth {
        page.raw("</li></ul>");
    }
    page.raw("</li></ul>\n");
}

fn add_node(page: &mut Markup, node: &TreeNode) {
    page.raw(match (node.allowed, node.was_allowed) {
        (Some(true), None | Some(true)) => "<li class=\"yes\">",
        (Some(true), Some(false)) => "<li class=\"yes new\">",
        (Some(false), None | Some(false)) => "<li class=\"no\">",
        (Some(false), Some(true)) => "<li class=\"no new\">",
        (None, _) => "<li>",
    });
    page.raw(match node.allowed {
        Some(true) => "<b class=\"sign\" aria-hidden=\"true\">&#10003;</b> ",
        Some(false) => "<b class=\"sign\" aria-hidden=\"true\">&#10007;</b> ",
        None => "<b class=\"sign\" aria-hidden=\"true\">?</b> ",
    });
    page.element("<code>", &node.label, "</code> ").element("<span class=\"why\">", &node.words(), "</span>");
}
