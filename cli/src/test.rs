//! `test`: may the URLs be fetched, and by which line?
//!
//! Invariant: one line of output a URL, in order; the exit code is that of all of them together.

use std::ffi::OsStr;
use std::io::{BufWriter, StdoutLock, Write};
use std::path::Path;

use robosieve::{Access, Agents, Tester};
use serde::Serialize;

use crate::args::TestArgs;
use crate::choices::Choices;
use crate::exit::{self, Code, Failure};
use crate::input::Input;
use crate::lines::{Lines, MAX_LINE, Next};
use crate::ndjson::{self, Asking, Defaults, Problem, Request, Source};
use crate::plan::Plan;
use crate::who::{Answer, Who, why};
use crate::{input, json, output, text};

pub(crate) fn run(args: &TestArgs) -> Result<Code, Failure> {
    let agents = (!args.agents.is_empty()).then(|| args.agents.agents());
    let choices = args.choices();
    let plan =
        Plan::new(&choices, agents.clone().unwrap_or_default()).map_err(|error| Failure::Usage(error.to_string()))?;
    if args.ndjson {
        return ndjson::serve(Server { defaults: Defaults { choices, agents }, last: None });
    }
    if agents.is_none() {
        return Err(Failure::Usage("say who asks: `--agent MyBot`, your crawler's product token".into()));
    }
    let is_read = plan.access == Access::Rules;
    let file = file_of(args, is_read)?;
    let input = if is_read { input::read(file, plan.max_bytes())? } else { Input::not_to_be_had(file) };
    let set = plan.records(&input.octets);
    let (tester, is_exact) = plan.tester(&set).map_err(|refused| Failure::refused(&input.name, refused))?;
    if !is_exact && !args.quiet {
        let name = &input.name;
        exit::tell(&format!(
            "{name}: a limit cost this agent a line, so answers may differ; `robosieve inspect` shows it"
        ));
    }
    let who = Who::answers(&tester, &plan.interest, plan.access);
    let mut printer = Printer { args, tester, who, is_exact, out: output::stdout(), code: Code::Fine };
    if args.urls.is_empty() {
        printer.test_stdin()?;
    }
    for url in &args.urls {
        if is_stdin(url) { printer.test_stdin()? } else { printer.test(url.as_encoded_bytes())? }
    }
    printer.out.flush().map_err(|error| Failure::stdout(&error))?;
    Ok(printer.code)
}

fn is_stdin(url: &OsStr) -> bool {
    url == "-"
}

/// The file, if its place on the command line and that of the URLs go together. One that is not read leaves the standard
/// input alone.
fn file_of(args: &TestArgs, is_read: bool) -> Result<&Path, Failure> {
    const FORM: &str = "robosieve test --agent MyBot robots.txt URL...";
    let Some(file) = &args.file else {
        return Err(Failure::Usage(format!("name the robots.txt file, and then the URLs: `{FORM}`")));
    };
    let places = args.urls.iter().filter(|url| is_stdin(url)).count();
    if places > 1 {
        return Err(Failure::Usage("`-` stands for the standard input, which can be read once: name it once".into()));
    }
    if is_read && input::is_stdin(file) && (places > 0 || args.urls.is_empty()) {
        return Err(Failure::Usage(format!(
            "the standard input is the robots.txt file here, so the URLs have to be arguments: `{FORM}`"
        )));
    }
    if args.urls.is_empty() {
        input::refuse_terminal("a URL")?;
    }
    Ok(file)
}

struct Printer<'p, 'a> {
    args: &'p TestArgs,
    tester: Tester<'a>,
    who: Who,
    is_exact: bool,
    out: BufWriter<StdoutLock<'static>>,
    code: Code,
}

impl Printer<'_, '_> {
    fn test(&mut self, url: &[u8]) -> Result<(), Failure> {
        let verdict = self.tester.test(url);
        if !verdict.allowed() {
            self.code = self.code.and(Code::Disallowed);
        }
        let line = if self.args.quiet {
            return Ok(());
        } else if self.args.json {
            json::line(&JsonLine {
                v: 1,
                exact: self.is_exact,
                tested: Tested::new(url, Answer::new(&verdict, &self.who)),
            })
        } else {
            let word = if verdict.allowed() { "allowed" } else { "disallowed" };
            Ok(format!("{word}\t{}\t{}\n", text::escape(url), why(&verdict, &self.who)).into_bytes())
        };
        line.and_then(|line| self.out.write_all(&line)).map_err(|error| Failure::stdout(&error))
    }

