//! `inspect`: shows everything that applies to the agents, and everything that applies to the whole file.
//!
//! Invariant: the rules shown are those that `filter` writes and `test` uses, with their line numbers.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fmt::Write as _;

use robosieve::policy::filter_for;
use robosieve::report::Effect;
use robosieve::syntax::Directive;
use robosieve::value::{CleanParam, ContentUse, CrawlDelay, ExtensionLine, RequestRate, VisitTime};
use robosieve::{Parser, Record, RecordSet, Refused, Report, Selection};
use serde::Serialize;

use crate::args::InspectArgs;
use crate::exit::{Code, Failure};
use crate::ndjson::{self, Defaults, Problem, Request};
use crate::plan::Plan;
use crate::report::Found;
use crate::text::escape;
use crate::who::{RuleWords, Who, line_of};
use crate::{input, json, output, report};

pub(crate) fn run(args: &InspectArgs) -> Result<Code, Failure> {
    let agents = (!args.agents.is_empty()).then(|| args.agents.agents());
    let choices = args.choices();
    let plan =
        Plan::new(&choices, agents.clone().unwrap_or_default()).map_err(|error| Failure::Usage(error.to_string()))?;
    if args.ndjson {
        return ndjson::serve(Server { defaults: Defaults { choices, agents } });
    }
    if agents.is_none() {
        return Err(Failure::Usage("name an agent: `--agent MyBot`, your crawler's product token".into()));
    }
    let mut code = Code::Fine;
    for file in input::or_stdin(&args.files)? {
        let done = input::read(&file, plan.max_bytes()).and_then(|input| {
            input.warn_if_empty();
            let found =
                Inspection::new(&input.bytes, &plan).map_err(|refused| Failure::refused(&input.name, refused))?;
            input.warn_if_foreign(&found.report);
            input.expect(&found.report, &plan.fail_on)?;
            print(args.json, &input.name, &found)
        });
        code = code.after(done)?;
    }
    Ok(code)
}

fn print(as_json: bool, file: &str, found: &Inspection) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct JsonLine<'i> {
        v: u8,
        file: &'i str,
        #[serde(flatten)]
        found: &'i Inspection,
    }
    if as_json {
        let line = json::line(&JsonLine { v: 1, file, found }).map_err(|error| Failure::stdout(&error))?;
        return output::print(&line);
    }
    output::print(found.words(file).as_bytes())
}

/// Everything that is shown.
#[derive(Serialize)]
pub(crate) struct Inspection {
    #[serde(flatten)]
    who: Who,
    /// The first user-agent line that applies.
    agent_line: Option<u32>,
    /// In order of precedence.
    rules: Vec<RuleLine>,
    crawl_delay: Option<Delay>,
    request_rates: Vec<RequestRate>,
    visit_times: Vec<VisitTime>,
    clean_params: Vec<CleanParam>,
    content_signals: Vec<ContentUse>,
    content_usage: Vec<ContentUse>,
    /// Other lines of the groups.
    extensions: Vec<OtherLine>,
    sitemaps: Vec<String>,
    host: Option<String>,
    license: Vec<String>,
    /// Other lines of the file.
    file_lines: Vec<OtherLine>,
    #[serde(flatten)]
    named: AgentsNamed,
    #[serde(flatten)]
    found: Found,
    report: Report,
}

#[derive(Serialize)]
struct RuleLine {
    line: Option<u32>,
    #[serde(flatten)]
    rule: RuleWords,
}

#[derive(Serialize)]
struct Delay {
    seconds: f64,
    /// As the file has it.
    raw: String,
}

#[derive(Serialize)]
struct OtherLine {
    line: u32,
    name: String,
    value: String,
}

impl OtherLine {
    fn new(line: &ExtensionLine<'_>) -> Self {
        Self { line: line.line(), name: escape(line.name()), value: escape(line.value()) }
    }
}

/// An agent of the file, in its first spelling, and the lines that name it.
#[derive(Serialize)]
struct Named {
    name: String,
    lines: Vec<u32>,
}

