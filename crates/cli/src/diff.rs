//! `diff`: shows what changed between two files, for an agent or for all; or how a file treats two agents.
//!
//! Invariant: both files are read under the same plan and compared by the libraries. Everything printed of them passes
//! through [`text`] or is JSON.

mod folders;
mod words;

use std::path::Path;

use robosieve::records::{AnsweredBy, Parser, RecordSet, Selection};
use robosieve::report::Report;
use robosieve_ask::Plan;
use robosieve_batch::requests::NAME_OF_CRAWLER;
use robosieve_diff::Diff;
use robosieve_explain::{AgentsDiff, Changes, Who};
use serde::Serialize;

use crate::args::DiffArgs;
use crate::exit::{self, Code, Failure};
use crate::input::{self, Folders, Input};
use crate::{output, report, shade, text};

pub(crate) fn run(args: &DiffArgs) -> Result<Code, Failure> {
    let plan = Plan::new(&args.choices.0)?.for_agents(Some(args.agents.agents()));
    let whose = Whose::of(args, &plan)?;
    let Some(new) = &args.new else {
        return whose.of_one_file(args, &plan);
    };
    if let Whose::Two(..) = whose {
        return Err(Failure::Usage("--agents compares what one FILE says to two crawlers: name one file".into()));
    }
    input::once([&args.old, new].map(|file| input::is_stdin(file)))?;
    input::expect_there([&args.old, new], Folders::Taken)?;
    match (args.old.is_dir(), new.is_dir()) {
        (true, true) => folders::run(args, &whose, &plan, new),
        (false, false) => {
            let (old, new) = (read(args, &args.old, &plan)?, read(args, new, &plan)?);
            let compared = whose.compare(args, &plan, &old, &new)?;
            let code = compared.code();
            compared.print(args, None)?;
            Ok(code)
        }
        (is_old, _) => {
            let (folder, file) = if is_old { (&args.old, new) } else { (new, &args.old) };
            let (folder, file) = (text::name_of(folder), text::name_of(file));
            let message = format!("{folder} is a directory, and {file} is not: name two files or two directories");
            Err(Failure::Usage(message))
        }
    }
}

fn read(args: &DiffArgs, file: &Path, plan: &Plan) -> Result<Input, Failure> {
    let input = input::read(file, plan.options.limits.max_bytes)?;
    if !args.quiet {
        input.warn_if_empty();
    }
    Ok(input)
}

/// Whose answers are compared.
enum Whose {
    /// Those of the requested agent.
    One,
    /// Those of all agents.
    All,
    /// Those of the first with those of the second, in one file.
    Two(String, String),
}

impl Whose {
    fn of(args: &DiffArgs, plan: &Plan) -> Result<Self, Failure> {
        let pair: Vec<&str> = args.pair.iter().map(|agent| agent.trim()).collect();
        if pair.iter().any(|agent| agent.is_empty()) {
            return Err(Failure::Usage(format!("a name in --agents is empty: {NAME_OF_CRAWLER}")));
        }
        report::expect_names(pair.iter().copied(), "name two crawlers: Googlebot,Bingbot")?;
        let is_for_named = !args.agents.is_empty();
        if !is_for_named && !plan.fallback {
            let message = "--no-fallback is for --agent: others use the groups that their owners document";
            return Err(Failure::Usage(message.into()));
        }
        match pair.as_slice() {
            [first, second] => Ok(Self::Two((*first).to_owned(), (*second).to_owned())),
            [] if args.all_agents => Ok(Self::All),
            [] if is_for_named => Ok(Self::One),
            [] => Err(Failure::Usage(
                "name an agent: `--agent MyBot`, your crawler's product token, or `--all-agents`".into(),
            )),
            _ => Err(Failure::Usage("--agents needs two names: `--agents Googlebot,Bingbot`".into())),
        }
    }

    fn of_one_file(&self, args: &DiffArgs, plan: &Plan) -> Result<Code, Failure> {
        let Self::Two(first, second) = self else {
            let old = text::name_of(&args.old);
            return Err(Failure::Usage(format!("name two files, the older one first: `{old}` is one")));
        };
        let file = read(args, &args.old, plan)?;
        let set = parsed(&file, plan);
        let groups = [first, second].map(|agent| plan.groups_of([agent]).within(&set).into_owned());
        let diff = AgentsDiff::between(&set, &groups[0], &groups[1])
            .map_err(|refused| Failure::refused(&file.name, refused))?;
        let whose = groups.iter().map(|groups| Who::new(Selection::of(&set, groups).answered_by(), groups)).collect();
        let agents = [first, second].map(|agent| text::escape(agent.as_bytes()));
        let compared = Compared { found: Found::Two(diff, agents), whose, old: set.report(), new: None };
        compared.check(args, plan, &file, &file)?;
        let code = compared.code();
        compared.print(args, None)?;
        Ok(code)
    }

