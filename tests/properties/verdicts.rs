//! Compares the verdicts of the text with those of the file.
//!
//! Invariant: file and text are always parsed without limits here, so all effects of limits are in the text.

use std::collections::BTreeSet;

use robosieve::records::{Directive, ExtensionLine, Parser, RecordSet, Selection};
use robosieve::report::FindingKind;
use robosieve::settings::{Interest, OverLimit, Style, TextForm};
use robosieve::{Sieve, Tester, Verdict};

use super::text::spelled_line;
use super::{Choices, urls};

/// The maximum number of agents of a file to test.
const AGENTS: usize = 12;

/// `[report.exact]`: if the report names no loss with an effect, the text, the tester of the filtered set and the
/// file give the same verdicts.
pub fn exact(input: &[u8], choices: &Choices) {
    let Ok(sieved) = choices.sieve().filter(input) else { return };
    if !sieved.report().is_exact() {
        return;
    }
    let unlimited = choices.unlimited();
    let file = unlimited.parser().parse(input);
    let text = unlimited.text_parser().parse(sieved.text().as_ref());
    let of_file = Tester::new(&file, &choices.interest());
    let of_text: Vec<_> = choices.readers().map(|reader| Tester::new(&text, &reader)).collect();
    let of_set = sieved.text_tester();
    for url in urls::for_set(&file) {
        let expected = of_file.is_allowed(&url);
        let shown = String::from_utf8_lossy(&url);
        let because = of_file.test(&url);
        for of_text in &of_text {
            let answer = of_text.is_allowed(&url);
            assert_eq!(answer, expected, "the text on {shown:?}: {because:?} in {:?}", sieved.text());
        }
        assert_eq!(of_set.is_allowed(&url), expected, "the filtered set on {shown:?}: {because:?}");
    }
}

/// `[verdict.once]`: one URL has the same verdict with a tester and without one, also if a name is in doubt, the file is
/// not whole, or a status decides.
pub fn once(input: &[u8], choices: &Choices) {
    // Each of these URLs reads the file again.
    let step = 1 + input.len() / 2_000;
    let sieves = [
        choices.sieve(),
        choices.sieve_all(),
        choices.sieve().with(|options| options.complete = false),
        Sieve::new(["MyBot (compatible; Googlebot; ExampleBot)"]).options(choices.options.clone()),
    ];
    let set = choices.parser().parse(input);
    let long = [b"/a".repeat(700), b"https://h/*".repeat(99)];
    let mut urls: Vec<Vec<u8>> = urls::for_set(&set).into_iter().step_by(step).chain(long).collect();
    urls.extend(["", "h", "http://h", "https://h/robots.txt#", "//h/a%2fb"].map(|url| url.as_bytes().to_vec()));
    for (sieve, over_limit) in sieves
        .iter()
        .flat_map(|sieve| [OverLimit::Drop, OverLimit::Widen, OverLimit::Refuse].map(|over_limit| (sieve, over_limit)))
    {
        let sieve = sieve.clone().with(|options| options.over_limit = over_limit);
        let tester = match sieve.tester(input) {
            Ok(tester) => tester.with_index(),
            Err(refused) => {
                assert_eq!(sieve.test(input, "/").unwrap_err(), refused);
                continue;
            }
        };
        // Under other policies than `Drop` the answer is that of a selection.
        for url in urls.iter().step_by(if over_limit == OverLimit::Drop { 1 } else { 5 }) {
            let (expected, found) = (tester.test(url), sieve.test(input, url).unwrap());
            let shown = String::from_utf8_lossy(url);
            assert_eq!(found.verdict(), expected, "{shown:?} under {over_limit:?}");
            assert_eq!(found.allowed(), expected.allowed(), "{shown:?} under {over_limit:?}");
        }
    }
    let interest = choices.interest();
    let (selection, tester) = (Selection::of(&set, &interest), Tester::of(&Selection::of(&set, &interest)));
    for url in &urls {
        assert_eq!(selection.test(url), tester.test(url), "a selection on {:?}", String::from_utf8_lossy(url));
    }
}