    /// Tests the URLs of the standard input, and answers what has come while it waits for more.
    fn test_stdin(&mut self) -> Result<(), Failure> {
        let mut lines = Lines::of_stdin();
        let mut number = 0_u64;
        loop {
            number = number.saturating_add(1);
            match lines.next().map_err(|error| Failure::stdin(&error))? {
                Next::End => return Ok(()),
                Next::Line(b"") => {}
                Next::Line(url) => self.test(url)?,
                Next::TooLong => {
                    let long = format!("standard input: line {number} is no URL: it is longer than {MAX_LINE} octets");
                    self.code = self.code.and(Failure::Io(long).tell());
                }
            }
            if lines.pauses() {
                self.out.flush().map_err(|error| Failure::stdout(&error))?;
            }
        }
    }
}

#[derive(Serialize)]
struct JsonLine {
    v: u8,
    exact: bool,
    #[serde(flatten)]
    tested: Tested,
}

/// A URL and its answer.
#[derive(Serialize)]
struct Tested {
    /// With `\xNN` for octets, where it is not UTF-8.
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    url_b64: Option<String>,
    #[serde(flatten)]
    answer: Answer,
}

impl Tested {
    fn new(url: &[u8], answer: Answer) -> Self {
        match str::from_utf8(url) {
            Ok(url) => Self { url: url.to_owned(), url_b64: None, answer },
            Err(_) => Self { url: text::escape(url), url_b64: Some(ndjson::encode(url)), answer },
        }
    }
}

struct Server {
    defaults: Defaults,
    last: Option<Cached>,
}

/// The tester of the last request: crawlers ask for many URLs of one site.
struct Cached {
    source: Option<Source>,
    agents: Option<Asking>,
    options: Choices,
    tester: Tester<'static>,
    who: Who,
    exact: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Answers {
    One {
        exact: bool,
        #[serde(flatten)]
        answer: Answer,
    },
    Many {
        exact: bool,
        results: Vec<Tested>,
    },
}

impl ndjson::Server for Server {
    type Answer = Answers;

    fn answer(&mut self, mut request: Request<'_>) -> Result<Answers, Problem> {
        let source = request.take_source()?;
        let agents = request.take_agents()?;
        let options = request.options.take().unwrap_or_default();
        if options.all_agents.is_some() {
            return Err(Problem::option("all_agents is for `robosieve filter`"));
        }
        let is_same = |last: &Cached| last.source == source && last.agents == agents && last.options == options;
        let cached = match self.last.take().filter(is_same) {
            Some(cached) => cached,
            None => self.prepare(source, agents, options)?,
        };
        let answers = cached.answer(&request);
        self.last = Some(cached);
        answers
    }
}

impl Server {
    fn prepare(&self, source: Option<Source>, names: Option<Asking>, options: Choices) -> Result<Cached, Problem> {
        let agents: Agents = self.defaults.agents(names.as_ref())?;
        let plan = Plan::new(&options.clone().over(&self.defaults.choices), agents)?;
        let octets = match &source {
            Some(source) => source.octets()?,
            // A file that was not to be had says nothing.
            None if plan.access != Access::Rules => [].as_slice().into(),
            None => return Err(Problem::request("the file is missing: give robots, or robots_b64 for octets")),
        };
        let (tester, exact) = plan.tester(&plan.records(&octets).into_owned())?;
        drop(octets);
        let who = Who::answers(&tester, &plan.interest, plan.access);
        Ok(Cached { source, agents: names, options, tester, who, exact })
    }
}

impl Cached {
    fn answer(&self, request: &Request<'_>) -> Result<Answers, Problem> {
        let of = |url: &[u8]| Answer::new(&self.tester.test(url), &self.who);
        let exact = self.exact;
        match (&request.url, &request.urls, &request.url_b64) {
            (Some(url), None, None) => Ok(Answers::One { exact, answer: of(url.as_bytes()) }),
            (None, None, Some(url)) => Ok(Answers::One { exact, answer: of(&ndjson::decode("url_b64", url)?) }),
            (None, Some(urls), None) => {
                let results = urls.iter().map(|url| Tested::new(url.as_bytes(), of(url.as_bytes()))).collect();
                Ok(Answers::Many { exact, results })
            }
            _ => Err(Problem::request("give one of url, urls (an array) and url_b64 (octets)")),
        }
    }
}
