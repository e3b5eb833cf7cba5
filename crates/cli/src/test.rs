//! `test`: says whether URLs may be fetched, and which line decides.
//!
//! Invariant: one line of output per URL, in order, and one exit code for all.

mod expect;
mod many;

use std::borrow::Cow;
use std::io::{BufWriter, StdoutLock, Write};
use std::path::Path;

use anstyle::Style;
use robosieve::Agents;
use robosieve::report::Report;
use robosieve::verdict::SiteAccess;
use robosieve_ask::{Plan, Settings};
use robosieve_batch::lines::Next;
use robosieve_batch::requests::MAX_LINE;
use robosieve_explain::{Answer, Asked, FileSummary, Tested, target};
use serde::Serialize;

use crate::args::TestArgs;
use crate::asked::{self, is_stdin};
use crate::exit::{self, Code, Failure};
use crate::input::Input;
use crate::ndjson::{self, Defaults, Problem, Request, RequestSource};
use crate::report::{self, tell_documented};
use crate::{input, json, output, shade, text};

pub(crate) fn run(args: &TestArgs) -> Result<Code, Failure> {
    input::name_stdin(args.stdin.name.as_deref(), args.file.as_slice())?;
    let agents = args.agents.given();
    let settings = args.choices.0.clone().over(&args.statuses.0);
    let plan = Plan::new(&settings)?.for_agents(Some(agents.clone().unwrap_or_default()));
    if args.ndjson {
        let mut server = Server { defaults: Defaults { settings, agents }, last: None };
        return ndjson::serve(|request| server.answer(request));
    }
    if let Some(expectations) = &args.expect {
        return expect::run(args, &plan, expectations);
    }
    if agents.is_none() {
        return Err(Failure::no_agent());
    }
    let is_folder = |file: &Path| plan.access() == SiteAccess::Rules && file.is_dir();
    if args.files_from.is_some() || args.file.as_deref().is_some_and(is_folder) {
        return many::run(args, &plan);
    }
    let is_read = plan.access() == SiteAccess::Rules;
    let file = file_of(args, is_read)?;
    asked::check(args.urls.iter().map(AsRef::as_ref).filter(|url| !is_stdin(url)), FILE_FIRST)?;
    let input = if is_read { input::read(file, plan.options.limits.max_bytes)? } else { Input::not_to_be_had(file) };
    if is_read && !args.quiet {
        input.warn_if_empty();
    }
    let plan = &*input.plan(&plan);
    let asked = plan.asked(&input.bytes).map_err(|refused| Failure::refused(&input.name, refused))?;
    if is_read {
        input.expect(asked.report(), &plan.fail_on)?;
    }
    if !args.quiet {
        let consequence = "results may differ; see `robosieve inspect`";
        report::tell_doubts(&input.name, asked.report(), consequence, "; see `robosieve explain`");
        tell_documented(&input.name, asked.who());
    }
    let about = About { file: &input.name, asked };
    let mut printer = Printer::new(args, false);
    if args.urls.is_empty() {
        printer.test_stdin(&about)?;
    }
    for url in &args.urls {
        if is_stdin(url) { printer.test_stdin(&about)? } else { printer.test(&about, url.as_encoded_bytes())? }
    }
    printer.finish()
}

const FORM: &str = "robosieve test --agent MyBot robots.txt URL...";

/// Where the file is named.
const FILE_FIRST: &str =
    "one robots.txt file comes before the URLs, as in `robosieve test --agent MyBot robots.txt /a`";

/// The file. Checks that the file and the URLs do not both come from the standard input. A file that is not read does
/// not use it.
fn file_of(args: &TestArgs, is_read: bool) -> Result<&Path, Failure> {
    let Some(file) = &args.file else {
        return Err(Failure::Usage(format!("name the robots.txt file first, then the URLs: `{FORM}`")));
    };
    input::once(args.urls.iter().map(|url| is_stdin(url)))?;
    if is_read && input::is_stdin(file) && (args.urls.is_empty() || args.urls.iter().any(|url| is_stdin(url))) {
        return Err(Failure::Usage(format!(
            "the robots.txt file comes from the standard input, so the URLs must be arguments: `{FORM}`"
        )));
    }
    if args.urls.is_empty() {
        input::refuse_terminal("a URL")?;
    }
    Ok(file)
}

