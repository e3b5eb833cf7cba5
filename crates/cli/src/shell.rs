//! `completions` and `man`: prints what the description of the arguments contains.
//!
//! Invariant: this is the same description that arguments are parsed with.

use std::fs;
use std::io;
use std::path::Path;

use clap::{Command, ValueEnum};
use clap_complete::{Generator, shells};
use clap_complete_nushell::Nushell;
use roff::{Roff, roman};

use crate::exit::{Code, Failure};
use crate::help::{self, Length};
use crate::{output, text};

const NAME: &str = "robosieve";

/// The shells that have completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Elvish,
    Fish,
    Nushell,
    Powershell,
    Zsh,
}

pub(crate) fn completions(shell: Shell) -> Result<Code, Failure> {
    match shell {
        Shell::Bash => generate(shells::Bash),
        Shell::Elvish => generate(shells::Elvish),
        Shell::Fish => generate(shells::Fish),
        Shell::Nushell => generate(Nushell),
        Shell::Powershell => generate(shells::PowerShell),
        Shell::Zsh => generate(shells::Zsh),
    }
}

fn generate(generator: impl Generator) -> Result<Code, Failure> {
    // In memory first, because the generator panics if a pipe is closed.
    let mut script = Vec::new();
    clap_complete::generate(generator, &mut help::command(Some(Length::Long)), NAME, &mut script);
    output::print(&script)?;
    Ok(Code::Fine)
}

pub(crate) fn man(name: Option<&str>, all: Option<&Path>) -> Result<Code, Failure> {
    let mut root = help::command(Some(Length::Long));
    // Building gives each command its whole name: `robosieve-filter`.
    root.build();
    root = with_all_words(root);
    if let Some(directory) = all {
        return pages(&root, directory);
    }
    let command = match name {
        None | Some(NAME) => &root,
        Some(name) => root.find_subcommand(name).ok_or_else(|| {
            let names: Vec<&str> = documented(&root).map(Command::get_name).collect();
            let name = text::escape(name.as_bytes());
            Failure::Usage(format!("there is no command {name}: name one of {}", names.join(", ")))
        })?,
    };
    output::print(&page(command, &root).map_err(|error| Failure::stdout(&error))?)?;
    Ok(Code::Fine)
}

/// A page leaves out the words of a flag that the short help leaves out.
fn with_all_words(command: Command) -> Command {
    command.mut_args(|arg| arg.hide_short_help(false)).mut_subcommands(with_all_words)
}

/// Writes a page for each command to a directory.
fn pages(root: &Command, directory: &Path) -> Result<Code, Failure> {
    let failed = |error: io::Error| Failure::file(directory, &error, "name a directory that can be written");
    fs::create_dir_all(directory).map_err(failed)?;
    for command in [root].into_iter().chain(documented(root)) {
        let page = page(command, root).map_err(|error| Failure::stdout(&error))?;
        output::replace(&directory.join(format!("{}.1", title(command))), &page)?;
    }
    Ok(Code::Fine)
}

/// The commands with a page of their own.
fn documented(root: &Command) -> impl Iterator<Item = &Command> {
    root.get_subcommands().filter(|command| command.get_name() != "help")
}

/// `robosieve-filter`
fn title(command: &Command) -> &str {
    command.get_display_name().unwrap_or(NAME)
}

/// A page, with its sections in the order of man-pages(7).
fn page(command: &Command, root: &Command) -> io::Result<Vec<u8>> {
    let source = format!("{NAME} {}", env!("CARGO_PKG_VERSION"));
    let man = clap_mangen::Man::new(command.clone()).title(title(command).to_uppercase()).source(source).manual(NAME);
    let mut out = Vec::new();
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    man.render_synopsis_section(&mut out)?;
    man.render_description_section(&mut out)?;
    man.render_options_section(&mut out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut out)?;
    }
    let text = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let text = help::printed(&text, usize::MAX);
    let mut roff = Roff::new();
    for (name, heading) in [("EXIT STATUS", "Exit codes:"), ("NOTES", ""), ("EXAMPLES", "Examples:")] {
        section(&mut roff, name, text.split("\n\n").filter_map(|part| of_section(part, heading)));
    }
    let others = documented(root).map(title).chain([NAME]).filter(|other| *other != title(command));
    let others: Vec<String> = others.map(|other| format!("{other}(1)")).collect();
    roff.control("SH", ["SEE ALSO"]).text([roman(others.join(", "))]);
    roff.to_writer(&mut out)?;
    Ok(without_repeated_preamble(&out))
}

/// A part of the text below the flags, if it belongs to the section with this heading. Parts without a heading that
/// has a section are notes.
fn of_section<'t>(part: &'t str, heading: &str) -> Option<&'t str> {
    if heading.is_empty() {
        return Some(part).filter(|part| !part.starts_with("Exit codes:") && !part.starts_with("Examples:"));
    }
    part.strip_prefix(heading).map(|part| part.trim_start_matches('\n'))
}

/// Adds a section, if it has any part. Indented lines keep their shape.
fn section<'t>(roff: &mut Roff, name: &str, parts: impl Iterator<Item = &'t str>) {
    for (place, part) in parts.enumerate() {
        roff.control(if place == 0 { "SH" } else { "PP" }, [name].into_iter().filter(|_| place == 0));
        for line in part.lines() {
            match line.strip_prefix("  ") {
                Some(line) => roff.control("nf", []).text([roman(line)]).control("fi", []),
                None => roff.text([roman(line)]),
            };
        }
    }
}

/// Each part that is rendered begins with the same definition of an apostrophe.
fn without_repeated_preamble(page: &[u8]) -> Vec<u8> {
    let page = String::from_utf8_lossy(page);
    let mut lines = page.lines();
    let preamble: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with(".TH")).collect();
    let rest = page.lines().skip(preamble.len()).filter(|line| !preamble.contains(line));
    preamble.iter().copied().chain(rest).fold(String::new(), |all, line| all + line + "\n").into_bytes()
}
