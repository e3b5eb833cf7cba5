//! The library's report, as messages and JSON; and whose group a tester uses, if it is not the one that the name alone
//! says.
//!
//! Invariant: what a message says comes from [`summary_lines`], or it is the whole report. It contains nothing of the
//! input. Whoever asks for a known crawler learns on the standard error that its owner documents another group, and which
//! flag reads the name alone.

use robosieve::Agents;
use robosieve::report::{FindingClass, Report};
use robosieve_ask::Plan;
#[cfg(any(feature = "batch", feature = "gate"))]
use robosieve_explain::Groups;
use robosieve_explain::{Crawler, Names, refusal, report_lines, summary_lines};
pub(crate) use robosieve_explain::{Who, exactness};
use serde::Serialize;

use crate::exit::{self, Failure};
use crate::json;
use crate::ndjson::Problem;
use crate::output::{Line, Named};
use crate::text::{Message, listed};

/// A few lines: whether the result is exact, then the first losses and suspects, if there are any. The file's name is
/// escaped already.
pub(crate) fn summary(file: &str, who: &Who, report: &Report) -> Message {
    message(file, summary_lines(who, report))
}

/// All counts, and all findings that the report kept in detail.
pub(crate) fn full(file: &str, who: &Who, report: &Report) -> Message {
    message(file, report_lines(who, report))
}

fn message(file: &str, lines: Vec<String>) -> Message {
    let mut lines = lines.into_iter();
    let mut message = Message::new(&format!("{file}: {}", lines.next().unwrap_or_default()));
    message.extend(lines);
    message
}

/// The report for machines, as a line of JSON.
pub(crate) fn json(file: &str, who: &Who, report: &Report) -> Vec<u8> {
    #[derive(Serialize)]
    struct Found<'r> {
        #[serde(flatten)]
        who: &'r Who,
        #[serde(flatten)]
        report: &'r Report,
    }
    // Writing to memory does not fail.
    json::line(&Line::of(Named::File(file), &Found { who, report })).unwrap_or_default()
}

/// Refuses the file of a request if --fail-on says so.
pub(crate) fn expect(report: &Report, fail_on: &[FindingClass]) -> Result<(), Problem> {
    refusal(report, true, fail_on).map_or(Ok(()), |why| Err(Problem::refused(why)))
}

/// Warns about losses to a limit, with their consequence, and about suspects, with what to do.
pub(crate) fn tell_doubts(file: &str, report: &Report, consequence: &str, advice: &str) {
    let exactness = exactness(report);
    if !report.is_exact() {
        exit::tell(&format!("{file}: {exactness}, so {consequence}"));
    } else if report.has_suspects() {
        exit::tell(&format!("{file}: {exactness}; the file is read as robots.txt anyway{advice}"));
    }
}

/// Refuses what is meant as a list of crawlers where each is named, and says which of the names are not read as they
/// stand.
pub(crate) fn expect_names<'n>(names: impl Iterator<Item = &'n str> + Clone, instead: &str) -> Result<(), Failure> {
    for name in names.clone() {
        let no_name = if LISTS.contains(&name) { Some(format!("`{name}` is a list")) } else { None };
        if let Some(why) = no_name.or_else(|| Crawler::no_name(name, &LISTS)) {
            return Err(Failure::Usage(format!("--agents: {why}: {instead}")));
        }
    }
    let cut = names.map(|name| Names::Plain.groups([name])).filter_map(|groups| groups.read_as_note());
    cut.for_each(|note| exit::tell(&note));
    Ok(())
}

/// The lists of crawlers that `census` has names for.
const LISTS: [&str; 2] = ["known", "named"];

/// What to do about it.
const PLAIN: &str = "--plain-names reads the name alone";

/// Says that another group of the file applies than by the name alone. The file's name is escaped already.
pub(crate) fn tell_documented(file: &str, who: &Who) {
    if let Some(note) = who.note() {
        exit::tell(&format!("{file}: {note}; {PLAIN}"));
    }
}

/// Says that other groups can apply than by the name alone, before any file is read.
#[cfg(any(feature = "batch", feature = "gate"))]
pub(crate) fn tell_known(groups: &Groups) {
    if let Some(note) = groups.note() {
        exit::tell(&format!("{note}; {PLAIN}"));
    }
}

/// Says which readers the texts are exact for, if an option changes what the file says.
pub(crate) fn tell_readers(plan: &Plan, agents: Option<Agents>) {
    let usual = Plan::default().for_agents(agents);
    if plan.options.precedence != usual.options.precedence {
        exit::tell("texts are exact for readers for whom the first rule that matches decides, as with --order file");
    }
    if !plan.known && !usual.all_agents && usual.groups.note().is_some() {
        exit::tell("texts are exact for readers of the name alone, as with --plain-names: the crawler itself is none");
    }
}

/// Says for which of many agents other groups apply than by their names alone. All names are escaped already.
pub(crate) fn tell_all(file: &str, documented: impl IntoIterator<Item = String>) {
    /// The number of names that are listed. Our choice.
    const MOST: usize = 10;
    let mut names: Vec<String> = documented.into_iter().collect();
    names.dedup();
    if !names.is_empty() {
        let names = listed(&names, MOST);
        exit::tell(&format!("{file}: groups as their owners document it, for {names}; {PLAIN}"));
    }
}
