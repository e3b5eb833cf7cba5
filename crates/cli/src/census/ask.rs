//! `census ask`: what a census says to pages, crawlers and times.
//!
//! Invariant: answers come in the order of the questions. Memory holds the questions of one round, and what is stored of
//! their sites.

use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use robosieve_batch::lines::{Lines, Next};
use robosieve_batch::{csv, json, stream};
use robosieve_census::{Answer, Asker, Question, Stored};
use serde::Serialize;

use super::{ReadWhole, plan};
use crate::choices::Flags;
use crate::exit::{self, Code, Failure};
use crate::input::{self, Folders};
use crate::output;

/// The number of questions that are answered at once, and the bytes of their lines. Our choice: some 1 GB.
const MAX_QUESTIONS: usize = 1 << 22;
const MAX_ROUND: usize = 1 << 29;
/// The length of a question in bytes. Our choice: the longest URL that browsers and sitemaps take, escaped.
const MAX_QUESTION: usize = 1 << 14;

/// What is done with a census.
#[derive(Debug, Subcommand)]
pub(crate) enum CensusCommand {
    /// Say whether crawlers may fetch pages, by a census
    Ask(AskArgs),
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
    let CensusCommand::Ask(args) = command;
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
                    let name = crate::text::name_of(&args.questions);
                    return Err(Failure::Usage(format!(
                        "{name}:{number}: is no question ({why}): write {{\"url\":\"https://e.com/a\",\"agent\":\"GPTBot\"}}"
                    )));
                }
            }
        }
        let known = asker.read(&stored, round.iter()).map_err(|error| Failure::Io(error.to_string()))?;
        if known.unread > 0 {
            exit::tell(&format!("{} of the census are none of the normal form", crate::text::counted(known.unread, "line", "lines")));
            code = Code::Refused.known();
        }
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
        crate::text::escape(line.url.as_bytes()).to_string(),
        crate::text::escape(line.agent.as_bytes()).to_string(),
        text(line.time),
        answer.allowed.map(|allowed| allowed.to_string()).unwrap_or_default(),
        answer.line.map(|line| line.to_string()).unwrap_or_default(),
        text(answer.status),
        text(answer.hash),
        text(answer.crawl),
        text(answer.seen),
    ]
}
