//! The flags of the commands that use the network.
//!
//! Invariant: without a flag, the gate's own default applies. A default in a help text is the gate's. A value that is
//! not valid is refused, with an example of one that is.

use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueHint};
use ipnet::IpNet;
use robosieve::settings::Dialect;
use robosieve_gate::decide::Preset;
use tracing_subscriber::filter::LevelFilter as Level;
use url::Host;

use crate::choices::{First, Flags};

/// The commands that use the network or its store.
#[derive(Debug, Subcommand)]
// The flags of a command are made when it is used, after what stands here: their struct must have no doc comment.
#[command(defer = true)]
pub(crate) enum GateCommand {
    /// Fetch the robots.txt of sites and print it as canonical text
    Fetch(Box<FetchArgs>),
    /// Say whether URLs may be fetched now
    Check(Box<CheckArgs>),
    /// Show or delete what a store has about a site
    Site(Box<SiteArgs>),
    /// Serve the page that tests files, also live ones
    Page(Box<PageArgs>),
    /// Answer crawlers over HTTP, as check does
    Serve(Box<ServeArgs>),
}

// The crawler's identity.
#[derive(Debug, Args)]
pub(super) struct IdentityArgs {
    /// Your crawler, for example `MyBot/1.0 (+https://example.com/bot)`. It is sent as the User-Agent, and the rules
    /// for its product token apply. Repeat the flag for more names, most preferred first: one in this form, the others
    /// product tokens
    #[arg(short, long = "agent", value_name = "AGENT")]
    pub(super) agents: Vec<String>,
    /// Send this User-Agent header; --agent still selects the rules
    #[arg(long, value_name = "HEADER")]
    pub(super) user_agent: Option<String>,
    /// Read the names as RFC 9309 does: no known crawler uses other groups than its name says, even if its owner
    /// documents it
    #[arg(long)]
    pub(super) plain_names: bool,
}

// The flags for the network.
#[derive(Debug, Args)]
#[command(next_help_heading = "Network")]
pub(super) struct NetArgs {
    /// Time for one robots.txt, including all attempts and redirects [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = some_seconds)]
    pub(super) timeout: Option<Duration>,
    /// Time for one connection, including TLS [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = some_seconds)]
    pub(super) connect_timeout: Option<Duration>,
    /// Redirects to follow at most [default: 5]
    #[arg(long, value_name = "N")]
    pub(super) max_redirects: Option<usize>,
    /// Allow loopback and private networks, but not link-local addresses, where cloud metadata services are
    #[arg(long)]
    pub(super) allow_private: bool,
    /// Allow this network; by default, only global addresses are allowed
    #[arg(long, value_name = "CIDR", value_parser = network)]
    pub(super) allow_net: Vec<IpNet>,
    /// Allow requests to this port; by default, only 80, 443 and those above 1023 are allowed
    #[arg(long, value_name = "PORT")]
    pub(super) allow_port: Vec<u16>,
    /// Trust these root certificates (PEM) in addition to Mozilla's
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) root_cert: Vec<PathBuf>,
    /// Send this header with each request for robots.txt, as `From: bot@example.com`. It is no place for secrets: all
    /// sites get it
    #[arg(long, value_name = "NAME: VALUE")]
    pub(super) header: Vec<String>,
    /// Send each request for robots.txt through this proxy: `http://HOST:PORT` (CONNECT), `socks5://HOST:PORT`, or
    /// `socks5h://HOST:PORT`. Only with socks5 are names looked up here, and their addresses checked
    #[arg(long, value_name = "URL")]
    pub(super) proxy: Option<String>,
    /// Use the proxies of the environment: `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy`. Otherwise they are
    /// ignored
    #[arg(long, conflicts_with = "proxy")]
    pub(super) proxy_from_env: bool,
    /// Use this address for a host and port, without a DNS lookup. Repeat the flag or separate addresses with commas;
    /// they are tried in order
    #[arg(long, value_name = "HOST:PORT:ADDRESS", value_parser = entry)]
    pub(super) resolve: Vec<Entry>,
}

