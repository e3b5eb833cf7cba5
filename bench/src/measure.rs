//! What is measured, and how.
//!
//! Invariant: what is made ready is not timed, what is timed ends with its result used, and each race asks all its runners
//! about the same octets and URLs.

use robosieve::{Agents, Form, Interest, Parser, RecordSet, Sieve, Tester};

use crate::files::{Files, MOST_OCTETS};
use crate::race::{Rounds, Runner, Times, race};
use crate::rng::Rng;
use crate::{AGENT, SEED, floors, peers, urls};

/// How much is done.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// What it is called.
    pub name: &'static str,
    /// Generated files, where no real ones are at hand.
    pub files: usize,
    /// Of a race.
    pub rounds: Rounds,
    /// How often a hostile family is run.
    pub repeats: usize,
    /// Rules of a file from which URLs are made.
    pub rules_of_file: usize,
    /// URLs that plain rules are asked about.
    pub prefix_urls: usize,
    /// Octets of hostile files.
    pub hostile_octets: usize,
    /// Rules of ten stars.
    pub star_rules: usize,
    /// Octets of the URLs that those are asked about.
    pub star_urls: [usize; 2],
    /// Rules of the great file of wildcards.
    pub wildcard_rules: usize,
}

impl Effort {
    /// For figures to be published.
    pub const FULL: Self = Self {
        name: "full",
        files: 2111,
        rounds: Rounds { least: 9, most: 60, seconds: 20.0 },
        repeats: 5,
        rules_of_file: 10,
        prefix_urls: 2000,
        hostile_octets: MOST_OCTETS,
        star_rules: 1000,
        star_urls: [8_000, 100_000],
        wildcard_rules: 300_000,
    };
    /// For a first look: the same, but in fewer rounds.
    pub const QUICK: Self =
        Self { name: "quick", rounds: Rounds { least: 3, most: 20, seconds: 2.0 }, repeats: 3, ..Self::FULL };
    /// To see that all works: the figures mean nothing.
    pub const TINY: Self = Self {
        name: "tiny",
        files: 20,
        rounds: Rounds { least: 1, most: 1, seconds: 0.0 },
        repeats: 1,
        rules_of_file: 2,
        prefix_urls: 20,
        hostile_octets: 2_000,
        star_rules: 10,
        star_urls: [200, 400],
        wildcard_rules: 100,
    };
}

/// Names of runners.
pub mod name {
    /// `Sieve::run`, faithful form.
    pub const FILTER: &str = "robosieve: filter for one agent";
    /// `Sieve::run`, portable form.
    pub const PORTABLE: &str = "robosieve: filter, portable form";
    /// `Parser::parse`.
    pub const PARSE: &str = "robosieve: parse all records";
    /// `Tester::new` on a set of all records.
    pub const COMPILE: &str = "robosieve: compile a tester";
    /// `Tester::test`.
    pub const VERDICT: &str = "robosieve";
    /// `Robots::parse`, or `is_allowed`.
    pub const ROBOTXT: &str = "robotxt 0.7.0";
    /// `Robot::new`, or `allowed`.
    pub const TEXTING_ROBOTS: &str = "texting_robots 0.2.2";
    /// `parse_robotstxt`, or `one_agent_allowed_by_robots`.
    pub const ROBOTSTXT: &str = "robotstxt 0.3.0";
    /// See [`crate::floors::copy`].
    pub const COPY: &str = "floor: memcpy";
    /// See [`crate::floors::split`].
    pub const SPLIT: &str = "floor: line ends";
    /// See [`crate::floors::tokens`].
    pub const TOKENS: &str = "floor: line ends, # and :";
}

/// The agent of the benchmark, or else everyone.
#[must_use]
pub fn interest() -> Interest {
    Interest { agents: Agents::new([AGENT]), fallback: true }
}

/// The files as each parser wants them.
pub struct Prepared<'a> {
    files: &'a [Vec<u8>],
    /// Those that robotstxt, which wants text, survives; and their places.
    texts: Vec<(usize, String)>,
    /// Those that `texting_robots` takes.
    taken: Vec<bool>,
    sets: Vec<RecordSet<'a>>,
    /// What is asked of each file.
    urls: Vec<Vec<String>>,
}

impl<'a> Prepared<'a> {
    /// Makes URLs, and finds out what the peers fail on.
    #[must_use]
    pub fn new(files: &'a Files, effort: &Effort) -> Self {
        let files = &files.contents;
        let mut rng = Rng::new(SEED);
        let urls: Vec<Vec<String>> =
            files.iter().map(|file| urls::of_file(file, effort.rules_of_file, &mut rng)).collect();
        let texts = files.iter().map(|file| String::from_utf8_lossy(file).into_owned()).enumerate();
        let survived = |text: &(usize, String)| {
            let mut urls = urls.get(text.0).into_iter().flatten();
            peers::robotstxt(&text.1).is_some() && urls.all(|url| peers::robotstxt_verdict(&text.1, url).is_some())
        };
        let (texts, taken) = peers::quietly(|| {
            let taken = files.iter().map(|file| peers::texting_robots(file).is_some()).collect();
            (texts.filter(survived).collect(), taken)
        });
        let parser = Parser::default();
        let sets = files.iter().map(|file| parser.parse(file)).collect();
        Self { files, texts, taken, sets, urls }
    }

    /// On how many files robotstxt panics, and on how many `texting_robots` fails.
    #[must_use]
    pub fn failures(&self) -> (usize, usize) {
        (self.files.len() - self.texts.len(), self.taken.iter().filter(|taken| !**taken).count())
    }

