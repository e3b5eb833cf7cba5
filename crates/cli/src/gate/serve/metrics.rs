//! The gate's counts in Prometheus' text form.
//!
//! Invariant: a metric whose label is `kind` counts things of which each has one kind. Sums and what is counted next to
//! the kinds are metrics of their own.

use hyper::StatusCode;
use hyper::header::CONTENT_TYPE;
use robosieve_gate::ask::Metrics;

use super::super::http::replies::{self, Reply, with};

/// The counts that are no kinds.
const OWN: [&str; 6] = ["waits", "waits_ms", "attempts", "redirects", "bytes", "took_ms"];

pub(super) fn reply(metrics: &Metrics) -> Reply {
    let reply = replies::json(StatusCode::OK, text(metrics).into_bytes());
    with(reply, CONTENT_TYPE, "text/plain; version=0.0.4")
}

fn text(metrics: &Metrics) -> String {
    let counts = serde_json::to_value(metrics).unwrap_or_default();
    let mut text = String::new();
    for (group, counts) in counts.as_object().into_iter().flatten() {
        let counts = counts.as_object().into_iter().flatten().filter(|(_, count)| count.is_u64());
        let (own, kinds): (Vec<_>, Vec<_>) = counts.partition(|(name, _)| OWN.contains(&name.as_str()));
        text.extend([format!("# TYPE robosieve_{group} counter\n")]);
        text.extend(kinds.iter().map(|(kind, count)| format!("robosieve_{group}{{kind=\"{kind}\"}} {count}\n")));
        text.extend(own.iter().map(|(name, count)| {
            let name = format!("robosieve_{group}_{name}");
            format!("# TYPE {name} counter\n{name} {count}\n")
        }));
    }
    text
}
