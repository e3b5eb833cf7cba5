//! Every property, on every file of the corpus, in every dialect, with wide, tight and no limits.
//!
//! Invariant: a missing or empty folder fails. Findings of the fuzz targets are in `corpus/regression`. Each has a
//! test below, with its cause.

use std::path::Path;
use std::thread;

use robosieve::agent::AgentForm;
use robosieve::line::LineMeaning;
use robosieve::path::PathEncoding;
use robosieve::policy::Precedence;
use robosieve::report::FindingKind;
use robosieve::syntax::{DirectiveScope, Leniency, ValueForm, Vocabulary};
use robosieve::text::Newline;
use robosieve::{Dialect, Limits, Options, OverLimit, Parser, RuleKind, TextForm};

use crate::checked::{
    Choices, Property, changes, harmless, limits, lines, naive, parsing, port, scratch, text, verdicts,
};
use crate::files::files;

/// Files longer than this are tested with fewer choices.
const LONG: usize = 8_000;

const AGENTS: [&[&str]; 4] = [&["Googlebot"], &["MyBot"], &[], &["MyBot-Image", "ExampleBot", "Googlebot"]];

/// All limits at `n`, except those on bytes.
fn all_at(n: usize) -> Limits {
    Limits {
        max_bytes: Limits::DEFAULT.max_bytes,
        max_records: n,
        max_lines: n,
        max_user_agents: n,
        max_directive_length: n,
        max_name_length: n,
        max_value_length: n,
        max_wildcards: n,
    }
}

fn many_limits() -> [Limits; 5] {
    let tight = Limits {
        max_records: 4,
        max_user_agents: 5,
        max_lines: 3,
        max_value_length: 12,
        max_wildcards: 1,
        ..Limits::DEFAULT
    };
    let few = Limits { max_lines: 1, max_value_length: 5, max_wildcards: 0, max_name_length: 6, ..Limits::DEFAULT };
    [Limits::DEFAULT, all_at(0), all_at(1), tight, few]
}

/// The choices for the file with this number. All agents and orders are used in turn.
fn grid(number: usize, length: usize) -> Vec<Choices> {
    let mut grid = Vec::new();
    let bundles = [Dialect::Standard, Dialect::Google, Dialect::Processor].map(|dialect| (dialect, dialect.options()));
    for (dialect, options) in bundles.into_iter().chain([(Dialect::Standard, mixture(number))]) {
        for (at, limits) in many_limits().into_iter().enumerate() {
            let turn = number + at;
            let precedence = if turn % 5 == 4 { Precedence::FileOrder } else { Precedence::LongestMatch };
            let limits = if dialect == Dialect::Google && at == 0 { Limits::NONE } else { limits };
            let options = Options { limits, precedence, ..options.clone() };
            let mut choices = Choices::new(options, AGENTS.get(turn % AGENTS.len()).unwrap());
            choices.fallback = !turn.is_multiple_of(7);
            choices.newline = if turn.is_multiple_of(2) { Newline::Lf } else { Newline::Crlf };
            choices.form = if (number / 2 + at).is_multiple_of(2) { TextForm::Faithful } else { TextForm::Portable };
            choices.options.keep_unknown = turn.is_multiple_of(3);
            grid.push(choices);
        }
    }
    let step = if length > LONG { 4 } else { 1 };
    grid.into_iter().step_by(step).collect()
}

/// Choices that no dialect has, different for each number: those with two values, and the leniency.
fn mixture(number: usize) -> Options {
    let names = [Leniency::Generous, Leniency::Strict, Leniency::Processor, Leniency::Prefix, Leniency::Common];
    let vocabulary = Vocabulary::new(names[number % names.len()]);
    let is_on = |bit: u32| (number.wrapping_mul(0x9E37_79B9) >> bit) & 1 == 1;
    let mut options = Options {
        vocabulary: vocabulary.with_directive("X-Throttle", DirectiveScope::Record, ValueForm::Text).unwrap(),
        union_of_agents: is_on(3),
        robots_txt_allowed: is_on(4),
        index_html: is_on(5),
        any_line_ends_run: is_on(6),
        ..Options::default()
    };
    options.lines.fold = is_on(7);
    options.lines.keep_trailing_spaces = is_on(8);
    options.paths.complement_leading_slash = is_on(9);
    options.paths.escaped_wildcard = is_on(10);
    options.paths.decode_wildcard = is_on(11);
    options
}

