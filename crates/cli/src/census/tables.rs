//! Tables of the normal form in a folder.
//!
//! Invariant: a run first writes lines, which an interrupt loses nothing of, and then makes tables of them. A run that is
//! continued gives the same bytes, wherever it stopped.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use clap::builder::RangedU64ValueParser;
use robosieve_batch::lines::{Lines, Next, listed};
use robosieve_batch::stream;
use robosieve_census::{Expected, Form, Rows, TableForm, Tables, Written, tables};
use serde::{Deserialize, Serialize};

use super::{CensusArgs, CensusForm, rows_of, run_to};
use crate::exit::{self, Code, Failure};
use crate::text::{counted, escape, name_of};
use crate::{batch, input, output};

/// The lines of a run that has no tables yet, its arguments, and what the tables are. Runs of other parts, and of other
/// crawls by name, have others.
struct Names {
    lines: PathBuf,
    journal: PathBuf,
    arguments: PathBuf,
    card: PathBuf,
}

impl Names {
    fn new(args: &CensusArgs, folder: &Path) -> Self {
        let crawl = args.crawl.as_ref().map(|crawl| format!("{crawl}-")).unwrap_or_default();
        let part = format!("part-{crawl}{}", args.part);
        Self {
            lines: folder.join(format!("{part}.lines.ndjson.zst")),
            journal: folder.join(format!("{part}.lines.ndjson.zst.journal")),
            arguments: folder.join(format!("{part}.arguments.json")),
            card: folder.join(format!("card-{crawl}{:05}.json", args.part)),
        }
    }
}

impl Names {
    /// Checks that what is there is of a run of a census: a run writes its arguments before its lines.
    fn expect_own(&self) -> Result<(), Failure> {
        for path in [&self.arguments, &self.card] {
            if path.exists() && Then::read(path).is_none() {
                return Err(not_own(path));
            }
        }
        if self.lines.exists() && !self.arguments.exists() { Err(not_own(&self.lines)) } else { Ok(()) }
    }
}

/// The length of a crawl's name. Our choice: it is in the names of files, which have at most 255 bytes.
const MAX_NAME: usize = 100;

/// A name that is a part of a path, and of no other.
pub(super) fn crawl_name(text: &str) -> Result<String, String> {
    let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if text.is_empty() || text.len() > MAX_NAME || text.starts_with('.') || !text.bytes().all(is_fine) {
        return Err("write at most 100 letters, digits, `-`, `_` and `.`, as CC-MAIN-2026-04".into());
    }
    Ok(text.to_owned())
}

pub(super) fn part() -> RangedU64ValueParser<u32> {
    RangedU64ValueParser::new().range(0..u64::from(tables::MAX_PARTS))
}

