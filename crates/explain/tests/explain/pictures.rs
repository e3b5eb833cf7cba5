//! Web pages and trees: what they say, that nothing of a file becomes markup, and their bounds.

use std::time::{Duration, Instant};

use robosieve::Tester;
use robosieve::agent::Interest;
use robosieve::policy::{Parser, RecordSet, Selection};
use robosieve::settings::Options;
use robosieve_explain::{AgentsDiff, ChangedFile, ChangesPage, Explainer, Tree, explained_html, svg};

use crate::markup::{self, NAME};

const MARKUP: &[u8] = include_bytes!("../browser/markup.txt");

fn set(file: &[u8]) -> RecordSet<'_> {
    Parser::new(Options::default().for_verdicts()).parse(file)
}

fn tree(file: &[u8]) -> Tree {
    Explainer::new(["MyBot"]).tree(file)
}

fn changes(old: &[u8], new: &[u8]) -> String {
    let (old, new) = (&set(old), &set(new));
    let diff = &AgentsDiff::of(old, new).unwrap();
    let mut page = ChangesPage::new(NAME);
    page.add(&ChangedFile { name: NAME, state: NAME, old, new, diff, groups: None, doubts: &[NAME.into()] });
    page.finish()
}

/// All tags of the pages of all hostile files are literals of this program. [html.escaped] [html.alone] [svg.tree]
#[test]
fn nothing_of_a_file_becomes_markup() {
    let mut before = Vec::new();
    for (path, bytes) in crate::families::corpus::files().into_iter().chain([("markup.txt".into(), MARKUP.to_vec())]) {
        let name = format!("{NAME}{}", path.display());
        markup::of_a_file(&name, &bytes);
        markup::check_page(&changes(&before, &bytes));
        before = bytes;
    }
}

/// [html.file]
#[test]
fn a_page_has_all_parts() {
    let file = b"User-agent: *\nDisallow: /\n\nUser-agent: MyBot\nDisallow: /a\nCrawl-delay: 4\nDisalow: /b\nSitemap: https://e.com/s\n";
    let page = explained_html("x.txt", file, &Explainer::new(["MyBot"]));
    for words in [
        "<title>x.txt</title>",
        "group MyBot applies, line 4",
        "<dt>crawl delay</dt>\n<dd>4 s (as written: 4)</dd>",
        "<dd>https://e.com/s</dd>",
        "0 errors, 1 warning, ",
        "<span class=\"sign\">&#x25D0;</span> MyBot may fetch a part of the site</p>\n<p>1 line does not do what it seems to.</p>",
        "<strong>Warning</strong>: The directive is misspelled: some crawlers understand it, others ignore the line.",
        "<a href=\"#L7\">line 7</a><code>Disalow: /b</code>",
        "write <code>Disallow: /b</code> <span class=\"why\">(changes no answer)</span>",
        "<code>a</code> <span class=\"why\">disallowed by line 5</span>",
        "<li id=\"L5\" class=\"ours\"><b>&gt;</b><span class=\"n\">5</span><code>Disallow: /a</code>\
         <span class=\"meaning\">disallows every path that begins with /a</span>",
        "<li id=\"L2\"><b></b><span class=\"n\">2</span>",
    ] {
        assert!(page.contains(words), "{words} is not in {page}");
    }
    let all = explained_html("x.txt", file, &Explainer::all_agents());
    assert!(all.contains("<strong>crawlers that no group names</strong>: group * applies, line 1"), "{all}");
}

/// Findings of a kind stand together, each with its line; what is code has no backticks. [html.findings]
#[test]
fn findings_of_a_kind_stand_together() {
    let file = b"User-agent: *\nDisalow: /a\nDisalow: /b # x\nDisalow: /c\nDisallow: https://e.com/<d>\n";
    let page = explained_html("x", file, &Explainer::new(["MyBot"]));
    assert_eq!(page.matches("The directive is misspelled").count(), 1, "{page}");
    for line in ["line 2</a><code>Disalow: /a", "line 3</a><code>Disalow: /b # x", "line 4</a><code>Disalow: /c"] {
        assert!(page.contains(line), "{line} is not in {page}");
    }
    assert!(page.contains("(changes answers for <code>*</code>: "), "{page}");
    let all: String = page.split("<h2>").filter(|part| part.starts_with("Findings")).collect();
    assert!(!all.contains("&#96;"), "{all}");
}

/// Open and closed are proved; anything else is partly open. [html.standing]
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

/// [html.changes]
#[test]
fn changes_are_reported_with_trees_and_doubts() {
    let page = changes(b"User-agent: *\nDisallow: /a/b\n", b"User-agent: *\nDisallow: /a/c\nSitemap: http://e.com/s\n");
    for words in [
        "<strong>Warning</strong>: a&lt;script&gt;",
        "<h3>*</h3>",
        "<li class=\"gone\"><b>-</b> <code>Disallow: /a/b</code> <span class=\"why\">line 2</span></li>",
        "<code>/a/b</code> now allowed</li>",
        "was disallowed, now allowed; also a former Disallow of line 2</span>",
        "<h3>For all</h3>",
        "<b>+</b> <code>Sitemap: http://e.com/s</code>",
    ] {
        assert!(page.contains(words), "{words} is not in {page}");
    }
    assert!(changes(b"", b"").contains("No answer and no other line changed."));
    assert!(ChangesPage::new("x").finish().contains("Nothing changed."));
}

