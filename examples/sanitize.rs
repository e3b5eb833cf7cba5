//! Stores the clean text of each file, never the file: `cargo run --example sanitize -- MyBot STORE FILE...`

use std::path::{Path, PathBuf};
use std::{env, error::Error, fs};

use robosieve::Sieve;
use robosieve::settings::OverLimit;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (agent, store) = arguments.next().zip(arguments.next()).ok_or("usage: sanitize AGENT STORE FILE...")?;
    // A rule over a limit becomes one that forbids more, so the text never permits what the file forbids.
    let sieve = Sieve::new([agent]).with(|options| options.over_limit = OverLimit::Widen);
    fs::create_dir_all(&store)?;
    for file in arguments.map(PathBuf::from) {
        let bytes = fs::read(&file)?;
        let sieved = sieve.filter(&bytes)?;
        let name = file.file_name().ok_or("a file needs a name")?;
        fs::write(Path::new(&store).join(name), sieved.text())?;
        println!("{}:\n{}", file.display(), sieved.report());
    }
    Ok(())
}
