//! Changes between two files: rules, other lines, and URLs with different answers.

use robosieve::records::RuleKind;
use robosieve::settings::{Dialect, Limits, Precedence};
use robosieve::{Options, Sieve};
use robosieve_diff::{ChangedLine, Comparison, Diff, Witness};

use crate::at;

#[track_caller]
fn diff(old: &str, new: &str) -> Diff {
    let (old, new) =
        (Sieve::new(["MyBot"]).filter(old.as_bytes()).unwrap(), Sieve::new(["MyBot"]).filter(new.as_bytes()).unwrap());
    Diff::of(old.records(), new.records())
}

/// A change of any kind is reported. [diff.rules]
#[test]
fn any_change_is_reported() {
    let base = "User-agent: *\nDisallow: /a\nCrawl-delay: 5\nSitemap: https://e.com/\n";
    let more_rules = "User-agent: *\nDisallow: /a\nDisallow: /b\nCrawl-delay: 5\nSitemap: https://e.com/\n";
    let more_lines = "User-agent: *\nDisallow: /a\nCrawl-delay: 5\nSitemap: https://e.com/\nSitemap: https://e.com/s\n";
    let same = diff(base, base);
    assert!(same.is_empty() && same.flips.is_empty());

    let added = diff(base, more_rules);
    assert_eq!((added.rules_added.len(), added.rules_removed.len()), (1, 0));
    assert_eq!((added.rules_added[0].kind, added.rules_added[0].line), (RuleKind::Disallow, at(3)));
    assert!(!added.is_empty() && added.lines_added.is_empty() && added.lines_removed.is_empty());
    let removed = diff(more_rules, base);
    assert_eq!((removed.rules_added.len(), removed.rules_removed.len()), (0, 1));
    assert!(!removed.is_empty());

    let sitemap = ChangedLine { name: "Sitemap".into(), value: "https://e.com/s".into() };
    let added = diff(base, more_lines);
    assert_eq!((&added.lines_added[..], &added.lines_removed[..]), (&[sitemap.clone()][..], &[][..]));
    assert!(!added.is_empty() && added.rules_added.is_empty() && added.rules_removed.is_empty());
    let removed = diff(more_lines, base);
    assert_eq!((&removed.lines_added[..], &removed.lines_removed[..]), (&[][..], &[sitemap][..]));
    assert!(!removed.is_empty());
}

/// Other lines of the record are also compared, in their canonical spelling. [diff.rules]
#[test]
fn lines_are_compared_in_canonical_spelling() {
    let changed = diff("User-agent: *\nCrawl-delay: 5\n", "User-agent: *\nCrawl-delay: 7\n");
    let line = |value: &str| ChangedLine { name: "Crawl-delay".into(), value: value.into() };
    assert_eq!((changed.lines_added, changed.lines_removed), (vec![line("7")], vec![line("5")]));
    assert!(diff("User-agent: *\ncrawl-DELAY: 5\n", "User-agent: *\nCrawl-delay: 5.0\n").is_empty());
}

/// The paths of the flips between two files for all agents, and whether each is now allowed.
#[track_caller]
fn flips(old: &str, new: &str) -> Vec<(String, bool)> {
    let file = |rules: &str| format!("User-agent: *\n{rules}");
    let diff = diff(&file(old), &file(new));
    diff.flips.iter().map(|flip| (flip.path.clone(), flip.allowed)).collect()
}

fn one(path: &str, allowed: bool) -> Vec<(String, bool)> {
    vec![(path.to_owned(), allowed)]
}

/// Other rules decide all likely URLs, and the rest of the path is free. [diff.flips] [diff.witness]
#[test]
fn a_flip_is_found_behind_a_star() {
    let likely = "Disallow: /x\nDisallow: /b\nDisallow: /7\nDisallow: //\nDisallow: /r\n";
    assert_eq!(flips(likely, &format!("{likely}Disallow: /*b$\n")), one("/yb", false));
    let more = format!("{likely}Allow: /*c*b$\n");
    assert_eq!(flips(&more, &format!("{more}Disallow: /*b*b$\n")), one("/ybb", false));
    // A longer URL is tried if the shortest of each filling is decided by another rule.
    let ends = "Allow: /axb$\nAllow: /ab$\nAllow: /a7b$\nAllow: /a/y/b$\n";
    assert_eq!(flips(ends, &format!("{ends}Disallow: /a*b\n")), one("/axbx", false));
}