/// Prints the file and the choices that a property failed on.
struct Context<'c>(&'c Path, &'c Choices);

impl Drop for Context<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("on {}, with {:#?}", self.0.display(), self.1);
        }
    }
}

#[track_caller]
fn holds(property: Property) {
    for (number, (path, input)) in files().iter().enumerate() {
        for choices in grid(number, input.len()) {
            let _context = Context(path, &choices);
            property(input, &choices);
        }
    }
}

/// [input.bytes]
#[test]
fn parsing_is_total() {
    holds(parsing::is_total);
}

/// [input.records]
#[test]
fn records_one_by_one_are_those_of_the_file() {
    holds(parsing::record_by_record);
}

/// [logical.span] [line.number]
#[test]
fn lines_are_the_whole_file_once() {
    holds(lines::cover);
}

/// [logical.same] [logical.meaning] [logical.group] [logical.kept] [logical.findings]
#[test]
fn lines_are_those_of_the_set() {
    holds(lines::agree);
}

/// [input.chunks]
#[test]
fn chunks_have_the_records_of_the_file() {
    holds(parsing::in_chunks);
}

/// [line.vectors]
#[test]
fn vectors_change_nothing() {
    holds(parsing::without_vectors);
}

/// [input.directed]
#[test]
fn reading_for_some_agents_is_filtering_early() {
    holds(parsing::directed);
}

/// [input.owned]
#[test]
fn an_owned_set_is_the_same() {
    holds(parsing::owned);
}

/// [scratch.same]
#[test]
fn a_scratch_changes_no_result() {
    holds(scratch::same);
}

/// [text.form]
#[test]
fn the_text_has_its_form() {
    holds(text::form);
}

/// [text.idempotent]
#[test]
fn the_text_is_canonical() {
    holds(text::idempotent);
}

/// [text.parse]
#[test]
fn the_text_reads_back() {
    holds(text::reads_back);
}

/// [text.once]
#[test]
fn the_text_says_nothing_twice() {
    holds(text::says_once);
}

/// [limit.after-normalising]
#[test]
fn limits_hold_in_the_text() {
    holds(limits::hold_in_the_text);
}

/// [report.bounded]
#[test]
fn reports_stay_small() {
    holds(limits::report_is_bounded);
}

/// [over-limit.refuse]
#[test]
fn refusing_and_dropping_agree() {
    holds(limits::refusing);
}

/// [report.exact]
#[test]
fn an_exact_report_is_true() {
    holds(verdicts::exact);
}

/// [report.exact], [text.all-agents]
#[test]
fn an_exact_report_is_true_for_all_agents() {
    holds(verdicts::exact_for_all_agents);
}

/// [text.values] [value.agents]
#[test]
fn the_text_for_all_agents_has_the_values_of_each() {
    holds(verdicts::values_for_all_agents);
}

/// [url.path]
#[test]
fn a_path_has_one_answer_in_any_url() {
    holds(verdicts::urls_of_any_kind);
}

/// [over-limit.widen]
#[test]
fn widening_never_permits_more() {
    holds(verdicts::widening);
}

/// [over-limit.widen], [text.all-agents]
#[test]
fn widening_never_permits_more_for_all_agents() {
    holds(verdicts::widening_for_all_agents);
}

/// [url.path], [path.match], [path.encode], [path.decode], [path.stars]
#[test]
fn the_tester_agrees_with_a_naive_one() {
    holds(naive::agrees);
}

