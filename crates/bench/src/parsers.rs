//! Us and the peers, each called through its fastest interface.
//!
//! Invariant: all get the same files and URLs. A file that a peer refuses, or on which it panics, is left out for all.

use std::panic::catch_unwind;

use robosieve::records::Parser;
use robosieve::settings::Interest;
use robosieve::{Sieve, Tester};

use crate::AGENT;
use crate::cpp::Program;
use crate::files::Case;
use crate::race::Runner;

/// What is asked of a file: to be parsed, or to be read for so many URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// All groups.
    Parse,
    /// So many URLs.
    Urls(usize),
}

/// Whether all parsers read this file.
#[must_use]
pub fn is_read(case: &Case) -> bool {
    let is_read = catch_unwind(|| {
        fast_robots::RobotsTxt::parse_bytes(&case.file).is_ok() && texting_robots::Robot::new(AGENT, &case.file).is_ok()
    });
    is_read.unwrap_or(false)
}

/// All parsers for these files: we come first. Programs are parsers elsewhere.
pub fn runners<'a>(class: &'a [&'a Case], question: Question, others: &'a mut [Program]) -> Vec<Runner<'a>> {
    let urls = if let Question::Urls(urls) = question { urls } else { 0 };
    let (parser, sieve) = (Parser::default(), Sieve::new([AGENT]));
    let interest = Interest::new([AGENT]);
    let directed = parser.clone().for_agents(interest.clone());
    let text = sieve.clone();
    let ours = move |case: &Case| match urls {
        0 => parser.parse(&case.file).records().len(),
        1 => case.urls.iter().take(1).filter(|url| sieve.test(&case.file, url).is_ok_and(|it| it.allowed())).count(),
        _ => {
            let tester = Tester::new(&directed.parse(&case.file), &interest);
            case.urls.iter().take(urls).filter(|url| tester.is_allowed(url)).count()
        }
    };
    let to_text = move |case: &Case| text.filter(&case.file).map_or(0, |sieved| sieved.text().len());
    let fast_robots = move |case: &Case| {
        let Ok(robots) = fast_robots::RobotsTxt::parse_bytes(&case.file) else { return 0 };
        robots.groups.len() + case.paths(urls).filter(|path| robots.is_allowed(AGENT, path)).count()
    };
    let robotxt = move |case: &Case| {
        let robots = robotxt::Robots::parse(&case.file, AGENT);
        robots.rules().len() + case.paths(urls).filter(|path| robots.is_allowed(path)).count()
    };
    let texting_robots = move |case: &Case| {
        let Ok(robot) = texting_robots::Robot::new(AGENT, &case.file) else { return 0 };
        robot.sitemaps.len() + case.urls.iter().take(urls).filter(|url| robot.allowed(url)).count()
    };
    let mut all = vec![of("robosieve", class, ours)];
    if question == Question::Parse {
        all.push(of("robosieve, to a text", class, to_text));
    }
    all.push(of("fast-robots 0.1.5", class, fast_robots));
    all.push(of("robotxt 0.7.0", class, robotxt));
    all.push(of("texting_robots 0.2.2", class, texting_robots));
    let lengths = class.iter().map(|case| case.file.len());
    let (least, most) = (lengths.clone().min().unwrap_or(0), lengths.max().unwrap_or(0));
    for program in others {
        all.push(Runner::elsewhere(program.name, move || program.seconds(least..most.saturating_add(1), urls)));
    }
    all
}

fn of<'a>(name: &'static str, class: &'a [&'a Case], read: impl Fn(&Case) -> usize + 'a) -> Runner<'a> {
    Runner::here(name, move || class.iter().map(|case| read(case)).sum())
}
