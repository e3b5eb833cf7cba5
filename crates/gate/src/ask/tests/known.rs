//! Tests of `known`.
#![allow(clippy::unwrap_used, clippy::arithmetic_side_effects)]

use super::*;
use crate::moment::Moment;
use crate::retrieve::retrieval::{Outcome, Retrieval};

/// A file of 512,000 bytes is ready, with any number of cores: the parts do not depend on them. [gate.ready]
#[test]
fn the_largest_files_are_ready() {
    let reader = Reader::new(robosieve::Agents::new(["MyBot"]));
    let body = "User-agent: *\n".to_owned() + &"Disallow: /\u{e9}\u{e9}\u{e9}\n".repeat(28_000);
    let body = body.get(..512_000).unwrap_or(&body).to_owned();
    for bytes in [32 << 20, 33 << 20, 128 << 20, 1 << 30, 64 << 30] {
        let ready = ready(bytes);
        for number in 0..3 {
            let origin = Origin::of(&format!("https://{number}.example/")).unwrap();
            let retrieval = Retrieval::of(origin.clone(), Outcome::Rules, Some(200), body.clone(), Moment::now());
            let contents = reader.read(&retrieval);
            let (policy, lifetimes) = Default::default();
            let record = SiteRecord::default().after(&retrieval, contents, &policy, &lifetimes);
            let known = Arc::new(Known::new(record, &reader));
            ready.insert(origin.clone(), known);
            assert!(ready.get(&origin).is_some(), "{bytes} bytes, site {number}");
        }
    }
}
