//! Any sources of a page have an answer within the limits, and its text is harmless: `[signals.total]`,
//! `[signals.bounds]`, `[signals.harmless]`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve_explain::Names;
use robosieve_signals::{Allowed, Finding, Limits, Page, Use};

/// Header values, HTML, `tdmrep.json`, robots.txt, and whether the limits are tight.
type Sources<'s> = (Vec<(u8, &'s [u8])>, &'s [u8], &'s [u8], &'s [u8], bool);

const HEADERS: [&str; 5] = ["X-Robots-Tag", "Content-Usage", "Content-Signal", "Link", "TDM-Reservation"];

fuzz_target!(|sources: Sources<'_>| {
    let (headers, html, tdmrep, robots, is_tight) = sources;
    let mut page = Page::new("/a").html(html).tdmrep(tdmrep).robots(robots);
    for (name, value) in &headers {
        page = page.header(HEADERS[usize::from(*name) % HEADERS.len()], value);
    }
    if is_tight {
        let limits = Limits { max_headers: 2, max_header_bytes: 40, max_html_bytes: 60, ..Limits::DEFAULT };
        page = page.limits(Limits { max_tdmrep_bytes: 40, max_statements: 3, max_findings: 2, ..limits });
    }
    let signals = page.signals();
    let answer = signals.answer(Names::Known.groups(["MyBot"]), 0);
    let most = if is_tight { (3, 2) } else { (1_000, 100) };
    assert!(signals.statements().len() <= most.0 && answer.findings.len() <= most.1);
    if signals.is_cut() {
        assert_ne!(answer.of(Use::Index), Allowed::Yes);
    }
    let texts = answer.findings.iter().map(Finding::words);
    let texts = texts.chain(answer.decided_by.values().map(|one| one.text.clone()));
    for text in texts.chain(answer.licenses.iter().map(|one| one.url.clone())) {
        assert!(text.len() < 5_000 && text.chars().all(robosieve_printable::is_shown), "{text:?}");
    }
});
