//! Files by size: parsing one, and parsing it for one URL and for five.
//!
//! Invariant: a row has the same files and URLs for each parser. A parser that keeps nothing between URLs parses again
//! for each.

use robosieve::policy::Parser;
use robosieve::{Sieve, Tester};
use serde::Serialize;

use crate::cpp::Program;
use crate::files::Files;
use crate::measure::{Effort, interest};
use crate::race::{Runner, race};
use crate::rng::Rng;
use crate::urls::{Case, HOST};
use crate::{AGENT, SEED, peers, urls};

/// Files of fewer bytes than this, and at least as many as the bound before it. The last class has no bound.
pub const BOUNDS: [usize; 5] = [100, 300, 1_000, 3_000, 20_000];

/// Whether a file is parsed only, or for how many URLs.
pub const QUESTIONS: [usize; 3] = [0, 1, 5];

/// A row of the table.
#[derive(Clone, Debug, Serialize)]
pub struct ClassRow {
    /// The files have fewer bytes than this; `None` for the longest.
    pub below: Option<usize>,
    /// The number of files.
    pub files: usize,
    /// The number of URLs for each; 0 if it is parsed only.
    pub urls: usize,
    /// The name of each parser, and its CPU nanoseconds for a file.
    pub ns: Vec<(&'static str, f64)>,
}

/// The files that all parsers read: one takes UTF-8 only.
#[must_use]
pub fn cases(files: &Files) -> Vec<Case<'_>> {
    let mut rng = Rng::new(SEED);
    let urls_of = |file: &[u8], rng: &mut Rng| {
        urls::of_file(file, 2, rng).into_iter().map(|path| format!("{HOST}{path}")).collect()
    };
    let read = files.contents.iter().filter(|file| peers::fast_robots(file).is_some());
    read.map(|file| Case { file, urls: urls_of(file, &mut rng) }).collect()
}

/// All rows. `others` are parsers in programs of their own.
///
/// # Errors
/// If one of these programs fails.
pub fn rows(cases: &[Case<'_>], effort: &Effort, others: &mut [Program]) -> Result<Vec<ClassRow>, String> {
    for program in &mut *others {
        program.read(cases)?;
    }
    let mut rows = Vec::new();
    for (number, from) in [0].into_iter().chain(BOUNDS).enumerate() {
        let below = BOUNDS.get(number).copied();
        let of_class = |case: &&Case<'_>| case.file.len() >= from && below.is_none_or(|below| case.file.len() < below);
        let class: Vec<&Case<'_>> = cases.iter().filter(of_class).collect();
        for urls in QUESTIONS {
            let ns = times(&class, from..below.unwrap_or(usize::MAX), urls, effort, others);
            rows.push(ClassRow { below, files: class.len(), urls, ns });
        }
    }
    Ok(rows)
}

fn times(
    class: &[&Case<'_>],
    sizes: std::ops::Range<usize>,
    urls: usize,
    effort: &Effort,
    others: &mut [Program],
) -> Vec<(&'static str, f64)> {
    let (parser, sieve, interest) = (Parser::default(), Sieve::new([AGENT]), interest());
    let directed = parser.clone().for_agents(interest.clone());
    let ours = |case: &Case<'_>| match urls {
        0 => parser.parse(case.file).records().len(),
        1 => case.urls.iter().take(1).filter(|url| sieve.test(case.file, url).is_ok_and(|it| it.allowed())).count(),
        _ => {
            let tester = Tester::new(&directed.parse(case.file), &interest);
            case.urls.iter().take(urls).filter(|url| tester.is_allowed(url)).count()
        }
    };
    let fast = |case: &Case<'_>| {
        let Some(robots) = peers::fast_robots(case.file) else { return 0 };
        robots.groups.len() + case.paths(urls).filter(|path| robots.is_allowed(AGENT, path)).count()
    };
    let robotxt = |case: &Case<'_>| {
        let robots = peers::robotxt(case.file);
        robots.rules().len() + case.paths(urls).filter(|path| robots.is_allowed(path)).count()
    };
    let mut runners = vec![
        Runner::new("robosieve", class.len(), || class.iter().map(|case| ours(case)).sum()),
        Runner::new("fast-robots 0.1.5", class.len(), || class.iter().map(|case| fast(case)).sum()),
        Runner::new("robotxt 0.7.0", class.len(), || class.iter().map(|case| robotxt(case)).sum()),
    ];
    for program in others {
        let sizes = sizes.clone();
        runners.push(Runner::elsewhere(program.name, class.len(), move || program.seconds(&sizes, urls)));
    }
    let times = race(&mut runners, effort.class_rounds);
    times.names().map(|name| (name, times.seconds(name) * 1e9)).collect()
}
