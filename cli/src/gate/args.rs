//! The flags of the commands that ask sites.
//!
//! Invariant: a flag that is not given leaves the gate's own default; a default that a help text names is the gate's.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueHint};
use ipnet::IpNet;
use robosieve::Dialect;
use robosieve_gate::{Class, Preset, Ruling};

use super::help;
use super::values::{self, Entry};
use crate::args::named;

/// What is to be asked of sites.
#[derive(Debug, Subcommand)]
pub(crate) enum GateCommand {
    /// Retrieve the robots.txt of sites, and print it as canonical text
    #[command(long_about = help::FETCH, after_help = help::AFTER_FETCH)]
    Fetch(Box<FetchArgs>),
    /// Say whether URLs may be fetched now: retrieves, remembers and reads what it needs for that
    #[command(long_about = help::CHECK, after_help = help::AFTER_CHECK)]
    Check(Box<CheckArgs>),
    /// Show what is remembered of a site, or forget it
    #[command(long_about = help::SITE, after_help = help::AFTER_SITE)]
    Site(Box<SiteArgs>),
    /// Check many URLs, and say when each may be fetched
    #[command(long_about = help::CRAWL_CHECK, after_help = help::AFTER_CRAWL_CHECK)]
    CrawlCheck(Box<CrawlArgs>),
}

/// Who asks.
#[derive(Debug, Args)]
pub(super) struct IdentityArgs {
    /// Your crawler, as `MyBot/1.0 (+https://example.com/bot)`: this is sent as the User-Agent, and the rules of its product
    /// token count. Given several times, the preferred first; then one may be whole and the others product tokens
    #[arg(short, long = "agent", value_name = "AGENT")]
    pub(super) agents: Vec<String>,
    /// Send this User-Agent header, whatever --agent the rules are read for
    #[arg(long, value_name = "HEADER")]
    pub(super) user_agent: Option<String>,
}

/// How the network is used.
#[derive(Debug, Args)]
#[command(next_help_heading = "Network")]
pub(super) struct NetArgs {
    /// Time for one robots.txt, with all tries and redirects [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = values::some_seconds)]
    pub(super) timeout: Option<Duration>,
    /// Time for one connection, TLS included [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = values::some_seconds)]
    pub(super) connect_timeout: Option<Duration>,
    /// Redirects that are followed [default: 5]
    #[arg(long, value_name = "N")]
    pub(super) max_redirects: Option<usize>,
    /// Connect to loopback and private networks too, but not to link-local addresses, where clouds keep their metadata
    #[arg(long)]
    pub(super) allow_private: bool,
    /// Connect to this network too; only global addresses are connected to otherwise
    #[arg(long, value_name = "CIDR", value_parser = values::network)]
    pub(super) allow_net: Vec<IpNet>,
    /// Trust these root certificates (PEM) beside Mozilla's
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) root_cert: Vec<PathBuf>,
    /// Use this address for a host and port, and look nothing up
    #[arg(long, value_name = "HOST:PORT:ADDRESS", value_parser = values::entry)]
    pub(super) resolve: Vec<Entry>,
}

/// What answers mean.
#[derive(Debug, Args)]
#[command(next_help_heading = "Policy")]
pub(super) struct PolicyArgs {
    /// What it means where there is no file, no access or no answer: rfc9309, google, strict, processor or permissive
    #[arg(long, value_name = "PRESET", default_value = "rfc9309")]
    pub(super) policy: Preset,
    /// Rule otherwise on a class of answers, as in `forbidden=deny` or `too-many-requests=unreachable`
    #[arg(long, value_name = "CLASS=RULING", value_parser = values::ruling_on_class)]
    pub(super) policy_set: Vec<(Class, Ruling)>,
    /// Rule otherwise on files with errors: rules, allow, deny, unreachable or not-now
    #[arg(long, value_name = "RULING", value_parser = values::ruling)]
    pub(super) policy_errors: Option<Ruling>,
    /// After 30 days without an answer a site is open
    #[arg(long)]
    pub(super) policy_open_after_outage: bool,
    /// Whose reading of the file is followed [default: standard]
    #[arg(long, value_parser = named::<Dialect>(&["standard", "google", "processor"]))]
    pub(super) dialect: Option<Dialect>,
    /// The longest that a file is used without asking again [default: 86400]
    #[arg(long, value_name = "SECONDS", value_parser = values::some_seconds)]
    pub(super) cache_max: Option<Duration>,
    /// After what time a failed site is asked again; twice that after each further failure [default: 300]
    #[arg(long, value_name = "SECONDS", value_parser = values::some_seconds)]
    pub(super) retry: Option<Duration>,
    /// Failures in a row after which a site is given up [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) max_failures: Option<u32>,
}

