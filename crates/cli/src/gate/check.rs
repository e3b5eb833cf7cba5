//! `check`: says whether URLs may be fetched now.
//!
//! Invariant: one answer per URL. One after the other, they are in the order of the URLs, and each is written before
//! the next URL is checked. A blank line of the input is skipped; every other line is one item, also if it cannot be
//! used, and no line longer than [`MAX_URL`] is kept.

use std::io::{self, Read, Write as _};
use std::thread;

use robosieve_batch::lines::{Lines, Next};
use tokio::sync::mpsc::{self, Receiver};
use tokio::task::JoinSet;

use super::answers::{Answered, MAX_URL, NOT_UTF8, too_long};
use super::args::CheckArgs;
use super::asker::{self, Asker};
use super::fetch::{expect_no_file, with_scheme};
use super::identity::Identity;
use crate::exit::{Code, Failure};
use crate::{output, text};

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

/// Why there is no URL.
#[derive(Debug)]
enum NoUrl {
    /// The line cannot be used: its beginning, and why.
    Line(String, String),
    /// The input cannot be read, or has no URL; nothing more comes.
    Input(Failure),
}

/// The URLs of the input. The iterator waits where the input pauses.
struct Feed {
    lines: Lines<Box<dyn Read + Send>>,
    /// The number of the last line.
    line: u64,
    is_over: bool,
}

impl Feed {
    /// Those of the standard input.
    fn of_stdin() -> Self {
        let input: Box<dyn Read + Send> = Box::new(io::stdin());
        Self { lines: Lines::new(input, MAX_URL).checked(), line: 0, is_over: false }
    }
}

impl Iterator for Feed {
    type Item = Result<String, NoUrl>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_over {
            self.line = self.line.saturating_add(1);
            match self.lines.next_line() {
                Ok(Next::Line(line)) if line.trim_ascii().is_empty() => {}
                Ok(Next::Line(line)) => return Some(url_of(line.trim_ascii())),
                Ok(Next::TooLong) => {
                    return Some(Err(NoUrl::Line(String::new(), format!("input line {}: {}", self.line, too_long()))));
                }
                Ok(Next::End) => self.is_over = true,
                Err(error) => {
                    self.is_over = true;
                    let message = format!("the standard input: {error}; the URLs before this were checked");
                    return Some(Err(NoUrl::Input(Failure::Io(message))));
                }
            }
        }
        None
    }
}

/// The error for a standard input without a URL. Probably the program that was to write them failed.
fn no_urls() -> Failure {
    Failure::Usage("the standard input has no URL: write one per line".into())
}

/// The URL of a line.
fn url_of(line: &[u8]) -> Result<String, NoUrl> {
    match str::from_utf8(line) {
        Ok(url) => Ok(url.to_owned()),
        Err(_) => Err(NoUrl::Line(text::escape(line), NOT_UTF8.into())),
    }
}