/// `/robots.txt` is always allowed, so a rule for it alone changes nothing. [diff.witness] [diff.same]
#[test]
fn a_change_without_effect_is_proven_to_have_none() {
    let same = |old: &str, new: &str, rules: usize| {
        let diff = diff(&format!("User-agent: *\n{old}"), &format!("User-agent: *\n{new}"));
        assert_eq!((diff.answers, diff.rules().count()), (Comparison::Same, rules), "{diff:?}");
        assert!(diff.rules().all(|rule| rule.witness == Witness::Impossible) && diff.flips.is_empty(), "{diff:?}");
        assert!(diff.is_empty(), "{diff:?}");
    };
    same("Disallow: /a\n", "Disallow: /a\n", 0);
    // The portable texts are equal.
    same("Disallow: /a\n", "Disallow: /a\nDisallow: /ab\nDisallow: /a*c$\n", 2);
    // The portable texts differ, but no URL shows a difference.
    same("Disallow: /b\n", "Disallow: /b\nDisallow: /robots.txt$\n", 1);
    // Without a rule that forbids, an added Allow has no effect.
    same("Allow: /a\n", "", 1);
    // One of two changes has an effect, the other does not.
    let diff = diff("User-agent: *\nDisallow: /a\n", "User-agent: *\nDisallow: /a\nDisallow: /ab\nDisallow: /c\n");
    let witnesses: Vec<_> = diff.rules().map(|rule| (rule.pattern.as_str(), rule.witness)).collect();
    assert_eq!(witnesses, [("/ab", Witness::Impossible), ("/c", Witness::Found)]);
    assert_eq!((diff.answers, diff.without_witness, diff.not_searched), (Comparison::Changed, 0, 0));
}

fn in_file_order(old: &str, new: &str) -> Diff {
    let options = Options { precedence: Precedence::FileOrder, ..Options::default() };
    let sieve = Sieve::new(["MyBot"]).options(options);
    let file = |rules: &str| format!("User-agent: *\n{rules}");
    let of = |input: &str| sieve.filter(input.as_bytes()).unwrap().records().clone().into_owned();
    Diff::of(&of(&file(old)), &of(&file(new)))
}

/// Under file order, a change of the order is a change of policy. [diff.order]
#[test]
fn a_change_of_order_matters_under_file_order() {
    let swapped = in_file_order("Allow: /a\nDisallow: /\n", "Disallow: /\nAllow: /a\n");
    assert_eq!((swapped.rules_added.len(), swapped.rules_removed.len(), swapped.rules_moved.len()), (0, 0, 1));
    let moved = &swapped.rules_moved[0];
    assert_eq!((moved.witness, &*swapped.flips[0].path, swapped.flips[0].allowed), (Witness::Found, "/a", false));
    assert!(!swapped.is_empty() && swapped.answers == Comparison::Changed);
    assert!(diff("User-agent: *\nAllow: /a\nDisallow: /\n", "User-agent: *\nDisallow: /\nAllow: /a\n").is_empty());

    // One rule moved past three others: only that one is reported.
    let old = "Disallow: /a\nAllow: /a/b\nAllow: /a/c\nAllow: /d\n";
    let one = in_file_order(old, "Allow: /a/b\nAllow: /a/c\nAllow: /d\nDisallow: /a\n");
    assert_eq!(
        one.rules_moved.iter().map(|rule| (&*rule.pattern, rule.old_line, rule.line)).collect::<Vec<_>>(),
        [("/a", at(2), at(5))]
    );
    // Rules without a common URL, and rules of one kind, can change places without effect.
    let apart = in_file_order("Allow: /a\nDisallow: /b\n", "Disallow: /b\nAllow: /a\n");
    assert_eq!((apart.rules_moved.len(), apart.answers), (1, Comparison::Same));
    assert!(apart.is_empty() && apart.rules_moved[0].witness == Witness::Impossible);
    let similar = in_file_order("Disallow: /a\nDisallow: /b\n", "Disallow: /b\nDisallow: /a\n");
    assert_eq!((similar.rules_moved.len(), similar.is_empty()), (0, true));
    // A rule that is hidden by another is not a change.
    let hidden = in_file_order("Disallow: /a\n", "Disallow: /a\nAllow: /a\nDisallow: /a\n");
    assert_eq!(hidden.rules().count(), 0, "{hidden:?}");
}

