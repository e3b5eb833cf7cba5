//! `check`: says whether URLs may be fetched now.
//!
//! Invariant: one answer per URL. One after the other, they are in the order of the URLs, and each is written before
//! the next URL is checked. A blank line of the input is skipped; every other line is one item, also if it cannot be
//! used, and no line longer than [`MAX_URL`] is kept.

use std::io;
use std::thread;

use robosieve_batch::lines::{Lines, Next};
use tokio::sync::mpsc::error::SendError;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::task::JoinSet;

use super::answers::{Answered, MAX_URL, NOT_UTF8, too_long};
use super::args::CheckArgs;
use super::asker::{self, Asker};
use super::fetch::{expect_no_file, with_scheme};
use super::identity::Identity;
use crate::exit::{Code, Failure};
use crate::{input, output, text};

pub(super) fn run(args: &CheckArgs) -> Result<Code, Failure> {
    input::once(args.urls.iter().map(|url| url == "-"))?;
    args.urls.iter().try_for_each(|url| expect_no_file(url))?;
    asker::log(args.log);
    let who = Identity::of_checker(&args.who)?;
    let gate = asker::gate(&who, &args.ask, &args.kept, args.quiet)?;
    let runtime = asker::runtime()?;
    let done = runtime.block_on(check(&gate, urls(args.urls.clone()), args));
    runtime.shutdown_background();
    done
}

async fn check(gate: &Asker, mut urls: Receiver<Found>, args: &CheckArgs) -> Result<Code, Failure> {
    let (mut running, mut are_more, mut code) = (JoinSet::new(), true, Code::Fine);
    loop {
        let answered = tokio::select! {
            found = urls.recv(), if are_more && running.len() < args.jobs.get() => match found {
                Some(Ok(url)) => {
                    let gate = gate.clone();
                    running.spawn(async move { Answered::ask(&gate, url).await });
                    continue;
                }
                Some(Err(NoUrl::Line(url, why))) => Answered::unusable(url, &why),
                Some(Err(NoUrl::Input(failure))) => return Err(failure),
                None => {
                    are_more = false;
                    continue;
                }
            },
            Some(done) = running.join_next() => {
                done.map_err(|error| Failure::Io(format!("a check ended early: {error}")))?
            }
            else => return Ok(code),
        };
        code = code.and(answered.code());
        print(&answered, args)?;
    }
}

fn print(answered: &Answered, args: &CheckArgs) -> Result<(), Failure> {
    if args.quiet {
        return Ok(());
    }
    let line = if args.json { answered.json() } else { Ok(answered.line()) };
    line.map_err(|error| Failure::stdout(&error)).and_then(|line| output::print(&line))
}

/// A URL, or why there is none.
type Found = Result<String, NoUrl>;

/// The URLs of the command line, and in the place of `-` those of the standard input, which a thread waits for.
fn urls(named: Vec<String>) -> Receiver<Found> {
    let (give, urls) = mpsc::channel(1);
    thread::spawn(move || {
        // Nobody listens after a failure.
        named.iter().try_for_each(|url| match &**url {
            "-" => feed(&give),
            url => give.blocking_send(Ok(with_scheme(url).into_owned())),
        })
    });
    urls
}

/// Why there is no URL.
#[derive(Debug)]
enum NoUrl {
    /// The line cannot be used: its beginning, and why.
    Line(String, String),
    /// The input cannot be read, or has no URL; nothing more comes.
    Input(Failure),
}

/// Gives the URLs of the standard input. It waits where the input pauses.
fn feed(give: &Sender<Found>) -> Result<(), SendError<Found>> {
    let mut lines = Lines::new(io::stdin(), MAX_URL).checked();
    let mut has_url = false;
    for number in 1_u64.. {
        let found = match lines.next_line() {
            Ok(Next::Line(line)) => match str::from_utf8(line.trim_ascii()) {
                Ok("") => continue,
                Ok(url) => Ok(url.to_owned()),
                Err(_) => Err(NoUrl::Line(text::escape(line.trim_ascii()), NOT_UTF8.into())),
            },
            Ok(Next::TooLong) => Err(NoUrl::Line(String::new(), format!("input line {number}: {}", too_long()))),
            Ok(Next::End) if has_url => break,
            // Probably the program that was to write them failed.
            Ok(Next::End) => {
                let message = "the standard input has no URL: write one per line";
                return give.blocking_send(Err(NoUrl::Input(Failure::Usage(message.into()))));
            }
            Err(error) => {
                let message = format!("the standard input: {error}; the URLs before this were checked");
                return give.blocking_send(Err(NoUrl::Input(Failure::Io(message))));
            }
        };
        has_url = true;
        give.blocking_send(found)?;
    }
    Ok(())
}