/// The agents that any line of the file names, in the order of their first lines.
#[derive(Serialize)]
struct AgentsNamed {
    agents_named: Vec<Named>,
    /// Whether no limit cost the file a line that may name one.
    agents_named_complete: bool,
}

impl AgentsNamed {
    /// Collects the agents of all groups. A file read for some agents has no other groups.
    fn new(bytes: &[u8], plan: &Plan) -> Self {
        let set = Parser::new(plan.options.clone()).parse(bytes);
        // A lost user-agent line, or the lost end of the file, can go either way; nothing else that a parser loses can.
        let agents_named_complete = set.report().losses(Effect::Either) == 0;
        let mut agents_named: Vec<Named> = Vec::new();
        let mut places: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
        for agent in set.records().flat_map(|record| record.agents()) {
            let name = agent.name().as_bstr();
            let place = *places.entry(name.to_ascii_lowercase()).or_insert(agents_named.len());
            match agents_named.get_mut(place) {
                Some(known) => known.lines.push(agent.line()),
                None => agents_named.push(Named { name: escape(name), lines: vec![agent.line()] }),
            }
        }
        Self { agents_named, agents_named_complete }
    }

    const fn heading(&self) -> &'static str {
        if self.agents_named_complete {
            "agents named in the file"
        } else {
            "agents named in the file (incomplete: a limit cost it lines that may name more)"
        }
    }
}

impl Inspection {
    fn new(bytes: &[u8], plan: &Plan) -> Result<Self, Refused> {
        let set = plan.records(bytes);
        let (filtered, answered_by) = filter_for(&set, &plan.interest)?;
        let who = Who::new(answered_by, &plan.interest);
        let mut found = Self::of_file(&filtered, who, AgentsNamed::new(bytes, plan));
        found.agent_line = Selection::of(&set, &plan.interest).agent_line();
        if let Some(record) = filtered.records().next() {
            found.add(&record);
        }
        Ok(found)
    }

    fn of_file(set: &RecordSet<'_>, who: Who, named: AgentsNamed) -> Self {
        let report = set.report();
        let lines = set.file_lines();
        let of = |directive| lines.iter().filter(move |line| line.directive() == directive);
        let has_place = |line: &ExtensionLine<'_>| {
            matches!(line.directive(), Directive::Sitemap | Directive::Host | Directive::License)
        };
        Self {
            who,
            agent_line: None,
            rules: Vec::new(),
            crawl_delay: None,
            request_rates: Vec::new(),
            visit_times: Vec::new(),
            clean_params: Vec::new(),
            content_signals: Vec::new(),
            content_usage: Vec::new(),
            extensions: Vec::new(),
            sitemaps: set.sitemaps().iter().map(|url| escape(url.as_str().as_bytes())).collect(),
            host: set.host().map(|host| escape(host.as_bytes())),
            license: of(Directive::License).map(|line| escape(line.value())).collect(),
            file_lines: lines.iter().filter(|line| !has_place(line)).map(OtherLine::new).collect(),
            named,
            found: Found::of(&report),
            report,
        }
    }

    fn add(&mut self, record: &Record<'_, '_>) {
        let rules = record.rules_by_precedence();
        self.rules =
            rules.into_iter().map(|rule| RuleLine { line: line_of(rule), rule: RuleWords::new(rule) }).collect();
        let values = record.shared_values();
        self.crawl_delay = values.crawl_delay().map(|delay| Delay::new(&delay));
        self.request_rates = values.request_rates().collect();
        self.visit_times = values.visit_times().collect();
        self.clean_params = values.clean_params().collect();
        self.content_signals = values.content_signals().collect();
        self.content_usage = values.content_usage().collect();
        let has_place = |line: &&ExtensionLine<'_>| {
            matches!(
                line.directive(),
                Directive::CrawlDelay
                    | Directive::RequestRate
                    | Directive::VisitTime
                    | Directive::CleanParam
                    | Directive::ContentSignal
                    | Directive::ContentUsage
            )
        };
        self.extensions = record.extensions().iter().filter(|line| !has_place(line)).map(OtherLine::new).collect();
    }

    /// For people.
    fn words(&self, file: &str) -> String {
        let mut out = Words(String::new());
        let line = self.agent_line.map(|line| format!(", line {line}")).unwrap_or_default();
        out.heading(&format!("{file}: {}{line}", self.who.words()));
        out.list("rules, in order of precedence", self.rules.iter().map(RuleLine::words));
        if self.rules.is_empty() {
            out.item("rules", "none: everything is allowed");
        }
        if let Some(delay) = &self.crawl_delay {
            out.item("crawl delay", format!("{} s (as written: {})", delay.seconds, delay.raw));
        }
        out.list("request rates", &self.request_rates);
        out.list("visit times (UTC)", &self.visit_times);
        out.list("parameters that do not change a page", &self.clean_params);
        out.list("content signals", &self.content_signals);
        out.list("content usage", &self.content_usage);
        out.list("other lines of the record", self.extensions.iter().map(OtherLine::words));
        out.list("sitemaps", &self.sitemaps);
        if let Some(host) = &self.host {
            out.item("host", host);
        }
        out.list("license", &self.license);
        out.list("other lines of the file", self.file_lines.iter().map(OtherLine::words));
        out.list(self.named.heading(), self.named.agents_named.iter().map(Named::words));
        if self.named.agents_named.is_empty() && !self.named.agents_named_complete {
            out.item(self.named.heading(), "none");
        }
        let _ = writeln!(out.0, "{}", report::full("report", &self.who, &self.report));
        out.0
    }
}