pub(super) fn run(args: &CensusArgs, folder: &Path) -> Result<Code, Failure> {
    if rows_of(args) != Rows::Normal {
        let name = name_of(folder);
        return Err(Failure::Usage(format!(
            "{name}: a folder has the tables of the normal form: leave --expand and --rows out, or call a table .ndjson \
             or .csv"
        )));
    }
    let form = match args.format.unwrap_or(CensusForm::Parquet) {
        CensusForm::Parquet => TableForm::Parquet,
        CensusForm::Ndjson => TableForm::Lines(Form::Ndjson),
        CensusForm::Csv => TableForm::Lines(Form::Csv),
    };
    let tables = Tables::new(folder).form(form).crawl(args.crawl.clone()).part(args.part);
    let tables = tables.expected(args.expect.as_deref().map(|path| expected(args, path)).transpose()?);
    if let Some(other) = tables.other_form() {
        let name = name_of(&other);
        return Err(Failure::Usage(format!("{name} has another form: give the same --format, or name another folder")));
    }
    let names = Names::new(args, folder);
    names.expect_own()?;
    let earlier = Then::read(&names.card).map(|then| then.crawls).unwrap_or_default();
    let Names { lines, journal, arguments, card } = names;
    let is_read = lines.exists();
    if is_read && !args.run.resume && !args.run.start_over {
        let name = name_of(&lines);
        return Err(Failure::Usage(format!(
            "{name} is of an interrupted run: give --resume to continue it, or --start-over to begin again"
        )));
    }
    let is_begun = is_read || journal.exists();
    let there = tables.there();
    let there = there.first().filter(|_| !(args.run.start_over || args.run.resume && is_begun));
    if let Some(there) = there {
        if args.run.resume {
            expect_same(&card, &flags(args))?;
            if !args.run.quiet {
                exit::tell(&format!("{} is there: this part is complete", name_of(there)));
            }
            return Ok(Code::Fine);
        }
        return Err(Failure::Usage(format!(
            "{}: is there already: name another folder or another --part, or give --start-over to replace it",
            name_of(there)
        )));
    }
    if let (Some(there), false, false) = (tables.there().first(), is_begun, card.exists()) {
        return Err(not_own(there));
    }
    if card.exists() && !is_begun && !args.run.start_over {
        let name = name_of(&card);
        return Err(Failure::Usage(format!("{name} is of other tables: name another folder or another --part")));
    }
    let failed = |path: &Path, error: &std::io::Error| Failure::file(path, error, "check that it can be written");
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let code = if is_read && args.run.resume {
        expect_same(&arguments, &flags(args))?;
        Code::Fine
    } else {
        let _ = fs::remove_file(&lines);
        let said = serde_json::to_vec(&flags(args)).map_err(|error| Failure::Io(error.to_string()))?;
        output::replace(&arguments, &said)?;
        run_to(args, Some(&lines), Form::Ndjson).inspect_err(|_| {
            if !lines.exists() && !journal.exists() {
                let _ = fs::remove_file(&arguments);
            }
        })?
    };
    let file = File::open(&lines).map_err(|error| failed(&lines, &error))?;
    let written = tables.write(file, &earlier).map_err(|error| failed(folder, &error))?;
    if written.files.is_empty() && card.exists() {
        for path in [&lines, &arguments] {
            fs::remove_file(path).map_err(|error| failed(path, &error))?;
        }
        let name = name_of(folder);
        return Err(Failure::Usage(format!("{name}: stays as it is: the inputs have no file of any site")));
    }
    write_card(args, &card, &written)?;
    for path in [&lines, &arguments] {
        fs::remove_file(path).map_err(|error| failed(path, &error))?;
    }
    if !args.run.quiet {
        exit::tell(&in_words(&written));
    }
    let compared = written.expected.unwrap_or_default();
    for one in compared.first.iter().take(MAX_TOLD) {
        let stated = one.expected.map_or_else(|| "no count is".to_owned(), |count| counted(count, "record", "records"));
        exit::tell(&format!("{}: {stated} expected, {} read", escape(one.archive.as_bytes()), one.read));
    }
    Ok(if written.unread > 0 || compared.differ > 0 { code.and(Code::Refused.known()) } else { code })
}

/// The number of archives that are reported because their counts differ. The card has more. Our choice.
const MAX_TOLD: usize = 10;

/// The records that the archives of this run should have.
fn expected(args: &CensusArgs, path: &Path) -> Result<Expected, Failure> {
    let failed = |path: &Path, error: &std::io::Error| Failure::file(path, error, "check the file");
    let file = stream::unpacked(Box::new(File::open(path).map_err(|error| failed(path, &error))?));
    let mut expected = Expected::read(file.map_err(|error| failed(path, &error))?)
        .map_err(|why| Failure::Usage(format!("{}: {why}", name_of(path))))?;
    let mut add = |path: &Path| {
        if !path.is_dir() && !input::is_stdin(path) {
            expected.input(&name_of(path));
        }
    };
    args.inputs.inputs.iter().for_each(|path| add(path));
    if let Some(list) = args.inputs.files_from.as_deref().filter(|list| !input::is_stdin(list)) {
        let end = if args.inputs.null { 0 } else { b'\n' };
        let file = File::open(list).map_err(|error| failed(list, &error))?;
        let mut lines = Lines::ended_by(end, file, MAX_PATH);
        // What is no name there is an error of the run.
        while let Next::Line(line) = lines.next_line().map_err(|error| failed(list, &error))? {
            if let Ok(path) = listed(line.trim_ascii(), end) {
                add(&path);
            }
        }
    }
    Ok(expected)
}

/// The length of a path in a list. Our choice: twice that of Linux.
const MAX_PATH: usize = 1 << 13;

/// The arguments as they are written on the command line; without the switches that are not on it.
fn flags(args: &CensusArgs) -> BTreeMap<String, String> {
    let named = args.words.0.iter().map(|(id, value)| (batch::Words::name_of(id), value.clone()));
    named.filter(|(name, value)| !(name.starts_with("--") && value == "false")).collect()
}

/// What a file of a run says of it.
struct Then {
    arguments: BTreeMap<String, String>,
    /// The crawls that it wrote, if it is a card.
    crawls: BTreeSet<String>,
}

/// The arguments of a run, or its card.
#[derive(Deserialize)]
#[serde(untagged)]
enum Said {
    Card { program: String, arguments: BTreeMap<String, String>, rows: RowsThen },
    Run(BTreeMap<String, String>),
}

#[derive(Deserialize)]
struct RowsThen {
    files: BTreeMap<String, u64>,
}

