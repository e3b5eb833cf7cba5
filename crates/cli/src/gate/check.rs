//! `check`: says whether URLs may be fetched now.
//!
//! Invariant: one answer per URL, in order. Each is written before the next URL is checked.

use std::path::Path;
use std::time::Duration;

use indicatif::ProgressBar;
use robosieve_gate::crawl::CheckedUrl;

use super::answers::MAX_URL;
use super::answers::Unusable;
use super::args::CheckArgs;
use super::asker;
use super::feed::{Feed, NoUrl, no_urls};
use super::fetch::{expect_no_file, with_scheme};
use super::identity::Identity;
use super::printer::{Form, Printer};
use crate::exit::{Code, Failure};

/// The longest wait by default, as in the gate.
const MAX_WAIT: Duration = Duration::from_secs(3_600);

pub(super) fn run(args: &CheckArgs) -> Result<Code, Failure> {
    if args.urls.iter().filter(|url| *url == "-").count() > 1 {
        return Err(Failure::Usage("`-` is the standard input, which can be read only once: use `-` once".into()));
    }
    args.urls.iter().try_for_each(|url| expect_no_file(url))?;
    asker::log(args.log, false);
    let who = Identity::of_checker(&args.who)?;
    let gate = asker::gate(&who, &args.ask, args.ask.pace.pacing(MAX_WAIT)?, &args.kept, args.quiet)?;
    let form = match (args.quiet, args.json) {
        (true, _) => Form::Nothing,
        (_, true) => Form::Json,
        _ => Form::Text,
    };
    let mut printer = Printer::new(form, args.quiet, args.ask.fail_on.fail_on()?, ProgressBar::hidden());
    let mut check = |found: Result<String, NoUrl>| {
        printer.add(found.map(|url| CheckedUrl::check(&gate, url)))?;
        printer.flush()
    };
    for url in &args.urls {
        if url == "-" {
            let mut feed = Feed::open(Path::new("-"))?.peekable();
            feed.peek().ok_or_else(no_urls)?;
            feed.try_for_each(&mut check)?;
        } else if url.len() > MAX_URL {
            check(Err(NoUrl::Line(url.chars().take(80).collect(), Unusable::TooLong(None))))?;
        } else {
            check(Ok(with_scheme(url).into_owned()))?;
        }
    }
    Ok(printer.tally.code)
}
