//! Writes the manual pages of all commands to a directory: `cargo run --example man --features full -- DIR`.

use std::io;

fn main() -> io::Result<()> {
    let Some(directory) = std::env::args_os().nth(1) else {
        return Err(io::Error::other("name the directory for the pages"));
    };
    std::fs::create_dir_all(&directory)?;
    clap_mangen::generate_to(robosieve_cli::command(), directory)
}