impl Then {
    /// None for what no run of a census wrote: arguments have the names of flags or values.
    fn read(path: &Path) -> Option<Self> {
        let is_name = |name: &String| name.starts_with("--") || name.bytes().all(|byte| !byte.is_ascii_lowercase());
        match serde_json::from_slice(&fs::read(path).ok()?).ok()? {
            Said::Card { program, arguments, rows } if program.starts_with("robosieve ") => {
                let crawls = rows.files.into_keys().filter(|crawl| crawl_name(crawl).is_ok()).collect();
                Some(Self { arguments, crawls })
            }
            Said::Run(arguments) if arguments.keys().all(is_name) => Some(Self { arguments, crawls: BTreeSet::new() }),
            _ => None,
        }
    }
}

fn not_own(path: &Path) -> Failure {
    let name = name_of(path);
    Failure::Usage(format!("{name}: is of no run of a census: move it away, or name another folder or another --part"))
}

/// The lines or the tables are complete, so only the arguments can differ.
fn expect_same(path: &Path, now: &BTreeMap<String, String>) -> Result<(), Failure> {
    let then = Then::read(path).map(|then| then.arguments).unwrap_or_default();
    let differs = |name: &&String| then.get(*name) != now.get(*name);
    let Some(name) = then.keys().chain(now.keys()).find(differs) else { return Ok(()) };
    Err(Failure::Usage(format!(
        "{name} is not as in the earlier run; give the same arguments, or begin again with --start-over"
    )))
}

#[derive(Serialize)]
struct Card<'c> {
    v: u64,
    program: &'static str,
    part: u32,
    /// The number of crawlers in the table of known ones, and the version of the program has their date.
    crawlers: usize,
    arguments: BTreeMap<String, String>,
    rows: &'c Written,
    columns: BTreeMap<&'static str, Vec<Field>>,
    lost: [&'static str; 4],
}

#[derive(Serialize)]
struct Field {
    name: &'static str,
    meaning: &'static str,
    source: &'static str,
}

/// Writes what the tables are, next to them.
fn write_card(args: &CensusArgs, path: &Path, written: &Written) -> Result<(), Failure> {
    use robosieve_census::normal::{FileRow, NameRow, PolicyRow, TextRow, VERSION, columns};
    let fields = |columns: Vec<robosieve_census::columns::Column>| -> Vec<Field> {
        let field = |column: &robosieve_census::columns::Column| {
            let (name, meaning, source) = (column.name, column.meaning, column.source);
            Field { name, meaning, source }
        };
        columns.iter().map(field).collect()
    };
    let all = BTreeMap::from([
        ("files", fields(columns::<FileRow>(true))),
        ("policies", fields(columns::<PolicyRow>(true))),
        ("names", fields(columns::<NameRow>(true))),
        ("texts", fields(columns::<TextRow>(false))),
    ]);
    let card = Card {
        v: VERSION,
        program: concat!("robosieve ", env!("CARGO_PKG_VERSION")),
        part: args.part,
        crawlers: robosieve_explain::Crawler::every().count(),
        arguments: flags(args),
        rows: written,
        columns: all,
        lost: [
            "texts of the input with more than 2,048 bytes are left out",
            "names of a file after the first 2,000 have no row, unless they are asked about: agents_count counts them",
            "bytes of a file after the first 500 KiB are not read, unless --max-bytes says so: truncated says it",
            "a policy whose text does not answer as its file does has exact = false",
        ],
    };
    let mut bytes = serde_json::to_vec_pretty(&card).map_err(|error| Failure::Io(error.to_string()))?;
    bytes.push(b'\n');
    output::replace(path, &bytes)
}

fn in_words(written: &Written) -> String {
    let files = written.files.values().fold(0_u64, |sum, more| sum.saturating_add(*more));
    let crawls = u64::try_from(written.files.len()).unwrap_or(u64::MAX);
    let expected = written.expected.as_ref().map(|compared| {
        let (archives, differ) = (counted(compared.archives, "archive", "archives"), compared.differ);
        format!("; {} of {} expected, in {archives}, of which {differ} differ", compared.read, compared.expected)
    });
    format!(
        "{} of {}: {}, {}, {}{}",
        counted(files, "file", "files"),
        counted(crawls, "crawl", "crawls"),
        counted(written.policies, "policy", "policies"),
        counted(written.names, "name", "names"),
        counted(written.texts, "text", "texts"),
        expected.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [census.tables]
    #[test]
    fn names_and_numbers_have_a_limit() {
        for (length, is_fine) in [(0, false), (1, true), (99, true), (100, true), (101, false)] {
            assert_eq!(crawl_name(&"x".repeat(length)).is_ok(), is_fine, "{length}");
        }
        for (number, is_fine) in [(4_194_302, true), (4_194_303, true), (4_194_304, false)] {
            let command = clap::Command::new("x").arg(clap::Arg::new("part").value_parser(part()));
            assert_eq!(command.try_get_matches_from(["x", &format!("{number}")]).is_ok(), is_fine, "{number}");
        }
    }
}
