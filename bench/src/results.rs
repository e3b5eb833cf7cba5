//! What was measured, for people and for machines.
//!
//! Invariant: the fields of [`Results`] are the command's JSON, and their names don't change; the tables show the same
//! numbers.

use serde::Serialize;

use crate::SEED;
use crate::allocations::Allocations;
use crate::endure::{self, HostileRow, size};
use crate::files::Files;
use crate::measure::{Effort, Prepared, Verdicts, name};
use crate::race::Times;

/// All that is measured. Ratios are of CPU times taken in turn in one run.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// robotxt's time to parse for one agent, over that of filtering for one agent to canonical text.
    pub filter_vs_robotxt: f64,
    /// robotxt's time to parse for one agent, over that of parsing all records.
    pub parse_vs_robotxt: f64,
    /// robotxt's time for a verdict, over ours.
    pub verdict_vs_robotxt: f64,
    /// A verdict's time with 1,000 plain prefixes, over that with 10.
    pub verdict_1000_vs_10_rules: f64,
    /// Millions of octets a second that are filtered.
    pub filter_mb_s: f64,
    /// The filter's speed as a part of that of finding line ends, `#` and `:`.
    pub floor_fraction: f64,
    /// Filtering the slowest of the hostile files, faithful form.
    pub hostile_filter_ms_max: f64,
    /// The slowest verdict against 1,000 rules of ten stars, on a URL of 8 kB.
    pub hostile_verdict_ms_max: f64,
    /// 300,000 rules with wildcards: the slowest family's parse, tester and 100 verdicts, together.
    pub wild_300k_rules_s: f64,
    /// Allocations of a file's filter, on average; none if they could not be counted.
    pub allocations_per_file: Option<f64>,
    /// Making a tester of a set of all records, over parsing it.
    pub compile_vs_parse: f64,
    /// Filtering the slowest of the hostile files, portable form.
    pub hostile_portable_ms_max: f64,
    /// Filtering the slowest of the hostile files for all agents.
    pub hostile_all_agents_ms_max: f64,
    /// Filtering the slowest of the hostile files without any limit.
    pub hostile_no_limits_ms_max: f64,
    /// The slowest verdict on a URL of 100 kB.
    pub hostile_verdict_100kb_ms_max: f64,
    /// The 100 verdicts of `wild_300k_rules_s` alone, of the family where they are slowest.
    pub wild_300k_verdicts_s: f64,
    /// Instructions for each octet that is filtered, if valgrind was asked.
    pub instructions_per_byte: Option<f64>,
    /// The distribution of allocations.
    pub allocations: Option<Allocations>,
    /// Whether the files are `real` or `generated`.
    pub origin: &'static str,
    /// How many there are.
    pub files: usize,
    /// Their octets.
    pub octets: usize,
    /// How many verdicts were asked for.
    pub verdicts: usize,
    /// The part of them that robosieve and robotxt agree on.
    pub verdicts_agreed: f64,
    /// The part of them that is not allowed.
    pub verdicts_forbidden: f64,
    /// Rounds of reading, of verdicts, and of verdicts with 10 and 1,000 rules.
    pub rounds: [usize; 3],
    /// How much was done: `full`, `quick` (in few rounds), or `tiny` (figures mean nothing).
    pub effort: &'static str,
    /// From which random choices follow.
    pub seed: u64,
    /// On how many files robotstxt panics.
    pub robotstxt_panics: usize,
    /// On how many files `texting_robots` fails.
    pub texting_robots_failures: usize,
    /// Reading.
    pub reading: Vec<Row>,
    /// Verdicts.
    pub deciding: Vec<Row>,
    /// Verdicts with 10 and 1,000 rules.
    pub growth: Vec<Row>,
    /// Hostile files: milliseconds of the filter (faithful, portable, all agents, no limits) and of robotxt's parse.
    pub hostile_files: Vec<Hostile>,
    /// Rules of ten stars: milliseconds of a verdict on a URL of 8 kB, of 100 kB.
    pub hostile_verdicts: Vec<Hostile>,
    /// 300,000 rules: milliseconds of parse and tester, of 100 verdicts.
    pub wildcards: Vec<Hostile>,
}

/// A runner's median.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Who.
    pub name: &'static str,
    /// CPU nanoseconds of an octet read, or of a verdict.
    pub ns: f64,
    /// robotxt's time over this one's.
    pub vs_robotxt: f64,
}

