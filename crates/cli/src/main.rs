//! The program `robosieve`.

use std::process::ExitCode;

fn main() -> ExitCode {
    robosieve_cli::run()
}