/// If the search for URLs takes too long, it stops and reports how many rules it has not searched; no change is lost.
/// [diff.work]
/// [bounds.diff]
#[test]
fn looking_for_flips_is_bounded() {
    // Each short URL costs one step in each file, one for each rule with stars, and one for each 16 bytes of their
    // literals.
    const STARS: usize = 499;
    let enough = Diff::MAX_FUEL / (2 * STARS + 2 + 2 * STARS * "000x".len() / 16);
    let base = "User-agent: *\n".to_owned() + &(0..STARS).map(|n| format!("Disallow: /*{n:03}x\n")).collect::<String>();
    let sieve = Sieve::new(["MyBot"]).with(|options| options.limits = Limits::NONE);
    let old = sieve.filter(base.as_bytes()).unwrap();
    let with = |prefix: &str, rules: usize| {
        let more: String = (0..rules).map(|n| format!("Disallow: /{prefix}{n:06}\n")).collect();
        let file = base.clone() + &more;
        let diff = Diff::of(old.records(), sieve.filter(file.as_bytes()).unwrap().records());
        assert_eq!((diff.rules_added.len(), diff.rules_removed.len()), (rules, 0));
        assert_eq!(diff.flips.len(), diff.rules().filter(|rule| rule.witness == Witness::Found).count());
        assert!(!diff.is_empty() && diff.answers == Comparison::Changed && diff.without_witness == 0);
        assert_eq!(diff.flips.len() + diff.not_searched, rules);
        diff.not_searched
    };
    for (rules, left) in [(enough - 1, 0), (enough, 0), (enough + 1, 1), (enough + 7, 7)] {
        assert_eq!(with("p", rules), left);
    }
    // A URL of 16 bytes counts twice, so the work is enough for little more than half as many.
    let half = Diff::MAX_FUEL / (2 * (2 * STARS + 2) + 2 * STARS * "000x".len() / 16);
    assert_eq!(with("long-path", enough), enough - half);
}

/// Rules with long literals cost more: fewer URLs are tried within the bound, and the remaining rules are counted.
/// [diff.work]
#[test]
fn long_literals_cost_more() {
    let literal = "z".repeat(400);
    let base: String = (0..200).map(|n| format!("Disallow: /*{literal}{n:03}\n")).collect();
    let more: String = (0..5_000).map(|n| format!("Disallow: /p{n:06}\n")).collect();
    let sieve = Sieve::new(["MyBot"]).with(|options| options.limits = Limits::NONE);
    let of = |rules: &str| {
        sieve.filter(format!("User-agent: *\n{rules}").as_bytes()).unwrap().records().clone().into_owned()
    };
    let diff = Diff::of(&of(&base), &of(&(base.clone() + &more)));
    let cost = 2 * 200 + 2 + 2 * 200 * 403 / 16;
    assert_eq!(diff.flips.len(), (Diff::MAX_FUEL / cost).min(5_000));
    assert_eq!(diff.flips.len() + diff.not_searched, 5_000);
}

/// Reported changes are printable ASCII, for any files. [harmless.bytes] [harmless.lines]
#[test]
fn reported_changes_are_harmless() {
    let evil = "\u{1b}[2J\0\u{9b}\u{7f}\u{202e}\u{2028}\u{e9}\u{85}\t\u{c}";
    let file = format!(
        "User-agent: *\nDisallow: /a{evil}b\nAllow: /{evil}$\nCrawl-delay: 1{evil}\nClean-param: a{evil} /{evil}\n\
         Content-Signal: a{evil}=b\nX{evil}: {evil}\nLicense: https://e.com/{evil}x\nSitemap: https://e.com/{evil}\nHost: {evil}\n"
    );
    for dialect in [Dialect::Standard, Dialect::Google, Dialect::Processor] {
        let of = |input: &str| {
            let options = Options { keep_unknown: true, ..dialect.options() };
            let sieve = Sieve::new(["MyBot"]).options(options);
            sieve.filter(input.as_bytes()).unwrap().records().clone().into_owned()
        };
        let (old, new) = (of(&file), of("User-agent: *\nDisallow: /z\n"));
        for diff in [Diff::of(&old, &new), Diff::of(&new, &old)] {
            let rules = diff.rules_added.iter().chain(&diff.rules_removed).map(|rule| rule.pattern.clone());
            let lines = diff.lines_added.iter().chain(&diff.lines_removed);
            let lines = lines.flat_map(|line| [line.name.clone(), line.value.clone()]);
            let reported: Vec<String> =
                rules.chain(lines).chain(diff.flips.iter().map(|flip| flip.path.clone())).collect();
            assert!(reported.len() > 6, "{reported:?}");
            for text in reported.iter().chain([&format!("{diff:?}")]) {
                assert!(text.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{text:?}");
            }
        }
    }
}
