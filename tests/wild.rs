//! Real robots.txt files, where a folder of them is at hand: `ROBOSIEVE_WILD=folder cargo test --release --test wild`.
#![allow(
    missing_docs,
    clippy::arithmetic_side_effects,
    clippy::format_collect,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use std::collections::BTreeMap;

use robosieve::{Dialect, Limits, Sieve, sieve};

/// The table of findings is for people: run with `--nocapture`. [input.bytes] [text.idempotent] [limit.after-normalising]
#[test]
fn wild_files_are_sieved() {
    let Some(folder) = std::env::var_os("ROBOSIEVE_WILD") else {
        println!("left out: ROBOSIEVE_WILD names no folder");
        return;
    };
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut files, mut exact) = (0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let input = std::fs::read(&path).unwrap();
        let sieved = sieve(&input, &["MyBot"]);
        let text = sieved.text().as_str();
        assert_eq!(sieve(text.as_bytes(), &["AnyBot"]).text().as_str(), text, "{}", path.display());
        assert!(text.bytes().all(|octet| matches!(octet, b'\n' | b' '..=b'~')), "{}", path.display());
        let limits = Limits::default();
        let rules = text.lines().filter(|line| line.starts_with("Allow: ") || line.starts_with("Disallow: "));
        let longest = text.lines().filter_map(|line| line.split_once(": ")).map(|line| line.1.len()).max();
        assert!(rules.count() <= limits.max_lines && longest <= Some(limits.max_value_length), "{}", path.display());
        for dialect in [Dialect::Google, Dialect::Processor] {
            Sieve::new(["MyBot"]).dialect(dialect).run(&input).unwrap();
        }
        Sieve::all_agents().run(&input).unwrap();
        files += 1;
        exact += usize::from(sieved.report().is_exact());
        sieved.report().counts().for_each(|(kind, count)| *counts.entry(kind.as_str()).or_default() += count);
    }
    assert!(files > 0, "the folder is empty");
    println!("{files} files, {exact} exact");
    for (kind, count) in counts {
        println!("{count:>9} {kind}");
    }
}
