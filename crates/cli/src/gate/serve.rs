//! `serve`: answers crawlers in any language over HTTP, with the JSON of `check`.
//!
//! Invariant: it is a front of the gate and decides nothing. Without a token it listens on loopback only. Heads,
//! bodies, times, connections and the URLs of a request are bounded.

mod routes;

use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::watch;

use self::routes::router;
use super::args::ServeArgs;
use super::asker;
use super::http::connections::serve;
use super::http::guard::Guard;
use super::http::token::Token;
use super::identity::Identity;
use crate::exit::{self, Code, Failure};
use crate::output;

/// Connections at a time. Our choice.
const MAX_CONNECTIONS: usize = 256;

pub(super) fn run(args: &ServeArgs) -> Result<Code, Failure> {
    let token = args.token_file.as_deref().map(Token::read).transpose()?;
    if !args.listen.ip().is_loopback() && token.is_none() {
        return Err(Failure::Usage(
            "--listen: without --token-file the service listens on loopback only: use 127.0.0.1:PORT".into(),
        ));
    }
    asker::log(args.log);
    let failed = |error: &dyn std::fmt::Display| Failure::Io(format!("the service does not start: {error}"));
    let who = Identity::of_checker(&args.who)?;
    let gate = asker::gate(&who, &args.ask, &args.kept, args.quiet)?;
    let (stop, stopped) = watch::channel(false);
    ctrlc::set_handler(move || _ = stop.send_replace(true)).map_err(|error| failed(&error))?;
    let runtime = asker::runtime()?;
    let listen = args.listen;
    let ended = runtime.block_on(async {
        let bound = TcpListener::bind(listen).await;
        let listener = bound.map_err(|error| Failure::Usage(format!("--listen {listen}: {error}")))?;
        let address = listener.local_addr().map_err(|error| failed(&error))?;
        output::print(format!("http://{address}/\n").as_bytes())?;
        let guard = Arc::new(Guard::new(address, token));
        serve(listener, router(gate, who.groups.agents.clone(), guard), MAX_CONNECTIONS, stopped).await;
        Ok(Code::Fine)
    });
    runtime.shutdown_background();
    if ended.is_ok() && !args.quiet {
        exit::tell("the service has ended");
    }
    ended
}
