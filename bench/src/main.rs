//! Measures robosieve beside other parsers, and beside floors that none can pass.
//!
//! Invariant: the standard output has the result and nothing else.

use std::error::Error;
use std::path::PathBuf;

use clap::Parser;
use robosieve_bench::allocations;
use robosieve_bench::files::Files;
use robosieve_bench::measure::Effort;
use robosieve_bench::results::Results;

/// Measures robosieve beside other parsers, and beside floors that none can pass.
#[derive(Debug, Parser)]
struct Arguments {
    /// A folder of robots.txt files; without it, generated files of the same sizes.
    #[arg(long, value_name = "FOLDER", env = "ROBOSIEVE_WILD")]
    wild: Option<PathBuf>,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
    /// Fewer rounds, and fewer generated files: for a first look.
    #[arg(long)]
    quick: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let (effort, count) = if arguments.quick { (Effort::QUICK, 300) } else { (Effort::FULL, 2111) };
    let files = match &arguments.wild {
        Some(folder) => Files::of_folder(folder)?,
        None => Files::generated(count),
    };
    let results = Results::measure(&files, &effort, arguments.quick, |what| eprintln!("robosieve-bench: {what}"));
    let counted = allocations::count(arguments.wild.as_deref(), count);
    if let Err(error) = &counted {
        eprintln!("robosieve-bench: allocations were not counted: {error}");
    }
    let results = results.with_allocations(counted.ok());
    println!("{}", serde_json::to_string_pretty(&results)?);
    Ok(())
}
