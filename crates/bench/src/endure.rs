//! The cost of hostile files and rules.
//!
//! Invariant: a figure is the median of runs of one family alone. The worst URL of a family counts.

use robosieve::policy::Parser;
use robosieve::settings::{Limits, Options};
use robosieve::text::TextForm;
use robosieve::{Sieve, Tester};
use serde::Serialize;

use crate::files::Files;
use crate::hostile::{self, Family};
use crate::measure::{Effort, interest};
use crate::race::{Runner, Times, median, race};
use crate::{AGENT, peers};

/// Limits under which long files are read whole and no value is cut.
fn raised() -> Limits {
    Limits { max_bytes: usize::MAX, max_lines: usize::MAX, ..Limits::default() }
}

fn read(file: &[u8], limits: Limits) -> Tester<'_> {
    let set = Parser::new(Options { limits, ..Options::default() }).for_agents(interest()).parse(file);
    Tester::new(&set, &interest()).with_index()
}

/// The names of the sizes in [`growth`].
pub mod size {
    /// Ten rules.
    pub const TEN: &str = "robosieve, 10 rules";
    /// A thousand.
    pub const THOUSAND: &str = "robosieve, 1,000 rules";
    /// Ten rules, robotxt.
    pub const ROBOTXT_TEN: &str = "robotxt, 10 rules";
    /// A thousand, robotxt.
    pub const ROBOTXT_THOUSAND: &str = "robotxt, 1,000 rules";
}

/// The cost of a verdict with few and with many plain prefixes.
#[must_use]
pub fn growth(effort: &Effort) -> Times {
    const TURNS: usize = 20;
    let count = effort.prefix_urls;
    let [ten, thousand] = [10, 1000].map(|rules| hostile::prefix_rules(rules, count));
    let [ours_10, ours_1000] = [&ten, &thousand].map(|family| read(&family.file, raised()));
    let [robotxt_10, robotxt_1000] = [&ten, &thousand].map(|family| peers::robotxt(&family.file));
    let ours = |tester: &Tester<'_>, family: &Family| -> usize {
        (0..TURNS).map(|_| family.urls.iter().filter(|url| tester.is_allowed(url)).count()).sum()
    };
    let robotxt = |robots: &robotxt::Robots, family: &Family| -> usize {
        family.urls.iter().filter(|url| robots.is_allowed(url)).count()
    };
    let mut runners = [
        Runner::new(size::TEN, count * TURNS, || ours(&ours_10, &ten)),
        Runner::new(size::THOUSAND, count * TURNS, || ours(&ours_1000, &thousand)),
        Runner::new(size::ROBOTXT_TEN, count, || robotxt(&robotxt_10, &ten)),
        Runner::new(size::ROBOTXT_THOUSAND, count, || robotxt(&robotxt_1000, &thousand)),
    ];
    race(&mut runners, effort.rounds)
}

/// The medians of a hostile family, for each kind of run.
#[derive(Clone, Debug, Serialize)]
pub struct HostileRow {
    /// Its name.
    pub name: &'static str,
    /// CPU milliseconds.
    pub ms: Vec<f64>,
}

/// The median of the CPU milliseconds of one run.
fn milliseconds(repeats: usize, mut run: impl FnMut() -> usize) -> f64 {
    let time = || {
        let start = cpu_time::ThreadTime::now();
        std::hint::black_box(run());
        start.elapsed().as_secs_f64() * 1e3
    };
    median(std::iter::repeat_with(time).take(repeats))
}

/// How often the time for a byte of the slowest hostile file is that of the wild files: faithful, portable. The wild
/// files are filtered next to each hostile file, to faithful text.
#[must_use]
pub fn versus_wild(effort: &Effort, wild: &Files) -> [f64; 2] {
    let sieve = Sieve::new([AGENT]);
    let sieves = [sieve.clone(), sieve.clone().form(TextForm::Portable)];
    let text = |sieve: &Sieve, file: &[u8]| sieve.run(file).map_or(0, |sieved| sieved.text().as_str().len());
    let for_a_byte = |bytes: usize, run: &dyn Fn() -> usize| milliseconds(1, run) / bytes as f64;
    let mut slowest = [0.0_f64; 2];
    for family in hostile::families(effort.hostile_bytes) {
        let turn = |_| {
            let of_wild = for_a_byte(wild.bytes(), &|| wild.contents.iter().map(|file| text(&sieve, file)).sum());
            let of_form = |form| for_a_byte(family.file.len(), &|| text(form, &family.file)) / of_wild;
            sieves.each_ref().map(of_form)
        };
        let turns: Vec<[f64; 2]> = (0..effort.repeats).map(turn).collect();
        for (form, slowest) in slowest.iter_mut().enumerate() {
            *slowest = slowest.max(median(turns.iter().filter_map(|turn| turn.get(form).copied())));
        }
    }
    slowest
}

/// Filters hostile files: faithful, portable, all groups, faithful without limits; and robotxt's parse.
#[must_use]
pub fn filters(effort: &Effort) -> Vec<HostileRow> {
    let sieve = Sieve::new([AGENT]);
    let sieves =
        [sieve.clone(), sieve.clone().form(TextForm::Portable), Sieve::all_agents(), sieve.limits(Limits::NONE)];
    let row = |family: Family| {
        let filter = |sieve: &Sieve| {
            milliseconds(effort.repeats, || sieve.run(&family.file).map_or(0, |sieved| sieved.text().as_str().len()))
        };
        let mut ms: Vec<f64> = sieves.iter().map(filter).collect();
        ms.push(milliseconds(effort.repeats, || peers::robotxt(&family.file).rules().len()));
        HostileRow { name: family.name, ms }
    };
    hostile::families(effort.hostile_bytes).into_iter().map(row).collect()
}

/// Verdicts against 1,000 rules of ten wildcards and 2,000 bytes, on URLs of 8 kB and of 100 kB. The worst URL of each
/// family counts.
#[must_use]
pub fn verdicts(effort: &Effort) -> Vec<HostileRow> {
    let worst = |family: &Family| {
        let tester = read(&family.file, raised());
        let each = |url: &String| milliseconds(effort.repeats, || usize::from(tester.is_allowed(url)));
        family.urls.iter().map(each).fold(0.0, f64::max)
    };
    let [short, long] = effort.star_urls.map(|bytes| hostile::stars(effort.star_rules, bytes).into_iter());
    let pairs = short.zip(long);
    pairs.map(|(short, long)| HostileRow { name: short.name, ms: vec![worst(&short), worst(&long)] }).collect()
}

/// Very many rules with wildcards: making a tester from the file, and 100 verdicts.
#[must_use]
pub fn wildcards(effort: &Effort) -> Vec<HostileRow> {
    let row = |family: &Family| {
        let tester = read(&family.file, raised());
        let compile =
            milliseconds(effort.repeats.min(3), || usize::from(read(&family.file, raised()).agent_line().is_some()));
        let verdicts =
            milliseconds(effort.repeats.min(3), || family.urls.iter().filter(|url| tester.is_allowed(url)).count());
        HostileRow { name: family.name, ms: vec![compile, verdicts] }
    };
    hostile::wildcards(effort.wildcard_rules).iter().map(row).collect()
}