/// The rules as the files contain them, before the library reads them. [url.path] [path.encode] [path.decode]
/// [path.stars] [path.slash] [path.literal] [path.decode-wildcard] [path.match] [rule.longest] [rule.file-order]
#[test]
fn rules_as_written_agree_with_a_naive_tester() {
    let mut tried = 0;
    for (number, (path, input)) in files().iter().enumerate() {
        let written = rules_as_written(input);
        for (at, rules) in written.chunks(8).enumerate().take(40) {
            let choices = grid(number + at, 0).swap_remove((number + at) % 20);
            let _context = Context(path, &choices);
            if rules.iter().map(|rule| rule.1.len()).sum::<usize>() < 4_000 {
                naive::agrees_on(rules, &choices, &[b"/a%2fb*c".to_vec(), b"/$#*".to_vec()]);
                tried += rules.len();
            }
        }
    }
    assert!(tried > 1_000, "only {tried} rules were tried");
}

/// The rules of a file that every reader reads in the same way.
fn rules_as_written(file: &[u8]) -> Vec<naive::Written> {
    let mut rules = Vec::new();
    for line in file.split(|byte| matches!(byte, b'\r' | b'\n')) {
        for (name, kind) in [("Allow:", RuleKind::Allow), ("Disallow:", RuleKind::Disallow)] {
            let value = line.strip_prefix(name.as_bytes()).map(<[u8]>::trim_ascii);
            let is_plain = |byte: &u8| !matches!(byte, b'#' | 0 | b' ' | b'\t' | 0x0b | 0x0c);
            rules.extend(value.filter(|value| value.iter().all(is_plain)).map(|value| (kind, value.to_vec())));
        }
    }
    rules
}

/// [harmless.bytes] [harmless.lines] [harmless.urls]
#[test]
fn the_output_is_harmless() {
    holds(harmless::output);
}

/// [google.line] [google.name] [google.agent] [google.path] [google.index-html]
#[test]
fn a_port_of_googles_parser_agrees() {
    for (number, (path, input)) in files().iter().enumerate() {
        let choices = Choices::new(Options::default(), AGENTS[number % AGENTS.len()]);
        let _context = Context(path, &choices);
        port::agrees(input, &choices);
    }
}

/// The standard's choices, within some limits.
fn within(limits: Limits) -> Choices {
    Choices::new(Options { limits, ..Options::default() }, &["MyBot"])
}

/// [input.records], [limit.records]
///
/// Findings after the last record were in no part: a lost record was not reported.
#[test]
fn a_lost_record_at_the_end_is_reported() {
    let file = include_bytes!("../../corpus/regression/record-over-limit-last.txt");
    parsing::record_by_record(file, &within(Limits { max_records: 1, ..Limits::DEFAULT }));
    parsing::record_by_record(b"Disallow: /\n", &within(Limits::DEFAULT));
}

/// [text.idempotent], [limit.lines]
///
/// The `Disallow:` in the text of a record without rules took the place of one of its other lines.
#[test]
fn an_empty_rule_takes_no_place() {
    let file = include_bytes!("../../corpus/regression/only-extensions.txt");
    text::idempotent(file, &within(Limits { max_lines: 1, ..Limits::DEFAULT }));
}

/// [limit.lines], [over-limit.widen]
///
/// The extension lines of a record already reached the limit. The `Disallow: /` for its lost rules then exceeded it.
#[test]
fn disallowing_everything_stays_within_the_limit() {
    let file = include_bytes!("../../corpus/regression/extensions-before-a-lost-rule.txt");
    let choices = within(Limits { max_lines: 2, ..Limits::DEFAULT }).over_limit(OverLimit::Widen);
    limits::hold_in_the_text(file, &choices);
    text::idempotent(file, &choices);
}