/// The maximum number of lines without a usable URL that are reported; all are counted.
const REPORTED: u64 = 20;

/// A file that is asked about.
struct About<'a> {
    file: &'a str,
    asked: Asked<'a>,
}

struct Printer<'p> {
    args: &'p TestArgs,
    /// Whether the name of the file is printed with each answer.
    names_files: bool,
    /// The colours of an answer that allows, and of one that does not.
    colors: (Style, Style),
    out: BufWriter<StdoutLock<'static>>,
    code: Code,
}

impl<'p> Printer<'p> {
    fn new(args: &'p TestArgs, names_files: bool) -> Self {
        let colors = (shade::wanted(shade::OURS), shade::wanted(shade::LOST));
        Self { args, names_files, colors, out: output::stdout(), code: Code::Fine }
    }

    fn test(&mut self, about: &About<'_>, url: &[u8]) -> Result<(), Failure> {
        let answer = about.asked.answer(url);
        if answer.allowed == self.args.expect_disallowed {
            self.code = self.code.and(Code::Disallowed);
        }
        if self.args.quiet {
            return Ok(());
        }
        let file = self.names_files.then_some(about.file);
        let written = if self.args.json {
            let url_b64 = str::from_utf8(url).is_err().then(|| json::encode(url));
            let tested = about.asked.tested(url);
            json::line(&JsonLine { v: 1, file, found: about.asked.found(), tested, url_b64 })
                .and_then(|line| self.out.write_all(&line))
        } else {
            let file = file.map(|file| format!("{file}\t")).unwrap_or_default();
            let color = if answer.allowed { self.colors.0 } else { self.colors.1 };
            let (word, url) = (answer.word(), text::escape(url));
            writeln!(self.out, "{file}{color}{word}{color:#}\t{url}\t{}", answer.words())
        };
        written.map_err(|error| Failure::stdout(&error))
    }

    fn finish(mut self) -> Result<Code, Failure> {
        self.out.flush().map_err(|error| Failure::stdout(&error))?;
        Ok(self.code)
    }

    /// Tests the URLs of the standard input. Writes the answers out before it waits for more.
    fn test_stdin(&mut self, about: &About<'_>) -> Result<(), Failure> {
        let mut lines = input::stdin_lines().checked();
        let (mut number, mut tested, mut refused) = (0_u64, 0_u64, 0_u64);
        loop {
            number = number.saturating_add(1);
            let reported = match lines.next_line().map_err(|error| Failure::stdin(&error))? {
                Next::End => break,
                Next::TooLong => Err(format!("it is longer than {MAX_LINE} bytes")),
                Next::Line(line) => match line.trim_ascii() {
                    b"" => continue,
                    url => target::check(url).map(|()| url),
                },
            };
            match reported {
                Ok(url) => {
                    tested = tested.saturating_add(1);
                    self.test(about, url)?;
                }
                Err(message) => {
                    refused = refused.saturating_add(1);
                    self.code = self.code.and(Code::Failed);
                    if refused <= REPORTED {
                        exit::tell(&format!("standard input: line {number} cannot be tested as a URL: {message}"));
                    }
                }
            }
            if lines.pauses() {
                self.out.flush().map_err(|error| Failure::stdout(&error))?;
            }
        }
        if refused > REPORTED {
            let more = text::counted(refused.saturating_sub(REPORTED), "more line", "more lines");
            exit::tell(&format!("standard input: and {more} that are not URLs"));
        }
        if tested == 0 && refused == 0 {
            return Err(Failure::Usage(format!(
                "the standard input has no URL: write one per line, or name them as arguments: `{FORM}`"
            )));
        }
        Ok(())
    }
}

#[derive(Serialize)]
struct JsonLine<'j> {
    v: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'j str>,
    #[serde(flatten)]
    found: FileSummary,
    #[serde(flatten)]
    tested: Tested,
    /// The bytes of a URL that is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    url_b64: Option<String>,
}

