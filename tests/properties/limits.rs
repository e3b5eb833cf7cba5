//! Limits: the output is within them, and their effect is reported.

use robosieve::Sieved;
use robosieve::report::{FindingKind, Report};
use robosieve::settings::{OverLimit, PathForm};

use super::Choices;

/// `[limit.after-normalising]`, `[limit.bytes]`: the text exceeds no limit.
pub fn hold_in_the_text(input: &[u8], choices: &Choices) {
    for sieve in [choices.sieve(), choices.sieve_all()] {
        let Ok(sieved) = sieve.filter(input) else { continue };
        check_text(&sieved, choices);
    }
}

/// The user-agent lines of a record for some agents, the empty record and its empty `Disallow:` are part of the form of a text, so they may exceed limits. So may the
/// `Disallow: /` of a file that is not whole.
fn check_text(sieved: &Sieved<'_>, choices: &Choices) {
    let limits = &choices.options.limits;
    let is_whole = choices.options.complete && sieved.report().count(FindingKind::InputIncomplete) == 0;
    let text = sieved.text();
    let end = if choices.crlf { 2 } else { 1 };
    let own = choices.own_name().map(|own| own.to_ascii_lowercase());
    let least = "User-agent: *Disallow: /".len() + 2 * end;
    let least = least + own.as_ref().map_or(0, |own| "User-agent: ".len() + own.len() + end);
    assert!(text.len() <= limits.max_bytes.max(least), "{} bytes, over max_bytes: {text:?}", text.len());
    let (mut agents, mut records) = (0_usize, 0_usize);
    for part in text.replace("\r\n", "\n").split("\n\n") {
        let mut lines = 0_usize;
        records += usize::from(part.starts_with("User-agent:"));
        for line in part.lines() {
            let (name, value) = line.split_once(':').unwrap();
            let value = value.trim_start();
            match name {
                "User-agent" => {
                    if own.as_deref() == Some(value) {
                        continue;
                    }
                    agents += 1;
                    assert!(value == "*" || value.len() <= limits.max_name_length, "{line:?} is over max_name_length");
                    continue;
                }
                "Disallow" if value == "/" && !is_whole => {}
                "Disallow" | "Allow" => {
                    let stars = count_stars(value, choices.options.paths);
                    assert!(stars <= limits.max_wildcards, "{line:?} is over max_wildcards");
                    assert!(value.len() <= limits.max_value_length, "{line:?} is over max_value_length");
                }
                _ => {
                    assert!(name.len() <= limits.max_directive_length, "{line:?} is over max_directive_length");
                    assert!(value.len() <= limits.max_value_length, "{line:?} is over max_value_length");
                }
            }
            lines += usize::from(line != "Disallow:" && (is_whole || line != "Disallow: /"));
        }
        assert!(lines <= limits.max_lines, "over max_lines: {part:?}");
    }
    assert!(records <= limits.max_records.max(1), "over max_records: {text:?}");
    assert!(agents <= limits.max_user_agents.max(1), "over max_user_agents: {text:?}");
}

fn count_stars(value: &str, form: PathForm) -> usize {
    let escaped = if form.escaped_wildcard { value.matches("%2A").count() } else { 0 };
    let runs = || value.split(|c| c != '*').map(str::len).filter(|&stars| stars > 0);
    (runs().count() + escaped).max(runs().max().unwrap_or(0))
}

/// `[report.bounded]`: a report keeps at most as many details as configured, and counts each. They are sorted by
/// line, and the numbers of losses add up.
pub fn report_is_bounded(input: &[u8], choices: &Choices) {
    let choices = choices.over_limit(OverLimit::Drop);
    for sieve in [choices.sieve(), choices.sieve_all()] {
        let sieved = sieve.filter(input).expect("dropping refuses nothing");
        check_report(sieved.report(), choices.options.max_details);
    }
    let set = choices.parser().parse(input);
    let report = set.report();
    assert!(report.details().len() <= choices.options.max_details, "too many details of the file");
}

fn check_report(report: &Report, max_details: usize) {
    let total = usize::try_from(report.total()).unwrap();
    let kept = report.details().len();
    assert!(kept <= max_details, "{kept} details");
    assert!(kept <= total, "{kept} details of {total} findings");
    assert!(
        max_details > Report::DEFAULT_DETAILS || kept == total.min(max_details),
        "{kept} details of {total}, capacity {max_details}"
    );
    assert!(report.details().is_sorted_by_key(|finding| finding.line), "details out of order");
    assert_eq!(report.is_exact(), report.first_loss().is_none(), "a loss is counted but not shown");
    let summed: u64 = report.counts().map(|(_, count)| count).sum();
    assert_eq!(summed, report.total(), "counts do not add up");
}

/// `[over-limit.refuse]`: a file is refused if, and only if, dropping would report a loss with an effect. If it is
/// not refused, its text is the same.
pub fn refusing(input: &[u8], choices: &Choices) {
    let (dropping, refusing) = (choices.over_limit(OverLimit::Drop), choices.over_limit(OverLimit::Refuse));
    for (drop, refuse) in [(dropping.sieve(), refusing.sieve()), (dropping.sieve_all(), refusing.sieve_all())] {
        let dropped = drop.filter(input).expect("dropping refuses nothing");
        match refuse.filter(input) {
            Ok(sieved) => {
                assert!(dropped.report().is_exact(), "not refused, but {:?}", dropped.report().first_loss());
                assert_eq!(sieved.text(), dropped.text(), "texts differ");
            }
            Err(refused) => assert!(!dropped.report().is_exact(), "refused without a loss: {refused}"),
        }
    }
}