/// `[verdict.pass]`: in the standard dialect, one pass over a file answers as a tester does: for the agents, and for those
/// that the file names.
pub fn pass(input: &[u8], choices: &Choices) {
    let set = Parser::default().parse(input);
    let step = 1 + input.len() / 2_000;
    let urls: Vec<Vec<u8>> = urls::for_set(&set).into_iter().step_by(step).collect();
    let names = set.records().flat_map(|record| record.agents().iter());
    let names: Vec<String> = names.map(|agent| agent.name().to_string()).take(AGENTS).collect();
    let several = choices.agents.iter().chain(&names).cloned().collect();
    for agents in names.iter().map(|name| vec![name.clone()]).chain([choices.agents.clone(), several]) {
        let sieve = Sieve::new(&agents).fallback(choices.fallback);
        let tester = sieve.tester(input).unwrap();
        for url in &urls {
            let found = sieve.test(input, url).unwrap();
            let shown = (String::from_utf8_lossy(url), &agents);
            assert_eq!((found.verdict(), found.answered_by()), (tester.test(url), tester.answered_by()), "{shown:?}");
        }
    }
}

/// `[url.path]`, `[url.none]`: a path has the same verdict alone, after any scheme and host, and before any fragment.
pub fn urls_of_any_kind(input: &[u8], choices: &Choices) {
    let set = choices.parser().parse(input);
    let tester = Tester::new(&set, &choices.interest());
    for path in urls::for_set(&set) {
        let expected = tester.test(&path);
        for (before, after) in [
            ("http://h", ""),
            ("HTTPS://u:p@h.example:8080", "#/x?*"),
            ("//[::1]", "#"),
            ("", "#:///"),
            ("x-y+z://*", ""),
        ] {
            let url = [before.as_bytes(), &path, after.as_bytes()].concat();
            assert_eq!(tester.test(&url), expected, "{:?}", String::from_utf8_lossy(&url));
        }
        // The authority may be followed by something other than a slash.
        let (first, rest) = path.split_at(1);
        assert_eq!(first, b"/");
        if rest.starts_with(b"?") || rest.starts_with(b";") {
            for before in ["https://h", "//h:1"] {
                let url = [before.as_bytes(), rest].concat();
                assert_eq!(tester.test(&url), expected, "{:?}", String::from_utf8_lossy(&url));
            }
        }
    }
    for bare in ["//", "//h", "http://h", "http://h#/a"] {
        assert_eq!(tester.test(bare.as_bytes()), tester.test(b"/"), "{bare:?}");
    }
    // `[url.none]`; the Google dialect takes any string.
    for none in ["", "#", "h", ";p"] {
        let is_none = tester.test(none) == Verdict::NotAUrl;
        assert_eq!(is_none, set.options().paths.encoding == Style::Standard, "{none:?}");
    }
}

/// `[text.all-agents]`: if the report names no loss with an effect, the text of all records gives each agent the same
/// verdicts as the file.
pub fn exact_for_all_agents(input: &[u8], choices: &Choices) {
    let Ok(sieved) = choices.sieve_all().filter(input) else { return };
    if !sieved.report().is_exact() {
        return;
    }
    compare_all(input, choices, sieved.text(), |file, text| file == text);
}

/// `[text.values]`: if no value was lost, the faithful text of all records has for each agent the values of the file,
/// and so has the text for that agent.
pub fn values_for_all_agents(input: &[u8], choices: &Choices) {
    let mut choices = choices.unlimited();
    choices.form = TextForm::Faithful;
    let Ok(sieved) = choices.sieve_all().filter(input) else { return };
    // Values are left out, and reported, if they need too many copies, or a line that the dialect's reader would cut.
    if [FindingKind::ValueNotShared, FindingKind::ValueTooLong].iter().any(|kind| sieved.report().count(*kind) > 0) {
        return;
    }
    let file_set = choices.parser().parse(input);
    let text_set = choices.text_parser().parse(sieved.text().as_ref());
    for interest in interests(&file_set, &choices) {
        let said = said_to(&file_set, &interest);
        assert_eq!(said_to(&text_set, &interest), said, "to {:?} in {}", interest.agents, sieved.text());
        let sieve = Sieve::for_agents(interest.clone());
        let own = sieve.options(choices.options.clone()).filter(input).unwrap();
        let of_own = said_to(own.records(), &Choices::reader());
        assert_eq!(of_own, said, "to {:?} in {}", interest.agents, own.text());
    }
}

