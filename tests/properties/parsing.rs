//! Parsing a file: it is total, and all ways to parse give the same result.

use robosieve::Tester;
use robosieve::records::{ExtensionLine, RecordSet, Rule, Selection};
use robosieve::report::Effect;
use robosieve::settings::{OverLimit, TextForm};

use super::{Choices, urls};

/// `[input.bytes]`: any bytes are read, and filtered under Drop, without failing; lines are numbered from 1 in file order.
pub fn is_total(input: &[u8], choices: &Choices) {
    let choices = choices.over_limit(OverLimit::Drop);
    let set = choices.parser().parse(input);
    for record in set.records() {
        assert!(!record.agents().is_empty(), "a record has no agents");
        assert!(record.rules().is_sorted_by_key(Rule::line), "rules out of order");
        assert!(record.extensions().is_sorted_by_key(ExtensionLine::line), "extension lines out of order");
        assert!(record.agents().iter().all(|agent| agent.line().is_some()), "a user-agent on no line");
    }
    assert!(choices.sieve().filter(input).is_ok(), "dropping refused a file");
    assert!(choices.sieve_all().filter(input).is_ok(), "dropping refused a file for all agents");
}

/// `[line.vectors]`: with and without vector instructions, every file is parsed to the same set.
pub fn without_vectors(input: &[u8], choices: &Choices) {
    for parser in [choices.parser(), choices.parser().for_agents(choices.interest())] {
        assert_eq!(parser.clone().without_vectors().parse(input), parser.parse(input), "vectors give another result");
    }
}

/// `[input.directed]`: parsing for some agents and then filtering gives the same text and verdicts as parsing for all
/// agents and then filtering. A set for all agents may lose lines of other agents, and does not know which agents a
/// lost line was for. Then widening and refusing are on the safe side.
pub fn directed(input: &[u8], choices: &Choices) {
    let interest = choices.interest();
    let all = choices.parser().parse(input);
    let few = choices.parser().for_agents(interest.clone()).parse(input);
    let losses = |set: &RecordSet<'_>| {
        let selection = Selection::of(set, &interest);
        [Effect::MorePermissive, Effect::MoreRestrictive, Effect::Either]
            .map(|effect| selection.report().losses(effect))
    };
    if choices.options.over_limit != OverLimit::Drop && losses(&all) != losses(&few) {
        return;
    }
    let (from_all, from_few) = match (all.filter_for(&interest), few.filter_for(&interest)) {
        (Ok(all), Ok(few)) => (all, few),
        (Err(_), Err(_)) => return,
        (all, few) => panic!("one is refused: undirected {:?}, directed {:?}", all.err(), few.err()),
    };
    assert_eq!(from_all.1, from_few.1, "other records apply");
    let text = |set: &RecordSet<'_>| set.to_text(TextForm::Faithful).0;
    assert_eq!(text(&from_all.0), text(&from_few.0), "texts differ");
    let sieve =
        choices.sieve().with(|options| (options.form, options.crlf) = (TextForm::Faithful, choices.options.crlf));
    assert_eq!(sieve.filter(input).unwrap().text(), text(&from_few.0), "the filter in place has another text");
    let testers = (Tester::new(&all, &interest), Tester::new(&few, &interest));
    for url in urls::for_set(&all) {
        let verdicts = (testers.0.is_allowed(&url), testers.1.is_allowed(&url));
        assert_eq!(verdicts.0, verdicts.1, "verdicts differ on {:?}", String::from_utf8_lossy(&url));
    }
}

/// `[input.owned]`: a set that no longer borrows from its input is the same set.
pub fn owned(input: &[u8], choices: &Choices) {
    let set = choices.parser().parse(input);
    assert_eq!(set.clone().into_owned(), set, "the copy differs");
}
