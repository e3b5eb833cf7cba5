//! `completions` and `man`: prints what the description of the arguments contains.
//!
//! Invariant: this is the same description that arguments are parsed with.

use clap_complete::Shell;

use crate::exit::{Code, Failure};
use crate::{help, output, text};

const NAME: &str = "robosieve";

pub(crate) fn completions(shell: Shell) -> Result<Code, Failure> {
    // In memory first, because the generator panics if a pipe is closed.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut help::command(), NAME, &mut script);
    output::print(&script)?;
    Ok(Code::Fine)
}

pub(crate) fn man(name: Option<&str>) -> Result<Code, Failure> {
    let mut root = help::command();
    // Building gives each command its whole name: `robosieve-filter`.
    root.build();
    let command = match name {
        None | Some(NAME) => root,
        Some(name) => {
            let found = root.get_subcommands().find(|command| command.get_name() == name).cloned();
            found.ok_or_else(|| Failure::Usage(format!("unknown command {}", text::escape(name.as_bytes()))))?
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).map_err(|error| Failure::stdout(&error))?;
    output::print(&page)?;
    Ok(Code::Fine)
}
