//! Many URLs at once: their sites are requested at the same time, and each answer comes at its time.
//!
//! Invariant: it uses the gate as any caller would. No other room imports from it.

mod again;
mod fifo;
mod queue;
mod run;
mod sites;
mod trouble;

pub use run::{CheckedUrl, CheckedUrls, Crawl};
