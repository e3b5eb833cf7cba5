//! Web pages: a file explained, and what changed between files.
//!
//! Invariant: a page is one file. It loads nothing and runs nothing: its policy (CSP) allows its own style sheet only.
//! Everything of a file passes through [`Markup::text`]. What would make it long is left out, and the page says so.

mod changes;
mod file;

pub use changes::{ChangedFile, ChangesPage};
pub use file::explained_html;

use crate::markup::Markup;
use crate::tree::{Tree, TreeNode};

/// The style sheet: the face that all pages of robosieve have, also the one for browsers, and what these have besides.
const STYLE: &str = concat!(include_str!("html/face.css"), include_str!("html/style.css"));

/// Its SHA-256, in Base64. A test compares them.
macro_rules! style_hash {
    () => {
        "sha256-hv8DZo1YcM8XskS734yeemPr1rZn0acr3/JMGFwN7Fw="
    };
}

/// All before the heading. The policy allows no script, no request and no form.
const HEAD: &str = concat!(
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '",
    style_hash!(),
    "'; base-uri 'none'; form-action 'none'\">\n",
    "<meta name=\"referrer\" content=\"no-referrer\">\n",
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
    "<meta name=\"color-scheme\" content=\"light dark\">\n",
);

/// A page with a heading, up to its first section.
fn begin(title: &str) -> Markup {
    let mut page = Markup::default();
    page.raw(HEAD).element("<title>", title, "</title>\n<style>").raw(STYLE).raw("</style>\n</head>\n<body>\n<main>\n");
    page.element("<h1>", title, "</h1>\n");
    page
}

/// The end of a page.
fn end(mut page: Markup) -> String {
    let about =
        concat!("Made by robosieve ", env!("CARGO_PKG_VERSION"), ". This page loads nothing and runs no script.");
    page.element("</main>\n<footer><p>", about, "</p></footer>\n</body>\n</html>\n");
    page.into_string()
}

/// A paragraph that says what a page leaves out.
fn left_out(page: &mut Markup, words: &str) {
    page.element("<p class=\"more\">", words, "</p>\n");
}

/// Adds a tree as nested lists. Each answer is a word and a sign: colour is never the only sign.
fn add_paths(page: &mut Markup, tree: &Tree) {
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

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD;
    use sha2::{Digest as _, Sha256};

    use super::*;

    /// [html.alone] [html.face]
    #[test]
    fn the_policy_names_the_style_sheet() {
        let hash = BASE64_STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
        assert_eq!(style_hash!(), format!("sha256-{hash}"));
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import"), "nothing is loaded");
    }
}
