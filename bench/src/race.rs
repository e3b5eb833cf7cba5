//! Times of several runners, taken in turn.
//!
//! Invariant: in each round every runner runs once, the order turns round from round to round, and a ratio is the median of
//! the ratios within rounds: what slows the machine for a while slows both sides.

use std::cmp::Ordering;

use cpu_time::ThreadTime;

/// Something that is timed.
pub struct Runner<'a> {
    name: &'static str,
    units: f64,
    every: usize,
    run: Box<dyn FnMut() -> usize + 'a>,
}

impl<'a> Runner<'a> {
    /// One that does so many units of work in each round. What it returns keeps its work from being optimised away.
    pub fn new(name: &'static str, units: usize, run: impl FnMut() -> usize + 'a) -> Self {
        Self { name, units: units as f64, every: 1, run: Box::new(run) }
    }

    /// The same, but only in every so many rounds: for slow ones.
    #[must_use]
    pub fn every(mut self, every: usize) -> Self {
        self.every = every.max(1);
        self
    }

    /// CPU seconds of one run.
    fn time(&mut self) -> f64 {
        let start = ThreadTime::now();
        std::hint::black_box((self.run)());
        start.elapsed().as_secs_f64()
    }
}

/// How long a race goes on.
#[derive(Clone, Copy, Debug)]
pub struct Rounds {
    /// At least so many rounds are timed.
    pub least: usize,
    /// At most so many.
    pub most: usize,
    /// Between the two, a race ends after so many CPU seconds.
    pub seconds: f64,
}

/// What was timed.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// A runner's name, and its CPU seconds a unit in each round, where it ran.
    rows: Vec<(&'static str, Vec<Option<f64>>)>,
}

/// Runs all in turn. A first round warms up and isn't timed.
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

    /// How many rounds were timed.
    #[must_use]
    pub fn rounds(&self) -> usize {
        self.rows.iter().map(|row| row.1.len()).max().unwrap_or(0)
    }

    /// The median of a runner's CPU seconds for a unit; not a number, if there is none.
    #[must_use]
    pub fn seconds(&self, name: &str) -> f64 {
        median(self.row(name).iter().flatten().copied())
    }

    /// How many times longer `slow` takes for a unit than `fast`.
    #[must_use]
    pub fn ratio(&self, slow: &str, fast: &str) -> f64 {
        let pairs = self.row(slow).iter().zip(self.row(fast));
        median(pairs.filter_map(|(slow, fast)| Some((*slow)? / (*fast)?)))
    }
}

/// The middle one; not a number, if there is none.
#[must_use]
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    let middle = values.len() / 2;
    let upper = values.get(middle).copied().unwrap_or(f64::NAN);
    let lower = if values.len().is_multiple_of(2) { values.get(middle.wrapping_sub(1)).copied() } else { None };
    lower.map_or(upper, |lower| f64::midpoint(lower, upper))
}
