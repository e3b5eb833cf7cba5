//! `page`: serves the page for browsers on this machine, and retrieves live files for it; or prints a live file.
//!
//! Invariant: it listens on loopback only. A file is retrieved only by the guarded driver, one after the other, each
//! request in the turn of the server that gets it.

mod files;
mod routes;

use std::io::{self, Write as _};
use std::net::Ipv4Addr;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use robosieve::settings::Options;
use robosieve_explain::Explainer;
use robosieve_gate::decide::Reader;
use robosieve_gate::retrieve::Retrieval;
use robosieve_gate::{Driver, GateCore, MemoryStore, Origin};

use tokio::net::TcpListener;
use tokio::sync::watch;

use self::routes::Routes;
use super::args::PageArgs;
use super::asker::allowing;
use super::fetch::{code_of, origins, retrieval_words, retrieve};
use super::http::connections::{Places, accept};
use super::http::guard::Guard;
use super::identity::Identity;
use crate::exit::{self, Code, Failure};
use crate::input::Input;
use crate::{explain, output, shade};

/// Connections at a time. A browser has six.
const MAX_CONNECTIONS: u32 = 32;

pub(super) fn run(args: &PageArgs) -> Result<Code, Failure> {
    let who = Identity::of_person(&args.who)?;
    args.net.tell_proxies()?;
    let live = Live {
        user_agent: who.sent.header().to_owned(),
        driver: args.net.driver(who.sent.clone(), Ok)?,
        // It remembers no site, only when each server got a request.
        paced: Arc::new(GateCore::new(MemoryStore::default(), who.groups.agents.clone())),
        reader: Reader::new(who.groups.agents.clone()).options("", who.groups.options(Options::default())),
    };
    if let Some(url) = &args.url {
        return print(&live, url, &who);
    }
    let files = files::read(args.files.as_deref())?;
    let failed = |error: io::Error| Failure::Io(format!("the page is not served: {error}"));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(failed)?;
    let bound = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)));
    let listener = bound.map_err(|error| Failure::Usage(format!("--port: {error}")))?;
    let bound = listener.local_addr().map_err(failed)?;
    let address = format!("http://{bound}/");
    output::print(format!("{address}\n").as_bytes())?;
    exit::tell("the page is at this address, for this machine only, until this command ends");
    if !args.no_open {
        open(&address);
    }
    let routes = Arc::new(Routes { guard: Guard::new(bound, None), files, live: Arc::new(Mutex::new(live)) });
    // Nothing stops it but the end of the command.
    let (_stop, stopped) = watch::channel(false);
    runtime.block_on(accept(listener, routes, Places::new(MAX_CONNECTIONS), stopped));
    Ok(Code::Fine)
}

/// What retrieves files.
struct Live {
    /// As it is sent.
    user_agent: String,
    driver: Driver,
    paced: Arc<GateCore>,
    reader: Reader,
}

impl Live {
    /// The file of a site, given as a host or as the URL of any page.
    fn retrieve(&self, url: &str) -> Result<Retrieval, Failure> {
        match origins(&[url.to_owned()])?.as_slice() {
            [origin] => Ok(self.of(origin)),
            _ => Err(Failure::Usage("give one site".into())),
        }
    }

    fn of(&self, origin: &Origin) -> Retrieval {
        retrieve(&self.paced, &self.driver, origin)
    }
}

/// A live file in words, without a browser: as `explain` prints it.
fn print(live: &Live, url: &str, who: &Identity) -> Result<Code, Failure> {
    let retrieval = live.retrieve(url)?;
    let (words, has_rules) = retrieval_words(&retrieval, &live.reader);
    exit::tell(&words);
    if let Some(hint) = allowing(&retrieval) {
        exit::tell(&hint);
    }
    if !has_rules {
        return Ok(code_of(&retrieval, has_rules));
    }
    let groups = &who.groups;
    let is_for_all = groups.agents.iter().next().is_none();
    let explainer = if is_for_all { Explainer::all_agents() } else { Explainer::for_agents(groups.clone()) };
    let explainer = explainer.options(groups.options(Options::default()).for_verdicts());
    let input = Input::whole(retrieval.origin.robots_txt(), retrieval.whole_lines().to_vec());
    let page = explainer.page(&input.bytes);
    input.warn_if_foreign(&page.report);
    shade::print(|out| {
        explain::write_page(out, &input, &page, &explainer)?;
        out.flush()
    })?;
    Ok(Code::Fine)
}

/// Opens the browser. Without one, the address has been printed.
fn open(address: &str) {
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let started =
        Command::new(program).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if started.is_err() {
        exit::tell(&format!("no browser was opened ({program} does not start): open the address yourself"));
    }
}