/// A hostile family's medians.
#[derive(Clone, Debug, Serialize)]
pub struct Hostile {
    /// What it is.
    pub name: &'static str,
    /// CPU milliseconds.
    pub ms: Vec<f64>,
}

impl From<HostileRow> for Hostile {
    fn from(row: HostileRow) -> Self {
        Self { name: row.name, ms: row.ms }
    }
}

fn rows(times: &Times, reference: &str) -> Vec<Row> {
    let row = |name| Row { name, ns: times.seconds(name) * 1e9, vs_robotxt: times.ratio(reference, name) };
    times.names().map(row).collect()
}

/// The greatest number of a column.
fn most(rows: &[HostileRow], column: usize) -> f64 {
    rows.iter().filter_map(|row| row.ms.get(column)).copied().fold(0.0, f64::max)
}

impl Results {
    /// Measures all, and tells `progress` what comes next. Allocations are counted elsewhere.
    pub fn measure(files: &Files, effort: &Effort, mut progress: impl FnMut(&str)) -> Self {
        progress("what peers fail on");
        let prepared = Prepared::new(files, effort);
        progress("reading");
        let reading = prepared.reading(effort.rounds);
        progress("verdicts");
        let Verdicts { times: deciding, count, agreed, forbidden } = prepared.verdicts(effort.rounds);
        progress("verdicts with 10 and 1,000 rules");
        let growth = endure::growth(effort);
        progress("hostile files");
        let filters = endure::filters(effort);
        progress("hostile rules");
        let verdicts = endure::verdicts(effort);
        progress("300,000 rules");
        let wildcards = endure::wildcards(effort);
        let (robotstxt_panics, texting_robots_failures) = prepared.failures();
        Self {
            filter_vs_robotxt: reading.ratio(name::ROBOTXT, name::FILTER),
            parse_vs_robotxt: reading.ratio(name::ROBOTXT, name::PARSE),
            verdict_vs_robotxt: deciding.ratio(name::ROBOTXT, name::VERDICT),
            verdict_1000_vs_10_rules: growth.ratio(size::THOUSAND, size::TEN),
            filter_mb_s: 1e-6 / reading.seconds(name::FILTER),
            floor_fraction: reading.ratio(name::TOKENS, name::FILTER),
            hostile_filter_ms_max: most(&filters, 0),
            hostile_verdict_ms_max: most(&verdicts, 0),
            wild_300k_rules_s: wildcards.iter().map(|row| row.ms.iter().sum::<f64>() / 1e3).fold(0.0, f64::max),
            allocations_per_file: None,
            compile_vs_parse: reading.ratio(name::COMPILE, name::PARSE),
            hostile_portable_ms_max: most(&filters, 1),
            hostile_all_agents_ms_max: most(&filters, 2),
            hostile_no_limits_ms_max: most(&filters, 3),
            hostile_verdict_100kb_ms_max: most(&verdicts, 1),
            wild_300k_verdicts_s: most(&wildcards, 1) / 1e3,
            instructions_per_byte: None,
            allocations: None,
            origin: files.origin,
            files: files.contents.len(),
            octets: files.octets(),
            verdicts: count,
            verdicts_agreed: agreed,
            verdicts_forbidden: forbidden,
            rounds: [reading.rounds(), deciding.rounds(), growth.rounds()],
            effort: effort.name,
            seed: SEED,
            robotstxt_panics,
            texting_robots_failures,
            reading: rows(&reading, name::ROBOTXT),
            deciding: rows(&deciding, name::ROBOTXT),
            growth: rows(&growth, size::ROBOTXT_TEN),
            hostile_files: filters.into_iter().map(Hostile::from).collect(),
            hostile_verdicts: verdicts.into_iter().map(Hostile::from).collect(),
            wildcards: wildcards.into_iter().map(Hostile::from).collect(),
        }
    }

    /// The same, with what other programs counted.
    #[must_use]
    pub fn with_counts(self, allocations: Option<Allocations>, instructions_per_byte: Option<f64>) -> Self {
        let allocations_per_file = allocations.map(|counted| counted.filter.mean);
        Self { allocations_per_file, instructions_per_byte, allocations, ..self }
    }
}
