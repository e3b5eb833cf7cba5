//! Measures several parsers in turn.
//!
//! Invariant: in each round every parser runs once, in an order that changes from round to round. A ratio is the median
//! of the ratios within rounds, so a machine that is slow for a while slows both sides.

use cpu_time::ThreadTime;

/// What runs in a round: its name, and code that returns the CPU seconds that it took.
pub struct Runner<'a> {
    name: &'static str,
    run: Box<dyn FnMut() -> f64 + 'a>,
}

impl<'a> Runner<'a> {
    /// A runner in another program, which says what it took.
    pub fn elsewhere(name: &'static str, run: impl FnMut() -> f64 + 'a) -> Self {
        Self { name, run: Box::new(run) }
    }

    /// A runner here. It returns a value, so that its work is not optimised away.
    pub fn here(name: &'static str, mut run: impl FnMut() -> usize + 'a) -> Self {
        Self::elsewhere(name, move || {
            let start = ThreadTime::now();
            std::hint::black_box(run());
            start.elapsed().as_secs_f64()
        })
    }
}

/// What a race finds about a runner.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Its name.
    pub name: &'static str,
    /// The median of its CPU seconds.
    pub seconds: f64,
    /// The median of its times divided by those of the first runner.
    pub ratio: f64,
}

/// Runs all runners in turn. A first round warms up and is not timed.
pub fn race(runners: &mut [Runner<'_>], rounds: usize) -> Vec<Found> {
    let mut times: Vec<Vec<f64>> = runners.iter_mut().map(|runner| Vec::from([(runner.run)()])).collect();
    times.iter_mut().for_each(Vec::clear);
    for round in 0..rounds.max(1) {
        let mut pairs: Vec<_> = runners.iter_mut().zip(&mut times).collect();
        if round % 2 == 1 {
            pairs.reverse();
        }
        for (runner, times) in pairs {
            times.push((runner.run)());
        }
    }
    let first = times.first().cloned().unwrap_or_default();
    let found = |(runner, times): (&Runner<'_>, &Vec<f64>)| Found {
        name: runner.name,
        seconds: median(times.clone()),
        ratio: median(times.iter().zip(&first).map(|(time, first)| time / first).collect()),
    };
    runners.iter().zip(&times).map(found).collect()
}

/// The median; NaN if there are no values.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
