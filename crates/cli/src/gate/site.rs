//! `site`: shows or deletes what a store has about sites.
//!
//! Invariant: no request is sent, and no store is created. A store may have been changed by hand, so its contents are
//! escaped like any input.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use robosieve::agent::Agents;
use robosieve_gate::decide::SiteReport;
use robosieve_gate::keep::{SharedStore, StoreError};
use robosieve_gate::origin::SiteSelector;
use robosieve_gate::pace::Lanes;
use robosieve_gate::{GateCore, Moment, Origin};
use serde::Serialize;

use super::args::SiteArgs;
use super::asker::{existing_store, failed};
use crate::exit::{self, Code, Failure};
use crate::text::{self, Message};
use crate::{input, json, output};

pub(super) fn run(args: &SiteArgs) -> Result<Code, Failure> {
    let is_read = !args.clear && !args.clear_all && args.forget_older_than.is_none();
    let store = existing_store(&args.store, is_read)?;
    if let Some(days) = args.forget_older_than {
        return forget_older_than(&store, days);
    }
    if let (Some(site), Some(raw)) = (&args.host, &args.raw) {
        return save_raw(&store, site, raw);
    }
    match (&args.host, args.clear, args.clear_all) {
        (_, _, true) => clear_all(&store),
        (Some(site), true, _) => clear(&store, site),
        _ => show(&store, args.host.as_ref(), args),
    }
}

fn clear_all(store: &SharedStore) -> Result<Code, Failure> {
    let count = store.len().map_err(|error| failed(&error))?;
    store.clear().map_err(|error| failed(&error))?;
    store.lanes().map_or(Ok(()), Lanes::lift_all).map_err(|error| Failure::Io(error.to_string()))?;
    exit::tell(&format!("forgot {}", text::counted(count, "record", "records")));
    Ok(Code::Fine)
}

fn forget_older_than(store: &SharedStore, days: u32) -> Result<Code, Failure> {
    let age = Duration::from_secs(u64::from(days).saturating_mul(86_400));
    let count = store.forget_before(Moment::now().before(age)).map_err(|error| failed(&error))?;
    exit::tell(&format!("forgot {}", text::counted(count, "record", "records")));
    Ok(Code::Fine)
}

/// Saves the bytes of the first matching site that has some.
fn save_raw(store: &SharedStore, site: &SiteSelector, to: &Path) -> Result<Code, Failure> {
    if input::is_stdin(to) && io::stdout().is_terminal() {
        return Err(Failure::Usage("a server's bytes can control a terminal: name a file, or pipe the output".into()));
    }
    let mut found = None;
    let seen = store.for_each(&mut |origin, _, record| {
        found = record.snapshot.and_then(|copy| copy.raw).filter(|_| site.selects(origin));
        if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let Some(raw) = found else {
        seen.map_err(|error| unreadable(&error))?;
        exit::tell("the store has no such file; `robosieve check --store FILE --keep-raw` keeps files as they come");
        return Ok(Code::Disallowed);
    };
    if input::is_stdin(to) {
        output::print(&raw)?;
    } else {
        output::replace(to, &raw)?;
    }
    Ok(Code::Fine)
}

fn clear(store: &SharedStore, site: &SiteSelector) -> Result<Code, Failure> {
    let origins = match site {
        // Deletes without a lookup, so that a site with a damaged row can be deleted too.
        SiteSelector::Site(origin) => vec![origin.clone()],
        SiteSelector::Host { .. } => origins_of(store, site)?,
    };
    let mut all = 0_u64;
    for origin in &origins {
        let count = store.forget(origin).map_err(|error| failed(&error))?;
        exit::tell(&format!("{origin}: forgot {}", text::counted(count, "record", "records")));
        all = all.saturating_add(count);
    }
    let host = match site {
        SiteSelector::Site(origin) => origin.host(),
        SiteSelector::Host { host, .. } => host,
    };
    let lifted = store.lanes().map_or(Ok(false), |lanes| lanes.lift(host, store.clock().now()));
    if lifted.map_err(|error| Failure::Io(error.to_string()))? {
        exit::tell(&format!("{host}: lifted its hold"));
        return Ok(Code::Fine);
    }
    if all == 0 {
        exit::tell("no such site is in the store; `robosieve site --store FILE` lists those that are");
        return Ok(Code::Disallowed);
    }
    Ok(Code::Fine)
}

fn origins_of(store: &SharedStore, site: &SiteSelector) -> Result<Vec<Origin>, Failure> {
    let mut origins = Vec::new();
    let seen = store.for_each(&mut |origin, _, _| {
        if site.selects(origin) && !origins.contains(origin) {
            origins.push(origin.clone());
        }
        ControlFlow::Continue(())
    });
    seen.map_err(|error| unreadable(&error))?;
    Ok(origins)
}

/// The error for a row that cannot be read. It says how to delete the row.
fn unreadable(error: &StoreError) -> Failure {
    match error {
        StoreError::Row { origin, .. } if Origin::of(origin).is_ok_and(|found| found.to_string() == *origin) => {
            Failure::Io(format!("{error} (`robosieve site {origin} --clear --store FILE`)"))
        }
        // A text that is not a site cannot be given to the command.
        StoreError::Row { .. } => Failure::Io(format!("{error} (`robosieve site --clear-all --store FILE`)")),
        _ => failed(error),
    }
}

/// Shows one site in full, or all sites, one per line.
fn show(store: &SharedStore, site: Option<&SiteSelector>, args: &SiteArgs) -> Result<Code, Failure> {
    let core = GateCore::new(store.clone(), Agents::default())
        .with_policy(args.policy.policy())
        .with_lifetimes(args.policy.lifetimes())
        .with_overrides(args.policy.overrides()?);
    let (now, clock) = (Moment::now(), store.clock());
    // Of a list, that would be one more look into the store for each site.
    let held = |origin: &Origin| {
        let lanes = store.lanes().filter(|_| site.is_some())?;
        lanes.held(origin.host(), clock.now()).ok().flatten()
    };
    let mut shown = Shown { args, whole: site.is_some(), out: output::stdout(), count: 0, failure: None };
    let seen = store.for_each(&mut |origin, reader, record| {
        if site.is_none_or(|site| site.selects(origin)) {
            let report = core.report_on(origin, reader, record, now);
            return shown.add(&SiteReport { held_until: held(origin), ..report });
        }
        ControlFlow::Continue(())
    });
    let flushed = shown.out.flush();
    if let Some(failure) = shown.failure {
        return Err(failure);
    }
    flushed.map_err(|error| Failure::stdout(&error))?;
    seen.map_err(|error| unreadable(&error))?;
    if site.is_some() && shown.count == 0 {
        exit::tell("no such site is in the store; `robosieve site --store FILE` lists those that are");
        return Ok(Code::Disallowed);
    }
    Ok(Code::Fine)
}

struct Shown<'s> {
    args: &'s SiteArgs,
    whole: bool,
    out: BufWriter<StdoutLock<'static>>,
    count: u64,
    failure: Option<Failure>,
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

impl Shown<'_> {
    fn add(&mut self, report: &SiteReport) -> ControlFlow<()> {
        self.count = self.count.saturating_add(1);
        let line = if self.args.json {
            line(report)
        } else if self.whole {
            Ok(page(report).into_bytes())
        } else {
            Ok(row(report).into_bytes())
        };
        match line.and_then(|line| self.out.write_all(&line)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failure = Some(Failure::stdout(&error));
                ControlFlow::Break(())
            }
        }
    }
}