/// How fast.
#[derive(Debug, Args)]
#[command(next_help_heading = "Pace")]
pub(super) struct PaceArgs {
    /// Between two requests to a host that asks for nothing [default: 1]
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds)]
    pub(super) delay: Option<Duration>,
    /// The least, even if the site asks for less [default: 0.1]
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds)]
    pub(super) min_delay: Option<Duration>,
    /// The most, even if the site asks for more [default: 300]
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds)]
    pub(super) max_delay: Option<Duration>,
    /// The most that a URL is told to wait; later ones are not-now [default: 3600; crawl-check: 86400]
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds)]
    pub(super) max_wait: Option<Duration>,
    /// What the site asks for does not count: the other flags do
    #[arg(long)]
    pub(super) ignore_crawl_delay: bool,
    /// One pace for all hosts of a registered domain
    #[arg(long)]
    pub(super) per_domain: bool,
    /// At least so many times as long as the host took to answer for its robots.txt
    #[arg(long, value_name = "TIMES", num_args = 0..=1, default_missing_value = "10")]
    pub(super) adaptive: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct FetchArgs {
    #[command(flatten)]
    pub(super) who: IdentityArgs,
    /// URLs of the sites: that of any page will do
    #[arg(value_name = "URL", required = true, value_hint = ValueHint::Url)]
    pub(super) urls: Vec<String>,
    /// Print one JSON object a site
    #[arg(long, visible_alias = "ndjson")]
    pub(super) json: bool,
    /// Save the file's octets as they came to FILE, which is replaced in one step; `-` prints them in place of the text
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) raw: Option<PathBuf>,
    /// Write nothing about how it went
    #[arg(short, long)]
    pub(super) quiet: bool,
    /// Whose reading of the file is followed [default: standard]
    #[arg(long, value_parser = named::<Dialect>(&["standard", "google", "processor"]))]
    pub(super) dialect: Option<Dialect>,
    #[command(flatten)]
    pub(super) net: NetArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(super) who: IdentityArgs,
    /// URLs to check; `-` reads them from the standard input, one a line
    #[arg(value_name = "URL", required = true, value_hint = ValueHint::Url)]
    pub(super) urls: Vec<String>,
    /// Remember sites in this file (of `SQLite`), which is made where there is none; else nothing is kept
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) store: Option<PathBuf>,
    /// Print one JSON object a line
    #[arg(long, visible_alias = "ndjson")]
    pub(super) json: bool,
    /// Print nothing: the exit code says it
    #[arg(short, long, conflicts_with = "json")]
    pub(super) quiet: bool,
    #[command(flatten)]
    pub(super) policy: PolicyArgs,
    #[command(flatten)]
    pub(super) pace: PaceArgs,
    #[command(flatten)]
    pub(super) net: NetArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SiteArgs {
    /// The site: a host, as `example.com` or `example.com:8080`, or a URL; without one the sites of the store are listed
    #[arg(value_name = "HOST")]
    pub(super) host: Option<String>,
    /// The store
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) store: PathBuf,
    /// Forget the site, its failures included: it will be asked anew
    #[arg(long, requires = "host", conflicts_with = "clear_all")]
    pub(super) clear: bool,
    /// Forget all sites
    #[arg(long, conflicts_with = "host")]
    pub(super) clear_all: bool,
    /// Print one JSON object a site
    #[arg(long, visible_alias = "ndjson", conflicts_with_all = ["clear", "clear_all"])]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) policy: PolicyArgs,
}

// Each flag is a switch of its own.
#[allow(clippy::struct_excessive_bools)]
#[derive(Debug, Args)]
pub(crate) struct CrawlArgs {
    #[command(flatten)]
    pub(super) who: IdentityArgs,
    /// Read URLs from this file, one a line; `-` is the standard input
    #[arg(long, value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    pub(super) files_from: PathBuf,
    /// Remember sites in this file (of `SQLite`), which is made where there is none; else nothing is kept
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) store: Option<PathBuf>,
    /// Print a URL that may be fetched when its time has come, and not before: what reads the output may fetch at once
    #[arg(long)]
    pub(super) wait: bool,
    /// Print the URLs that may be fetched and nothing else, each as a client sends it
    #[arg(long, conflicts_with = "json")]
    pub(super) urls: bool,
    /// Print one JSON object a line
    #[arg(long, visible_alias = "ndjson")]
    pub(super) json: bool,
    /// Write no summary and no progress
    #[arg(short, long)]
    pub(super) quiet: bool,
    /// Sites that are asked for their robots.txt at the same time, up to 64
    #[arg(short, long, value_name = "N", default_value = "8", value_parser = jobs)]
    pub(super) jobs: NonZeroUsize,
    #[command(flatten)]
    pub(super) policy: PolicyArgs,
    #[command(flatten)]
    pub(super) pace: PaceArgs,
    #[command(flatten)]
    pub(super) net: NetArgs,
}

/// No more than look-ups of names may be under way at a time.
fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    const MOST: usize = robosieve_gate::SystemResolver::MOST_AT_ONCE;
    let found = text.parse().ok().filter(|jobs: &NonZeroUsize| jobs.get() <= MOST);
    found.ok_or_else(|| format!("a number from 1 to {MOST}"))
}
