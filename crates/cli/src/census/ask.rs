//! `census ask` and `census expand`: what a census says to pages, crawlers and times; and its rows.
//!
//! Invariant: answers come in the order of the questions. Memory holds the questions of one round, and what is stored of
//! their sites.

use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use robosieve_batch::lines::{Lines, Next};
use robosieve_batch::{Problem, csv, json, stream};
use robosieve_census::{AgentList, Answer, Asker, Observations, Question, Read, Reading, Stored, View};
use serde::Serialize;

use super::{ReadWhole, plan, report_running};
use crate::batch::RowForm;
use crate::choices::Flags;
use crate::exit::{self, Code, Failure, Stopped};
use crate::help;
use crate::input::{self, Folders};
use crate::output;
use crate::text::{counted, escape, name_of};

/// The number of questions that are answered in a round, and the bytes of their lines. Our choice: some 1 GB of memory.
const MAX_QUESTIONS: usize = 1 << 22;
const MAX_ROUND: usize = 1 << 29;

// What is done with a census. A doc comment would be the words about `census`.
#[derive(Debug, Subcommand)]
pub(crate) enum CensusCommand {
    /// Say whether crawlers may fetch pages, by a census
    #[command(after_long_help = help::text!("census-ask"))]
    Ask(AskArgs),
    /// Print a row for each file and crawler of a census
    #[command(after_long_help = help::text!("census-expand"))]
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
    format: RowForm,
    #[command(flatten)]
    choices: Flags<ReadWhole>,
}

#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    /// Censuses: lines of the normal form (.ndjson, also with .gz or .zst), or folders of tables
    #[arg(value_name = "CENSUS", required = true, value_hint = ValueHint::AnyPath)]
    stored: Vec<PathBuf>,
    /// File of questions; a JSON object on each line, with `url`, `agent` and perhaps `time`; `-` is the standard input
    #[arg(long, value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    questions: PathBuf,
    /// How answers are written
    #[arg(long, value_name = "FORM", default_value = "ndjson")]
    format: RowForm,
    #[command(flatten)]
    choices: Flags<ReadWhole>,
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

/// The line for a question that cannot be answered.
#[derive(Serialize)]
struct Bad<'l> {
    v: u8,
    error: &'l Problem,
}

pub(super) fn run(command: &CensusCommand) -> Result<Code, Failure> {
    match command {
        CensusCommand::Ask(args) => ask(args),
        CensusCommand::Expand(args) => expand(args),
    }
}

/// The censuses at these paths. Reports a run that has not ended.
fn opened(paths: &[PathBuf]) -> Result<Vec<Stored>, Failure> {
    input::expect_there(paths, Folders::Taken)?;
    let stored: Vec<Stored> = paths.iter().map(Stored::new).collect();
    stored.iter().for_each(report_running);
    Ok(stored)
}

fn expand(args: &ExpandArgs) -> Result<Code, Failure> {
    let plan = plan(&args.choices.0)?;
    let list = AgentList::with_names(&args.agents, plan.names())
        .map_err(|error| Failure::Usage(format!("--agents: {error}")))?;
    let reading = Reading::of(&plan.options, plan.names());
    let stored = opened(&args.stored)?;
    let view = View::new(list, args.format.into());
    let (mut out, mut rows) = (output::stdout(), view.head());
    let (mut unread, mut first) = (0_u64, Vec::new());
    for one in &stored {
        let failed = |error: io::Error| Stopped(Failure::Io(format!("{}: {error}", name_of(one.path()))));
        let read = one.each(&mut |read| {
            match read {
                Read::Entry(entry, _) => {
                    reading.expect(&entry).map_err(failed)?;
                    view.expand(&entry, &mut rows);
                }
                Read::Unread(number) => {
                    unread = unread.saturating_add(1);
                    if first.len() < Observations::MAX_UNREAD {
                        first.push((one.path().to_owned(), number));
                    }
                }
                _ => {}
            }
            let written = out.write_all(&rows).map_err(|error| Stopped(Failure::stdout(&error)));
            rows.clear();
            written
        });
        read.map_err(|Stopped(failure)| failure)?;
    }
    out.write_all(&rows).and_then(|()| out.flush()).map_err(|error| Failure::stdout(&error))?;
    Ok(of_unread(unread, &first))
}

/// Reports lines that are none of the normal form: the first of them, and their number.
fn of_unread(unread: u64, first: &[(PathBuf, u64)]) -> Code {
    if unread == 0 {
        return Code::Fine;
    }
    for (path, number) in first {
        exit::tell(&format!("{}:{number}: is not a line that `robosieve census` writes for a file", name_of(path)));
    }
    let more = unread.saturating_sub(u64::try_from(first.len()).unwrap_or(u64::MAX));
    if more > 0 {
        exit::tell(&format!("{} are none", counted(more, "more line", "more lines")));
    }
    Code::Refused.known()
}

