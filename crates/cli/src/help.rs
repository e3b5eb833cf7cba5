//! What help says about the commands.
//!
//! Invariant: the text says what a command does. Its file in `help/` has examples and the exit codes. `-h` fits on a
//! screen of 24 lines and 80 columns: the flags that most users need, each with the first clause of its help. `--help`
//! shows all, wrapped by the width of the terminal; indented lines of a file in `help/` keep their shape. Shells call
//! the command in loops, so help is shaped only where it is asked for.

use std::ffi::OsString;

use clap::{Arg, Command, CommandFactory as _};

use crate::args::Cli;

/// How much help shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// `-h`, and no arguments at all
    Short,
    /// `--help`, and a manual page
    Long,
}

impl Length {
    /// What the arguments ask for, if they ask for help.
    pub(crate) fn asked() -> Option<Self> {
        let args: Vec<OsString> = std::env::args_os().skip(1).take_while(|arg| arg != "--").collect();
        // Also `-qh`. Only help looks at this, so another flag with an `h` does no harm.
        let is_short = |arg: &[u8]| matches!(arg, [b'-', byte, ..] if *byte != b'-') && arg.contains(&b'h');
        if args.is_empty() || args.iter().any(|arg| is_short(arg.as_encoded_bytes())) {
            Some(Self::Short)
        } else {
            // The flag and the command. A value that is the same word does no harm.
            args.iter().any(|arg| arg == "--help" || arg == "help").then_some(Self::Long)
        }
    }
}

/// A blank that clap does not wrap at. What is printed has usual blanks instead: see [`printed`].
const KEPT: &str = "\u{a0}";

/// The description of all arguments. The flags below a heading are rarely needed. The flags of a command are described
/// when it is parsed, or built.
pub(crate) fn command(length: Option<Length>) -> Command {
    let mut command = Cli::command();
    let Some(length) = length else { return command };
    if length == Length::Short {
        command.build();
    }
    let names: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    let shape = |command: Command| match length {
        Length::Long => long(command),
        Length::Short => short(command),
    };
    names.iter().fold(shape(command), |command, name| command.mut_subcommand(name, shape))
}

fn long(command: Command) -> Command {
    let text = command.get_after_long_help().map(ToString::to_string);
    if let Some(text) = text { command.after_long_help(shaped(&text)) } else { command }
}

fn short(command: Command) -> Command {
    let template = "{about}\n{usage-heading} {usage}\n\n{all-args}";
    command.help_template(template).mut_args(|arg| {
        if arg.get_help_heading().is_some() {
            return arg.hide(true);
        }
        let help = arg.get_help().map(|help| first_clause(&help.to_string()).to_owned());
        let has_value = arg.get_action().takes_values();
        let arg: Arg = if has_value { arg.hide_possible_values(true).hide_default_value(true) } else { arg };
        if let Some(help) = help { arg.help(help) } else { arg }
    })
}

/// The first clause of a sentence.
fn first_clause(text: &str) -> &str {
    let ends = ["; ", ". ", ": ", ", for example", " ["];
    let end = ends.iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}

/// Joins the lines of each paragraph, so that clap wraps it. Indented lines keep their shape.
fn shaped(text: &str) -> String {
    let mut out = String::new();
    let mut is_open = false;
    for line in text.lines() {
        let is_prose = !line.is_empty() && !line.starts_with(' ');
        if is_prose && is_open {
            out.push(' ');
        } else if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&if is_prose { line.to_owned() } else { line.replace(' ', KEPT) });
        is_open = is_prose;
    }
    out
}

/// Help as it is printed.
pub(crate) fn printed(help: &str) -> String {
    help.replace(KEPT, " ")
}

/// The text of a file in `help/`.
macro_rules! text {
    ($name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/help/", $name, ".txt")).trim_ascii_end()
    };
}

pub(crate) use text;

pub(crate) const ABOUT: &str = "\
Sanitize, test and explain robots.txt files. Takes untrusted bytes. Writes a small canonical text, made so that other \
robots.txt testers read it in the same way. Reports each change and its effect. Says whether a crawler may fetch a \
URL.";

pub(crate) const FILTER: &str = "\
Prints the rules for your crawler as canonical text: printable ASCII, one group for `*`, rules in order of precedence. \
Writes a summary to the standard error. The summary says whether the text gives the same result as the file for every \
URL. If not, it says whether the text permits more or less.";

pub(crate) const TEST: &str = "\
Says for each URL whether your crawler may fetch it, and which line of the robots.txt file decides. Uses the group \
that names the crawler. If no group names it, uses the group for `*`.";

pub(crate) const EXPLAIN: &str = "\
Shows how this program reads a robots.txt file: each line with its number, its meaning and its findings. The clause of \
SPEC.md is in brackets. With --agent, a `>` marks the lines that apply to that crawler.";

pub(crate) const LINT: &str = "\
Shows what the owner of a robots.txt file would want to know: lines that do not do what they seem to, lines that some \
crawlers read otherwise, and what to write instead.";

pub(crate) const INSPECT: &str = "\
Shows everything in a robots.txt file that applies to your crawler: the group, its rules in order of precedence, crawl \
delay, request rates, and permitted uses of the content. Then shows what applies to the whole file: sitemaps, host, \
license, the named agents, and the report.";

pub(crate) const USAGE: &str = "\
Says for each URL whether your crawler may fetch it, and what its content may then be used for: training of AI models, \
input of AI models, search, and the extent of use. Reads Content-Usage (drafts of the IETF's AI preferences) and \
Content-Signal (Cloudflare), and names the lines that say so.";

pub(crate) const DIFF: &str = "\
Shows what changed between two robots.txt files for your crawler, or for every crawler with --all-agents: added (+), \
removed (-) or moved (~) rules and other lines, and example URLs whose result changed (!). Each changed rule has such \
a URL, or a note that no URL can show the change, or that none was found. Differences in spelling and comments do not \
count. The order of rules counts only with `--order file`. Of two directories, files with the same name are compared. \
With --agents, compares what one file says to two crawlers.";

#[cfg(feature = "batch")]
pub(crate) const BATCH: &str = "\
Filters millions of robots.txt files: directories, lists of files, WARC archives, JSON lines. Writes one record per \
file, in input order: status, outcome, canonical text and its hash, sitemaps, crawl delay, losses. You can stop it at \
any time. With --resume it continues, and the output has the same bytes as that of an uninterrupted run.";

#[cfg(feature = "batch")]
pub(crate) const CENSUS: &str = "\
Makes a table over millions of robots.txt files: a row for each file and crawler, with how much of the site is closed \
to it (none, some or all, proved on the rules), the line that names it, crawl delay and uses of content. A file is \
parsed once for all crawlers. With --resume it continues.";

#[cfg(feature = "batch")]
pub(crate) const HISTORY: &str = "\
Shows what sites said to crawlers over several crawls: when each was named, closed or opened, and when its crawl delay \
or the uses of content changed, with the crawl before and after. For files of text, it also shows the changed lines. \
With --shares and --chart it counts how many sites are closed, and with --url and --at it says which policy a page had \
at a time.";
