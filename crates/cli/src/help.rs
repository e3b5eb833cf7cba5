//! What help says about the commands.
//!
//! Invariant: the file of a command in `help/` says what it does, with examples and the exit codes. `-h` fits on a
//! screen of 80 columns: the flags that most users need, and those of the examples, each with the first clause of its
//! help. `--help` shows all, wrapped by the width of the terminal; indented lines of a file in `help/` keep their
//! shape. Shells call the command in loops, so help is shaped only where it is asked for.

use std::ffi::OsString;
use std::sync::OnceLock;

use clap::{Arg, Command};

use crate::text::wrapped;

/// What describes all arguments. It names every command, so none of them can name it.
static ROOT: OnceLock<fn() -> Command> = OnceLock::new();

/// Sets it, once, before the command line is read.
pub(crate) fn describe_by(root: fn() -> Command) {
    // A second one does not exist.
    let _ = ROOT.set(root);
}

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
    let mut command = ROOT.get().map_or_else(Command::default, |root| root());
    let Some(length) = length else { return command };
    if length == Length::Short {
        command.build();
    }
    let names: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    let shape = |command: Command| {
        let command = described(command);
        if length == Length::Short { short(command) } else { command }
    };
    names.iter().fold(shape(command), |command, name| command.mut_subcommand(name, shape))
}

/// With the text of its file.
fn described(command: Command) -> Command {
    let Some((_, text)) = TEXTS.iter().find(|(name, _)| *name == command.get_name()) else {
        let text = command.get_after_long_help().map(|text| shaped(&text.to_string()));
        return if let Some(text) = text { command.after_long_help(text) } else { command };
    };
    let about = text.find(EXAMPLES).and_then(|at| text.get(..at)).unwrap_or_default();
    let command = command.after_long_help(shaped(text.get(about.len()..).unwrap_or_default()));
    if about.is_empty() { command } else { command.long_about(shaped(about.trim_ascii_end())) }
}

/// What follows the words about a command.
const EXAMPLES: &str = "Examples:\n";
/// What follows the examples.
const END: &str = "\n\n";

/// A flag and its value that are wider put the words of all flags on lines of their own, by clap.
const WIDEST: usize = 24;

fn short(command: Command) -> Command {
    let template = "{about}\n{usage-heading} {usage}\n\n{all-args}{after-help}";
    let examples = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let examples = examples.split(END).next().unwrap_or_default().to_owned();
    let is_in_examples = |arg: &Arg| {
        let mut words = examples.split([' ', '\u{a0}', '\n', '=']);
        arg.get_long().is_some_and(|long| words.any(|word| word.strip_prefix("--") == Some(long)))
            && arg.to_string().len() <= WIDEST
    };
    let absent: Vec<&str> = FEATURES.iter().filter(|one| !one.1).flat_map(|one| one.2).copied().collect();
    let command = if command.get_name() == "robosieve" && !absent.is_empty() {
        command.after_help(format!("Not in this program, and each says how to get it: {}", absent.join(", ")))
    } else {
        command
    };
    command.help_template(template).mut_args(|arg| {
        if arg.get_id() == "help" {
            return arg.help("Print this; --help: all flags, and examples");
        }
        let is_rare = arg.get_help_heading().is_some() || arg.is_hide_short_help_set();
        let arg = if is_in_examples(&arg) { arg.hide_short_help(false).help_heading(None) } else { arg.hide(is_rare) };
        let help = arg.get_help().map(|help| first_clause(&help.to_string()).to_owned());
        let has_value = arg.get_action().takes_values();
        let arg: Arg = if has_value { arg.hide_possible_values(true).hide_default_value(true) } else { arg };
        if let Some(help) = help { arg.help(help) } else { arg }
    })
}

/// The first clause of a sentence.
fn first_clause(text: &str) -> &str {
    let ends = ["; ", ". ", ": ", ", for example", " ["];
    let is_outside_of_code = |at: &usize| text.bytes().take(*at).filter(|byte| *byte == b'`').count() % 2 == 0;
    let end = ends.iter().filter_map(|end| text.find(end)).filter(is_outside_of_code).min().unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}

/// Features, whether this program has them, and their commands.
pub(crate) const FEATURES: [(&str, bool, &[&str]); 3] = [
    ("batch", cfg!(feature = "batch"), &["batch", "census", "history"]),
    ("gate", cfg!(feature = "gate"), &["check", "crawl-check", "fetch", "page", "serve", "site"]),
    ("signals", cfg!(feature = "signals"), &["signals"]),
];

/// Joins the lines of each paragraph, so that clap wraps it. Indented lines keep their shape.
pub(crate) fn shaped(text: &str) -> String {
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

/// Help as it is printed in lines of this width.
pub(crate) fn printed(help: &str, width: usize) -> String {
    let shown =
        |line: &str| if line.contains(KEPT) { fitted(&line.replace(KEPT, " "), width) } else { line.to_owned() };
    help.split('\n').map(shown).collect::<Vec<_>>().join("\n")
}

/// A line that keeps its shape. If it is too wide, the words that explain a term are wrapped next to it, and those of an
/// example are below it. An example alone stays whole, so that it can be copied.
fn fitted(line: &str, width: usize) -> String {
    /// The words about longer terms are below them.
    const LONGEST_TERM: usize = 14;
    const FURTHER: usize = 6;
    let text = line.trim_start();
    let indent = line.len().saturating_sub(text.len());
    if line.chars().count() <= width {
        return line.to_owned();
    }
    if let Some((term, words)) = text.split_once("  ") {
        let words = words.trim_start();
        let column = line.len().saturating_sub(words.len());
        if column <= LONGEST_TERM {
            let before = line.get(..column).unwrap_or_default();
            return format!("{before}{}", wrapped(words, column, 0, width));
        }
        return format!("{:indent$}{}\n{:FURTHER$}{}", "", term.trim_end(), "", wrapped(words, FURTHER, 0, width));
    }
    // What goes on from the line above.
    if indent > 4 { format!("{:indent$}{}", "", wrapped(text, indent, 0, width)) } else { line.to_owned() }
}

/// The text of a file in `help/`.
macro_rules! text {
    ($name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/help/", $name, ".txt")).trim_ascii_end()
    };
}

#[cfg(feature = "parquet")]
pub(crate) use text;

/// The text of each command: what it does, and then its examples and notes.
const TEXTS: [(&str, &str); 21] = [
    ("robosieve", text!("robosieve")),
    ("filter", text!("filter")),
    ("test", text!("test")),
    ("explain", text!("explain")),
    ("lint", text!("lint")),
    ("inspect", text!("inspect")),
    ("usage", text!("usage")),
    ("signals", text!("signals")),
    ("diff", text!("diff")),
    ("batch", text!("batch")),
    ("census", text!("census")),
    ("history", text!("history")),
    ("fetch", text!("fetch")),
    ("check", text!("check")),
    ("crawl-check", text!("crawl-check")),
    ("site", text!("site")),
    ("page", text!("page")),
    ("serve", text!("serve")),
    ("schema", text!("schema")),
    ("completions", text!("completions")),
    ("man", text!("man")),
];
