//! `census ask` and `census expand`: what a census says to pages, crawlers and times; and its rows.
//!
//! Invariant: answers come in the order of the questions. Memory holds the questions of one round, and what is stored of
//! their sites.

use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use robosieve_batch::lines::{Lines, Next};
use robosieve_batch::{csv, json, stream};
use robosieve_census::{AgentList, Answer, Asker, Form, Question, Read, Stored, View};
use serde::Serialize;

use super::{ReadWhole, plan};
use crate::choices::Flags;
use crate::exit::{self, Code, Failure};
use crate::help;
use crate::input::{self, Folders};
use crate::output;
use crate::text::{counted, escape, name_of};

/// The number of questions that are answered in a round, and the bytes of their lines. Our choice: some 1 GB of memory.
const MAX_QUESTIONS: usize = 1 << 22;
const MAX_ROUND: usize = 1 << 29;
/// The length of a question in bytes. Our choice: the longest URL that browsers and sitemaps take, escaped.
const MAX_QUESTION: usize = 1 << 14;

// What is done with a census. A doc comment would be the words about `census`.
#[derive(Debug, Subcommand)]
pub(crate) enum CensusCommand {
    /// Say whether crawlers may fetch pages, by a census
    #[command(after_long_help = help::shaped(help::text!("census-ask")))]
    Ask(AskArgs),
    /// Print a row for each file and crawler of a census
    #[command(after_long_help = help::shaped(help::text!("census-expand")))]
    Expand(ExpandArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ExpandArgs {
    /// Censuses: lines of the normal form (.ndjson, also with .gz or .zst), or folders of tables
    #[arg(value_name = "CENSUS", required = true, value_hint = ValueHint::AnyPath)]
    stored: Vec<PathBuf>,
    /// Crawlers, as for census
    #[arg(id = "crawlers", long = "agents", value_name = "LIST", default_value = AgentList::DEFAULT)]
    agents: String,
    /// How rows are written
    #[arg(long, value_name = "FORM", default_value = "ndjson")]
    format: AnswerForm,
    #[command(flatten)]
    choices: Flags<ReadWhole>,
}

#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    /// Censuses: lines of the normal form (.ndjson, also with .gz or .zst), or folders of tables
    #[arg(value_name = "CENSUS", required = true, value_hint = ValueHint::AnyPath)]
    stored: Vec<PathBuf>,
    /// File of questions; a JSON object on each line, with `url`, `agent` and perhaps `time`; `-` is the standard input
    #[arg(short, long, value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    questions: PathBuf,
    /// How answers are written
    #[arg(long, value_name = "FORM", default_value = "ndjson")]
    format: AnswerForm,
    #[command(flatten)]
    choices: Flags<ReadWhole>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AnswerForm {
    /// A JSON object on each line
    Ndjson,
    /// Comma-separated values, with their names first
    Csv,
}

#[derive(Serialize)]
struct Line<'l> {
    v: u8,
    url: &'l str,
    agent: &'l str,
    time: Option<&'l str>,
    #[serde(flatten)]
    answer: Answer<'l>,
}

pub(super) fn run(command: &CensusCommand) -> Result<Code, Failure> {
    match command {
        CensusCommand::Ask(args) => ask(args),
        CensusCommand::Expand(args) => expand(args),
    }
}

fn expand(args: &ExpandArgs) -> Result<Code, Failure> {
    let plan = plan(&args.choices.0)?;
    let list = AgentList::with_names(&args.agents, plan.names())
        .map_err(|error| Failure::Usage(format!("--agents: {error}")))?;
    input::expect_there(&args.stored, Folders::Taken)?;
    let view = View::new(list, if args.format == AnswerForm::Csv { Form::Csv } else { Form::Ndjson });
    let (mut out, mut rows, mut unread) = (output::stdout(), view.head(), 0_u64);
    for path in &args.stored {
        let read = Stored::new(path).each(&mut |read| {
            match read {
                Read::Entry(entry, _) => view.expand(&entry, &mut rows),
                _ => unread = unread.saturating_add(1),
            }
            let written = out.write_all(&rows).map_err(|error| Stopped(Failure::stdout(&error)));
            rows.clear();
            written
        });
        read.map_err(|Stopped(failure)| failure)?;
    }
    out.write_all(&rows).and_then(|()| out.flush()).map_err(|error| Failure::stdout(&error))?;
    Ok(of_unread(unread))
}

/// What stops the reading of a census.
struct Stopped(Failure);

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self(Failure::Io(error.to_string()))
    }
}

