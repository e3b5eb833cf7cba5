//! The results, for people and for programs.
//!
//! Invariant: the fields of [`Results`] are the command's JSON, and their names do not change. The tables show the same
//! numbers.

use serde::Serialize;

use crate::SEED;
use crate::allocations::Allocations;
use crate::classes::{self, ClassRow};
use crate::cpp::Program;
use crate::endure::{self, HostileRow, size};
use crate::files::Files;
use crate::measure::{Effort, Prepared, Verdicts, name};
use crate::race::Times;

/// All results. Ratios are of CPU times taken in turn in one run.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// robotxt's time to parse for one agent, divided by the time to filter for one agent to canonical text.
    pub filter_vs_robotxt: f64,
    /// robotxt's time to parse for one agent, divided by the time to parse all groups.
    pub parse_vs_robotxt: f64,
    /// The same for the filter's portable form.
    pub portable_vs_robotxt: f64,
    /// The same for the filter and robotxt's parse on the files below 2 kB.
    pub small_vs_robotxt: f64,
    /// robotxt's time for a verdict, divided by ours.
    pub verdict_vs_robotxt: f64,
    /// The time of a verdict with 1,000 plain prefixes, divided by that with 10.
    pub verdict_1000_vs_10_rules: f64,
    /// Millions of bytes filtered in a second.
    pub filter_mb_s: f64,
    /// The filter's speed, divided by the speed of finding line ends, `#` and `:`.
    pub floor_fraction: f64,
    /// The time to filter the files below 2 kB, divided by that with a `Scratch`.
    pub scratch_small_files: f64,
    /// The filter's time for a byte of the slowest hostile file, divided by that of the wild files.
    pub hostile_vs_wild: f64,
    /// The same, portable form, divided by that of the wild files in faithful form.
    pub hostile_portable_vs_wild: f64,
    /// The time of the slowest verdict against 1,000 rules of ten wildcards, on a URL of 8 kB, divided by that of a
    /// verdict against 1,000 plain rules.
    pub hostile_verdict_vs_plain: f64,
    /// Milliseconds to filter the slowest hostile file, faithful form.
    pub hostile_filter_ms_max: f64,
    /// Milliseconds of the slowest verdict against 1,000 rules of ten wildcards, on a URL of 8 kB.
    pub hostile_verdict_ms_max: f64,
    /// Seconds for 300,000 rules with wildcards: parsing, making a tester and 100 verdicts together, slowest family.
    pub wild_300k_rules_s: f64,
    /// The average number of allocations to filter a file; `None` if they could not be counted.
    pub allocations_per_file: Option<f64>,
    /// The time to make a tester from all groups, divided by the time to parse them. Its first URLs need no index.
    pub tester_vs_parse: f64,
    /// The same for a tester with its index.
    pub compile_vs_parse: f64,
    /// The speed of parsing a file and answering five URLs, divided by that of robotxt.
    pub few_verdicts_vs_robotxt: f64,
    /// Milliseconds to filter the slowest hostile file, portable form.
    pub hostile_portable_ms_max: f64,
    /// Milliseconds to filter the slowest hostile file for all agents.
    pub hostile_all_agents_ms_max: f64,
    /// Milliseconds to filter the slowest hostile file without limits.
    pub hostile_no_limits_ms_max: f64,
    /// Milliseconds of the slowest verdict on a URL of 100 kB.
    pub hostile_verdict_100kb_ms_max: f64,
    /// Seconds of the 100 verdicts in `wild_300k_rules_s` alone, slowest family.
    pub wild_300k_verdicts_s: f64,
    /// Instructions for each byte filtered, if valgrind counted them.
    pub instructions_per_byte: Option<f64>,
    /// The distribution of allocations.
    pub allocations: Option<Allocations>,
    /// Whether the files are `real` or `generated`.
    pub origin: &'static str,
    /// The number of files.
    pub files: usize,
    /// The number of bytes of all files.
    pub bytes: usize,
    /// The number of verdicts.
    pub verdicts: usize,
    /// The fraction of them on which robosieve and robotxt agree.
    pub verdicts_agreed: f64,
    /// The fraction of them that is not allowed.
    pub verdicts_forbidden: f64,
    /// The rounds of reading, of verdicts, and of verdicts with 10 and 1,000 rules.
    pub rounds: [usize; 3],
    /// How much was measured: `full`, `quick` (fewer rounds), or `tiny` (the figures mean nothing).
    pub effort: &'static str,
    /// The seed of all random choices.
    pub seed: u64,
    /// The number of files on which robotstxt panics.
    pub robotstxt_panics: usize,
    /// The number of files on which `texting_robots` fails.
    pub texting_robots_failures: usize,
    /// Files by size: nanoseconds to parse one, and to parse it for one URL and for five.
    pub classes: Vec<ClassRow>,
    /// Reading.
    pub reading: Vec<Row>,
    /// Verdicts.
    pub deciding: Vec<Row>,
    /// Verdicts with 10 and 1,000 rules.
    pub growth: Vec<Row>,
    /// Hostile files: milliseconds of the filter (faithful, portable, all agents, no limits) and of robotxt's parse.
    pub hostile_files: Vec<HostileRow>,
    /// Rules of ten wildcards: milliseconds of a verdict on a URL of 8 kB and of 100 kB.
    pub hostile_verdicts: Vec<HostileRow>,
    /// 300,000 rules: milliseconds of parsing and making a tester, and of 100 verdicts.
    pub wildcards: Vec<HostileRow>,
}

