//! Tables of the normal form in a folder.
//!
//! Invariant: a run first writes lines, which an interrupt loses nothing of, and then makes tables of them. A run that is
//! continued gives the same bytes, wherever it stopped.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::builder::RangedU64ValueParser;
use robosieve_batch::stream;
use robosieve_census::{Expected, Form, Rows, TableForm, Tables, Taken, Written, tables};
use serde::{Deserialize, Serialize};

use super::{CensusArgs, CensusForm, each_listed, rows_of, run_to};
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
    /// Checks that what is there is of a run of a census: a run writes its arguments before its lines, and no links.
    fn expect_own(&self) -> Result<(), Failure> {
        for path in [&self.arguments, &self.card, &self.lines, &self.journal] {
            if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
                return Err(not_own(path));
            }
        }
        for path in [&self.arguments, &self.card] {
            if path.exists() && Then::read(path).is_none() {
                return Err(not_own(path));
            }
        }
        if self.lines.exists() && !self.arguments.exists() { Err(not_own(&self.lines)) } else { Ok(()) }
    }

    /// The crawls that other runs wrote as the same part, with the cards that say so.
    fn others(&self, args: &CensusArgs, folder: &Path) -> BTreeMap<String, PathBuf> {
        let (end, mut all) = (format!("{:05}.json", args.part), BTreeMap::new());
        for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            let name = path.file_name().and_then(|name| name.to_str());
            let crawl = name.and_then(|name| name.strip_prefix("card-")?.strip_suffix(&end));
            if crawl.is_some_and(|crawl| crawl.is_empty() || crawl.ends_with('-')) && path != self.card {
                let then = Then::read(&path).map(|then| then.crawls).unwrap_or_default();
                all.extend(then.into_iter().map(|crawl| (crawl, path.clone())));
            }
        }
        all
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
    if let Some(summary) = args.run.summary_to.as_ref().filter(|path| is_within(path, folder)) {
        let name = name_of(summary);
        return Err(Failure::Usage(format!("{name}: is in the census: write the summary to another folder")));
    }
    let tables = Tables::new(folder).form(form).crawl(args.crawl.clone()).part(args.part);
    let tables = tables.expected(args.expect.as_deref().map(|path| expected(args, path)).transpose()?);
    // Nothing is asked before no other run can change it.
    let lock = tables.lock().map_err(|error| match error.kind() {
        ErrorKind::WouldBlock => Failure::Usage(format!(
            "{}: another run writes this part: wait for it, or give another --part",
            name_of(folder)
        )),
        _ => failed(folder, &error),
    })?;
    if let Some(other) = tables.other_form() {
        let name = name_of(&other);
        return Err(Failure::Usage(format!("{name} has another form: give the same --format, or name another folder")));
    }
    let names = Names::new(args, folder);
    names.expect_own()?;
    let others = names.others(args, folder);
    if let Some((crawl, card)) = args.crawl.as_ref().and_then(|crawl| others.get_key_value(crawl)) {
        return Err(of_other(crawl, Some(card)));
    }
    let is_of_other = |path: &Path| crawl_of(path).is_some_and(|crawl| others.contains_key(crawl));
    let mut there = tables.there();
    there.retain(|path| !is_of_other(path));
    if let Some(code) = stand(args, &names, &tables, &there)? {
        return Ok(code);
    }
    let then = Then::read(&names.card).unwrap_or_default();
    let (mut earlier, whole) = (then.crawls, then.whole);
    earlier.retain(|crawl| !others.contains_key(crawl));
    let is_continued = names.lines.exists() && args.run.resume;
    let code = write_lines(args, &names)?;
    let Names { lines, arguments, card, .. } = &names;
    let file = File::open(lines).map_err(|error| failed(lines, &error))?;
    // A run that could not read its archives has fewer files than the one before it.
    let is_worse = |written: &Written| written.failed() > 0 && written.whole() < whole;
    let written =
        tables.write_locked(&lock, file, &earlier, &|written| !is_worse(written)).map_err(|error| {
            match error.get_ref().and_then(|error| error.downcast_ref::<Taken>()) {
                Some(taken) => of_other(&taken.crawl, names.others(args, folder).get(&taken.crawl)),
                None => failed(folder, &error),
            }
        })?;
    let remove_lines = || {
        let mut both = [lines, arguments].into_iter();
        both.try_for_each(|path| fs::remove_file(path).map_err(|error| failed(path, &error)))
    };
    if card.exists() && (written.files.is_empty() || is_worse(&written)) {
        remove_lines()?;
        let (name, now) = (name_of(folder), written.whole());
        let why = match written.failed() {
            0 => "the inputs have no file of any site".to_owned(),
            failed => format!(
                "{} could not be read, and {now} instead of {whole} files could: fix the inputs, or name another folder",
                counted(failed, "record or input", "records or inputs")
            ),
        };
        return Err(Failure::Usage(format!("{name}: stays as it is: {why}")));
    }
    write_card(args, card, &written)?;
    tables.complete(&lock).map_err(|error| failed(folder, &error))?;
    remove_lines()?;
    if !args.run.quiet {
        exit::tell(&in_words(&written));
    }
    let failures = written.failed();
    if is_continued && failures > 0 {
        exit::tell(&format!("{} could not be read", counted(failures, "record or input", "records or inputs")));
    }
    if let Some(summary) = args.run.summary_to.as_ref().filter(|_| is_continued) {
        exit::tell(&format!(
            "{}: is not written: all was read before, and {} has the counts",
            name_of(summary),
            name_of(card)
        ));
    }
    for one in written.expected.iter().flat_map(|compared| &compared.first).take(MAX_TOLD) {
        let stated = one.expected.map_or_else(|| "no count is".to_owned(), |count| counted(count, "record", "records"));
        exit::tell(&format!("{}: {stated} expected, {} read", escape(one.archive.as_bytes()), one.read));
    }
    Ok(if written.differs() { code.and(Code::Refused.known()) } else { code })
}