/// Colour is never the only sign: each path has a word and a sign, each of our lines a mark. The browser test sees the
/// rest. [html.looks]
#[test]
fn colour_is_never_the_only_sign() {
    let page = explained_html("x", include_bytes!("../browser/shop.txt"), &Explainer::new(["MyBot"]));
    for (class, sign, word) in [("yes", "&#10003;", "allowed"), ("no", "&#10007;", "disallowed")] {
        for node in page.split(&format!("<li class=\"{class}\">")).skip(1) {
            assert!(node.starts_with(&format!("<b class=\"sign\" aria-hidden=\"true\">{sign}</b> <code>")), "{node}");
            let words = node.split("<span class=\"why\">").nth(1).unwrap();
            assert!(words.starts_with(word), "{words}");
        }
    }
    assert_eq!(page.matches("class=\"ours\"><b>&gt;</b>").count(), 12);
    for words in ["prefers-color-scheme: dark", "@media print", "width=device-width"] {
        assert!(page.contains(words), "{words}");
    }
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
        let told: usize = tree.nodes.iter().map(|node| node.rules.len() + node.hidden).sum();
        assert_eq!(told, rules, "{}", path.display());
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
    let word =
        |node: &robosieve_explain::TreeNode| format!("{}{} {}", "  ".repeat(node.depth), node.label, node.words());
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

/// One less than each limit of a page, the limit, and one more. [html.bounds]
#[test]
fn lists_are_limited() {
    let page = |file: &str| explained_html("x", file.as_bytes(), &Explainer::new(["MyBot"]));
    let end = |words: &str, shown: [usize; 3], most: usize, of: &dyn Fn(usize) -> (String, usize)| {
        for (count, shown) in [most - 1, most, most + 1].into_iter().zip(shown) {
            let (page, found) = of(count);
            assert_eq!(found, shown, "{words} {count}");
            assert_eq!(page.contains(words), count > most, "{words} {count}");
        }
    };
    end("And 1 more line.", [2_499, 2_500, 2_500], 2_500, &|count| {
        let page = page(&"#\n".repeat(count));
        let found = page.matches("<li id=\"L").count();
        (page, found)
    });
    end("and 1 more</dd>", [49, 50, 50], 50, &|count| {
        let page = page(&(0..count).map(|n| format!("Sitemap: http://e.com/{n}\n")).collect::<String>());
        let found = page.matches("<dd>http").count();
        (page, found)
    });
    end("And 1 more finding:", [4, 5, 5], 5, &|count| {
        let page = page(&format!("User-agent: *\nDisallow: /q\n{}", "Foo: 1\n".repeat(count)));
        let found = page.matches("</a><code>Foo: 1</code>").count();
        (page, found)
    });
    end("and 1 more</li>", [49, 50, 50], 50, &|count| {
        let rules: String = (0..count).map(|n| format!("Disallow: /{n:03}\n")).collect();
        let page = changes(b"", format!("User-agent: *\n{rules}").as_bytes());
        let found = page.matches("<li class=\"added\"><b>+</b>").count();
        (page, found)
    });
    let trees = |count: usize| {
        let groups: String =
            (0..count).map(|n| format!("User-agent: {}\nDisallow: /{n}\n", "a".repeat(n + 1))).collect();
        changes(b"", groups.as_bytes()).matches("<details>").count()
    };
    assert_eq!([9, 10, 11].map(trees), [9, 10, 10]);
}

/// After 2 MB, files are named, and then counted. [html.bounds]
#[test]
fn pages_of_many_files_are_limited() {
    let rules: String = (0..60).map(|n| format!("Disallow: /{n}{}\n", "<".repeat(300))).collect();
    let file = format!("User-agent: *\n{rules}");
    let (old, new) = (&set(b""), &set(file.as_bytes()));
    let diff = &AgentsDiff::of(old, new).unwrap();
    let mut page = ChangesPage::new("x");
    for _ in 0..2_000 {
        page.add(&ChangedFile { name: "f", state: "", old, new, diff, groups: None, doubts: &[] });
    }
    assert_eq!(page.files(), 2_000);
    let page = page.finish();
    let (full, named) = (page.matches("<h2>f</h2>").count(), page.matches("<li>f</li>").count());
    assert_eq!(named, 1_000);
    assert!(page.contains(&format!("And {} more changed files.", 2_000 - full - named)), "{full}");
    assert!(page.len() < 4_000_000, "{}", page.len());
}

/// Pages of files that are as hostile as they can be. [html.bounds] [tree.bounds]
#[test]
fn pages_are_limited_in_size_and_time() {
    let many = |line: &dyn Fn(usize) -> String| {
        let mut file = "User-agent: *\n".to_owned();
        for n in 0.. {
            if file.len() > 150_000 {
                break;
            }
            file.push_str(&line(n));
        }
        file
    };
    for file in [
        many(&|n| format!("Disallow: /{n}*{n}x\n")),
        many(&|n| format!("Disalow: &&&&&{n}\n")),
        many(&|n| format!("Disallow: /{}{n}\n", "a/".repeat(n % 100))),
        many(&|n| format!("Disallow: /{}{n}\n", "<&>\"'".repeat(60))),
        many(&|_| "\n".into()),
        many(&|n| format!("User-agent: a{n}\nDisallow: /{}{n}\n", "\"".repeat(200))),
        format!("User-agent: *\nDisallow: /{}", "/*\u{202e}".repeat(100_000)),
        format!("User-agent: *\nDisallow: /{}", "a/".repeat(250_000)),
    ] {
        let start = Instant::now();
        let page = explained_html("x", file.as_bytes(), &Explainer::new(["MyBot"]));
        let took = start.elapsed();
        let picture = svg("x", &tree(file.as_bytes()));
        let changed = changes(b"", file.as_bytes());
        println!("{took:?} {:?}: {} {} {}", start.elapsed(), page.len(), picture.len(), changed.len());
        assert!(page.len() < 4_000_000 && changed.len() < 4_000_000 && picture.len() < 300_000);
        assert!(start.elapsed() < Duration::from_secs(60));
    }
}
