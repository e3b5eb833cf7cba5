//! A report as JSON, for programs.
#![cfg(feature = "serde")]

use robosieve::sieve;

/// [report.direction] [report.exact]
#[test]
fn a_report_is_counts_losses_and_findings() {
    let over = "*a".repeat(11);
    let input = format!("Useragent: *\nDisallow: /{over}\nAllow: /{over}\nbroken\nbroken\n");
    let json = serde_json::to_value(sieve(input.as_bytes(), ["MyBot"]).report()).unwrap();
    let expected = serde_json::json!({
        "input": { "kind": "text" },
        "exact": false,
        "losses": { "more_permissive": 1, "more_restrictive": 1, "either": 0 },
        "suspects": 0,
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

/// [report.input] [report.suspect]
#[test]
fn what_an_input_looks_like_is_in_the_json() {
    for (input, expected) in [
        (&b""[..], serde_json::json!({ "kind": "empty" })),
        (b"<html>", serde_json::json!({ "kind": "html" })),
        (b"{\"a\": 1}", serde_json::json!({ "kind": "json" })),
        (b"\x89PNG\r\n\x1A\n", serde_json::json!({ "kind": "image", "format": "png" })),
        (b"\x1F\x8B\x08", serde_json::json!({ "kind": "gzip" })),
        (b"U\0s\0", serde_json::json!({ "kind": "utf-16", "format": "le" })),
        (b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\n", serde_json::json!({ "kind": "http-response" })),
    ] {
        let sieved = sieve(input, ["MyBot"]);
        let json = serde_json::to_value(sieved.report()).unwrap();
        assert_eq!(json["input"], expected, "{input:?}");
        assert_eq!(json["input"]["kind"], sieved.report().input().as_str());
        assert_eq!(json["suspects"], u64::from(!sieved.report().input().may_be_robots_txt()));
    }
}

/// [report.direction]
#[test]
fn a_finding_has_one_name() {
    use robosieve::report::FindingKind;
    for kind in FindingKind::ALL {
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
    }
}