impl Delay {
    fn new(delay: &CrawlDelay) -> Self {
        Self { seconds: delay.as_duration().as_secs_f64(), raw: escape(delay.raw().as_bytes()) }
    }
}

impl RuleLine {
    fn words(&self) -> String {
        let line = self.line.map(|line| format!("  (line {line})")).unwrap_or_default();
        format!("{}: {}{line}", self.rule.kind.as_str(), self.rule.pattern)
    }
}

impl OtherLine {
    fn words(&self) -> String {
        format!("{}: {}  (line {})", self.name, self.value, self.line)
    }
}

impl Named {
    fn words(&self) -> String {
        let lines: Vec<String> = self.lines.iter().map(ToString::to_string).collect();
        let word = if lines.len() == 1 { "line" } else { "lines" };
        format!("{}  ({word} {})", self.name, lines.join(", "))
    }
}

/// Words under headings. All that is written here is printable ASCII already, and is escaped once more.
struct Words(String);

impl Words {
    fn heading(&mut self, text: &str) {
        let _ = writeln!(self.0, "{}", escape(text.as_bytes()));
    }

    fn item(&mut self, name: &str, value: impl Display) {
        let _ = writeln!(self.0, "  {name}: {}", escape(value.to_string().as_bytes()));
    }

    fn list(&mut self, name: &str, values: impl IntoIterator<Item = impl Display>) {
        let mut values = values.into_iter().peekable();
        if values.peek().is_none() {
            return;
        }
        let _ = writeln!(self.0, "  {name}:");
        for value in values {
            let _ = writeln!(self.0, "    {}", escape(value.to_string().as_bytes()));
        }
    }
}

struct Server {
    defaults: Defaults,
}

impl ndjson::Server for Server {
    type Answer = Inspection;

    fn answer(&mut self, mut request: Request<'_>) -> Result<Inspection, Problem> {
        request.expect_no_url()?;
        let source = request.source()?;
        let names = request.take_agents()?;
        let own = request.take_options()?;
        if own.status.is_some() || own.forbidden.is_some() || own.all_agents.is_some() {
            return Err(Problem::option(
                "status and forbidden are for `robosieve test`, all_agents for `robosieve filter`",
            ));
        }
        let agents = self.defaults.agents(names.as_ref())?;
        let plan = Plan::new(&own.over(&self.defaults.choices), agents)?;
        let bytes = input::unpacked(source.bytes()?, plan.max_bytes())?;
        let found = Inspection::new(&bytes, &plan)?;
        report::expect(&found.report, &plan.fail_on)?;
        Ok(found)
    }
}
