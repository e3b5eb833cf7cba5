//! `check`: may these URLs be fetched now?
//!
//! Invariant: one line of output a URL, in order; the exit code is that of all of them together.

use std::io::{self, BufWriter, StdoutLock, Write};
use std::time::Duration;

use robosieve_gate::{GateError, Moment};

use super::answers::{Answered, Unusable};
use super::args::CheckArgs;
use super::asker::{Asker, tell_who};
use super::feed::{Feed, Found, MAX_URL, no_urls};
use super::identity::Identity;
use super::told::Told;
use crate::choices::FailOn;
use crate::exit::{Code, Failure};
use crate::output;

/// As the gate's own default.
const MAX_WAIT: Duration = Duration::from_secs(3_600);

pub(super) fn run(args: &CheckArgs) -> Result<Code, Failure> {
    if args.urls.iter().filter(|url| *url == "-").count() > 1 {
        return Err(Failure::Usage("`-` is the standard input, which can be read only once: use `-` once".into()));
    }
    let who = Identity::of_crawler(&args.who)?;
    let asker = Asker::new(&who, (&args.net, &args.policy, &args.pace), MAX_WAIT, args.store.as_deref())?;
    if args.quiet {
        asker.hush();
    } else {
        tell_who(&who);
    }
    let mut printer = Printer {
        args,
        asker,
        fail_on: args.fail_on.clone(),
        told: Told::default(),
        out: output::stdout(),
        code: Code::Fine,
    };
    for url in &args.urls {
        if url == "-" {
            printer.check_stdin()?;
        } else {
            let found = if url.len() > MAX_URL {
                Err((url.chars().take(80).collect(), Unusable::TooLong))
            } else {
                Ok(url.clone())
            };
            printer.check(found)?;
        }
    }
    printer.out.flush().map_err(|error| Failure::stdout(&error))?;
    Ok(printer.code)
}

/// What is wrong with the store.
pub(super) fn store_failed(error: &GateError) -> Failure {
    Failure::Io(error.to_string())
}

struct Printer<'p> {
    args: &'p CheckArgs,
    asker: Asker,
    fail_on: Vec<FailOn>,
    told: Told,
    out: BufWriter<StdoutLock<'static>>,
    code: Code,
}

impl Printer<'_> {
    fn check(&mut self, found: Found) -> Result<(), Failure> {
        let answered = match found {
            Ok(url) => {
                // That a URL has no site is said by the answer.
                let learned = self.asker.learn(&url);
                let now = Moment::now();
                let answer = learned.and_then(|()| self.asker.check(&url, now));
                let findings = self.asker.findings(&url).map_err(|error| store_failed(&error))?;
                let answered = Answered::new(url, now, answer).map_err(|error| store_failed(&error))?;
                answered.with_findings(findings, &self.fail_on)
            }
            Err((url, unusable)) => Answered::unusable(url, unusable),
        };
        if let Some(findings) = answered.findings.as_ref().filter(|_| !self.args.quiet) {
            self.told.tell(&answered.url, findings);
        }
        self.code = self.code.and(answered.code());
        if self.args.quiet {
            return Ok(());
        }
        let line = if self.args.json { answered.json() } else { Ok(answered.line()) };
        let written = line.and_then(|line| self.out.write_all(&line)).and_then(|()| self.out.flush());
        written.map_err(|error| Failure::stdout(&error))
    }

    fn check_stdin(&mut self) -> Result<(), Failure> {
        let mut feed = Feed::new(Box::new(io::stdin()));
        let mut is_empty = true;
        while let Some(found) = feed.next().map_err(|error| Failure::stdin(&error))? {
            is_empty = false;
            self.check(found)?;
        }
        if is_empty { Err(no_urls()) } else { Ok(()) }
    }
}