    /// Reading: filters, parsers, and floors.
    #[must_use]
    pub fn reading(&self, rounds: Rounds) -> Times {
        let octets: usize = self.files.iter().map(Vec::len).sum();
        let taken = || self.files.iter().zip(&self.taken).filter(|pair| *pair.1).map(|pair| pair.0);
        let sieve = Sieve::new([AGENT]);
        let portable = sieve.clone().form(Form::Portable);
        let parser = Parser::default();
        let interest = interest();
        let mut copied = Vec::with_capacity(MOST_OCTETS);
        let filter = |sieve: &Sieve| {
            let text = |file: &Vec<u8>| sieve.run(file).map_or(0, |sieved| sieved.text().as_str().len());
            self.files.iter().map(text).sum()
        };
        let mut runners = [
            Runner::new(name::FILTER, octets, || filter(&sieve)),
            Runner::new(name::ROBOTXT, octets, || {
                self.files.iter().map(|file| peers::robotxt(file).rules().len()).sum()
            }),
            Runner::new(name::PARSE, octets, || self.files.iter().map(|file| parser.parse(file).records().len()).sum()),
            Runner::new(name::PORTABLE, octets, || filter(&portable)),
            Runner::new(name::COMPILE, octets, || {
                let answered = |set| usize::from(Tester::new(set, &interest).agent_line().is_some());
                self.sets.iter().map(answered).sum()
            }),
            Runner::new(name::TOKENS, octets, || self.files.iter().map(|file| floors::tokens(file)).sum()),
            Runner::new(name::SPLIT, octets, || self.files.iter().map(|file| floors::split(file)).sum()),
            Runner::new(name::COPY, octets, || self.files.iter().map(|file| floors::copy(file, &mut copied)).sum()),
            Runner::new(name::TEXTING_ROBOTS, taken().map(Vec::len).sum(), || {
                taken().map(|file| usize::from(peers::texting_robots(file).is_some())).sum()
            })
            .every(3),
            Runner::new(name::ROBOTSTXT, self.texts.iter().map(|text| text.1.len()).sum(), || {
                self.texts.iter().filter_map(|text| peers::robotstxt(&text.1)).sum()
            })
            .every(3),
        ];
        race(&mut runners, rounds)
    }

    /// Verdicts, each tester made ready before.
    #[must_use]
    pub fn verdicts(&self, rounds: Rounds) -> Verdicts {
        let urls = &self.urls;
        let count = urls.iter().map(Vec::len).sum();
        let interest = interest();
        let ours: Vec<Tester<'_>> = self.sets.iter().map(|set| Tester::new(set, &interest)).collect();
        let robotxt: Vec<robotxt::Robots> = self.files.iter().map(|file| peers::robotxt(file)).collect();
        let texting: Vec<_> = self.files.iter().map(|file| peers::texting_robots(file)).collect();
        let texting_count = texting.iter().zip(urls).filter(|pair| pair.0.is_some()).map(|pair| pair.1.len()).sum();
        let texts: Vec<(&String, &Vec<String>)> =
            self.texts.iter().filter_map(|(place, text)| Some((text, urls.get(*place)?))).collect();
        let mut runners = [
            Runner::new(name::VERDICT, count, || allowed(&ours, urls, |tester, url| tester.is_allowed(url))),
            Runner::new(name::ROBOTXT, count, || allowed(&robotxt, urls, robotxt::Robots::is_allowed)),
            Runner::new(name::TEXTING_ROBOTS, texting_count, || {
                allowed(&texting, urls, |robot, url| robot.as_ref().is_some_and(|robot| robot.allowed(url)))
            })
            .every(3),
            Runner::new(name::ROBOTSTXT, texts.iter().map(|text| text.1.len()).sum(), || {
                let ask = |text: &str, urls: &[String]| {
                    urls.iter().filter(|url| peers::robotstxt_verdict(text, url) == Some(true)).count()
                };
                texts.iter().map(|(text, urls)| ask(text, urls)).sum()
            })
            .every(9),
        ];
        let times = race(&mut runners, rounds);
        drop(runners);
        let agreed = ours.iter().zip(&robotxt).zip(urls);
        let agree = |((ours, robotxt), urls): ((&Tester<'_>, &robotxt::Robots), &Vec<String>)| {
            urls.iter().filter(|url| ours.is_allowed(url) == robotxt.is_allowed(url)).count()
        };
        let agreed = agreed.map(agree).sum::<usize>() as f64 / count as f64;
        let forbidden = 1.0 - allowed(&ours, urls, |tester, url| tester.is_allowed(url)) as f64 / count as f64;
        Verdicts { times, count, agreed, forbidden }
    }
}

/// Verdicts on real files.
pub struct Verdicts {
    /// CPU seconds of a verdict.
    pub times: Times,
    /// How many in a round.
    pub count: usize,
    /// The part on which robosieve and robotxt agree.
    pub agreed: f64,
    /// The part that is not allowed.
    pub forbidden: f64,
}

/// How many of each tester's URLs it allows.
fn allowed<T>(testers: &[T], urls: &[Vec<String>], ask: impl Fn(&T, &str) -> bool) -> usize {
    let each = |(tester, urls): (&T, &Vec<String>)| urls.iter().filter(|url| ask(tester, url)).count();
    testers.iter().zip(urls).map(each).sum()
}