/// Answers requests for verdicts.
struct Server {
    defaults: Defaults,
    /// The file of the last request: some crawlers ask for many URLs of one site. It is kept from the second request for
    /// it on.
    last: Option<(Key, Option<Asked<'static>>)>,
}

/// The file, the agents and the options of a request.
type Key = (Option<RequestSource>, Option<Agents>, Settings);

/// The answer for one URL, or those for several.
#[derive(Serialize)]
struct Answers {
    #[serde(flatten)]
    found: FileSummary,
    #[serde(flatten)]
    answer: Option<Answer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<Vec<Tested>>,
}

impl Answers {
    fn one(found: FileSummary, tested: Tested) -> Result<Self, Problem> {
        let answer = tested.into_answer().map_err(|bad| Problem::new(bad.kind, bad.message))?;
        Ok(Self { found, answer: Some(answer), results: None })
    }
}

impl Server {
    fn answer(&mut self, mut request: Request<'_>) -> Result<Answers, Problem> {
        request.expect_question()?;
        let key = (request.take_source()?, request.take_agents()?, request.options.take().unwrap_or_default());
        if key.2.has("all_agents") {
            return Err(Problem::option("all_agents is for `robosieve filter`"));
        }
        let urls = Urls::of(&request);
        // Most files are asked one URL.
        if let Ok(Urls::One(url)) = &urls
            && self.last.as_ref().is_none_or(|(last, _)| *last != key)
        {
            let (plan, bytes) = self.source(&key)?;
            let (tested, found, report) = Asked::once(&bytes, &plan.verdicts, &plan.groups, plan.access(), url)?;
            check_report(&plan, &report)?;
            self.last = Some((key, None));
            return Answers::one(found, tested);
        }
        let asked = match self.last.take() {
            Some((last, Some(asked))) if last == key => asked,
            _ => self.prepare(&key)?,
        };
        let found = asked.found();
        let answers = urls.and_then(|urls| match urls {
            Urls::One(url) => Answers::one(found, asked.tested(&url)),
            // One bad URL of several costs itself.
            Urls::Many(urls) => {
                let results = urls.iter().map(|url| asked.tested(url.as_bytes())).collect();
                Ok(Answers { found, answer: None, results: Some(results) })
            }
        });
        self.last = Some((key, Some(asked)));
        answers
    }

    fn prepare(&self, key: &Key) -> Result<Asked<'static>, Problem> {
        let (plan, bytes) = self.source(key)?;
        let asked = plan.asked(&bytes)?.into_owned();
        check_report(&plan, asked.report())?;
        Ok(asked)
    }

    /// How the file is read, and the file.
    fn source<'k>(&self, (source, names, options): &'k Key) -> Result<(Plan, Cow<'k, [u8]>), Problem> {
        let agents = self.defaults.agents(names.clone())?;
        let plan = self.defaults.plan(options)?.for_agents(Some(agents));
        match source {
            Some(source) => input::unpacked(ndjson::bytes(source)?, plan),
            // A file that was not to be had says nothing.
            None if plan.access() != SiteAccess::Rules => Ok((plan, [].as_slice().into())),
            None => Err(Request::no_source()),
        }
    }
}

/// Checks the report of a file that was read.
fn check_report(plan: &Plan, found: &Report) -> Result<(), Problem> {
    if plan.access() == SiteAccess::Rules { report::expect(found, &plan.fail_on) } else { Ok(()) }
}

/// The URLs of a request.
enum Urls<'r> {
    One(Cow<'r, [u8]>),
    Many(&'r [String]),
}

impl<'r> Urls<'r> {
    fn of(request: &'r Request<'_>) -> Result<Self, Problem> {
        match (&request.url, &request.urls, &request.url_b64) {
            (Some(url), None, None) => Ok(Self::One(url.as_bytes().into())),
            (None, None, Some(url)) => Ok(Self::One(ndjson::decode("url_b64", url)?.into())),
            (None, Some(urls), None) => Ok(Self::Many(urls)),
            _ => Err(Problem::request("give one of url, urls (an array) and url_b64 (bytes)")),
        }
    }
}
