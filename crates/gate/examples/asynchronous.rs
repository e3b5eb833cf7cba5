//! The retrieval machine, used from async code.
//!
//! The crate's own driver blocks. But all the rules of retrieval are in `Machine`, which opens no socket and reads no
//! clock. Code that carries out its steps and reports the results retrieves by the same rules. This example does so
//! with tokio and a small HTTP/1.0 client over a `TcpStream`: no TLS, no compression.
//!
//! ```text
//! cargo run -p robosieve-gate --example asynchronous                       # against its own server, on loopback
//! cargo run -p robosieve-gate --example asynchronous -- http://example.com
//! ```

use std::error::Error;
use std::io;
use std::time::Duration;

use robosieve_gate::retrieve::{AddressGuard, Event, Head, Machine, Retrieval, RetrievalLimits, Step};
use robosieve_gate::{Moment, Origin};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

/// The time-out of one step. The machine's budget limits all steps together.
const PATIENCE: Duration = Duration::from_secs(10);

/// The most bytes of a head.
const MAX_HEAD: usize = 16_384;

/// Makes one retrieval. Any number of them can run at the same time.
pub async fn retrieve(origin: Origin, guard: AddressGuard) -> Retrieval {
    let mut machine = Machine::new(origin, RetrievalLimits::default(), guard, Moment::now());
    let mut answer = None;
    loop {
        let patience = machine.deadline().since(Moment::now()).min(PATIENCE);
        match machine.step() {
            Step::Resolve { host, port } => match timeout(patience, tokio::net::lookup_host((host, port))).await {
                Ok(Ok(found)) => {
                    let addresses: Vec<_> = found.map(|socket| socket.ip()).collect();
                    machine.on(Event::Resolved(&addresses), Moment::now());
                }
                // Only a name server's denial is the site's failure. This look-up does not say whether there was one.
                Ok(Err(why)) => machine.on(Event::NotAsked(&why.to_string()), Moment::now()),
                Err(_) => machine.on(Event::NotAsked("no name server answered in time"), Moment::now()),
            },
            Step::Connect { address, url, .. } => {
                let asked = async {
                    if url.scheme() == "https" {
                        return Err(io::Error::other("this example has no TLS"));
                    }
                    Answer::to(TcpStream::connect(address).await?, &url).await
                };
                match timeout(patience, asked).await {
                    Ok(Ok((head, body))) => {
                        answer = Some(body);
                        machine.on(Event::Head(head), Moment::now());
                    }
                    Ok(Err(why)) => machine.on(Event::Failed(&why.to_string()), Moment::now()),
                    Err(_) => machine.on(Event::Failed("timed out"), Moment::now()),
                }
            }
            Step::Read => match &mut answer {
                Some(body) => match timeout(patience, body.read()).await {
                    Ok(Ok(bytes)) if bytes.is_empty() => machine.on(Event::End, Moment::now()),
                    Ok(Ok(bytes)) => machine.on(Event::Chunk(&bytes), Moment::now()),
                    Ok(Err(why)) => machine.on(Event::BrokenOff(&why.to_string()), Moment::now()),
                    Err(_) => machine.on(Event::BrokenOff("timed out"), Moment::now()),
                },
                None => machine.on(Event::BrokenOff("no body"), Moment::now()),
            },
            Step::Wait { until } => {
                sleep(until.since(Moment::now())).await;
                machine.on(Event::Time, Moment::now());
            }
            // `Done`, or a step that a later version adds.
            _ => return machine.into_retrieval(Moment::now()),
        }
    }
}

/// The body of a response.
struct Answer {
    stream: TcpStream,
    /// Body bytes that were read with the head.
    ahead: Vec<u8>,
    /// Bytes that are still to come; `None` if the body ends with the connection.
    left: Option<u64>,
}

impl Answer {
    /// Sends the request, and reads the head.
    async fn to(mut stream: TcpStream, url: &url::Url) -> io::Result<(Head, Self)> {
        let (path, host) =
            (&url[url::Position::BeforePath..], &url[url::Position::BeforeHost..url::Position::AfterPort]);
        // HTTP/1.0, so the server sends no chunks.
        let request =
            format!("GET {path} HTTP/1.0\r\nHost: {host}\r\nUser-Agent: MyBot/1.0 (+https://example.com/bot)\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut came = Vec::new();
        let end = loop {
            if let Some(end) = came.windows(4).position(|four| four == b"\r\n\r\n") {
                break end;
            }
            if came.len() > MAX_HEAD || stream.read_buf(&mut came).await? == 0 {
                return Err(io::Error::other("no head"));
            }
        };
        let ahead = came.split_off(end.saturating_add(4));
        let text = String::from_utf8_lossy(&came);
        let mut lines = text.split("\r\n");
        let status = lines.next().and_then(|line| line.strip_prefix("HTTP/1.")?.get(2..5)?.parse().ok());
        let mut head = Head::new(status.ok_or_else(|| io::Error::other("no status"))?);
        let mut left = None;
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            head = head.header(name, value.as_bytes());
            match name.to_ascii_lowercase().as_str() {
                "content-length" => left = Some(value.trim().parse().map_err(io::Error::other)?),
                "content-encoding" | "transfer-encoding" => {
                    return Err(io::Error::other("a coding that was not requested"));
                }
                _ => {}
            }
        }
        Ok((head, Self { stream, ahead, left }))
    }

    /// The next bytes; empty at the end.
    async fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = std::mem::take(&mut self.ahead);
        if bytes.is_empty() && self.left != Some(0) {
            bytes = Vec::with_capacity(8_192);
            if self.stream.read_buf(&mut bytes).await? == 0 && self.left.is_some() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        if let Some(left) = &mut self.left {
            bytes.truncate(usize::try_from(*left).unwrap_or(usize::MAX));
            *left = left.saturating_sub(bytes.len() as u64);
        }
        Ok(bytes)
    }
}

/// A server for the example. It answers its first request with a 503, to show the wait of two seconds.
async fn serve(listener: TcpListener) -> io::Result<()> {
    let answers =
        ["503 Busy\r\n\r\n", "200 OK\r\nCache-Control: max-age=3600\r\n\r\nUser-agent: *\nDisallow: /private\n"];
    for answer in answers {
        let (mut stream, _) = listener.accept().await?;
        let _ = stream.read(&mut [0; 1_024]).await?;
        stream.write_all(format!("HTTP/1.0 {answer}").as_bytes()).await?;
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (origin, guard) = if let Some(url) = std::env::args().nth(1) {
        (Origin::of(&url)?, AddressGuard::global_only())
    } else {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let origin = Origin::of(&format!("http://{}/", listener.local_addr()?))?;
        tokio::spawn(serve(listener));
        (origin, AddressGuard::global_only().allowing("127.0.0.1/32".parse()?))
    };
    let retrieval = retrieve(origin, guard).await;
    println!("{}: {:?}, status {:?}", retrieval.origin, retrieval.outcome, retrieval.status);
    for attempt in &retrieval.attempts {
        println!("  {:?}: {:?}", attempt.address, attempt.end);
    }
    println!("{}", String::from_utf8_lossy(&retrieval.body));
    Ok(())
}
