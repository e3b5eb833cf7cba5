//! Pages and pictures of a file: nothing of it becomes markup.
//!
//! Invariant: each tag and each attribute is one of the literals that are listed here.

use robosieve_explain::{Explainer, explained_html, svg};

/// A name that would become markup.
pub(crate) const NAME: &str = "a<script>alert(1)</script>\"'&\u{202e}\n</title>";

const TAGS: &str = "a b body br code dd details div dl dt em footer h1 h2 h3 head html li main ol p pre section small span \
                    strong summary ul";
const DRAWN: &str = "circle g path rect svg text tspan";

/// The pages and pictures of a file: [html.escaped], [html.alone], [svg.tree]
pub(crate) fn of_a_file(name: &str, bytes: &[u8]) {
    for explainer in [Explainer::new(["MyBot", NAME]), Explainer::all_agents()] {
        check_page(&explained_html(name, bytes, &explainer));
        let picture = svg(name, &explainer.tree(bytes));
        assert_eq!(picture.matches("<svg").count(), 1, "{picture}");
        let (_, drawn) = picture.split_once("</style>").unwrap();
        check_tags(drawn, DRAWN, |_| true);
    }
}

/// Whether a link leads to a clause of the specification.
fn is_clause(link: &str) -> bool {
    let Some((file, clause)) = link.split_once("#:~:text=%5B") else { return false };
    let file = file.strip_prefix("https://github.com/robosieve/robosieve/blob/main/");
    let is_name = |name: &str| name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-'));
    matches!(file, Some("SPEC.md" | "crates/explain/SPEC.md")) && clause.strip_suffix("%5D").is_some_and(is_name)
}

/// The tags and attributes of a page.
pub(crate) fn check_page(page: &str) {
    // After the style sheet, which is a literal.
    let (head, body) = page.split_once("</style>").unwrap();
    assert_eq!(head.matches("<style>").count(), 1, "{page}");
    let is_number = |text: &str| text.strip_prefix('L').is_some_and(|text| text.bytes().all(|it| it.is_ascii_digit()));
    check_tags(body, &format!("{TAGS} {DRAWN}"), |attribute| match attribute.split_once("=\"") {
        Some(("class" | "aria-hidden", _)) => true,
        Some(("id", value)) => is_number(value),
        Some(("href", value)) => value.strip_prefix('#').is_some_and(is_number) || is_clause(value),
        Some(("rel", value)) => value == "noreferrer",
        _ => false,
    });
}

fn check_tags(text: &str, known: &str, is_known: impl Fn(&str) -> bool) {
    assert!(text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n')), "{text}");
    for tag in text.split('<').skip(1) {
        let (tag, after) = tag.split_once('>').unwrap_or_else(|| panic!("{tag}"));
        assert!(!after.contains('>'), "{tag}>{after}");
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(known.split(' ').any(|one| one == name.trim_start_matches('/').trim_end_matches('/')), "{tag}");
        let attributes = attributes.trim_end_matches('/').trim_end();
        for attribute in attributes.split_terminator("\" ").map(|one| one.trim_end_matches('"')) {
            assert!(is_known(attribute), "{attribute:?} of {tag}");
        }
    }
}