/// Whether a file would be in this folder.
fn is_within(path: &Path, folder: &Path) -> bool {
    let Ok(folder) = folder.canonicalize() else { return path.starts_with(folder) };
    let above = path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    [path, above].iter().any(|path| path.canonicalize().is_ok_and(|path| path.starts_with(&folder)))
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    match error.kind() {
        // In words of ours, which say what to do.
        ErrorKind::Other => Failure::Io(error.to_string()),
        _ => Failure::file(path, error, "check that it can be written"),
    }
}

/// What a run finds of its part. The code of a part that is complete; none if there is something to do. `there` has the
/// tables that are of no other run.
fn stand(args: &CensusArgs, names: &Names, tables: &Tables, there: &[PathBuf]) -> Result<Option<Code>, Failure> {
    let Names { lines, journal, card, .. } = names;
    let is_read = lines.exists();
    if is_read && !args.run.resume && !args.run.start_over {
        let name = name_of(lines);
        return Err(Failure::Usage(format!(
            "{name} is of an interrupted run: give --resume to continue it, or --start-over to begin again"
        )));
    }
    let is_begun = is_read || journal.exists();
    if let Some(first) = there.first().filter(|_| !(args.run.start_over || args.run.resume && is_begun)) {
        let first = name_of(first);
        if !args.run.resume {
            return Err(Failure::Usage(format!(
                "{first}: is there already: name another folder or another --part, or give --start-over to replace it"
            )));
        }
        let Some(then) = Then::read(card) else {
            let card = name_of(card);
            return Err(Failure::Usage(format!(
                "{first} is there, but not {card}, which says what it is of: put that back, or move the tables away"
            )));
        };
        expect_same(card, &flags(args))?;
        if !args.run.quiet {
            exit::tell(&format!("{first} is there: this part is complete"));
        }
        if then.differs && !args.run.quiet {
            exit::tell(&format!("not all could be read, or as expected: {} says what", name_of(card)));
        }
        return Ok(Some(if then.differs { Code::Refused.known() } else { Code::Fine }));
    }
    if let (Some(first), false, false) = (there.first(), is_begun, card.exists()) {
        return Err(not_own(first));
    }
    if let Some(path) = tables.no_table(there) {
        return Err(not_own(path));
    }
    if card.exists() && !is_begun && !args.run.start_over {
        let name = name_of(card);
        return Err(Failure::Usage(format!("{name} is of other tables: name another folder or another --part")));
    }
    Ok(None)
}

