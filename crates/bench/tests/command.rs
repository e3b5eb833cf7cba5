//! The whole command with tiny workloads, and checks of the workloads.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::naive_bytecount
)]

use std::collections::BTreeSet;
use std::process::Command;

use robosieve::policy::Parser;
use robosieve::settings::{Limits, Options};
use robosieve_bench::files::Files;
use robosieve_bench::hostile::{families, prefix_rules, stars, wildcards};
use robosieve_bench::instructions::{Count, Counts, Workload};
use robosieve_bench::race::median;
use robosieve_bench::rng::Rng;
use robosieve_bench::stand_in::MOST_BYTES;
use robosieve_bench::{allocations, readme, urls};

fn bench() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_robosieve-bench"));
    command.env_remove("ROBOSIEVE_WILD");
    command.env(allocations::PROGRAM, env!("CARGO_BIN_EXE_robosieve-bench-allocations"));
    command
}

#[test]
fn json_has_every_figure() {
    let output = bench().args(["--tiny", "--json"]).output().unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{log}");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for key in [
        "filter_vs_robotxt",
        "parse_vs_robotxt",
        "verdict_vs_robotxt",
        "verdict_1000_vs_10_rules",
        "filter_mb_s",
        "floor_fraction",
        "scratch_small_files",
        "small_vs_robotxt",
        "portable_vs_robotxt",
        "tester_vs_parse",
        "compile_vs_parse",
        "few_verdicts_vs_robotxt",
        "hostile_vs_wild",
        "hostile_portable_vs_wild",
        "hostile_verdict_vs_plain",
        "hostile_filter_ms_max",
        "hostile_verdict_ms_max",
        "wild_300k_rules_s",
        "allocations_per_file",
    ] {
        assert!(found[key].as_f64().is_some_and(|value| value > 0.0), "{key}: {}; {log}", found[key]);
    }
    assert_eq!(found["effort"], "tiny");
    // The parser allocates more memory now and then, not for each line.
    assert!(found["allocations"]["parse_per_100k_lines"].as_f64().unwrap() < 100.0, "{}", found["allocations"]);
}

#[test]
fn a_table_and_a_picture_of_a_folder() {
    let folder = std::env::temp_dir().join(format!("robosieve-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("a"), "User-agent: *\nDisallow: /a\n").unwrap();
    let plot = folder.join("plot.svg");
    let output = bench().args(["--tiny", "--wild"]).arg(&folder).arg("--plot").arg(&plot).output().unwrap();
    let picture = std::fs::read_to_string(&plot);
    std::fs::remove_dir_all(&folder).unwrap();
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("1 real files, "), "{table}");
    assert!(table.contains("| robotxt 0.7.0 | ") && !table.contains("NaN"), "{table}");
    assert!(picture.unwrap().ends_with("</svg>\n"));
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    let output = bench().args(["--tiny", "--wild", "no/such/folder"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no/such/folder"));
}

#[test]
fn generated_files_are_always_the_same() {
    let files = Files::generated(2111);
    let sizes = files.contents.iter().map(Vec::len);
    assert_eq!(files.contents, Files::generated(2111).contents);
    assert!(sizes.clone().all(|size| size <= MOST_BYTES));
    let bytes = sizes.sum::<usize>();
    assert!((6_500_000..8_500_000).contains(&bytes), "{bytes}");
}

#[test]
fn urls_hit_and_miss() {
    let file = b"User-agent: *\r\nDisallow: /a*b c$ # why\nAllow:\nDISALLOW : x\n";
    let urls = urls::of_file(file, 10, &mut Rng::new(1));
    assert!(urls.contains(&"/aanyb%20c".into()) && urls.contains(&"/xpage-1".into()), "{urls:?}");
    assert_eq!(urls.len(), 6);
    assert!(urls.iter().all(|url| url.starts_with('/') && url.bytes().all(|byte| byte.is_ascii_graphic())));
}

#[test]
fn hostile_files_fill_the_limit() {
    let all = families(MOST_BYTES);
    let names: BTreeSet<&str> = all.iter().map(|family| family.name).collect();
    assert_eq!(names.len(), all.len());
    // The maximum number of rules, or all bytes that are read.
    let short: Vec<_> =
        all.iter().filter(|family| family.file.len() < MOST_BYTES - 2).map(|family| family.name).collect();
    assert_eq!(short, ["one agent over and over", "rules, a prefix of one another"]);
}

/// All rules must be kept: a rule over a limit would cost nothing.
#[test]
fn hostile_rules_are_kept() {
    let limits = Limits { max_bytes: usize::MAX, max_lines: usize::MAX, ..Limits::default() };
    let parser = Parser::new(Options { limits, ..Options::default() });
    let all = stars(100, 800).into_iter().chain(wildcards(100)).chain([prefix_rules(100, 10)]);
    for family in all {
        let set = parser.parse(&family.file);
        let rules = set.records().next().unwrap().rules();
        assert!(set.report().is_exact(), "{}", family.name);
        let distinct: BTreeSet<_> = rules.iter().map(|rule| rule.pattern().as_bytes()).collect();
        assert_eq!(distinct.len(), 100, "{}", family.name);
    }
    for family in stars(100, 800) {
        let set = parser.parse(&family.file);
        for rule in set.records().next().unwrap().rules() {
            let pattern = rule.pattern().as_bytes();
            let star_count = pattern.iter().filter(|byte| **byte == b'*').count();
            assert_eq!((pattern.len(), star_count), (2000, 10), "{}", family.name);
        }
    }
}

#[test]
fn medians() {
    assert!(median([]).is_nan());
    assert!((median([3.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
    assert!((median([4.0, 1.0]) - 2.5).abs() < 1e-9);
}

#[test]
fn more_than_three_per_cent_is_worse() {
    let counts = |per_unit: f64| Counts {
        compiler: "rustc 1".into(),
        processor: "x".into(),
        workloads: [("filter".into(), Count { instructions: 1, units: 1, per_unit })].into(),
    };
    let before = counts(100.0);
    assert!(!counts(102.99).is_worse_than(&before) && counts(103.01).is_worse_than(&before));
    assert!(!counts(50.0).is_worse_than(&before));
    assert!(before.is_worse_than(&Counts { workloads: [].into(), ..before.clone() }), "a new workload has no count");
    assert!(before.comparable(&counts(1.0)));
    assert!(!before.comparable(&Counts { compiler: "rustc 2".into(), ..before.clone() }));
}

/// The preparation of a workload does not change between runs, and a round has units.
#[test]
fn workloads_have_units() {
    for workload in Workload::ALL {
        assert_eq!(Workload::named(workload.as_str()), Some(workload));
        // Of a round with one URL for each file, these are the files.
        let least = if workload.as_str().starts_with("one-url") { 10 } else { 1000 };
        assert!(workload.run(None, 0).unwrap() > least, "{workload:?}");
        assert_eq!(workload.run(None, 0).unwrap(), workload.run(None, 0).unwrap());
    }
}

#[test]
fn only_the_marked_part_is_replaced() {
    let text = format!("a\n{}\nold\n{}\nb\n", readme::BEGIN, readme::END);
    let new = readme::replaced(&text, "new").unwrap();
    assert_eq!(new, text.replace("old", "new"));
    assert_eq!(readme::replaced(&new, "new").unwrap(), new);
    assert_eq!(readme::replaced("no marks", "new"), None);
}