    fn compare(&self, args: &DiffArgs, plan: &Plan, old: &Input, new: &Input) -> Result<Compared, Failure> {
        let compared = if let Self::One = self {
            let ((before, by), (after, by_now)) = (kept(plan, old)?, kept(plan, new)?);
            let found = Found::One(Diff::of(&before, &after));
            let whose = [by, by_now].map(|answered_by| Who::new(answered_by, &plan.groups)).into();
            Compared { found, whose, old: before.report(), new: Some(after.report()) }
        } else {
            let (before, after) = (parsed(old, plan), parsed(new, plan));
            let refused = |refused| Failure::refused(&format!("{} or {}", old.name, new.name), refused);
            let found = Found::All(AgentsDiff::of(&before, &after, plan.names()).map_err(refused)?);
            Compared { found, whose: Vec::new(), old: before.report(), new: Some(after.report()) }
        };
        compared.check(args, plan, old, new)?;
        Ok(compared)
    }
}

fn kept<'i>(plan: &Plan, input: &'i Input) -> Result<(RecordSet<'i>, AnsweredBy), Failure> {
    let kept = input.plan(plan).explainer().kept(&input.bytes);
    kept.map_err(|refused| Failure::refused(&input.name, refused))
}

/// The records of a file, or of the part of it that came.
fn parsed<'i>(input: &'i Input, plan: &Plan) -> RecordSet<'i> {
    Parser::new(input.plan(plan).verdicts.clone()).parse(&input.bytes)
}

/// The result of a comparison.
struct Compared {
    found: Found,
    /// Whose groups were compared, unless it is those of all agents.
    whose: Vec<Who>,
    old: Report,
    /// None if one file is compared with itself.
    new: Option<Report>,
}

enum Found {
    One(Diff),
    All(AgentsDiff),
    /// With the names of the two agents.
    Two(Diff, [String; 2]),
}

impl Compared {
    /// Reports doubts about the files. Refuses them if --fail-on says so.
    fn check(&self, args: &DiffArgs, plan: &Plan, old: &Input, new: &Input) -> Result<(), Failure> {
        for (input, report) in std::iter::once((old, &self.old)).chain(self.new.as_ref().map(|report| (new, report))) {
            if !args.quiet {
                report::tell_doubts(&input.name, report, "a change may be missed", "");
            }
            input.expect(report, &plan.fail_on)?;
        }
        if !args.quiet {
            self.tell_documented(new);
        }
        Ok(())
    }

    /// Says which groups were compared that the names alone do not say.
    fn tell_documented(&self, file: &Input) {
        match &self.found {
            Found::All(diff) => report::tell_all(&file.name, diff.documented.iter().cloned()),
            Found::One(_) | Found::Two(..) => {
                let mut notes: Vec<&Who> = self.whose.iter().filter(|who| who.documented().is_some()).collect();
                notes.dedup_by_key(|who| who.documented());
                for who in notes {
                    report::tell_documented(&file.name, who);
                }
            }
        }
    }

    fn changes(&self) -> Changes<'_> {
        let (old, new) = (&self.old, self.new.as_ref());
        match &self.found {
            Found::One(diff) => Changes::for_one(diff, old, new).of(&self.whose),
            Found::All(diff) => Changes::for_all(diff, old, new),
            Found::Two(diff, agents) => Changes::for_one(diff, old, new).between(agents).of(&self.whose),
        }
    }

    fn code(&self) -> Code {
        let is_same = match &self.found {
            Found::One(diff) | Found::Two(diff, _) => diff.is_empty(),
            Found::All(diff) => diff.is_empty(),
        };
        if is_same { Code::Fine } else { Code::Disallowed }.known()
    }

    /// Prints it, if anything is to be printed; below the name of the file, if it is one of many.
    fn print(&self, args: &DiffArgs, file: Option<&folders::File>) -> Result<(), Failure> {
        if args.json {
            output::print_line(&Line { v: 1, file, changes: self.changes() })?;
        } else if !args.quiet {
            let heading = file.map(folders::File::heading);
            shade::print(|out| words::write(out, heading.into_iter().chain(words::page(&self.found))))?;
        }
        if !args.quiet {
            let name = file.map(|file| format!("{}: ", file.name)).unwrap_or_default();
            for line in words::unshown(&self.found) {
                exit::tell(&format!("{name}{line}"));
            }
        }
        Ok(())
    }
}

/// The result for machines.
#[derive(Serialize)]
struct Line<'c> {
    v: u8,
    #[serde(flatten)]
    file: Option<&'c folders::File>,
    #[serde(flatten)]
    changes: Changes<'c>,
}
