//! The logical lines of a file: they contain all of it once, as the parser read it.

use std::num::NonZeroU32;

use robosieve::Options;
use robosieve::lines::{FileLines, KeptPart, LineMeaning};
use robosieve::records::{Directive, Parser};
use robosieve::report::FindingKind;
use robosieve::settings::OverLimit;

use super::Choices;

/// `[logical.span]`, `[line.number]`: the lines are the whole input, in order, each byte and each physical line once.
/// Of a file that was decoded they are the text: `[input.utf16]`.
pub fn cover(input: &[u8], choices: &Choices) {
    let file = choices.parser().parse_lines(input);
    let is_decoded = file.report().count(FindingKind::Decoded) > 0;
    assert!(is_decoded || file.text() == input, "another text");
    let input = file.text();
    let (mut end, mut next) = (0, NonZeroU32::new(1));
    for line in file.iter() {
        assert_eq!((line.span().start, line.number()), (end, next), "a line begins elsewhere");
        assert!(line.span().end > end, "a line of no bytes");
        assert_eq!(line.bytes(), &input[line.span()]);
        let physical: Vec<&[u8]> = line.physical().collect();
        let (first, last) = line.numbers().into_inner();
        assert_eq!(physical.len(), (first.get()..=last.get()).count(), "another number of physical lines");
        assert!(physical.iter().all(|line| !line.iter().any(|byte| b"\r\n".contains(byte))), "a line end in a line");
        for number in first.get()..=last.get() {
            assert_eq!(file.line_at(NonZeroU32::new(number)).map(|it| it.number()), Some(line.number()));
        }
        (end, next) = (line.span().end, last.checked_add(1));
    }
    assert_eq!(end, input.len(), "the lines are not the whole input");
    let line_ends = input.iter().enumerate().filter(|&(at, byte)| match byte {
        b'\n' => at == 0 || input[at - 1] != b'\r',
        b'\r' => true,
        _ => false,
    });
    let is_ended = matches!(input.last(), None | Some(b'\r' | b'\n'));
    assert_eq!(
        next.map_or(0, NonZeroU32::get) as usize - 1,
        line_ends.count() + usize::from(!is_ended),
        "another number of lines"
    );
}

/// `[logical.same]`, `[logical.kept]`, `[logical.findings]`: the set is that of the parser. Its parts and its
/// findings are on the lines that they come from.
pub fn agree(input: &[u8], choices: &Choices) {
    let choices = choices.over_limit(OverLimit::Drop);
    let options = Options { max_details: usize::MAX, ..choices.options.clone() };
    let parsers = [choices.parser(), Parser::new(options)];
    for parser in parsers.iter().cloned().chain(parsers.iter().map(|it| it.clone().for_agents(choices.interest()))) {
        let file = parser.parse_lines(input);
        assert_eq!(
            (file.records(), file.report()),
            (&parser.parse(input), &parser.parse(input).report()),
            "another set"
        );
        holds_what_was_kept(&file);
    }
    // Nothing is reported about a group of other agents.
    let file = parsers[1].parse_lines(input);
    assert_eq!(file.iter().flat_map(|line| line.findings()).count() as u64, file.report().total());
    says_one_thing(&file);
}

fn holds_what_was_kept(file: &FileLines<'_>) {
    let set = file.records();
    let kept = |line| file.line_at(line).expect("it is on no line").kept();
    let mut parts = 0;
    for record in set.records() {
        for agent in record.agents() {
            assert_eq!(kept(agent.line()), Some(KeptPart::Agent(agent)));
        }
        for rule in record.rules() {
            assert_eq!(kept(rule.line()), Some(KeptPart::Rule(rule)));
        }
        for line in record.extensions() {
            assert_eq!(kept(line.line()), Some(KeptPart::Extension(line)));
        }
        parts += record.agents().len() + record.rules().len() + record.extensions().len();
    }
    for line in set.file_lines().iter().chain(set.lines_for_everybody()) {
        assert_eq!(kept(line.line()), Some(KeptPart::Extension(line)));
        parts += 1;
    }
    assert_eq!(file.iter().filter(|line| line.kept().is_some()).count(), parts, "more is kept of the lines");
    let details = file.report().details();
    assert_eq!(file.iter().flat_map(|line| line.findings()).count(), details.len(), "findings on no line");
}

/// `[logical.meaning]`, `[logical.group]`: what is kept of a line fits what it says. A continued line is reported.
fn says_one_thing(file: &FileLines<'_>) {
    for line in file.iter() {
        let has = |kind| line.findings().iter().any(|finding| finding.kind == kind);
        match (line.meaning(), line.kept()) {
            (LineMeaning::UserAgent, Some(KeptPart::Agent(_))) | (_, None) => {}
            (LineMeaning::Rule(kind), Some(KeptPart::Rule(rule))) => assert_eq!(rule.kind(), kind),
            (LineMeaning::Extension(directive), Some(KeptPart::Extension(kept))) => {
                assert_eq!(kept.directive(), directive);
            }
            (LineMeaning::UnknownField, Some(KeptPart::Extension(kept))) => {
                assert_eq!(kept.directive(), Directive::Unknown);
            }
            (meaning, kept) => panic!("{kept:?} of a line that is {meaning:?}"),
        }
        let is_loud = !matches!(line.meaning(), LineMeaning::NoField | LineMeaning::UnknownField);
        assert!(!line.is_continued() || !is_loud || has(FindingKind::FoldedLine), "continued in silence");
        assert!(line.is_continued() || !has(FindingKind::FoldedLine), "not continued");
        let is_unread = line.meaning() == LineMeaning::NotRead;
        assert!(is_unread || !has(FindingKind::InputCut), "read, though it was cut");
        let is_missing = has(FindingKind::InputCut) || has(FindingKind::InputIncomplete);
        assert!(is_missing || !is_unread, "not read, and no reason");
        let has_field = !matches!(
            line.meaning(),
            LineMeaning::Empty | LineMeaning::Comment | LineMeaning::NoField | LineMeaning::NotRead
        );
        assert_eq!((line.name().is_some(), line.value().is_some()), (has_field, has_field));
        if let group @ Some(_) = line.group() {
            let opens = file.line_at(group).expect("a group begins nowhere");
            assert_eq!((opens.number(), opens.meaning(), opens.group()), (group, LineMeaning::UserAgent, line.group()));
            assert!(group <= line.number());
        }
    }
}
