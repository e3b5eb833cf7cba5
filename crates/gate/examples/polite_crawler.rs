//! A polite little crawler over tokio.
//!
//! It fetches the pages of a site on loopback, follows their links, obeys robots.txt, and slows down when the site says
//! so: `cargo run -p robosieve-gate --example polite_crawler`
#![allow(missing_docs, clippy::arithmetic_side_effects)]

use std::collections::HashSet;
use std::error::Error;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use robosieve_gate::pace::Page;
use robosieve_gate::retrieve::AddressGuard;
use robosieve_gate::{Answer, Client, Core, CrawlerIdentity, Fetch, Gate, MemoryStore, Settings};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use url::Url;

const USER_AGENT: &str = "MyBot/1.0 (+https://example.com/bot)";

/// The delay of the site on loopback.
const DELAY: Duration = Duration::from_millis(200);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let site = Site::default();
    let start = site.start().await?;
    let identity = CrawlerIdentity::new(USER_AGENT)?;
    let mut settings = Settings::new(identity.agents());
    // A short delay, so that the example ends soon. Use the default for real sites.
    settings.pacing.default = DELAY;
    // Only for this site on loopback. By default, only global addresses are requested.
    settings.guard = AddressGuard::global_only().allowing("127.0.0.1/32".parse()?);
    let gate = Gate::new(Client::new(&identity), Core::new(settings, MemoryStore::default()));
    let counts = crawl(&gate, &start).await?;
    Ok(site.judge(counts)?)
}

/// Counts what happened to the URLs.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    fetched: u32,
    denied: u32,
    slowed: u32,
    other: u32,
}

/// Crawls a site from this URL: fetches pages, follows links, obeys, and counts.
async fn crawl<F>(gate: &Gate<F>, start: &str) -> io::Result<Counts>
where
    F: Fetch + Send + Sync + 'static,
{
    let (mut counts, mut seen, mut running) = (Counts::default(), HashSet::from([start.to_owned()]), JoinSet::new());
    running.spawn(visit(gate.clone(), start.to_owned()));
    while let Some(visited) = running.join_next().await {
        let (url, answer, page) = visited.map_err(io::Error::other)??;
        match (answer, page) {
            (_, Some((429, _))) => {
                // The gate knows, and slows the lane down.
                counts.slowed += 1;
                running.spawn(visit(gate.clone(), url));
            }
            (_, Some((_, body))) => {
                counts.fetched += 1;
                for link in links(&url, &body).into_iter().filter(|link| seen.insert(link.clone())) {
                    running.spawn(visit(gate.clone(), link));
                }
            }
            (answer, None) if answer.kind() == "denied" => counts.denied += 1,
            (_, None) => counts.other += 1,
        }
    }
    Ok(counts)
}

type Visited = (String, Answer, Option<(u16, String)>);

/// Waits for the URL's turn, fetches it, and reports how that went.
async fn visit<F>(gate: Gate<F>, url: String) -> io::Result<Visited>
where
    F: Fetch + Send + Sync + 'static,
{
    let answer = gate.turn(&url).await;
    if !answer.is_allowed() {
        return Ok((url, answer, None));
    }
    let began = Instant::now();
    let (status, retry_after, body) = get(&url).await?;
    let page = Page { took: Some(began.elapsed()), status: Some(status), retry_after };
    gate.observe(&url, page).await.map_err(io::Error::other)?;
    Ok((url, answer, Some((status, body))))
}

/// The links of a page. A real crawler uses a parser of HTML.
fn links(base: &str, body: &str) -> Vec<String> {
    let Ok(base) = Url::parse(base) else { return Vec::new() };
    let targets = body.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    targets.filter_map(|target| base.join(target).ok()).map(String::from).collect()
}

/// GETs a page over plain HTTP/1.0: the status, `Retry-After`, and the body.
async fn get(url: &str) -> io::Result<(u16, Option<Duration>, String)> {
    let url = Url::parse(url).map_err(io::Error::other)?;
    let host = &url[url::Position::BeforeHost..url::Position::AfterPort];
    let mut stream = TcpStream::connect(host).await?;
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let request = format!("GET {path} HTTP/1.0\r\nHost: {host}\r\nUser-Agent: {USER_AGENT}\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(|| io::Error::other("no head"))?;
    let status = head.get(9..12).and_then(|status| status.parse().ok()).ok_or_else(|| io::Error::other("no status"))?;
    let retry_after = head.lines().find_map(|line| line.strip_prefix("Retry-After: ")?.parse().ok());
    Ok((status, retry_after.map(Duration::from_secs), body.to_owned()))
}

/// A site on loopback that notes when it was asked for what.
#[derive(Clone, Default)]
struct Site(Arc<Mutex<Vec<(Instant, String)>>>);

impl Site {
    /// Starts the site, and returns its address.
    async fn start(&self) -> io::Result<String> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = format!("http://{}/", listener.local_addr()?);
        let site = self.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(site.clone().serve(stream));
            }
        });
        Ok(address)
    }

    async fn serve(self, mut stream: TcpStream) -> io::Result<()> {
        let mut request = vec![0; 2_048];
        let length = stream.read(&mut request).await?;
        let text = String::from_utf8_lossy(request.get(..length).unwrap_or_default()).into_owned();
        let path = text.split(' ').nth(1).unwrap_or_default();
        let (status, body) = self.answer(path);
        let head = format!("HTTP/1.0 {status}\r\nContent-Length: {}\r\n\r\n", body.len());
        stream.write_all((head + body).as_bytes()).await
    }

    fn answer(&self, path: &str) -> (&'static str, &'static str) {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = !asked.iter().any(|(_, other)| other == path);
        asked.push((Instant::now(), path.to_owned()));
        match path {
            "/robots.txt" => ("200 OK", "User-agent: *\nDisallow: /private\n"),
            "/" => ("200 OK", "<a href=\"/a\">a</a> <a href=\"/busy\">b</a> <a href=\"/private/x\">x</a>"),
            "/a" => ("200 OK", "<a href=\"/\">home</a> <a href=\"c?d=1\">c</a>"),
            "/busy" if is_first => ("429 Slow down\r\nRetry-After: 1", ""),
            _ => ("200 OK", "the end"),
        }
    }

    /// Prints the requests, and checks that no two of them were closer than the delay allows and none was forbidden.
    fn judge(&self, counts: Counts) -> Result<(), String> {
        let asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let began = asked.first().map_or_else(Instant::now, |first| first.0);
        for (at, path) in &*asked {
            println!("{:5} ms  {path}", at.duration_since(began).as_millis());
        }
        println!("{counts:?}");
        let gaps = asked.iter().zip(asked.iter().skip(1)).map(|(one, next)| next.0.duration_since(one.0));
        let least = gaps.min().unwrap_or_default();
        // The times are those of the server, so the network's delays count too.
        if least < DELAY.mul_f32(0.8) {
            return Err(format!("two requests were only {least:?} apart"));
        }
        if asked.iter().any(|(_, path)| path.starts_with("/private")) {
            return Err("a forbidden page was requested".into());
        }
        let expected = (counts.fetched, counts.denied, counts.slowed, counts.other) == (4, 1, 1, 0);
        expected.then_some(()).ok_or_else(|| "not the pages that were expected".into())
    }
}
