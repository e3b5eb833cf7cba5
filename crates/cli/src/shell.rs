//! `completions`: prints a script for a shell, made from the description that arguments are parsed with.

use clap_complete::Shell;

use crate::exit::{Code, Failure};
use crate::{help, output};

pub(crate) fn completions(shell: Shell) -> Result<Code, Failure> {
    // In memory first, because the generator panics if a pipe is closed.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut help::command(), "robosieve", &mut script);
    output::print(&script)?;
    Ok(Code::Fine)
}
