//! `serve`: answers crawlers in any language over HTTP, with the JSON of `check`.
//!
//! Invariant: it is a front of the gate and decides nothing. Without a token it listens on loopback only. Heads,
//! bodies, times, connections and checks at a time are bounded.

mod about;
mod checks;
mod files;
mod questions;
mod service;
mod turns;

use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::timeout;

use self::checks::Checks;
use self::files::{Files, MAX_FILES};
use self::service::Service;
use self::turns::{MAX_CHECKS, Turns};
use super::args::ServeArgs;
use super::asker;
use super::http::connections::{PATIENCE_IN_ALL, Places, accept};
use super::http::guard::Guard;
use super::http::token::Token;
use super::identity::Identity;
use crate::exit::{self, Code, Failure};
use crate::output;

/// Connections at a time. Our choice.
const MAX_CONNECTIONS: u32 = 256;
/// Threads for what waits: those that are left by checks and files take in pages, so that slow sites delay no report.
const MAX_THREADS: usize = 2 * MAX_CHECKS + MAX_FILES + 16;
/// The time for checks that run when the command is ended.
const PATIENCE_AT_END: Duration = Duration::from_secs(5);
/// The longest wait by default, as for `check`.
const MAX_WAIT: Duration = Duration::from_secs(3_600);

pub(super) fn run(args: &ServeArgs) -> Result<Code, Failure> {
    let token = args.token_file.as_deref().map(Token::read).transpose()?;
    if !args.listen.ip().is_loopback() && token.is_none() {
        return Err(Failure::Usage(
            "--listen: without --token-file the service listens on loopback only: use 127.0.0.1:PORT".into(),
        ));
    }
    asker::log(args.log, args.log_json);
    let failed = |error: &dyn std::fmt::Display| Failure::Io(format!("the service does not start: {error}"));
    let who = Identity::of_checker(&args.who)?;
    let checks = Arc::new(checks(args, &who, PATIENCE_IN_ALL)?);
    let document = about::document().map_err(|error| failed(&error))?.into();
    let agents = who.groups.agents.clone();
    let (stop, mut stopped) = watch::channel(false);
    ctrlc::set_handler(move || _ = stop.send_replace(true)).map_err(|error| failed(&error))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .max_blocking_threads(MAX_THREADS)
        .enable_all()
        .build()
        .map_err(|error| failed(&error))?;
    let listen = args.listen;
    let ended = runtime.block_on(async {
        let bound = TcpListener::bind(listen).await;
        let listener = bound.map_err(|error| Failure::Usage(format!("--listen {listen}: {error}")))?;
        let address = listener.local_addr().map_err(|error| failed(&error))?;
        output::print(format!("http://{address}/\n").as_bytes())?;
        let places = Places::new(MAX_CONNECTIONS);
        let service = Arc::new(Service {
            guard: Guard::new(address, token),
            files: Files::new(&agents),
            agents,
            checks,
            document,
        });
        let accepting = tokio::spawn(accept(listener, service, places.clone(), stopped.clone()));
        let _ = stopped.changed().await;
        accepting.abort();
        // What runs may end; the rest is cut.
        let _ = timeout(PATIENCE_AT_END, places.empty()).await;
        Ok(Code::Fine)
    });
    runtime.shutdown_background();
    if ended.is_ok() && !args.quiet {
        exit::tell("the service has ended");
    }
    ended
}

/// The checks, with a time for each.
fn checks(args: &ServeArgs, who: &Identity, cut: Duration) -> Result<Checks, Failure> {
    let gate = asker::gate(who, &args.ask, args.ask.pace.pacing(MAX_WAIT)?, &args.kept, args.quiet)?;
    Ok(Checks { gate, fail_on: args.ask.fail_on.fail_on()?.into(), quick: Turns::new(), slow: Turns::new(), cut })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]
mod tests {
    use std::net::TcpListener;
    use std::time::{Duration, Instant};

    use clap::Parser as _;
    use hyper::StatusCode;

    use super::super::args::GateCommand;
    use crate::command::{Cli, Command};

    // [serve.limits] A check that takes too long is cut.
    #[test]
    fn a_slow_check_is_cut() {
        let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}/a", silent.local_addr().unwrap());
        let line = ["robosieve", "serve", "--agent", "MyBot", "--allow-private", "--timeout", "1", "--quiet"];
        let Command::Gate(GateCommand::Serve(args)) = Cli::parse_from(line).command else { panic!("serve") };
        let who = super::Identity::of_checker(&args.who).ok().unwrap();
        let checks = super::checks(&args, &who, Duration::from_millis(200)).ok().unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let start = Instant::now();
        runtime.block_on(async {
            assert_eq!(checks.reply(url.clone()).await.status(), StatusCode::GATEWAY_TIMEOUT);
            assert!(start.elapsed() < Duration::from_millis(900));
        });
    }
}