// The flags for the policy.
#[derive(Debug, Args)]
#[command(next_help_heading = "Policy")]
pub(super) struct PolicyArgs {
    /// Policy for no file, no access or no response: rfc9309, google or strict
    #[arg(long, value_name = "PRESET", default_value = "rfc9309")]
    pub(super) policy: Preset,
    /// Read the file like RFC 9309 (standard), Google's parser, or robots-txt-processor [default: standard]
    #[arg(long, value_parser = dialect())]
    pub(super) dialect: Option<Dialect>,
    /// Longest time to use a file before fetching it again [default: 86400]
    #[arg(long, value_name = "SECONDS", value_parser = some_seconds)]
    pub(super) cache_max: Option<Duration>,
    /// Time before the next attempt after a failure; it doubles after each further failure [default: 300]
    #[arg(long, value_name = "SECONDS", value_parser = some_seconds)]
    pub(super) retry: Option<Duration>,
    /// Failures in a row after which a site is disqualified, and requested every 30 days [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) max_failures: Option<u32>,
    /// Ignore the robots.txt of this host, and do not fetch it: everything is allowed, at the pace of the other flags.
    /// Only for hosts whose owner has agreed
    #[arg(long, value_name = "HOST")]
    pub(super) ignore_robots_txt: Vec<String>,
}

// The flags for the pace.
#[derive(Debug, Args)]
#[command(next_help_heading = "Pace")]
pub(super) struct PaceArgs {
    /// Delay between two requests to a host without a crawl delay [default: 1]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) delay: Option<Duration>,
    /// Shortest delay, even if the site's crawl delay is shorter [default: 0.1]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) min_delay: Option<Duration>,
    /// Longest delay, even if the site's crawl delay is longer [default: 300]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) max_delay: Option<Duration>,
    /// Longest wait for a URL; a URL with a longer wait is not-now [default: 3600]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) max_wait: Option<Duration>,
    /// Ignore the site's crawl delay; use only the other flags
    #[arg(long)]
    pub(super) ignore_crawl_delay: bool,
    /// Use one pace for all hosts of a registered domain
    #[arg(long)]
    pub(super) per_domain: bool,
    /// Delay at least this many times the host's response time for its robots.txt
    #[arg(long, value_name = "TIMES", num_args = 0..=1, default_missing_value = "10")]
    pub(super) adaptive: Option<u32>,
}

// Where sites are stored.
#[derive(Debug, Args)]
pub(super) struct StoreArgs {
    /// Store sites in this `SQLite` file, created if missing; or in a server that machines share:
    /// `redis://HOST:PORT/DB?prefix=NAME`, `rediss://` with TLS, `unix:///PATH`. Without it, nothing is stored
    #[arg(long, value_name = "FILE|URL", value_hint = ValueHint::FilePath)]
    pub(super) store: Option<PathBuf>,
}

// What a gate is made of.
#[derive(Debug, Args)]
pub(super) struct AskArgs {
    #[command(flatten)]
    pub(super) policy: PolicyArgs,
    #[command(flatten)]
    pub(super) pace: PaceArgs,
    #[command(flatten)]
    pub(super) net: NetArgs,
}

#[derive(Debug, Args)]
pub(crate) struct FetchArgs {
    #[command(flatten)]
    pub(super) who: IdentityArgs,
    /// The sites: hosts, which are asked by https, or URLs of any page
    #[arg(value_name = "URL", required = true, value_hint = ValueHint::Url)]
    pub(super) urls: Vec<String>,
    /// Print one JSON object per site
    #[arg(long, visible_alias = "ndjson")]
    pub(super) json: bool,
    /// Save the file's original bytes to FILE, replacing it atomically; `-` prints them instead of the text
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) raw: Option<PathBuf>,
    /// Write nothing about the fetch
    #[arg(short, long)]
    pub(super) quiet: bool,
    /// Read the file like RFC 9309 (standard), Google's parser, or robots-txt-processor [default: standard]
    #[arg(long, value_parser = dialect())]
    pub(super) dialect: Option<Dialect>,
    #[command(flatten)]
    pub(super) fail_on: Flags<First>,
    #[command(flatten)]
    pub(super) net: NetArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PageArgs {
    /// The page: `robosieve.html` [default: the one in the command]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) file: Option<PathBuf>,
    /// Listen on this port of 127.0.0.1 [default: one that is free]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub(super) port: u16,
    #[command(flatten)]
    pub(super) who: IdentityArgs,
    #[command(flatten)]
    pub(super) net: NetArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(super) who: IdentityArgs,
    /// URLs to check; `-` reads them from the standard input, one per line
    #[arg(value_name = "URL", required = true, value_hint = ValueHint::Url)]
    pub(super) urls: Vec<String>,
    #[command(flatten)]
    pub(super) kept: StoreArgs,
    /// Print one JSON object per line
    #[arg(long, visible_alias = "ndjson")]
    pub(super) json: bool,
    /// Print nothing; only set the exit code
    #[arg(short, long, conflicts_with = "json")]
    pub(super) quiet: bool,
    /// URLs that are checked at the same time, up to 256; with more than one, results come as they are known
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = jobs)]
    pub(super) jobs: NonZeroUsize,
    /// Write what happens to the standard error, with its time: warn (problems on this machine), info (each
    /// robots.txt), debug (each answer)
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    pub(super) log: Option<Level>,
    #[command(flatten)]
    pub(super) ask: AskArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(super) who: IdentityArgs,
    /// Listen on this address; with the port 0, on one that is free. One that is not of loopback needs --token-file
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8118", value_parser = listen)]
    pub(super) listen: SocketAddr,
    /// Answer only requests that have the token of this file: `Authorization: Bearer TOKEN`. It has at least 16
    /// characters. Requests are not encrypted: elsewhere than on this machine, put a server with TLS in front
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) token_file: Option<PathBuf>,
    #[command(flatten)]
    pub(super) kept: StoreArgs,
    /// Write nothing but the address
    #[arg(short, long)]
    pub(super) quiet: bool,
    /// Write what happens to the standard error, with its time: warn (problems on this machine), info (each
    /// robots.txt), debug (each answer and request)
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    pub(super) log: Option<Level>,
    #[command(flatten)]
    pub(super) ask: AskArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SiteArgs {
    /// The site: a host, which means its https site, or the URL of any page
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub(super) url: String,
    /// The store: its file, or the URL of a server, as for `check`
    #[arg(long, value_name = "FILE|URL", value_hint = ValueHint::FilePath)]
    pub(super) store: PathBuf,
    /// Delete the site with its failures, and lift its host's Retry-After; the next check fetches robots.txt again
    #[arg(long, conflicts_with = "json")]
    pub(super) clear: bool,
    /// Print one JSON object per crawler that the site is stored for
    #[arg(long, visible_alias = "ndjson")]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) policy: PolicyArgs,
}

