//! What help says about the commands.
//!
//! Invariant: the text says what a command does. Its file in `help/` has examples and the exit codes. `-h` shows the
//! flags that most users need, and `--help` shows all.

use clap::{Arg, Command, CommandFactory as _};

use crate::args::Cli;

/// The description of all arguments. The flags below a heading are rarely needed.
pub(crate) fn command() -> Command {
    let hide = |arg: Arg| if arg.get_help_heading().is_some() { arg.hide_short_help(true) } else { arg };
    Cli::command().mut_subcommands(move |command| command.mut_args(hide))
}

/// The text of a file in `help/`.
macro_rules! text {
    ($name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/help/", $name, ".txt")).trim_ascii_end()
    };
}

pub(crate) use text;

pub(crate) const ABOUT: &str = "\
Sanitize, test and explain robots.txt files. Takes untrusted bytes. Writes a small canonical text that every other \
robots.txt tester reads the same way. Reports each change and its effect. Says whether a crawler may fetch a URL.";

pub(crate) const FILTER: &str = "\
Prints the rules for your crawler as canonical text: printable ASCII, one group for `*`, rules in order of precedence. \
Writes a summary to the standard error. The summary says whether the text gives the same result as the file for every \
URL. If not, it says whether the text permits more or less.";

pub(crate) const TEST: &str = "\
Says for each URL whether your crawler may fetch it, and which line of the robots.txt file decides. Uses the group that \
names the crawler. If no group names it, uses the group for `*`.";

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
input of AI models, and search. Reads Content-Usage (drafts of the IETF's AI preferences) and Content-Signal \
(Cloudflare), and names the lines that say so.";

pub(crate) const DIFF: &str = "\
Shows what changed between two robots.txt files for your crawler, or for every crawler with --all-agents: added (+), \
removed (-) or moved (~) rules and other lines, and example URLs whose result changed (!). Each changed rule has such a \
URL, or a note that no URL can show the change, or that none was found. Differences in spelling and comments do not \
count. The order of rules counts only with `--order file`. Of two directories, files with the same name are compared. \
With --agents, compares what one file says to two crawlers.";

pub(crate) const BATCH: &str = "\
Filters millions of robots.txt files: directories, lists of files, WARC archives, JSON lines. Writes one record per \
file, in input order: status, outcome, canonical text and its hash, sitemaps, crawl delay, losses. You can stop it at any \
time. With --resume it continues, and the output has the same bytes as that of an uninterrupted run.";