/// [text.values], [text.idempotent], [limit.records]
///
/// Values split one record into two groups. The text then had more groups than `max_records`, and its reader lost one.
#[test]
fn values_make_no_more_groups_than_max_records() {
    let file = include_bytes!("../../corpus/regression/values-over-max-records.txt");
    for max_records in 0..4 {
        text::idempotent(file, &within(Limits { max_records, ..Limits::DEFAULT }));
    }
}

/// [text.parse], [text.idempotent], [ext.unknown]
///
/// An unknown line before the first record was written after the last one, and parsed back as a line of that record.
#[test]
fn an_unknown_line_before_records_does_not_move_into_one() {
    let file = include_bytes!("../../corpus/regression/unknown-before-records.txt");
    let mut choices = within(Limits::DEFAULT);
    choices.options.keep_unknown = true;
    text::reads_back(file, &choices);
    text::idempotent(file, &choices);
}

/// [logical.not-read], [input.utf16], [input.incomplete]
///
/// The last line of a file that ends within a character is not read. It was said to be empty, and to be continued.
#[test]
fn a_last_line_that_is_not_whole_is_not_read() {
    let file = include_bytes!("../../corpus/regression/half-a-character-after-a-fold.txt");
    lines::agree(file, &within(Limits::DEFAULT));
    let rest = Parser::new(Options { complete: false, ..Options::default() });
    let listed = rest.parse_lines(b"User-agent: *\nDisallow: /x");
    let meanings: Vec<_> = listed.iter().map(|line| line.meaning()).collect();
    assert_eq!(meanings, [LineMeaning::UserAgent, LineMeaning::NotRead]);
}

/// [text.idempotent], [portable.stars]
///
/// The stars of a rule kept it above an Allow that was then left out. A second text had fewer.
#[test]
fn fewer_rules_need_fewer_stars() {
    let file = include_bytes!("../../corpus/regression/stars-after-fewer-rules.txt");
    let choices = Choices { form: TextForm::Portable, ..within(Limits { max_wildcards: 1000, ..Limits::DEFAULT }) };
    text::idempotent(file, &choices);
    let sieved = choices.sieve().run(file).unwrap();
    assert_eq!(sieved.text().as_str(), "User-agent: *\nDisallow: ***q\nAllow: /bb\nDisallow: /\n");
}

/// [input.incomplete], [input.chunks], [line.fold]
///
/// A line that could be continued was left out although the line below it shows that it is whole. A file in chunks kept
/// it.
#[test]
fn only_the_last_line_could_go_on() {
    let file = include_bytes!("../../corpus/regression/two-lines-that-could-go-on.txt");
    let mut choices = within(Limits::DEFAULT);
    choices.options.complete = false;
    parsing::in_chunks(file, &choices);
    for indented in ["Disallow:\n  # c\n", "Disallow:\n  /x\n", "Disallow:\n  Allow: /x\n", "Allow:\n \n\tAllow:\r\r\n"]
    {
        parsing::in_chunks(format!("User-agent: *\nDisallow: /x\n{indented}").as_bytes(), &choices);
    }
    let listed = choices.parser().parse_lines(file);
    let unread: Vec<_> = listed.iter().filter(|line| line.meaning() == LineMeaning::NotRead).collect();
    assert_eq!(unread.iter().map(robosieve::line::LogicalLine::number).collect::<Vec<_>>(), [4]);
}

/// [text.all-agents], [report.exact]
///
/// Merging two records of the same agent moved the second in front of a record that both agents share. Under file
/// order, another rule then came first.
#[test]
fn in_file_order_no_record_moves_in_front_of_another() {
    let file = include_bytes!("../../corpus/regression/records-around-a-shared-agent.txt");
    let mut choices = within(Limits::DEFAULT);
    choices.options.precedence = Precedence::FileOrder;
    verdicts::exact_for_all_agents(file, &choices);
    text::idempotent(file, &choices);
}

