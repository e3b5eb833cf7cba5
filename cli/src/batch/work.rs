//! An item -> its record: the file is unpacked, its status weighed, its text made.
//!
//! Invariant: what an item comes to depends on it and on the command line only; nothing that an item holds ends the work.

use std::fs::File;
use std::io::{self, Read};
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use robosieve::{Access, Sieve, Sieved};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::http;
use super::record::{About, Body, Found, Outcome, Problem, Rendered};
use super::source::{Input, Item, Load, Place};
use super::stream;
use super::warc::{Kind, Record};
use crate::id::Id;
use crate::input;
use crate::ndjson;
use crate::object::Object;
use crate::plan::Plan;
use crate::who::Who;

/// Where texts go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Texts {
    /// Into the records.
    Records,
    /// Each to a file of its input's or its URL's name.
    Files,
    /// Each to a file that has the name of its hash, so that the same text is there once.
    Store,
}

/// How items are worked on.
#[derive(Debug)]
pub(crate) struct Work {
    plan: Plan,
    sieve: Sieve,
    pub(crate) texts: Texts,
    /// Whether responses of any URL are robots.txt files, and not those of /robots.txt only.
    pub(crate) all_urls: bool,
}

/// What was done with an item.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) place: Place,
    pub(crate) input: Arc<Input>,
    pub(crate) took: Duration,
    pub(crate) what: What,
}

#[derive(Debug)]
pub(crate) enum What {
    Skipped(&'static str),
    Record(Box<Rendered>),
}

/// A line of NDJSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request<'a> {
    v: Option<u64>,
    #[serde(borrow)]
    id: Option<Id<'a>>,
    robots: Option<String>,
    robots_b64: Option<String>,
    url: Option<String>,
    time: Option<String>,
    status: Option<u16>,
    location: Option<String>,
}

#[derive(Deserialize)]
struct Identified<'a> {
    #[serde(borrow)]
    id: Option<Id<'a>>,
}

/// A response, from wherever it came.
struct Response<'b> {
    status: Option<u16>,
    location: Option<String>,
    truncated: Option<&'static str>,
    body: &'b [u8],
}

impl Work {
    pub(crate) fn new(plan: Plan, texts: Texts, all_urls: bool) -> Self {
        let sieve = plan.sieve();
        Self { plan, sieve, texts, all_urls }
    }

    /// Octets of a file that have to be read.
    fn max_body(&self) -> usize {
        self.plan.max_bytes().saturating_add(input::BEYOND)
    }

    pub(crate) fn on(&self, item: Item) -> Done {
        let started = Instant::now();
        let Item { place, input, load } = item;
        // No input is known that brings down the library or a decoder. One that does costs itself.
        let what = panic::catch_unwind(AssertUnwindSafe(|| self.load(place, &input, load))).unwrap_or_else(|_| {
            let body = Body::failed("internal", "this program failed on it: please report that, with the file");
            self.render(about(&input, place), &input, body)
        });
        Done { place, input, took: started.elapsed(), what }
    }

    fn load(&self, place: Place, input: &Input, load: Load) -> What {
        let about = about(input, place);
        match load {
            Load::Skipped(kind) => What::Skipped(kind),
            Load::Failed(kind, message) => self.render(about, input, Body::failed(kind, message)),
            Load::File(path) => match self.read(&path) {
                Ok(octets) => self.render(about, input, self.rules(&octets)),
                Err(error) => self.render(about, input, Body::failed("unreadable", error.to_string())),
            },
            Load::Octets(octets) => self.render(about, input, self.rules(&octets)),
            Load::Line(line) => self.line(about, input, &line),
            Load::Record(record) => self.record(about, input, &record),
        }
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let most = u64::try_from(self.max_body()).unwrap_or(u64::MAX);
        let (mut file, mut octets) = (File::open(path)?, Vec::new());
        (&mut file).take(most).read_to_end(&mut octets)?;
        if !stream::is_packed(&octets) {
            // Most are not, and cost no decoder's buffers.
            return Ok(octets);
        }
        let packed = io::Cursor::new(mem::take(&mut octets)).chain(file);
        stream::unpacked(Box::new(packed))?.take(most).read_to_end(&mut octets)?;
        Ok(octets)
    }