/// Reads the name of a dialect.
fn dialect() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::NAMES).try_map(|name| name.parse::<Dialect>())
}

/// Reads a number of jobs. More would be impolite to name servers.
fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    const MOST: usize = 256;
    let found = text.parse().ok().filter(|jobs: &NonZeroUsize| jobs.get() <= MOST);
    found.ok_or_else(|| format!("a number from 1 to {MOST}"))
}

/// `2`, `0.5`.
fn seconds(text: &str) -> Result<Duration, String> {
    // Thirty years. More is a mistake.
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=1e9).contains(number));
    number
        .and_then(|number| Duration::try_from_secs_f64(number).ok())
        .ok_or_else(|| "write a number of seconds, for example 2.5".into())
}

/// The same, but more than zero.
fn some_seconds(text: &str) -> Result<Duration, String> {
    let found = seconds(text)?;
    if found < Duration::from_millis(1) { Err("write a number of seconds, at least 0.001".into()) } else { Ok(found) }
}

/// `127.0.0.1:8118`.
fn listen(text: &str) -> Result<SocketAddr, String> {
    let port = text.trim_start_matches(':').parse::<u16>().map_or(8118, |port| port);
    text.parse().map_err(|_| format!("write an IP address and a port, for example 127.0.0.1:{port} or [::1]:{port}"))
}

/// `10.0.0.0/8`, or one address.
fn network(text: &str) -> Result<IpNet, String> {
    let found = text.parse::<IpNet>().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from));
    found.ok_or_else(|| "write a network, for example 10.0.0.0/8 or fd00::/8, or one address".into())
}

/// `info`.
fn level(text: &str) -> Result<Level, String> {
    match text {
        "warn" => Ok(Level::WARN),
        "info" => Ok(Level::INFO),
        "debug" => Ok(Level::DEBUG),
        _ => Err("write warn, info or debug".into()),
    }
}

/// The addresses of a name for one port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) addresses: Vec<IpAddr>,
}

/// `example.com:443:127.0.0.1`, as curl has it.
fn entry(text: &str) -> Result<Entry, String> {
    let form = || "write it as HOST:PORT:ADDRESS, as in example.com:443:192.0.2.1".to_owned();
    let (host, rest) = text.split_once(':').ok_or_else(form)?;
    let (port, addresses) = rest.split_once(':').ok_or_else(form)?;
    let Ok(Host::Domain(host)) = Host::parse(host) else {
        return Err(format!("{host:?} is not a host name: an address in a URL needs no lookup"));
    };
    let address = |text: &str| text.trim_start_matches('[').trim_end_matches(']').parse().ok();
    let addresses = addresses.split(',').map(address).collect::<Option<Vec<IpAddr>>>().ok_or_else(form)?;
    Ok(Entry { host, port: port.parse().map_err(|_| form())?, addresses })
}
