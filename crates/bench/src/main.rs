//! The command: measures, then prints a table or JSON, draws a picture, or rewrites part of the README. Or it counts
//! instructions.
//!
//! Invariant: the standard output has only the result. Exit codes: 0 success; 1 a workload takes more instructions than
//! before; 2 usage error or failure.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use robosieve_bench::cpp::Program;
use robosieve_bench::files::Files;
use robosieve_bench::instructions::{self, Counts, TOLERANCE, Workload};
use robosieve_bench::measure::Effort;
use robosieve_bench::results::Results;
use robosieve_bench::{allocations, plot, readme, table};

/// The path of the committed counts in the repository.
const COUNTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/instructions.json");
/// The path of the README with the marked part.
const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
/// The path of the README's picture, and its name in the README.
const PLOT: (&str, &str) = (concat!(env!("CARGO_MANIFEST_DIR"), "/speed.svg"), "speed.svg");

/// Compares robosieve with other parsers, and with floors: work that no parser can avoid.
///
/// Everything is timed in turn in one run, as CPU time of one thread. The median of the rounds counts. A full run takes
/// some two minutes and needs a release build.
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    measuring: Measuring,
}

#[derive(Debug, Args)]
// Each is a separate switch.
#[allow(clippy::struct_excessive_bools)]
struct Measuring {
    /// A folder of robots.txt files. Without it, files of the same sizes are generated.
    #[arg(long, value_name = "FOLDER", env = "ROBOSIEVE_WILD")]
    wild: Option<PathBuf>,
    /// Prints one JSON object instead of tables.
    #[arg(long)]
    json: bool,
    /// Also draws the speeds as a picture.
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Rewrites the marked part of crates/bench/README.md, and speed.svg next to it.
    #[arg(long)]
    readme: bool,
    /// Also counts instructions per byte (needs valgrind).
    #[arg(long)]
    instructions: bool,
    /// Fewer rounds, for a first look.
    #[arg(long)]
    quick: bool,
    /// Runs next to nothing, to check that everything works.
    #[arg(long, hide = true, conflicts_with = "quick")]
    tiny: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Counts the instructions of seven fixed workloads under callgrind, and compares them with crates/bench/instructions.json.
    Instructions {
        /// Counts on a folder of robots.txt files instead, without a comparison.
        #[arg(long, value_name = "FOLDER")]
        wild: Option<PathBuf>,
        /// Writes the counts to crates/bench/instructions.json.
        #[arg(long, conflicts_with = "wild")]
        update: bool,
    },
    /// Runs a workload while callgrind counts.
    #[command(hide = true)]
    Workload { name: String, rounds: usize, wild: Option<PathBuf> },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.command {
        None => measure(&arguments.measuring).map(|()| true),
        Some(Command::Instructions { wild, update }) => count(wild.as_deref(), update),
        Some(Command::Workload { name, rounds, wild }) => workload(&name, rounds, wild.as_deref()).map(|()| true),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("robosieve-bench: {error}");
            ExitCode::from(2)
        }
    }
}

fn measure(arguments: &Measuring) -> Result<(), String> {
    let effort = match arguments {
        Measuring { tiny: true, .. } => Effort::TINY,
        Measuring { quick: true, .. } => Effort::QUICK,
        _ => Effort::FULL,
    };
    let wild = arguments.wild.as_deref();
    let files = match wild {
        Some(folder) => Files::of_folder(folder).map_err(|error| error.to_string())?,
        None => Files::generated(effort.files),
    };
    if arguments.readme {
        // Fails now rather than after minutes.
        readme_with("")?;
    }
    let built = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut others = Program::all(built.path())?;
    let results = Results::measure(&files, &effort, &mut others, |what| eprintln!("robosieve-bench: {what}"))?;
    let allocations = allocations::count(wild, effort.files)
        .inspect_err(|error| eprintln!("robosieve-bench: allocations were not counted: {error}"));
    let instructions = if arguments.instructions { Some(instructions::count(Workload::Filter, wild)?) } else { None };
    let results = results.with_counts(allocations.ok(), instructions.map(|count| count.per_unit));
    if let Some(path) = &arguments.plot {
        write(path, &plot::svg(&results))?;
    }
    if arguments.readme {
        write(Path::new(PLOT.0), &plot::svg(&results))?;
        write(Path::new(README), &readme_with(&table::readme(&results, PLOT.1))?)?;
    }
    if arguments.json {
        println!("{}", serde_json::to_string(&results).map_err(|error| error.to_string())?);
    } else {
        print!("{}", table::all(&results));
    }
    Ok(())
}

fn readme_with(part: &str) -> Result<String, String> {
    let text = fs::read_to_string(README).map_err(|error| format!("crates/bench/README.md: {error}"))?;
    readme::replaced(&text, part)
        .ok_or_else(|| format!("crates/bench/README.md lacks {} and {}", readme::BEGIN, readme::END))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns false if a workload got worse.
fn count(wild: Option<&Path>, update: bool) -> Result<bool, String> {
    let counts = Counts::take(wild)?;
    println!("{}, {}", counts.compiler, counts.processor);
    for (name, count) in &counts.workloads {
        let unit = Workload::named(name).map_or("", Workload::unit);
        println!("{name:<10} {:>12} instructions, {:>9.2} per {unit}", count.instructions, count.per_unit);
    }
    if update {
        let text = serde_json::to_string_pretty(&counts).map_err(|error| error.to_string())?;
        write(Path::new(COUNTS), &(text + "\n"))?;
        println!("written to crates/bench/instructions.json");
        return Ok(true);
    }
    if wild.is_some() {
        return Ok(true);
    }
    let text = fs::read_to_string(COUNTS).map_err(|error| format!("crates/bench/instructions.json: {error}"))?;
    let before: Counts =
        serde_json::from_str(&text).map_err(|error| format!("crates/bench/instructions.json: {error}"))?;
    Ok(compared(&counts, &before))
}

fn compared(counts: &Counts, before: &Counts) -> bool {
    println!();
    for (name, change) in counts.changes(before) {
        let note = match change {
            worse if worse > TOLERANCE => "  WORSE",
            better if better < -TOLERANCE => "  better: crates/bench/instructions --update keeps it",
            _ => "",
        };
        println!("{name:<10} {:>+7.2} % against crates/bench/instructions.json{note}", change * 100.0);
    }
    if !counts.comparable(before) {
        println!(
            "not comparable: crates/bench/instructions.json was made with {}, {}.",
            before.compiler, before.processor
        );
        println!(
            "Nothing fails. Run crates/bench/instructions --update on the commit before yours, and then on yours."
        );
        return true;
    }
    let is_worse = counts.is_worse_than(before);
    if is_worse {
        println!("More than {:.0} % worse, or a new workload. If that is the price of something:", TOLERANCE * 100.0);
        println!("crates/bench/instructions --update, and say so in the commit.");
    }
    !is_worse
}

fn workload(name: &str, rounds: usize, wild: Option<&Path>) -> Result<(), String> {
    let workload = Workload::named(name).ok_or_else(|| format!("no workload is called {name}"))?;
    println!("{}", workload.run(wild, rounds).map_err(|error| error.to_string())?);
    Ok(())
}