/// [over-limit.widen], [text.all-agents]
///
/// A Disallow that was cut in a shared record lost to an Allow in another record of one of its agents. Only the
/// shared record had been checked.
#[test]
fn a_widened_rule_outranks_in_every_record_of_its_agents() {
    let file = include_bytes!("../../corpus/regression/widened-in-a-shared-record.txt");
    verdicts::widening_for_all_agents(file, &within(Limits { max_wildcards: 0, ..Limits::DEFAULT }));
}

/// [over-limit.widen], [google.index-html]
///
/// The `/dir/$` that `Allow: /dir/index.html` implies ranks lower than the Allow itself, but it won over a cut
/// Disallow.
#[test]
fn an_implied_directory_does_not_win_over_a_widened_rule() {
    let file = include_bytes!("../../corpus/regression/index-html-above-a-widened-rule.txt");
    let mut choices = within(Limits { max_wildcards: 1, ..Limits::DEFAULT });
    choices.options = Options { limits: choices.options.limits, ..Dialect::Google.options() };
    verdicts::widening(file, &choices);
}

/// [text.once], [text.parse], [google.index-html]
///
/// A repeated Allow of an index page was replaced by the directory that it implies, although the first one already
/// implies it.
#[test]
fn a_repeated_index_page_adds_no_rule() {
    let file = include_bytes!("../../corpus/regression/index-html-twice.txt");
    for precedence in [Precedence::LongestMatch, Precedence::FileOrder] {
        let options = Options { precedence, ..Dialect::Google.options() };
        let choices = Choices::new(options, &["MyBot"]);
        text::reads_back(file, &choices);
        text::says_once(file, &choices);
    }
}

/// [over-limit.widen]
///
/// If a limit lost all applicable records, the text had no record, and so allowed everything.
#[test]
fn widening_disallows_everything_if_all_records_are_lost() {
    let file = include_bytes!("../../corpus/regression/nobody-left.txt");
    let default = Limits::DEFAULT;
    for limits in [
        Limits { max_user_agents: 0, ..default },
        Limits { max_records: 0, ..default },
        Limits { max_name_length: 0, ..default },
        Limits { max_directive_length: 9, ..default },
        Limits { max_bytes: 5, ..default },
    ] {
        verdicts::widening(file, &within(limits));
    }
}

/// [google.line], [text.idempotent]
///
/// A line that Google's parser reads as a whole could become a line that it cuts, because bytes outside ASCII are
/// escaped.
#[test]
fn no_line_of_a_text_is_longer_than_google_reads() {
    let file = include_bytes!("../../corpus/regression/google-line-grows.txt");
    let choices = Choices::new(Dialect::Google.options(), &["MyBot"]);
    text::idempotent(file, &choices);
    verdicts::exact(file, &choices);
}

/// [text.values] [google.line]
///
/// Not a bug of the library: escapes make the value of an unknown line longer than a line that Google's parser reads, so
/// the text leaves it out, and reports it. The property did not count that as a loss, and found it for a group with an
/// empty name, which names the agent with an empty name there.
#[test]
fn a_value_that_no_line_can_hold_is_a_loss() {
    let file = include_bytes!("../../corpus/regression/google-value-grows.txt");
    let mut options = Dialect::Google.options();
    options.keep_unknown = true;
    let choices = Choices::new(options, &[""]);
    let sieved = choices.sieve_all().run(file).unwrap();
    assert_eq!(sieved.text().as_str(), "User-agent:\nDisallow:\n");
    assert_eq!(sieved.report().count(robosieve::report::FindingKind::ValueTooLong), 1);
    verdicts::values_for_all_agents(file, &choices);
}

/// [value.blanks]
///
/// A tab between the parts of a value was percent-encoded before the value was read, which made the value invalid.
#[test]
fn a_tab_separates_the_parts_of_a_value() {
    let file = include_bytes!("../../corpus/regression/tab-in-a-value.txt");
    let sieved = within(Limits::DEFAULT).sieve().run(file).unwrap();
    let expected = "User-agent: *\nDisallow:\nRequest-rate: 1/10 0600-0845\n\nClean-param: a&b /x\n";
    assert_eq!(sieved.text().as_str(), expected);
}