    fn line<'a>(&self, mut about: About<'a>, input: &Input, line: &'a [u8]) -> What {
        let request = match serde_json::from_slice::<Object<Request<'_>>>(line) {
            Ok(request) => request.0,
            Err(error) => {
                about.id = serde_json::from_slice::<Object<Identified<'_>>>(line).ok().and_then(|it| it.0.id);
                let kind = if error.is_data() { "bad-request" } else { "bad-json" };
                return self.render(about, input, Body::failed(kind, error.to_string()));
            }
        };
        about.id = request.id;
        about.url.clone_from(&request.url);
        about.time.clone_from(&request.time);
        about.status = request.status;
        let body = self.request(request).unwrap_or_else(|message| Body::failed("bad-request", message));
        self.render(about, input, body)
    }

    fn request(&self, request: Request<'_>) -> Result<Body, String> {
        if request.v.is_some_and(|v| v != 1) {
            return Err("v is the version of the requests, and has to be 1".into());
        }
        if request.status.is_some_and(|status| !(100..=999).contains(&status)) {
            return Err("status has to be an HTTP status, from 100 to 999".into());
        }
        let octets = match (request.robots, request.robots_b64) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(text)) => ndjson::decode("robots_b64", &text).map_err(|problem| problem.to_string())?,
            // Who has no file has a status that says why.
            (None, None) if request.status.is_some() => Vec::new(),
            (None, None) => return Err("the file is missing: give robots, or robots_b64 for octets".into()),
            (Some(_), Some(_)) => return Err("give robots or robots_b64, not both".into()),
        };
        let (status, location) = (request.status, request.location);
        Ok(self.response(Response { status, location, truncated: None, body: &octets }))
    }

    fn record(&self, mut about: About<'_>, input: &Input, record: &Record) -> What {
        let field = |name: &str| record.head.field(name).map(|value| String::from_utf8_lossy(value).into_owned());
        if let Kind::Other(name) = record.kind {
            return What::Skipped(name);
        }
        // Some writers put the URL in angle brackets, as WARC 1.0 has it.
        let url = field("WARC-Target-URI");
        about.url = url.map(|url| url.trim_start_matches('<').trim_end_matches('>').to_owned());
        about.time = field("WARC-Date");
        if !self.all_urls && !about.url.as_deref().is_some_and(is_robots_txt) {
            return What::Skipped("other-url");
        }
        if record.kind == Kind::Revisit {
            return self.render(
                about,
                input,
                Body { location: field("WARC-Refers-To-Target-URI"), ..Body::of(Outcome::Revisit) },
            );
        }
        let truncated = truncated(record);
        if record.kind == Kind::Resource {
            let body = self.response(Response { status: None, location: None, truncated, body: &record.block });
            return self.render(about, input, body);
        }
        match http::read(&record.block, self.max_body()) {
            Err(message) => {
                let body = Body { truncated, ..Body::failed("bad-http", message) };
                self.render(about, input, body)
            }
            Ok(sent) => {
                about.status = Some(sent.status);
                let has_all = sent.body.len() > self.plan.max_bytes();
                let cut = (record.is_cut && !has_all).then_some("block");
                let truncated = truncated.or(cut).or(sent.is_broken.then_some("encoding"));
                let truncated = truncated.or((sent.is_short && !record.is_cut).then_some("content-length"));
                let (status, location) = (Some(sent.status), sent.location);
                let body = self.response(Response { status, location, truncated, body: &sent.body });
                self.render(about, input, body)
            }
        }
    }

    /// What the status says, and then the file.
    fn response(&self, response: Response<'_>) -> Body {
        let Response { status, location, truncated, body } = response;
        let octets = Some(body.len());
        let access = status.map_or(Access::Rules, |status| Access::of_status(status, self.plan.forbidden));
        let made = match (status, access) {
            (Some(304), _) => Body::of(Outcome::NotModified),
            (Some(301 | 302 | 303 | 307 | 308), _) => Body { location, ..Body::of(Outcome::Redirect) },
            (_, Access::Rules) => return Body { truncated, ..self.rules_of(body, truncated.is_none()) },
            (_, Access::AllowAll) => self.decided(Outcome::AllowAll, b"User-agent: *\nDisallow:\n"),
            (_, Access::DisallowAll) => self.decided(Outcome::DisallowAll, b"User-agent: *\nDisallow: /\n"),
        };
        Body { truncated, octets, ..made }
    }

    /// The status decided: its text is that of a file which says so.
    fn decided(&self, outcome: Outcome, file: &[u8]) -> Body {
        Body { outcome, ..self.answered(file, true, |_| Who::status()) }
    }

    fn rules(&self, octets: &[u8]) -> Body {
        self.rules_of(octets, true)
    }

    fn rules_of(&self, octets: &[u8], is_whole: bool) -> Body {
        self.answered(octets, is_whole, |sieved| {
            let all = self.plan.all_agents;
            if all { Who::all() } else { Who::new(sieved.answered_by(), &self.plan.interest) }
        })
    }

    fn answered(&self, octets: &[u8], is_whole: bool, who: impl Fn(&Sieved<'_>) -> Who) -> Body {
        let length = Some(octets.len());
        let sieved = match self.sieve.run(octets) {
            Ok(sieved) => sieved,
            Err(refused) => {
                let error = Some(Problem { kind: "refused", message: refused.to_string() });
                return Body { error, octets: length, ..Body::of(Outcome::Refused) };
            }
        };
        let records = sieved.records();
        let delay = records.records().next().filter(|_| !self.plan.all_agents).and_then(|record| record.crawl_delay());
        let digest: [u8; 32] = Sha256::digest(sieved.text().as_str()).into();
        let found = Found {
            who: who(&sieved),
            exact: is_whole && sieved.report().is_exact(),
            report: sieved.report().clone(),
            sitemaps: records.sitemaps().iter().map(|url| url.as_str().to_owned()).collect(),
            crawl_delay: delay.map(|delay| delay.as_duration().as_secs_f64()),
            hash: format!("sha256:{}", hex(&digest)),
            digest,
            text: sieved.text().as_str().to_owned(),
        };
        Body { octets: length, found: Some(found), ..Body::of(Outcome::Rules) }
    }

    fn render(&self, about: About<'_>, input: &Input, body: Body) -> What {
        let name = about.source.to_owned();
        let body = self.placed(&about, input, body);
        match Rendered::new(about, body, self.texts == Texts::Records) {
            Ok(rendered) => What::Record(Box::new(rendered)),
            // Writing to memory does not fail; this closes the case.
            Err(error) => What::Record(Box::new(Rendered::unwritable(name, &error))),
        }
    }
}