/// The values for some agents without duplicates, and only the longest of their delays.
fn said_to(set: &RecordSet<'_>, interest: &Interest) -> BTreeSet<String> {
    let selection = Selection::of(set, interest);
    let is_delay = |line: &&ExtensionLine<'_>| line.directive() == Directive::CrawlDelay;
    let values = selection.values();
    let lines = values.lines().iter().filter(|line| !is_delay(line)).map(|line| spelled_line(line));
    let delay = values.crawl_delay().map(|delay| format!("Crawl-delay: {delay}"));
    lines.chain(delay).collect()
}

/// `[over-limit.widen]`: what the widened text allows, the file allows. The same is true for a tester of the parsed
/// set.
pub fn widening(input: &[u8], choices: &Choices) {
    let choices = choices.over_limit(OverLimit::Widen);
    let Ok(sieved) = choices.sieve().filter(input) else { return };
    let unlimited = choices.unlimited();
    let file = unlimited.parser().parse(input);
    let text = unlimited.text_parser().parse(sieved.text().as_ref());
    let of_file = Tester::new(&file, &choices.interest());
    let of_text = Tester::new(&text, &Choices::reader());
    let of_set = sieved.text_tester();
    let limited = choices.parser().parse(input);
    let of_selection = Tester::new(&limited, &choices.interest());
    for url in urls::for_set(&file) {
        let shown = String::from_utf8_lossy(&url);
        let may = of_file.is_allowed(&url);
        assert!(may || !of_selection.is_allowed(&url), "a tester of the unfiltered set permits {shown:?}");
        assert!(may || !of_text.is_allowed(&url), "the text {:?} permits {shown:?}", sieved.text());
        assert!(may || !of_set.is_allowed(&url), "the filtered set permits {shown:?}");
    }
}

/// `[over-limit.widen]`: what the widened text of all records allows an agent, the file allows that agent.
pub fn widening_for_all_agents(input: &[u8], choices: &Choices) {
    let choices = choices.over_limit(OverLimit::Widen);
    let Ok(sieved) = choices.sieve_all().filter(input) else { return };
    compare_all(input, &choices, sieved.text(), |file, text| file || !text);
}

/// Compares the verdicts of the file with those of the text, agent by agent.
fn compare_all(input: &[u8], choices: &Choices, text: &str, holds: fn(bool, bool) -> bool) {
    let unlimited = choices.unlimited();
    let file_set = unlimited.parser().parse(input);
    let text_set = unlimited.text_parser().parse(text.as_bytes());
    let urls = urls::for_set(&file_set);
    for interest in interests(&file_set, choices) {
        let (of_file, of_text) = (Tester::new(&file_set, &interest), Tester::new(&text_set, &interest));
        for url in &urls {
            let verdicts = (of_file.is_allowed(url), of_text.is_allowed(url));
            assert!(
                holds(verdicts.0, verdicts.1),
                "{:?} on {:?}: the file allows {}, the text {} in {text:?}",
                interest.agents,
                String::from_utf8_lossy(url),
                verdicts.0,
                verdicts.1,
            );
        }
    }
}

/// The agents of the choices together, and some of the agents in the file, one by one.
fn interests(set: &RecordSet<'_>, choices: &Choices) -> Vec<Interest> {
    let names: BTreeSet<Vec<u8>> = set
        .records()
        .flat_map(|record| record.agents())
        .filter(|agent| !agent.is_everyone())
        .map(|agent| agent.name().to_ascii_lowercase())
        .collect();
    let step = names.len().div_ceil(AGENTS).max(1);
    let one = |name: &Vec<u8>| Interest::new([name]);
    let mut interests = vec![choices.interest(), Choices::reader()];
    interests.extend(names.iter().step_by(step).map(one));
    interests
}
