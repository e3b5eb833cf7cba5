//! The portable form, step by step: what is removed, what is rewritten, and what must stay. portable.rs checks
//! that it decides in the same way.

use robosieve::settings::{Dialect, Limits, Precedence, TextForm};
use robosieve::{Options, Sieve};

use crate::text_with;

/// Lines of rules, written in order, with `+` for Allow and `-` for Disallow.
fn rules(short: &str) -> String {
    let line = |rule: &str| match rule.split_at(1) {
        ("-", "") => "Disallow:\n".to_owned(),
        ("+", pattern) => format!("Allow: {pattern}\n"),
        (_, pattern) => format!("Disallow: {pattern}\n"),
    };
    short.split(' ').map(line).collect()
}

#[track_caller]
fn becomes(options: Options, input: &str, expected: &str) {
    let input = format!("User-agent: *\n{}", rules(input));
    let text = text_with(Options { form: TextForm::Portable, ..options }, &input);
    assert_eq!(text, format!("User-agent: *\n{}", rules(expected)), "{input}");
}

#[track_caller]
fn standard(input: &str, expected: &str) {
    becomes(Options::default(), input, expected);
}

#[track_caller]
fn google(input: &str, expected: &str) {
    becomes(Dialect::Google.options(), input, expected);
}

#[track_caller]
fn in_order(input: &str, expected: &str) {
    becomes(Options { precedence: Precedence::FileOrder, ..Options::default() }, input, expected);
}

/// [portable.redundant]
#[test]
fn rules_without_effect_are_removed() {
    standard("-/a -/a/b -/a/b/c", "-/a");
    standard("-/a -/ab$ -/a*c", "-/a");
    // An Allow that overlaps no weaker Disallow, and one that overlaps one.
    standard("+/a", "-");
    standard("-/a +/b", "-/a");
    standard("-/a +/a", "-");
    standard("-/a +/a/b", "+/a/b -/a");
    // A rule that a stronger rule of the other kind contains.
    standard("+/a*b*c -/abc*", "-");
    standard("-/ +/a*$ -/a", "+/a -/");
    // An overlapping rule ranks between: nothing is removed.
    standard("-/a +/a/b -/a/b/c", "-/a/b/c +/a/b -/a");
    // A rule with a common prefix but without overlap does not matter.
    standard("-/a +/a/*.gif$ -/a/b/cdefghi$", "+/a/*.gif$ -/a");
    standard("-/a +/a/*.gif$ -/a/b/cdefg.gif$", "-/a/b/cdefg.gif$ +/a/*.gif$ -/a");
    standard("-/a +/a*.gif$ -/a*/b.jpg$", "+/a*.gif$ -/a");
    standard("-/ +/ab$ -/a*ab$", "+/ab$ -/");
    // Here the only rule between is weaker than another rule that contains the last.
    standard("-/a +/a/b/c -/a/b -/a/b/cd", "-/a/b/cd +/a/b/c -/a");
    // A rule with stars does not replace a plain one.
    standard("-/*b -/ab", "-/*b -/ab");
    standard("-/*b -/a*b", "-/a*b -/*b");
}

/// [portable.redundant] [portable.order]
#[test]
fn in_file_order_the_place_is_the_rank() {
    in_order("-/a -/a/b", "-/a");
    in_order("-/a/b -/a", "-/a");
    in_order("-/a +/a/b", "-/a");
    in_order("+/a/b -/a -/a/b/c", "+/a/b -/a");
    in_order("+/a/b -/a/b/c -/a", "+/a/b -/a");
    in_order("-/a/b +/a -/", "-/a/b +/a -/");
    in_order("-/a/b +/a/c -/a", "+/a/c -/a");
    in_order("-/a/b +/c -/a -/c", "-/a");
    in_order("+/c/d -/a/b -/a -/c", "+/c/d -/a -/c");
}

