//! Measures several runners in turn.
//!
//! Invariant: in each round every runner runs once, in an order that changes from round to round. A ratio is the median
//! of the ratios within rounds, so a machine that is slow for a while slows both sides.

use std::cmp::Ordering;

use cpu_time::ThreadTime;

/// A runner: code that is timed.
pub struct Runner<'a> {
    name: &'static str,
    units: f64,
    every: usize,
    work: Work<'a>,
}

enum Work<'a> {
    /// Runs here, and returns a value, so it is not optimised away.
    Here(Box<dyn FnMut() -> usize + 'a>),
    /// Runs in another program, and returns its CPU seconds.
    Elsewhere(Box<dyn FnMut() -> f64 + 'a>),
}

impl<'a> Runner<'a> {
    /// Creates a runner that does this many units of work in each round. It returns a value, so its work is not
    /// optimised away.
    pub fn new(name: &'static str, units: usize, run: impl FnMut() -> usize + 'a) -> Self {
        Self { name, units: units as f64, every: 1, work: Work::Here(Box::new(run)) }
    }

    /// Creates a runner in another program, which returns the CPU seconds that it took.
    pub fn elsewhere(name: &'static str, units: usize, run: impl FnMut() -> f64 + 'a) -> Self {
        Self { name, units: units as f64, every: 1, work: Work::Elsewhere(Box::new(run)) }
    }

    /// The same, but it runs only once in this many rounds: for slow runners.
    #[must_use]
    pub fn every(mut self, every: usize) -> Self {
        self.every = every.max(1);
        self
    }

    /// CPU seconds of one run.
    fn time(&mut self) -> f64 {
        match &mut self.work {
            Work::Here(run) => {
                let start = ThreadTime::now();
                std::hint::black_box(run());
                start.elapsed().as_secs_f64()
            }
            Work::Elsewhere(run) => run(),
        }
    }
}

/// The length of a race.
#[derive(Clone, Copy, Debug)]
pub struct Rounds {
    /// The minimum number of rounds.
    pub least: usize,
    /// The maximum number of rounds.
    pub most: usize,
    /// Between the two, the race ends after this many CPU seconds.
    pub seconds: f64,
}

/// The times of a race.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// A runner's name, and its CPU seconds for a unit in each round in which it ran.
    rows: Vec<(&'static str, Vec<Option<f64>>)>,
}

/// Runs all runners in turn. A first round warms up and is not timed.
pub fn race(runners: &mut [Runner<'_>], rounds: Rounds) -> Times {
    let mut rows: Vec<(&'static str, Vec<Option<f64>>)> =
        runners.iter().map(|runner| (runner.name, Vec::new())).collect();
    for runner in runners.iter_mut() {
        runner.time();
    }
    let mut spent = 0.0;
    for round in 0..rounds.most {
        if round >= rounds.least && spent >= rounds.seconds {
            break;
        }
        let mut pairs: Vec<_> = runners.iter_mut().zip(&mut rows).collect();
        if round % 2 == 1 {
            pairs.reverse();
        }
        for (runner, (_, times)) in pairs {
            let time = (round.is_multiple_of(runner.every)).then(|| runner.time());
            spent += time.unwrap_or(0.0);
            times.push(time.map(|time| time / runner.units));
        }
    }
    Times { rows }
}

impl Times {
    fn row(&self, name: &str) -> &[Option<f64>] {
        self.rows.iter().find(|row| row.0 == name).map_or(&[], |row| &row.1)
    }

    /// The names, in the order given.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.rows.iter().map(|row| row.0)
    }

    /// The number of rounds timed.
    #[must_use]
    pub fn rounds(&self) -> usize {
        self.rows.iter().map(|row| row.1.len()).max().unwrap_or(0)
    }

    /// The median of a runner's CPU seconds for a unit; NaN if there is none.
    #[must_use]
    pub fn seconds(&self, name: &str) -> f64 {
        median(self.row(name).iter().flatten().copied())
    }

    /// The time of `slow` for a unit, divided by that of `fast`.
    #[must_use]
    pub fn ratio(&self, slow: &str, fast: &str) -> f64 {
        let pairs = self.row(slow).iter().zip(self.row(fast));
        median(pairs.filter_map(|(slow, fast)| Some((*slow)? / (*fast)?)))
    }
}

/// The median; NaN if there are no values.
#[must_use]
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    let middle = values.len() / 2;
    let upper = values.get(middle).copied().unwrap_or(f64::NAN);
    let lower = if values.len().is_multiple_of(2) { values.get(middle.wrapping_sub(1)).copied() } else { None };
    lower.map_or(upper, |lower| f64::midpoint(lower, upper))
}