/// A runner's median.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The runner's name.
    pub name: &'static str,
    /// CPU nanoseconds for a byte read, or for a verdict.
    pub ns: f64,
    /// robotxt's time divided by this one.
    pub vs_robotxt: f64,
}

fn rows(times: &Times, reference: &str) -> Vec<Row> {
    let row = |name| Row { name, ns: times.seconds(name) * 1e9, vs_robotxt: times.ratio(reference, name) };
    times.names().map(row).collect()
}

/// The largest number of a column.
fn most(rows: &[HostileRow], column: usize) -> f64 {
    rows.iter().filter_map(|row| row.ms.get(column)).copied().fold(0.0, f64::max)
}

impl Results {
    /// Measures everything, and calls `progress` before each step. `others` are parsers in programs of their own.
    /// Another program counts allocations.
    ///
    /// # Errors
    /// If one of the programs fails.
    pub fn measure(
        files: &Files,
        effort: &Effort,
        others: &mut [Program],
        mut progress: impl FnMut(&str),
    ) -> Result<Self, String> {
        progress("files by size");
        let classes = classes::rows(&classes::cases(files), effort, others)?;
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
        let [hostile_vs_wild, hostile_portable_vs_wild] = endure::versus_wild(effort, files);
        progress("hostile rules");
        let verdicts = endure::verdicts(effort);
        progress("300,000 rules");
        let wildcards = endure::wildcards(effort);
        let (robotstxt_panics, texting_robots_failures) = prepared.failures();
        Ok(Self {
            filter_vs_robotxt: reading.ratio(name::ROBOTXT, name::FILTER),
            parse_vs_robotxt: reading.ratio(name::ROBOTXT, name::PARSE),
            portable_vs_robotxt: reading.ratio(name::ROBOTXT, name::PORTABLE),
            small_vs_robotxt: reading.ratio(name::SMALL_ROBOTXT, name::SMALL),
            verdict_vs_robotxt: deciding.ratio(name::ROBOTXT, name::VERDICT),
            verdict_1000_vs_10_rules: growth.ratio(size::THOUSAND, size::TEN),
            filter_mb_s: 1e-6 / reading.seconds(name::FILTER),
            floor_fraction: reading.ratio(name::TOKENS, name::FILTER),
            scratch_small_files: reading.ratio(name::SMALL, name::SCRATCH),
            hostile_vs_wild,
            hostile_portable_vs_wild,
            hostile_verdict_vs_plain: most(&verdicts, 0) * 1e-3 / growth.seconds(size::THOUSAND),
            hostile_filter_ms_max: most(&filters, 0),
            hostile_verdict_ms_max: most(&verdicts, 0),
            wild_300k_rules_s: wildcards.iter().map(|row| row.ms.iter().sum::<f64>() / 1e3).fold(0.0, f64::max),
            allocations_per_file: None,
            tester_vs_parse: reading.ratio(name::TESTER, name::PARSE),
            compile_vs_parse: reading.ratio(name::COMPILE, name::PARSE),
            few_verdicts_vs_robotxt: reading.ratio(name::FEW_ROBOTXT, name::FEW),
            hostile_portable_ms_max: most(&filters, 1),
            hostile_all_agents_ms_max: most(&filters, 2),
            hostile_no_limits_ms_max: most(&filters, 3),
            hostile_verdict_100kb_ms_max: most(&verdicts, 1),
            wild_300k_verdicts_s: most(&wildcards, 1) / 1e3,
            instructions_per_byte: None,
            allocations: None,
            origin: files.origin,
            files: files.contents.len(),
            bytes: files.bytes(),
            verdicts: count,
            verdicts_agreed: agreed,
            verdicts_forbidden: forbidden,
            rounds: [reading.rounds(), deciding.rounds(), growth.rounds()],
            effort: effort.name,
            seed: SEED,
            robotstxt_panics,
            texting_robots_failures,
            classes,
            reading: rows(&reading, name::ROBOTXT),
            deciding: rows(&deciding, name::ROBOTXT),
            growth: rows(&growth, size::ROBOTXT_TEN),
            hostile_files: filters,
            hostile_verdicts: verdicts,
            wildcards,
        })
    }

    /// Adds the counts of other programs.
    #[must_use]
    pub fn with_counts(self, allocations: Option<Allocations>, instructions_per_byte: Option<f64>) -> Self {
        let allocations_per_file = allocations.map(|counted| counted.filter.mean);
        Self { allocations_per_file, instructions_per_byte, allocations, ..self }
    }
}