/// A site in one line, with columns separated by tabs.
fn row(report: &SiteReport) -> String {
    let line = format!(
        "{}\t{}\t{}\t{} failures\tlast {}\tnext {}",
        report.origin,
        report.reader,
        report.standing.as_str(),
        report.failures,
        moment(report.last_attempt),
        moment(report.next_attempt),
    );
    // The tabs are our own: neither an origin nor a reader's key has any.
    let parts: Vec<_> = line.split('\t').map(text::harmless).collect();
    parts.join("\t") + "\n"
}

fn page(report: &SiteReport) -> String {
    let status = report.status.map_or("no status".to_owned(), |status| format!("status {status}"));
    let came =
        report.class.map_or("never fetched".to_owned(), |class| format!("{} ({status})", class.words(report.status)));
    let (name, words) = (report.standing.as_str(), report.standing.words());
    let failing = report.failing_since.map_or(String::new(), |since| format!(", since {since}"));
    let due = if report.is_due { " (due)" } else { "" };
    let mut page = Message::new(&format!("{}, for {}", report.origin, report.reader));
    page.add(&format!("standing      {name}: {words}"));
    page.add(&format!("last attempt  {}, {came}", moment(report.last_attempt)));
    for attempt in &report.attempts {
        let address = attempt.address.as_deref().unwrap_or("name");
        page.add(&format!("  {address}: {}", attempt.words()));
    }
    page.add(&format!("failures      {} in a row{failing}", report.failures));
    page.add(&format!("next attempt  {}{due}", moment(report.next_attempt)));
    if let Some(until) = report.held_until {
        page.add(&format!("held until    {until}, as the site asked (Retry-After); --clear lifts it"));
    }
    page.add(&format!("verdict       {}", report.verdict.map_or("none", |ruling| ruling.as_str())));
    if let Some(seconds) = report.crawl_delay {
        page.add(&format!("crawl delay   {seconds} s"));
    }
    page.extend(report.sitemaps.iter().map(|url| format!("sitemap       {url}")));
    if report.insecure {
        page.add("certificates  not checked, as you have set");
    }
    match &report.contents {
        Some(contents) => {
            let good_until = moment(report.good_until);
            page.add(&format!("contents      retrieved {}, good until {good_until}", moment(report.retrieved)));
            if let Some(lost) = report.findings().and_then(|found| found.lost_words()) {
                page.add(&format!("lost          {lost}"));
            }
            page.extend(contents.lines().map(|line| format!("  {line}")));
        }
        None => page.add("contents      none"),
    }
    format!("{page}\n")
}

fn moment(moment: Option<Moment>) -> String {
    moment.map_or("never".into(), |moment| moment.to_string())
}