fn of_unread(unread: u64) -> Code {
    if unread == 0 {
        return Code::Fine;
    }
    let lines = counted(unread, "line", "lines");
    exit::tell(&format!("{lines} of the census: not of the normal form"));
    Code::Refused.known()
}

fn ask(args: &AskArgs) -> Result<Code, Failure> {
    let plan = plan(&args.choices.0)?;
    input::expect_there(&args.stored, Folders::Taken)?;
    let asker = Asker::new(plan.names(), plan.options);
    let stored: Vec<Stored> = args.stored.iter().map(Stored::new).collect();
    let failed = |error: io::Error| Failure::file(&args.questions, &error, "check the file");
    let file: Box<dyn io::Read + Send> = if input::is_stdin(&args.questions) {
        input::refuse_terminal("--questions FILE")?;
        Box::new(io::stdin())
    } else {
        Box::new(std::fs::File::open(&args.questions).map_err(failed)?)
    };
    let mut lines = Lines::new(stream::unpacked(file).map_err(failed)?, MAX_QUESTION);
    let (mut out, mut code, mut number) = (output::stdout(), Code::Fine, 0_u64);
    let mut write = |form: AnswerForm, line: &Line<'_>| match form {
        AnswerForm::Ndjson => json::write(&mut out, line).and_then(|()| out.write_all(b"\n")),
        AnswerForm::Csv => csv::row(&mut out, cells(line)),
    };
    if args.format == AnswerForm::Csv {
        let names = ["v", "url", "agent", "time", "allowed", "line", "status", "hash", "crawl", "seen"];
        io::stdout().lock().write_all(format!("{}\n", names.join(",")).as_bytes()).map_err(|e| Failure::stdout(&e))?;
    }
    loop {
        let (mut round, mut bytes, mut is_over) = (Vec::new(), 0_usize, false);
        while round.len() < MAX_QUESTIONS && bytes < MAX_ROUND {
            number = number.saturating_add(1);
            let question = match lines.next_line().map_err(failed)? {
                Next::End => {
                    is_over = true;
                    break;
                }
                Next::Line(line) if line.trim_ascii().is_empty() => continue,
                Next::Line(line) => {
                    bytes = bytes.saturating_add(line.len());
                    serde_json::from_slice::<Question>(line).map_err(|error| error.to_string())
                }
                Next::TooLong => Err(format!("it has more than {MAX_QUESTION} bytes")),
            };
            match question {
                Ok(question) => round.push(question),
                Err(why) => {
                    let name = name_of(&args.questions);
                    return Err(Failure::Usage(format!(
                        "{name}:{number}: is no question ({why}): write {{\"url\":\"https://e.com/a\",\"agent\":\"GPTBot\"}}"
                    )));
                }
            }
        }
        let known = asker.read(&stored, round.iter()).map_err(|error| Failure::Io(error.to_string()))?;
        code = code.and(of_unread(known.unread));
        for question in &round {
            let Question { url, agent, time, .. } = question;
            let answer = known.answer(question);
            let line = Line { v: 1, url, agent, time: time.as_deref(), answer };
            write(args.format, &line).map_err(|error| Failure::stdout(&error))?;
        }
        if is_over {
            break;
        }
    }
    out.flush().map_err(|error| Failure::stdout(&error))?;
    Ok(code)
}

fn cells(line: &Line<'_>) -> [String; 10] {
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let answer = &line.answer;
    [
        line.v.to_string(),
        escape(line.url.as_bytes()),
        escape(line.agent.as_bytes()),
        text(line.time),
        answer.allowed.map(|allowed| allowed.to_string()).unwrap_or_default(),
        answer.line.map(|line| line.to_string()).unwrap_or_default(),
        text(answer.status),
        text(answer.hash),
        text(answer.crawl),
        text(answer.seen),
    ]
}