fn ask(args: &AskArgs) -> Result<Code, Failure> {
    let plan = plan(&args.choices.0)?;
    let asker = Asker::new(plan.names(), plan.options);
    let stored = opened(&args.stored)?;
    let failed = |error: io::Error| Failure::file(&args.questions, &error, "check the file");
    let file: Box<dyn io::Read + Send> = if input::is_stdin(&args.questions) {
        input::refuse_terminal("--questions FILE")?;
        Box::new(io::stdin())
    } else {
        Box::new(std::fs::File::open(&args.questions).map_err(failed)?)
    };
    let mut lines = Lines::new(stream::unpacked(file).map_err(failed)?, Question::MAX_BYTES).checked();
    let (mut out, mut code, mut is_first) = (output::stdout(), Code::Fine, true);
    if args.format == RowForm::Csv {
        csv::row(&mut out, NAMES).map_err(|error| Failure::stdout(&error))?;
    }
    loop {
        let (round, is_over) = next_round(&mut lines, MAX_QUESTIONS, MAX_ROUND).map_err(failed)?;
        if round.is_empty() && !is_first {
            break;
        }
        if round.is_empty() {
            exit::tell("there is no question: write lines such as {\"url\":\"https://e.com/\",\"agent\":\"*\"}");
        }
        let questions = round.iter().filter_map(|question| question.as_ref().ok());
        let known = asker.read(&stored, questions).map_err(|error| Failure::Io(error.to_string()))?;
        // Each round reads the same lines.
        if is_first {
            code = code.and(of_unread(known.unread, &known.first_unread));
            is_first = false;
        }
        if known.undated > 0 {
            let files = counted(known.undated, "file", "files");
            exit::tell(&format!("{files} of these sites: no time that can be read, so each could be the last"));
        }
        for question in &round {
            let line = question.as_ref().map(|question| Line {
                v: 1,
                url: question.url(),
                agent: question.agent(),
                time: question.time(),
                answer: known.answer(question),
            });
            let written = match args.format {
                RowForm::Ndjson => match &line {
                    Ok(line) => json::write(&mut out, line),
                    Err(error) => json::write(&mut out, &Bad { v: 1, error }),
                }
                .and_then(|()| out.write_all(b"\n")),
                RowForm::Csv => csv::row(&mut out, cells(&line)),
            };
            written.map_err(|error| Failure::stdout(&error))?;
        }
        if is_over {
            break;
        }
    }
    out.flush().map_err(|error| Failure::stdout(&error))?;
    Ok(code)
}

/// The questions of the next round, and whether they are the last: until there are so many, or their lines have so many
/// bytes.
fn next_round<R: io::Read>(
    lines: &mut Lines<R>,
    most: usize,
    most_bytes: usize,
) -> io::Result<(Vec<Result<Question, Problem>>, bool)> {
    let (mut round, mut bytes) = (Vec::new(), 0_usize);
    while round.len() < most && bytes < most_bytes {
        let question = match lines.next_line()? {
            Next::End => return Ok((round, true)),
            Next::Line(line) if line.trim_ascii().is_empty() => continue,
            Next::Line(line) => {
                bytes = bytes.saturating_add(line.len());
                Question::read(line)
            }
            Next::TooLong => Err(Question::too_long()),
        };
        round.push(question);
    }
    Ok((round, false))
}

/// The columns of a CSV table.
const NAMES: [&str; 11] = ["v", "url", "agent", "time", "allowed", "line", "status", "hash", "crawl", "seen", "error"];

fn cells(line: &Result<Line<'_>, &Problem>) -> [String; 11] {
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let error = line.as_ref().err().map(|problem| format!("{}: {problem}", problem.kind)).unwrap_or_default();
    let Ok(line) = line else {
        let mut cells = [const { String::new() }; 11];
        let [v, .., last] = &mut cells;
        (*v, *last) = ("1".to_owned(), escape(error.as_bytes()));
        return cells;
    };
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
        error,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes of the rounds of five questions.
    fn rounds(most: usize, most_bytes: usize) -> Vec<usize> {
        let text = "{\"url\":\"https://e.com/\",\"agent\":\"*\"}\n\n".repeat(5);
        let (mut lines, mut sizes) = (Lines::new(text.as_bytes(), Question::MAX_BYTES), Vec::new());
        loop {
            let (round, is_over) = next_round(&mut lines, most, most_bytes).unwrap_or_default();
            assert!(round.iter().all(Result::is_ok));
            sizes.push(round.len());
            if is_over {
                return sizes;
            }
        }
    }

    /// Blank lines are none. [census.ask-bounds] [census.question]
    #[test]
    fn a_round_has_at_most_so_many_questions() {
        assert_eq!(rounds(4, usize::MAX), [4, 1]);
        assert_eq!(rounds(5, usize::MAX), [5, 0]);
        assert_eq!(rounds(6, usize::MAX), [5]);
        let line = "{\"url\":\"https://e.com/\",\"agent\":\"*\"}".len();
        // The question that reaches the limit is in the round.
        assert_eq!(rounds(9, 4 * line), [4, 1]);
        assert_eq!(rounds(9, 4 * line + 1), [5, 0]);
        assert_eq!(rounds(9, 4 * line - 1), [4, 1]);
        assert_eq!((MAX_QUESTIONS, MAX_ROUND), (4_194_304, 512 << 20));
    }
}