/// [portable.stars]
#[test]
fn stars_are_spelled_plainly() {
    standard("-*", "-/");
    standard("-*a", "-/*a");
    standard("-*$", "-/");
    standard("-/a* -/b*$ -/c", "-/a -/b -/c");
    standard("-/a$* -/b$", "-/a$* -/b$");
    standard("-/a*b", "-/a*b");
    // A dollar inside a pattern is a literal byte. The paths of the standard contain it encoded.
    standard("-/a$* -/a%24", "-/a%24 -/a$*");
    google("-/a$*b -/a%24*b", "-/a%24*b -/a$*b");
    google("-/a**b", "-/a*b");
    google("-/a***b**", "-/a*b");
    google("-/a**b$ -/a*b$", "-/a*b$");
    google("-**a", "-/*a");
    google("-/a** +/ab", "-/a");
    // If an overlapping rule ranks between the old length and the new one, the spelling is kept.
    standard("-/a* +/ab", "+/ab -/a");
    standard("-/ab* +/abc", "+/abc -/ab");
    standard("-/ab* +/a*c", "+/a*c -/ab");
    standard("-/ab* +/*b -/", "-/ab* +/*b -/");
    standard("-/ab*$ +/*b -/", "-/ab* +/*b -/");
    standard("-*ab +/*b +/ab", "-");
    standard("-*a +/a -/b*c", "-/b*c +/a -*a");
    standard("-*a +/b", "+/b -*a");
    standard("+*a -/*a$ -/", "-/*a$ +/*a -/");
}

/// [portable.halves]
#[test]
fn a_star_at_the_front_is_spelled_out() {
    standard("-*/a", "-/*/a -/a");
    standard("-*/a*", "-/*/a -/a");
    standard("-**/a$", "-/*/a$ -/a$");
    standard("-*/", "-/");
    google("-**/a", "-/*/a -/a");
    in_order("+/b -*/a -/", "+/b -/");
    in_order("+/b -*/a +/", "+/b -/a -/*/a");
    standard("-/a -*/a", "-/*/a -/a");
    standard("-*/a +/a*", "+/a* -*/a");
    // Writes only the half that is neutral, or a half that has no effect while the whole rule stays.
    standard("-*/a +/ab", "+/ab -*/a -/a");
    standard("-*/ab +/a*", "-/*/ab -/ab");
    standard("-*/ab +/ab", "-/*/ab -/ab");
    standard("-*/ab +/*c -/c", "-/*/ab -*/ab +/*c -/ab");
    standard("-*/ab* +/*cd +/*e -/c", "-*/ab* -/*/ab +/*cd +/*e -/ab -/c");
    standard("-*/ab +/*b -/", "-/*/ab -*/ab +/*b -/");
}

/// [portable.index]
#[test]
fn a_directory_is_spelled_out() {
    google("-/ +/a/index.html", "+/a/index.html +/a/$ -/");
    google("-/ +/a/index.htm*", "+/a/index.htm +/a/$ -/");
    google("-/ +*/index.html", "+*/index.html +/*/$ +/$ -/");
    google("-/ +/a/index.html +/a/$", "+/a/index.html +/a/$ -/");
    google("-/ -/a/index.html", "-/");
    google("-/b +/a/index.html", "-/b");
    google("-/**index.html -/i*.html$ +*/index.html", "-/*index.html -/i*.html$");
    standard("-/ +/a/index.html", "+/a/index.html -/");
    standard("-/ +/a/index.html* +/b/index.htm**$ +/c/x*", "+/a/index.html* +/b/index.htm* +/c/x -/");
}

