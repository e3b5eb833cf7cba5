//! `robosieve explain --html`, `explain --svg` and `diff --html`.

use crate::common::{Dir, HOSTILE};

const FILE: &str = "User-agent: *\nDisallow: /a\nDisalow: /<b>\n";

/// [cmd.pictures] [html.file] [svg.tree]
#[test]
fn explain_prints_a_page_or_a_picture() {
    let dir = Dir::with(FILE);
    let page = dir.run(&["explain", "--html", "--agent", "MyBot", "robots.txt"]).ok();
    assert!(page.out().starts_with("<!DOCTYPE html>") && page.out().ends_with("</html>\n"), "{}", page.out());
    assert!(page.out().contains("<h1>robots.txt</h1>") && page.out().contains("/%3Cb%3E"), "{}", page.out());
    let picture = dir.run(&["explain", "--svg", "robots.txt"]).ok();
    assert!(picture.out().starts_with("<svg ") && picture.out().contains("disallowed by line 2"), "{}", picture.out());
    let piped = dir.run_with(&["explain", "--html"], FILE.as_bytes()).ok();
    assert!(piped.out().contains("<h1>-</h1>"), "{}", piped.out());
    dir.run(&["explain", "--html", "robots.txt", "robots.txt"]).fails(2, &["one FILE"]);
    for args in [["--html", "--svg"], ["--html", "--json"], ["--svg", "--json"], ["--html", "--url=/a"]] {
        dir.run(&["explain", args[0], args[1], "-a", "x", "robots.txt"]).fails(2, &["cannot be used with"]);
    }
    let strict = ["explain", "--html", "--max-wildcards", "0", "--on-over-limit", "refuse", "-"];
    let refused = dir.run_with(&strict, b"User-agent: *\nDisallow: /*x\n").code(3);
    assert!(refused.out().contains("<strong>refused"), "{}", refused.out());
}

/// [cmd.pictures] [html.changes]
#[test]
fn diff_prints_a_page() {
    let dir = Dir::with(FILE);
    dir.write("new.txt", "User-agent: *\nDisallow: /a\n\nUser-agent: GPTBot\nDisallow: /\n");
    let all = dir.run(&["diff", "--html", "--all-agents", "robots.txt", "new.txt"]).code(1);
    for words in ["<h2>From robots.txt to new.txt</h2>", "Added: <strong>GPTBot", "<code>/</code> now disallowed"] {
        assert!(all.out().contains(words), "{words}: {}", all.out());
    }
    let one = dir.run(&["diff", "--html", "--agent", "MyBot", "robots.txt", "new.txt"]).code(1);
    assert!(one.out().contains("<h3>MyBot</h3>") && !one.out().contains("GPTBot"), "{}", one.out());
    let same = dir.run(&["diff", "--html", "--agent", "MyBot", "robots.txt", "robots.txt"]).ok();
    assert!(same.out().contains("No answer and no other line changed."), "{}", same.out());
    for folder in ["old", "new"] {
        std::fs::create_dir(dir.path(folder)).unwrap();
    }
    dir.write("old/a", FILE);
    dir.write("new/b", FILE);
    let folders = dir.run(&["diff", "--html", "--all-agents", "--files", "*", "old", "new"]).code(1);
    for words in ["<h2>a (file gone)</h2>", "<h2>b (file added)</h2>"] {
        assert!(folders.out().contains(words), "{words}: {}", folders.out());
    }
    assert!(
        dir.run(&["diff", "--html", "-a", "x", "--files", "*", "old", "old"]).ok().out().contains("Nothing changed.")
    );
    dir.run(&["diff", "--html", "--json", "-a", "x", "robots.txt", "new.txt"]).fails(2, &["cannot be used with"]);
}

/// Names of agents and of missing files. [html.escaped]
#[test]
fn arguments_become_no_markup() {
    let dir = Dir::with(FILE);
    for hostile in HOSTILE.into_iter().chain(["<script>", "\"><img src=x>", "</style>"]) {
        let page = dir.tried(&["explain", "--html", "-a", hostile, "robots.txt"], b"");
        let other = dir.tried(&["diff", "--html", "-a", hostile, "robots.txt", "-"], b"");
        for page in [page.out(), other.out()] {
            assert!(!page.contains("<script") && !page.contains("<img") && page.matches("</style>").count() == 1);
        }
    }
}
