//! Real robots.txt files, if there is a folder of them: `ROBOSIEVE_WILD=folder cargo test --release --test wild`.
#![allow(
    missing_docs,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

use std::collections::BTreeMap;
use std::fs;

use robosieve::Sieve;
use robosieve::report::FindingKind;
use robosieve::settings::{Dialect, Limits};

/// Each file has a text that is canonical, and loses nothing but what is beyond `max_bytes` for a verdict, and nothing by
/// a count for a text. The table of findings is for people: run with `--nocapture`. [input.bytes] [text.idempotent]
/// [limit.after-normalising] [limit.counts] [limit.verdicts]
#[test]
fn wild_files_are_sieved() {
    let Some(folder) = std::env::var_os("ROBOSIEVE_WILD") else {
        return println!("left out: ROBOSIEVE_WILD names no folder");
    };
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut files, mut exact) = (0, 0);
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let input = fs::read(&path).unwrap();
        let name = path.display();
        let sieved = Sieve::new(["MyBot"]).filter(&input).unwrap();
        let text = sieved.text();
        assert_eq!(Sieve::new(["AnyBot"]).filter(text.as_bytes()).unwrap().text(), text, "{name}");
        assert!(text.bytes().all(|byte| matches!(byte, b'\n' | b' '..=b'~')), "{name}");
        let longest = text.lines().filter_map(|line| line.split_once(": ")).map(|line| line.1.len()).max();
        assert!(longest <= Some(Limits::DEFAULT.max_value_length), "{name}");
        for dialect in [Dialect::Standard, Dialect::Google, Dialect::Processor] {
            for sieve in [Sieve::new(["MyBot"]), Sieve::all_agents()]
                .map(|sieve| sieve.options(dialect.options().for_verdicts()))
            {
                let whole = sieve.filter(&input).unwrap();
                // Google's parser keeps the controls of a path, which a text cannot contain.
                let kinds = [FindingKind::InputCut, FindingKind::Unwritable];
                let lost = &kinds[..if dialect == Dialect::Google { 2 } else { 1 }];
                let is_lost = lost.iter().any(|kind| whole.report().count(*kind) > 0);
                assert!(whole.report().is_exact() || is_lost, "{name} {dialect:?}: {}", whole.report());
            }
        }
        for sieve in [Sieve::new(["MyBot"]), Sieve::all_agents()] {
            let sieved = sieve.filter(&input).unwrap();
            let by_count = [FindingKind::TooManyLines, FindingKind::TooManyRecords, FindingKind::TooManyAgents];
            assert!(by_count.iter().all(|kind| sieved.report().count(*kind) == 0), "{name}");
        }
        files += 1;
        exact += usize::from(sieved.report().is_exact());
        sieved.report().counts().for_each(|(kind, count)| *counts.entry(kind.as_str()).or_default() += count);
    }
    assert!(files > 0, "the folder is empty");
    println!("{files} files, {exact} exact\n{counts:#?}");
}
