//! The measurements.
//!
//! Invariant: preparation is not timed, the result of timed work is used, and all runners of a race get the same bytes
//! and URLs.

use robosieve::agent::Interest;
use robosieve::policy::{Parser, RecordSet};
use robosieve::scratch::Scratch;
use robosieve::text::TextForm;
use robosieve::{Sieve, Tester};

use crate::files::Files;
use crate::race::{Rounds, Runner, Times, race};
use crate::rng::Rng;
use crate::stand_in::MOST_BYTES;
use crate::{AGENT, SEED, floors, peers, urls};

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Its name.
    pub name: &'static str,
    /// The number of generated files, if there are no real ones.
    pub files: usize,
    /// The limits of a race.
    pub rounds: Rounds,
    /// The runs of a hostile family.
    pub repeats: usize,
    /// Rules of each file from which URLs are made.
    pub rules_of_file: usize,
    /// URLs for the plain rules.
    pub prefix_urls: usize,
    /// Bytes of hostile files.
    pub hostile_bytes: usize,
    /// Rules of ten wildcards.
    pub star_rules: usize,
    /// Bytes of the URLs for these rules.
    pub star_urls: [usize; 2],
    /// Rules of the large file of wildcards.
    pub wildcard_rules: usize,
}

impl Effort {
    /// For published figures.
    pub const FULL: Self = Self {
        name: "full",
        files: 2111,
        rounds: Rounds { least: 9, most: 60, seconds: 20.0 },
        repeats: 5,
        rules_of_file: 10,
        prefix_urls: 2000,
        hostile_bytes: MOST_BYTES,
        star_rules: 1000,
        star_urls: [8_000, 100_000],
        wildcard_rules: 300_000,
    };
    /// For a first look: the same with fewer rounds.
    pub const QUICK: Self =
        Self { name: "quick", rounds: Rounds { least: 3, most: 20, seconds: 2.0 }, repeats: 3, ..Self::FULL };
    /// To check that everything works: the figures mean nothing.
    pub const TINY: Self = Self {
        name: "tiny",
        files: 20,
        rounds: Rounds { least: 1, most: 1, seconds: 0.0 },
        repeats: 1,
        rules_of_file: 2,
        prefix_urls: 20,
        hostile_bytes: 2_000,
        star_rules: 10,
        star_urls: [200, 400],
        wildcard_rules: 100,
    };
}

/// Files of fewer bytes are small.
const SMALL_FILE: usize = 2_000;

/// The runners' names.
pub mod name {
    /// `Sieve::run`, faithful form.
    pub const FILTER: &str = "robosieve: filter for one agent";
    /// `Sieve::run`, portable form.
    pub const PORTABLE: &str = "robosieve: filter, portable form";
    /// `Sieve::run`, of small files alone.
    pub const SMALL: &str = "robosieve: filter files below 2 kB";
    /// `Sieve::run_with`, of the same files.
    pub const SCRATCH: &str = "robosieve: the same, with a scratch";
    /// `Robots::parse`, of the same files.
    pub const SMALL_ROBOTXT: &str = "robotxt 0.7.0: files below 2 kB";
    /// `Parser::parse`.
    pub const PARSE: &str = "robosieve: parse all records";
    /// `Parser::for_agents`, `Tester::new` and five times `Tester::is_allowed`.
    pub const FEW: &str = "robosieve: parse, and five verdicts";
    /// `Robots::parse` and five times `is_allowed`.
    pub const FEW_ROBOTXT: &str = "robotxt 0.7.0: parse, and five verdicts";
    /// `Tester::new` on a set of all groups.
    pub const TESTER: &str = "robosieve: make a tester";
    /// The same, and `Tester::with_index`.
    pub const COMPILE: &str = "robosieve: make a tester with its index";
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

/// The benchmark's agent, or else `*`.
#[must_use]
pub fn interest() -> Interest {
    Interest::new([AGENT])
}

/// The files in the form that each parser needs.
pub struct Prepared<'a> {
    files: &'a [Vec<u8>],
    /// The files that robotstxt reads without a panic, as text, and their places.
    texts: Vec<(usize, String)>,
    /// The files that `texting_robots` accepts.
    taken: Vec<bool>,
    sets: Vec<RecordSet<'a>>,
    /// The URLs for each file.
    urls: Vec<Vec<String>>,
}

impl<'a> Prepared<'a> {
    /// Makes the URLs, and finds the files on which the peers fail.
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

    /// The number of files on which robotstxt panics, and on which `texting_robots` fails.
    #[must_use]
    pub fn failures(&self) -> (usize, usize) {
        (self.files.len() - self.texts.len(), self.taken.iter().filter(|taken| !**taken).count())
    }

