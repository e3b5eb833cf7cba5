//! The paths that rules speak of: answers are the tester's, and the size is bounded. Whether a site is open.

use robosieve::records::{Parser, RecordSet, Selection};
use robosieve::settings::Interest;
use robosieve::{Options, Tester};
use robosieve_explain::{Explainer, Tree};

fn set(file: &[u8]) -> RecordSet<'_> {
    Parser::new(Options::default().for_verdicts()).parse(file)
}

fn tree(file: &[u8]) -> Tree {
    Explainer::new(["MyBot"]).tree(file)
}

/// Each answer is that of the tester for the shortest path; each rule is shown or counted. [tree.answers] [tree.bounds]
#[test]
fn answers_are_the_testers() {
    let interest = Interest::new(["MyBot"]);
    for (path, bytes) in crate::families::corpus::files() {
        let set = set(&bytes);
        let selection = Selection::of(&set, &interest);
        let tester = Tester::of(&selection);
        let tree = Tree::of(&selection);
        let rules = selection.rules().filter(|rule| !rule.pattern().is_empty()).count();
        let reported: usize = tree.nodes.iter().map(|node| node.rules.len() + node.hidden).sum();
        assert_eq!(reported, rules, "{}", path.display());
        assert!(tree.nodes.len() <= Tree::MAX_NODES);
        let mut labels: Vec<&str> = Vec::new();
        for node in tree.nodes.iter().filter(|node| !node.label.contains("...")) {
            labels.truncate(node.depth);
            labels.push(&node.label);
            let pattern = labels.concat();
            // `*/x` and `/*/x` have the same label.
            if labels.get(1).is_some_and(|label| label.starts_with("*/")) {
                continue;
            }
            let body = pattern.strip_suffix('$').unwrap_or(&pattern).replace('*', "");
            let asked = tester.test(format!("http://e.com{body}"));
            assert_eq!(node.allowed, Some(asked.allowed()), "{}: {pattern}", path.display());
        }
    }
}

fn shape(file: &str) -> Vec<String> {
    let tree = tree(file.as_bytes());
    let word = |node: &robosieve_explain::TreeNode| format!("{}{} {}", "  ".repeat(node.depth), node.label, node.words);
    tree.nodes.iter().map(word).collect()
}

/// [tree.answers]
#[test]
fn folders_are_branches() {
    let file = "User-agent: *\nDisallow: /a/b/c\nAllow: /a/b/d/\nAllow: /a/b/d/e$\nDisallow: /*?x\nAllow: /a/b/d/\nDisallow: /a/b/d/\nDisallow: *.z\n";
    let expected = [
        "/ allowed",
        "  *.z disallowed by line 8",
        "  *?x disallowed by line 5",
        "  a/b/ allowed",
        "    c disallowed by line 2",
        "    d/ allowed by line 3; also Allow of line 6, Disallow of line 7",
        "      e$ allowed by line 4",
    ];
    assert_eq!(shape(file), expected);
    assert_eq!(
        shape("User-agent: *\nDisallow: /\nAllow: /$\n"),
        ["/ allowed by line 3; also Disallow of line 2", "  $ allowed by line 3"]
    );
    assert_eq!(shape(""), ["/ allowed"]);
}

/// [tree.bounds]
#[test]
fn trees_are_limited() {
    let wide = |count: usize| {
        tree((0..count).fold("User-agent: *\n".to_owned(), |file, n| format!("{file}Disallow: /{n:05}\n")).as_bytes())
    };
    for count in [Tree::MAX_BRANCHES - 1, Tree::MAX_BRANCHES, Tree::MAX_BRANCHES + 1] {
        let tree = wide(count);
        assert_eq!(tree.nodes.len() - 1, count.min(Tree::MAX_BRANCHES));
        assert_eq!(tree.nodes[0].hidden, count.saturating_sub(Tree::MAX_BRANCHES));
    }
    let deep = |count: usize| {
        let rules: String = (1..=count).map(|n| format!("Disallow: /{}\n", "x/".repeat(n))).collect();
        tree(format!("User-agent: *\n{rules}").as_bytes())
    };
    for count in [Tree::MAX_DEPTH - 1, Tree::MAX_DEPTH, Tree::MAX_DEPTH + 1] {
        let tree = deep(count);
        assert_eq!(tree.nodes.len() - 1, count.min(Tree::MAX_DEPTH));
        assert_eq!(tree.nodes.last().unwrap().hidden, count.saturating_sub(Tree::MAX_DEPTH));
    }
    let long = |length: usize| tree(format!("User-agent: *\nDisallow: /{}\n", "x".repeat(length - 1)).as_bytes());
    let asked =
        [Tree::MAX_EXAMPLE - 1, Tree::MAX_EXAMPLE, Tree::MAX_EXAMPLE + 1].map(|n| long(n).nodes[1].allowed.is_some());
    assert_eq!(asked, [true, true, false]);
    let label = long(Tree::MAX_LABEL + 2).nodes[1].label.clone();
    assert_eq!((label.len(), label.ends_with("... (61 bytes)")), (Tree::MAX_LABEL + 14, true));
    let bushy = |count: usize| {
        let rules: String = (0..count).map(|n| format!("Disallow: /{}/{}\n", n % 20, n / 20)).collect();
        tree(format!("User-agent: *\n{rules}").as_bytes()).nodes.len()
    };
    let most = Tree::MAX_NODES - 21;
    assert_eq!([most - 1, most, most + 1].map(bushy), [Tree::MAX_NODES - 1, Tree::MAX_NODES, Tree::MAX_NODES]);
    let stars = |count: usize| {
        let rules: String = (0..count).map(|n| format!("Disallow: /{}/*{n}x\n", n % 20)).collect();
        let nodes = tree(format!("User-agent: *\n{rules}").as_bytes()).nodes;
        nodes.iter().filter(|node| node.allowed.is_some()).count()
    };
    let most = Tree::MAX_STARS;
    assert_eq!([most - 1, most, 2 * most].map(stars), [300, 300, 150]);
}

/// Open and closed are proved; anything else is partly open. [explain.standing]
#[test]
fn a_site_is_open_partly_open_or_closed() {
    use robosieve_explain::Standing::{self, Closed, Open, Partly};
    let standing = |rules: &str| -> Standing {
        let file = format!("User-agent: x\nDisallow: /x\n\nUser-agent: *\n{rules}");
        Explainer::new(["MyBot"]).standing(file.as_bytes())
    };
    for (rules, expected) in [
        ("", Open),
        ("Disallow:\n", Open),
        ("Allow: /a\n", Open),
        ("Disallow: /a\nAllow: /\n", Partly),
        ("Disallow: /a\nAllow: /a\n", Open),
        ("Disallow: /a*\nAllow: /a$\n", Partly),
        ("Disallow: /\n", Closed),
        ("Disallow: /*\nAllow: /\n", Closed),
        ("Disallow: /\nAllow: /\n", Open),
        ("Disallow: /\nAllow: /a\n", Partly),
        ("Disallow: /\nAllow: /$\n", Partly),
        ("Disallow: /\nAllow: /robots.txt$\n", Closed),
        ("Disallow: /\nAllow: /robots.txt\n", Closed),
        ("Disallow: /a\nDisallow: /\n", Closed),
    ] {
        assert_eq!(standing(rules), expected, "{rules}");
    }
    assert_eq!(Explainer::all_agents().standing(b"User-agent: *\nDisallow: /\n"), Closed);
    assert_eq!(Explainer::new(["MyBot"]).standing(b""), Open);
}