/// Writes the lines that tables are made of, if they are not there already.
fn write_lines(args: &CensusArgs, Names { lines, journal, arguments, .. }: &Names) -> Result<Code, Failure> {
    if lines.exists() && args.run.resume {
        expect_same(arguments, &flags(args))?;
        return Ok(Code::Fine);
    }
    let _ = fs::remove_file(lines);
    let said = serde_json::to_vec(&flags(args)).map_err(|error| Failure::Io(error.to_string()))?;
    output::replace(arguments, &said)?;
    run_to(args, Some(lines), Form::Ndjson).inspect_err(|_| {
        if !lines.exists() && !journal.exists() {
            let _ = fs::remove_file(arguments);
        }
    })
}

/// The crawl that a part of a table is of.
fn crawl_of(path: &Path) -> Option<&str> {
    path.parent()?.file_name()?.to_str()?.strip_prefix("crawl=")
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
        if path.is_dir() {
            let name = name_of(path);
            let why = "is a folder: with --expect, name the archives, or a list of them with --files-from";
            return Err(Failure::Usage(format!("{name}: {why}")));
        }
        if input::is_stdin(path) { Ok(()) } else { expected.input(&name_of(path)).map_err(Failure::Usage) }
    };
    args.inputs.inputs.iter().try_for_each(|path| add(path))?;
    let list = args.inputs.files_from.as_deref().unwrap_or(path);
    each_listed(args, &mut add).map_err(|error| failed(list, &error))??;
    Ok(expected)
}

/// The arguments as they are written on the command line; without the switches that are not on it.
fn flags(args: &CensusArgs) -> BTreeMap<String, String> {
    let written = batch::Words::names_of(args.words.0.keys().map(String::as_str));
    let all = written.into_iter().zip(args.words.0.values().cloned());
    all.filter(|(name, value)| !(name.starts_with("--") && value == "false")).collect()
}

/// What a file of a run says of it.
#[derive(Default)]
struct Then {
    arguments: BTreeMap<String, String>,
    /// The crawls that it wrote, if it is a card.
    crawls: BTreeSet<String>,
    /// The files that it could read.
    whole: u64,
    /// Whether it ended with the exit code 3, because of what its card says.
    differs: bool,
}

/// The arguments of a run, or its card.
#[derive(Deserialize)]
#[serde(untagged)]
enum Said {
    Card { program: String, arguments: BTreeMap<String, String>, rows: Box<Written> },
    Run(BTreeMap<String, String>),
}

impl Then {
    /// None for what no run of a census wrote: arguments have the names of flags or values, and every run has crawlers
    /// and an output.
    fn read(path: &Path) -> Option<Self> {
        let is_name = |name: &String| name.starts_with("--") || name.bytes().all(|byte| !byte.is_ascii_lowercase());
        match serde_json::from_slice(&fs::read(path).ok()?).ok()? {
            Said::Card { program, arguments, rows } if program.starts_with("robosieve ") => {
                let (whole, differs) = (rows.whole(), rows.differs());
                let crawls = rows.files.into_keys().filter(|crawl| crawl_name(crawl).is_ok()).collect();
                Some(Self { arguments, crawls, whole, differs })
            }
            Said::Run(arguments) => {
                let has_all = ["--agents", "--output", "--part"].iter().all(|name| arguments.contains_key(*name));
                let is_one = has_all && arguments.keys().all(is_name);
                is_one.then(|| Self { arguments, ..Self::default() })
            }
            Said::Card { .. } => None,
        }
    }
}

fn not_own(path: &Path) -> Failure {
    let name = name_of(path);
    Failure::Usage(format!("{name}: is of no run of a census: move it away, or name another folder or another --part"))
}

/// A part of this crawl is there, and another run wrote it.
fn of_other(crawl: &str, card: Option<&PathBuf>) -> Failure {
    let card = card.map(|card| format!(", whose card is {}", name_of(card))).unwrap_or_default();
    Failure::Usage(format!(
        "this part of the crawl {crawl} is of another run{card}: give another --part, or name another folder"
    ))
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