    /// Reading: filters, parsers, and floors.
    #[must_use]
    pub fn reading(&self, rounds: Rounds) -> Times {
        let bytes: usize = self.files.iter().map(Vec::len).sum();
        let taken = || self.files.iter().zip(&self.taken).filter(|pair| *pair.1).map(|pair| pair.0);
        let sieve = Sieve::new([AGENT]);
        let portable = sieve.clone().form(TextForm::Portable);
        let parser = Parser::default();
        let interest = interest();
        let directed = parser.clone().for_agents(interest.clone());
        let small: Vec<&Vec<u8>> = self.files.iter().filter(|file| file.len() < SMALL_FILE).collect();
        let small_bytes = small.iter().map(|file| file.len()).sum();
        let mut scratch = Scratch::new();
        let mut copied = Vec::with_capacity(MOST_BYTES);
        let filter = |sieve: &Sieve| {
            let text = |file: &Vec<u8>| sieve.run(file).map_or(0, |sieved| sieved.text().as_str().len());
            self.files.iter().map(text).sum()
        };
        let mut runners = [
            Runner::new(name::FILTER, bytes, || filter(&sieve)),
            Runner::new(name::ROBOTXT, bytes, || {
                self.files.iter().map(|file| peers::robotxt(file).rules().len()).sum()
            }),
            Runner::new(name::PARSE, bytes, || self.files.iter().map(|file| parser.parse(file).records().len()).sum()),
            Runner::new(name::PORTABLE, bytes, || filter(&portable)),
            Runner::new(name::SMALL, small_bytes, || {
                small.iter().map(|file| sieve.run(file).map_or(0, |sieved| sieved.text().as_str().len())).sum()
            }),
            Runner::new(name::SCRATCH, small_bytes, || {
                let mut text = |file| sieve.run_with(&mut scratch, file).map_or(0, |it| it.text().as_str().len());
                small.iter().map(|file| text(file)).sum()
            }),
            Runner::new(name::SMALL_ROBOTXT, small_bytes, || {
                small.iter().map(|file| peers::robotxt(file).rules().len()).sum()
            }),
            Runner::new(name::TESTER, bytes, || {
                self.sets.iter().map(|set| usize::from(Tester::new(set, &interest).agent_line().is_some())).sum()
            }),
            Runner::new(name::COMPILE, bytes, || {
                let answered = |set| usize::from(Tester::new(set, &interest).with_index().agent_line().is_some());
                self.sets.iter().map(answered).sum()
            }),
            Runner::new(name::FEW, bytes, || {
                let few = |(file, urls): (&Vec<u8>, &Vec<String>)| {
                    let tester = Tester::new(&directed.parse(file), &interest);
                    urls.iter().take(5).filter(|url| tester.is_allowed(url)).count()
                };
                self.files.iter().zip(&self.urls).map(few).sum()
            }),
            Runner::new(name::FEW_ROBOTXT, bytes, || {
                let few = |(file, urls): (&Vec<u8>, &Vec<String>)| {
                    let robots = peers::robotxt(file);
                    urls.iter().take(5).filter(|url| robots.is_allowed(url)).count()
                };
                self.files.iter().zip(&self.urls).map(few).sum()
            }),
            Runner::new(name::TOKENS, bytes, || self.files.iter().map(|file| floors::tokens(file)).sum()),
            Runner::new(name::SPLIT, bytes, || self.files.iter().map(|file| floors::split(file)).sum()),
            Runner::new(name::COPY, bytes, || self.files.iter().map(|file| floors::copy(file, &mut copied)).sum()),
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

    /// Verdicts, with testers prepared before.
    #[must_use]
    pub fn verdicts(&self, rounds: Rounds) -> Verdicts {
        let urls = &self.urls;
        let count = urls.iter().map(Vec::len).sum();
        let interest = interest();
        let ours: Vec<Tester<'_>> = self.sets.iter().map(|set| Tester::new(set, &interest).with_index()).collect();
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
    /// The number of verdicts in a round.
    pub count: usize,
    /// The fraction on which robosieve and robotxt agree.
    pub agreed: f64,
    /// The fraction that is not allowed.
    pub forbidden: f64,
}

/// The number of each tester's URLs that it allows.
fn allowed<T>(testers: &[T], urls: &[Vec<String>], ask: impl Fn(&T, &str) -> bool) -> usize {
    let each = |(tester, urls): (&T, &Vec<String>)| urls.iter().filter(|url| ask(tester, url)).count();
    testers.iter().zip(urls).map(each).sum()
}