/// A record that would need more than its share of the work is written rule by rule. Plain rules need little work.
/// [portable.work]
#[test]
fn work_is_divided_among_the_records() {
    let file = |others: usize, rules: &str| {
        let records = |n: usize| format!("User-agent: {}\nDisallow: /a*\n", "b".repeat(n + 2));
        format!("User-agent: a\n{rules}\n") + &(0..others).map(records).collect::<String>()
    };
    let written = |input: &str| {
        let limits = Limits { max_name_length: 2000, max_bytes: 2_000_000, ..Limits::default() };
        let options = Options { limits, form: TextForm::Portable, ..Options::default() };
        let sieved = Sieve::all_agents().options(options).filter(input.as_bytes()).unwrap();
        let first = sieved.text().split("\n\n").next().unwrap().trim_end();
        first.split_once('\n').unwrap().1.to_owned() + "\n"
    };
    let stars: String = (10..60).map(|n| format!("Disallow: /*{n}\nAllow: /*{n}a\n")).collect();
    let whole = written(&file(0, &format!("{stars}Disallow: /c*")));
    assert!(whole.ends_with("Disallow: /c\n"), "{whole}");
    let cut_short = written(&file(900, &format!("{stars}Disallow: /c*")));
    assert!(cut_short.ends_with("Disallow: /c*\n") && cut_short.lines().count() == 101, "{cut_short}");
    let plain: String = (100..200).map(|n| format!("Disallow: /{n}\nAllow: /{n}a\n")).collect();
    let linear = written(&file(900, &format!("{plain}Disallow: /c*")));
    assert!(linear.ends_with("Disallow: /c\n"), "{linear}");
}

/// `*` is not a name. Names without letters may be read as the same name, and so may any names if the groups of all
/// agents are merged. [portable.all-agents] [agent.token]
#[test]
fn records_that_may_be_merged_are_not_minimised() {
    let records = |names: &[&str]| -> String {
        names.iter().map(|name| format!("User-agent: {name}\nDisallow: /{}*\n", name.len())).collect()
    };
    let rules = |sieve: Sieve, names: &[&str]| {
        let (sieve, file) = (sieve.with(|options| options.form = TextForm::Portable), records(names));
        let sieved = sieve.filter(file.as_bytes()).unwrap();
        sieved.text().lines().filter_map(|line| line.strip_prefix("Disallow: ").map(String::from)).collect::<Vec<_>>()
    };
    assert_eq!(rules(Sieve::all_agents(), &["*", "00", "b"]), ["/1", "/2", "/1"]);
    assert_eq!(rules(Sieve::all_agents(), &["*", "00", "0.1"]), ["/1", "/3*", "/2*"]);
    assert_eq!(rules(Sieve::all_agents(), &["bc", "bc1", "b"]), ["/1", "/2*", "/3*"]);
    let google = Sieve::all_agents().options(Dialect::Google);
    assert_eq!(rules(google.clone(), &["*", "bc"]), ["/1", "/2"]);
    assert_eq!(rules(google, &["*", "bc", "def"]), ["/1", "/2*", "/3*"]);
}

/// [portable.readers] [portable.redundant]
#[test]
fn readers_that_compare_bytes_lose_nothing() {
    // Only some readers treat these two as the same.
    standard("-/$a -/%24a", "-/%24a -/$a");
    standard("-/$a -/%24ab", "-/%24ab -/$a");
    standard("-/a%2A -/a%2Ab", "-/a%2A");
    standard("-/$a -/$ab", "-/$a");
    // For some readers `/*4` matches `/%24`, for others it does not.
    standard("-/%24 -/*4", "-/%24 -/*4");
    standard("-/ +/*4$ -/%24$", "-/%24$ +/*4$ -/");
    standard("-/%2 -/%24", "-/%24 -/%2");
    in_order("-/$a -/%24a", "-/$a -/%24a");
}

/// [portable.readers] [google.index-html]
#[test]
fn readers_that_know_index_pages_lose_nothing() {
    // `/*` would rank below `/$`, which some readers derive from the Allow.
    standard("+/index.html -/*$", "+/index.html -/*$");
    standard("+/index.html -/*", "+/index.html -/");
    standard("-/ +/a/index.html -/a/b", "+/a/index.html -/");
    standard("-/ +*/index.html", "+*/index.html -/");
    // If the directory has no effect, the rule is removed.
    standard("-/a +/b/index.html", "-/a");
    // For other readers the directory is not a rule, so nothing is removed because of it.
    standard("-/ +/a/index.html -/a/$", "+/a/index.html -/");
    standard("-/ +/a/index.html +/a/$ -/a/$", "+/a/index.html +/a/$ -/");
}