/// [google.line] [google.name]
///
/// Not a bug of the library: the port keeps the vertical tab in front of a line without a comment, reads the line as
/// one with an empty name, and ends the run of user-agents there. The property removed only what Rust calls ASCII
/// white space.
#[test]
fn a_vertical_tab_is_a_blank_to_google() {
    let file = include_bytes!("../../corpus/regression/vertical-tab-and-no-name.txt");
    port::agrees(file, &Choices::new(Options::default(), &["MyBot"]));
}

/// [limit.wildcards], [text.idempotent], [path.decode-wildcard]
///
/// A star decoded from `%2A` was not counted if the value had no star otherwise. The rule was within the limit, but
/// its text exceeded it.
#[test]
fn a_decoded_star_counts_as_one() {
    let file = include_bytes!("../../corpus/regression/decoded-stars.txt");
    for max_wildcards in 0..=3 {
        let mut choices = within(Limits { max_wildcards, ..Limits::DEFAULT });
        choices.options.paths.decode_wildcard = true;
        for escaped_wildcard in [false, true] {
            choices.options.paths.escaped_wildcard = escaped_wildcard;
            text::idempotent(file, &choices);
            let set = choices.parser().parse(file);
            let kept = set.records().flat_map(|record| record.rules()).count();
            assert_eq!(kept, max_wildcards, "rules of one, two and three stars are kept up to {max_wildcards}");
        }
    }
}

/// [text.form] [text.idempotent] [text.parse]
///
/// Google's encoding keeps blanks in paths. If trailing blanks are kept, a line other than a rule ended with one.
#[test]
fn no_line_ends_in_a_blank() {
    let file = include_bytes!("../../corpus/regression/blank-behind-a-path.txt");
    for encoding in [PathEncoding::Google, PathEncoding::Standard] {
        let mut choices = within(Limits::DEFAULT);
        choices.options.lines.keep_trailing_spaces = true;
        choices.options.paths.encoding = encoding;
        text::form(file, &choices);
        text::idempotent(file, &choices);
        text::reads_back(file, &choices);
    }
}

/// [text.idempotent] [limit.directive-length] [field.missing-colon]
///
/// A user-agent line without a colon was read if the limit has no room for the name, and the text was not.
#[test]
fn a_bare_user_agent_has_the_length_of_its_name() {
    let file = include_bytes!("../../corpus/regression/bare-user-agent-over-a-limit.txt");
    let name = "User-agent".len();
    for max_directive_length in [8, name - 1, name, name + 1] {
        let mut choices = within(Limits { max_directive_length, ..Limits::DEFAULT });
        (choices.options.agents, choices.options.any_line_ends_run) = (AgentForm::Google, true);
        text::idempotent(file, &choices);
        let lost = choices.sieve_all().run(file).unwrap().report().count(FindingKind::DirectiveTooLong);
        assert_eq!(lost > 0, max_directive_length < name, "{max_directive_length}");
    }
}

/// [diff.flips] [diff.same]
#[test]
fn a_comparison_proves_what_it_says() {
    holds(changes::proven);
}

/// [field.missing-colon], [logical.meaning]
///
/// A user-agent line without colon and value was a line without a field among the logical lines, although it began a
/// group.
#[test]
fn a_bare_user_agent_line_begins_a_group() {
    let file = include_bytes!("../../corpus/regression/bare-user-agent.txt");
    let lines = Parser::default().parse_lines(file);
    let first = lines.line_at(1).unwrap();
    assert_eq!(
        (first.meaning(), first.name(), first.value()),
        (LineMeaning::UserAgent, Some("User-agent".into()), Some("".into()))
    );
    assert_eq!(first.group(), Some(1));
}
