//! A report as JSON: the part of the library that machines read.
#![cfg(feature = "serde")]
#![allow(missing_docs, clippy::unwrap_used)]

use robosieve::sieve;

/// [report.direction] [report.exact]
#[test]
fn a_report_is_counts_losses_and_findings() {
    let over = "*a".repeat(11);
    let input = format!("Useragent: *\nDisallow: /{over}\nAllow: /{over}\nbroken\nbroken\n");
    let json = serde_json::to_value(sieve(input.as_bytes(), &["MyBot"]).report()).unwrap();
    let expected = serde_json::json!({
        "exact": false,
        "losses": { "more_permissive": 1, "more_restrictive": 1, "either": 0 },
        "counts": { "misspelled-directive": 1, "not-a-field": 2, "too-many-wildcards": 2 },
        "findings": [
            { "line": 1, "kind": "misspelled-directive", "effect": "none" },
            { "line": 2, "kind": "too-many-wildcards", "effect": "more-permissive" },
            { "line": 3, "kind": "too-many-wildcards", "effect": "more-restrictive" },
            { "line": 4, "kind": "not-a-field", "effect": "none" },
            { "line": 5, "kind": "not-a-field", "effect": "none" },
        ],
    });
    assert_eq!(json, expected);
}
