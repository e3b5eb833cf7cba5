//! `site`: shows or deletes what a store has about a site.
//!
//! Invariant: no request is sent, and no store is created. A store may have been changed by hand, so its contents are
//! escaped like any input.

use std::io;

use robosieve_gate::decide::SiteReport;
use robosieve_gate::{Core, Moment, Origin};
use serde::Serialize;

use super::args::SiteArgs;
use super::asker::{existing_store, failed};
use super::fetch::origins;
use crate::exit::{self, Code, Failure};
use crate::text::Message;
use crate::{json, output};

pub(super) fn run(args: &SiteArgs) -> Result<Code, Failure> {
    let gate = Core::new(args.policy.settings()?, existing_store(&args.store)?);
    let mut code = Code::Fine;
    for origin in origins(std::slice::from_ref(&args.url))? {
        let is_known = if args.clear { clear(&gate, &origin)? } else { show(&gate, &origin, args.json)? };
        if !is_known {
            exit::tell(&format!("{origin} is not in the store"));
            code = code.and(Code::Disallowed);
        }
    }
    Ok(code)
}

fn clear(core: &Core, origin: &Origin) -> Result<bool, Failure> {
    let is_known = core.clear(origin, Moment::now()).map_err(|error| failed(&error))?;
    if is_known {
        exit::tell(&format!("{origin} is forgotten"));
    }
    Ok(is_known)
}

/// Shows what is stored of a site, for each crawler that asked.
fn show(core: &Core, origin: &Origin, is_json: bool) -> Result<bool, Failure> {
    let reports = core.reports(origin, Moment::now()).map_err(|error| failed(&error))?;
    for report in &reports {
        let shown = if is_json { line(report) } else { Ok(page(report).into_bytes()) };
        shown.map_err(|error| Failure::stdout(&error)).and_then(|shown| output::print(&shown))?;
    }
    Ok(!reports.is_empty())
}

#[derive(Serialize)]
struct Line<'r> {
    v: u8,
    #[serde(flatten)]
    report: &'r SiteReport,
}

/// A site as a line of JSON.
pub(super) fn line(report: &SiteReport) -> io::Result<Vec<u8>> {
    json::line(&Line { v: 1, report })
}

fn page(report: &SiteReport) -> String {
    let status = report.status.map_or("no status".to_owned(), |status| format!("status {status}"));
    let came =
        report.class.map_or("never fetched".to_owned(), |class| format!("{} ({status})", class.words(report.status)));
    let failing = report.failing_since.map_or(String::new(), |since| format!(", since {since}"));
    let due = if report.is_due { " (due)" } else { "" };
    let mut page = Message::new(&format!("{}, for {}", report.origin, report.reader));
    page.add(&format!("standing      {}: {}", report.standing, report.standing.words()));
    page.add(&format!("last attempt  {}, {came}", moment(report.last_attempt)));
    if let Some(error) = &report.error {
        page.add(&format!("  {error}"));
    }
    page.add(&format!("failures      {} in a row{failing}", report.failures));
    page.add(&format!("next attempt  {}{due}", moment(report.next_attempt)));
    if let Some(until) = report.held_until {
        page.add(&format!("held until    {until}, as the site asked (Retry-After); --clear lifts it"));
    }
    page.add(&format!("verdict       {}", report.verdict.map_or("none".into(), |ruling| ruling.to_string())));
    if let Some(seconds) = report.crawl_delay {
        page.add(&format!("crawl delay   {seconds} s"));
    }
    page.extend(report.sitemaps.iter().map(|url| format!("sitemap       {url}")));
    match &report.contents {
        Some(contents) => {
            let good_until = moment(report.good_until);
            page.add(&format!("contents      retrieved {}, good until {good_until}", moment(report.retrieved)));
            page.extend(contents.lines().map(|line| format!("  {line}")));
        }
        None => page.add("contents      none"),
    }
    format!("{page}\n")
}

fn moment(moment: Option<Moment>) -> String {
    moment.map_or("never".into(), |moment| moment.to_string())
}
