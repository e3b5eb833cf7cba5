//! `crawl-check`: says for many URLs when each may be fetched.
//!
//! Invariant: the gate's [`Crawl`] decides the order and the times; this command reads, prints and counts.

use std::io::{self, IsTerminal};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget};
use robosieve_gate::crawl::Crawl;
use robosieve_gate::pace::Pacing;

use super::acks::Acks;
use super::args::CrawlArgs;
use super::asker::{self, Asker};
use super::counts::Counts;
use super::feed::{Feed, no_urls};
use super::identity::Identity;
use super::printer::{Form, Printer};
use super::unread::Unread;
use crate::exit::{self, Code, Failure};
use crate::input::{self, Folders};
use crate::text;

/// How long nobody looks whether the next answer is known, if pages are acknowledged.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// The longest wait by default: for longer, what a site said may not be valid any more.
const MAX_WAIT: Duration = Duration::from_secs(86_400);

pub(super) fn run(args: &CrawlArgs) -> Result<Code, Failure> {
    asker::log(args.log, false);
    let who = Identity::of_crawler(&args.who)?;
    if input::is_stdin(&args.files_from) && io::stdin().is_terminal() {
        exit::tell("reading URLs from the terminal, one per line");
    }
    let feed = Feed::open(&args.files_from)?;
    input::expect_there(&args.acks, Folders::Refused)?;
    let (pacing, is_acked) = (args.ask.pace.pacing(MAX_WAIT)?, args.acks.is_some());
    let pacing = Pacing { from_end: is_acked, ..pacing };
    let gate = asker::gate(&who, &args.ask, pacing, &args.kept, args.quiet)?;
    if let Some(path) = &args.acks
        && input::is_stdin(path)
        && input::is_stdin(&args.files_from)
    {
        return Err(Failure::Usage("--acks - and --files-from - both read the standard input: name a file".into()));
    }
    let mut counts = args.metrics.as_deref().map(|path| Counts::start(path, &gate)).transpose()?;
    let acks = args.acks.as_ref().map(|path| Acks::start(path, gate.clone())).transpose()?;
    let form = match (args.json, args.urls) {
        (true, _) => Form::Json,
        (_, true) => Form::Urls,
        _ => Form::Text,
    };
    let mut printer = Printer::new(form, args.quiet, args.ask.fail_on.fail_on()?, bar(args));
    let done = print(args, &gate, feed, &mut printer, (&mut counts, acks.as_ref()));
    printer.bar.finish_and_clear();
    // Also of a run that failed.
    if let Some(counts) = &mut counts {
        counts.write(&gate, &printer.tally)?;
    }
    done?;
    if let Some(acks) = &acks {
        acks.tell();
        acks.wait_for(printer.tally.allowed());
        if let Some(counts) = &mut counts {
            counts.write(&gate, &printer.tally)?;
        }
    }
    if printer.tally.all == 0 && input::is_stdin(&args.files_from) {
        return Err(no_urls());
    }
    if !args.quiet {
        exit::tell(&printer.tally.words(&gate.retriever().words()));
    }
    Ok(printer.tally.code)
}

/// A progress bar, for a terminal on which neither answers nor events appear.
fn bar(args: &CrawlArgs) -> ProgressBar {
    let shows = !args.quiet && args.log.is_none() && !io::stdout().is_terminal();
    ProgressBar::with_draw_target(None, if shows { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() })
}

/// The error for a writer of acknowledgements that is gone. Without it, each host would wait for the lease of its page.
fn gone(waiting: usize) -> Failure {
    let waiting = text::counted_len(waiting, "URL waits", "URLs wait");
    Failure::Io(format!("nobody acknowledges pages any more, and {waiting}: the run ends here"))
}

/// Prints each answer, and writes the output out when the next one is not known yet.
fn print(
    args: &CrawlArgs,
    gate: &Asker,
    feed: Feed,
    printer: &mut Printer,
    (counts, acks): (&mut Option<Counts<'_>>, Option<&Acks>),
) -> Result<(), Failure> {
    let crawl = Crawl::default().threads(args.jobs).waiting(args.wait).in_order(args.in_order);
    let mut answers = crawl
        .run(gate.clone(), feed)
        .map_err(|error| Failure::Io(format!("no thread can be started: {error}; try fewer --jobs")))?;
    let mut unread = Unread::of_stdout(args.wait && acks.is_none());
    loop {
        if unread.wait(gate) {
            if let Some(counts) = counts {
                counts.follow(gate, &printer.tally)?;
            }
            continue;
        }
        if answers.pauses() {
            printer.flush()?;
            if let Some(acks) = acks {
                if acks.have_ended() {
                    return Err(gone(answers.waiting()));
                }
                thread::sleep(LOOK_AGAIN);
                continue;
            }
        }
        match answers.next() {
            Some(found) => {
                let is_out = found.as_ref().is_ok_and(|checked| unread.add(checked));
                printer.add(found)?;
                if is_out {
                    printer.flush()?;
                }
            }
            None => return printer.flush(),
        }
        if let Some(counts) = counts {
            counts.follow(gate, &printer.tally)?;
        }
        if !printer.bar.is_hidden() {
            let (all, waiting, requests) = (printer.tally.all, answers.waiting(), gate.retriever().words());
            printer.bar.set_message(format!("{all} URLs checked, {waiting} waiting; {requests}"));
            printer.bar.tick();
        }
    }
}
