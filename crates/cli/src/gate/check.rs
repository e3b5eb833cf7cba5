//! `check`: says whether URLs may be fetched now.
//!
//! Invariant: one answer per URL. One after the other, they are in the order of the URLs, and each is written before the
//! next URL is checked.

use std::io::Write as _;
use std::thread;

use tokio::sync::mpsc::{self, Receiver};
use tokio::task::JoinSet;

use super::answers::Answered;
use super::args::CheckArgs;
use super::asker::{self, Asker};
use super::feed::{Feed, NoUrl, no_urls};
use super::fetch::{expect_no_file, with_scheme};
use super::identity::Identity;
use crate::exit::{Code, Failure};
use crate::output;

pub(super) fn run(args: &CheckArgs) -> Result<Code, Failure> {
    if args.urls.iter().filter(|url| *url == "-").count() > 1 {
        return Err(Failure::Usage("`-` is the standard input, which can be read only once: use `-` once".into()));
    }
    args.urls.iter().try_for_each(|url| expect_no_file(url))?;
    asker::log(args.log);
    let who = Identity::of_checker(&args.who)?;
    let gate = asker::gate(&who, &args.ask, &args.kept, args.quiet)?;
    let runtime = asker::runtime()?;
    let done = runtime.block_on(check(&gate, urls(args.urls.clone()), args));
    runtime.shutdown_background();
    done
}

async fn check(gate: &Asker, mut urls: Receiver<Result<String, NoUrl>>, args: &CheckArgs) -> Result<Code, Failure> {
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
    let mut out = output::stdout();
    let written = line.and_then(|line| out.write_all(&line)).and_then(|()| out.flush());
    written.map_err(|error| Failure::stdout(&error))
}

/// The URLs of the command line, and in the place of `-` those of the standard input, which a thread waits for.
fn urls(named: Vec<String>) -> Receiver<Result<String, NoUrl>> {
    let (give, urls) = mpsc::channel(1);
    thread::spawn(move || {
        for url in named {
            let sent = if url == "-" {
                let mut feed = Feed::of_stdin().peekable();
                if feed.peek().is_none() {
                    give.blocking_send(Err(NoUrl::Input(no_urls())))
                } else {
                    feed.try_for_each(|found| give.blocking_send(found))
                }
            } else {
                give.blocking_send(Ok(with_scheme(&url).into_owned()))
            };
            // Nobody listens after a failure.
            if sent.is_err() {
                return;
            }
        }
    });
    urls
}