impl Work {
    /// With the file that the text belongs to.
    fn placed(&self, about: &About<'_>, input: &Input, mut body: Body) -> Body {
        let Some(found) = &body.found else { return body };
        body.file = match self.texts {
            Texts::Records => return body,
            Texts::Files => input.mirror.clone().or_else(|| mirror_of(about.url.as_deref().unwrap_or_default())),
            Texts::Store => {
                let name = hex(&found.digest);
                let front = name.get(..2).unwrap_or_default();
                Some(Path::new(front).join(format!("{name}.txt")))
            }
        };
        if body.file.is_none() {
            let message = "nothing says what its file should be called: it has no URL, or its path leads out of OUTPUT";
            return Body::failed("no-name", message);
        }
        body
    }
}

pub(crate) fn about(input: &Input, place: Place) -> About<'_> {
    let record = Some(place.record).filter(|record| (1..u64::MAX).contains(record));
    About { v: 1, id: None, source: &input.name, record, url: None, time: None, status: None }
}

/// Whether the URL's path is `/robots.txt`.
fn is_robots_txt(url: &str) -> bool {
    let behind = url.split_once("://").map_or("", |(_, rest)| rest);
    let path = behind.find('/').and_then(|at| behind.get(at..)).unwrap_or_default();
    path.split(['?', '#']).next() == Some("/robots.txt")
}

/// Why a record is not whole, in the words of `WARC-Truncated` or ours.
fn truncated(record: &Record) -> Option<&'static str> {
    const REASONS: [&str; 4] = ["length", "time", "disconnect", "unspecified"];
    if record.is_short {
        return Some("archive");
    }
    if record.is_spoilt {
        return Some("damage");
    }
    if record.head.field("WARC-Segment-Number").is_some() {
        return Some("segment");
    }
    let reason = record.head.field("WARC-Truncated")?;
    REASONS.into_iter().find(|known| reason.eq_ignore_ascii_case(known.as_bytes())).or(Some("unspecified"))
}

pub(crate) fn hex(octets: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    octets.iter().flat_map(|octet| [digit(octet >> 4), digit(octet & 0xF)]).collect()
}

/// Where the text of a URL belongs in a mirrored directory: scheme, host and path, each octet that a name can't hold as `%XX`.
pub(crate) fn mirror_of(url: &str) -> Option<PathBuf> {
    let (scheme, rest) = url.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at_checked(end)?;
    let path = path.split('#').next().unwrap_or_default();
    let mut mirror = PathBuf::from(plain(&scheme.to_ascii_lowercase())?);
    mirror.push(plain(&host.to_ascii_lowercase())?);
    mirror.extend(path.split('/').filter_map(plain));
    Some(mirror)
}

fn plain(part: &str) -> Option<String> {
    let is_dots = part.bytes().all(|octet| octet == b'.');
    let mut name = String::new();
    for octet in part.bytes() {
        let is_plain = octet.is_ascii_alphanumeric() || b"-_.~%+=,".contains(&octet);
        if is_plain && !is_dots {
            name.push(char::from(octet));
        } else {
            name.push('%');
            name.push_str(&hex(&[octet]).to_ascii_uppercase());
        }
    }
    Some(name).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_robots_txt_is_one() {
        for (url, expected) in [
            ("http://e.com/robots.txt", true),
            ("https://e.com:8080/robots.txt?x", true),
            ("http://e.com/a/robots.txt", false),
            ("http://e.com/", false),
            ("http://e.com", false),
            ("dns:e.com/robots.txt", false),
            ("http://e.com/ROBOTS.TXT", false),
            ("", false),
        ] {
            assert_eq!(is_robots_txt(url), expected, "{url}");
        }
    }

    #[test]
    fn no_url_leads_out_of_the_mirror() {
        for (url, expected) in [
            ("http://E.com:80/robots.txt", Some("http/e.com%3A80/robots.txt")),
            ("http://e.com/../../etc/passwd", Some("http/e.com/%2E%2E/%2E%2E/etc/passwd")),
            ("http://../robots.txt", Some("http/%2E%2E/robots.txt")),
            ("http://e.com/a\\b\0c?q=/x#y", Some("http/e.com/a%5Cb%00c%3Fq=/x")),
            ("http:///robots.txt", None),
            ("robots.txt", None),
        ] {
            assert_eq!(mirror_of(url), expected.map(PathBuf::from), "{url}");
        }
    }
}
