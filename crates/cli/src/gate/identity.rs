//! The crawler's identity: the header to send, and the agents whose rules apply.
//!
//! Invariant: every request says where a site's owner can find out about the crawler (the article on parsing robots.txt
//! in PHP: "identify itself using the User Agent string including a URL").

use robosieve::Agents;
use robosieve::settings::Agent;
use robosieve_batch::requests::NAME_OF_CRAWLER;
use robosieve_explain::{Groups, Names};
use robosieve_gate::CrawlerIdentity;

use super::args::IdentityArgs;
use crate::args::expect_crawler;
use crate::exit::Failure;
use crate::text;

/// The header to send, and the requested agents.
#[derive(Debug)]
pub(super) struct Identity {
    pub(super) sent: CrawlerIdentity,
    /// Of the crawler; of all if none was named.
    pub(super) groups: Groups,
}

impl Identity {
    /// The identity of a crawler.
    pub(super) fn of_crawler(args: &IdentityArgs) -> Result<Self, Failure> {
        args.expect_names()?;
        let Some(header) = args.header() else { return Err(unknown(args)) };
        if !has_contact(header) {
            return Err(no_contact("--user-agent", header));
        }
        let sent = identity(header)?;
        let agents = if args.agents.is_empty() { sent.agents() } else { args.agents() };
        Ok(Self { sent, groups: args.names().groups(agents) })
    }

    /// The identity for a person who checks some URLs: as for [`Identity::of_person`], but a crawler must be named.
    pub(super) fn of_checker(args: &IdentityArgs) -> Result<Self, Failure> {
        if args.agents.is_empty() { Self::of_crawler(args) } else { Self::of_person(args) }
    }

    /// The identity for a person who looks at a file. Without a header, it is that of this program.
    pub(super) fn of_person(args: &IdentityArgs) -> Result<Self, Failure> {
        const OWN: &str = concat!("robosieve/", env!("CARGO_PKG_VERSION"), " (+", env!("CARGO_PKG_REPOSITORY"), ")");
        if args.header().is_some() {
            return Self::of_crawler(args);
        }
        args.expect_names()?;
        Ok(Self { sent: identity(OWN)?, groups: args.names().groups(args.agents()) })
    }
}

impl IdentityArgs {
    /// Refuses an empty name, for example from an unset shell variable.
    fn expect_names(&self) -> Result<(), Failure> {
        if self.agents.iter().chain(&self.user_agent).any(|name| name.trim().is_empty()) {
            return Err(Failure::Usage(format!("an --agent or the --user-agent is empty: {NAME_OF_CRAWLER}")));
        }
        self.agents().iter().try_for_each(|agent| expect_crawler(agent.as_bstr()))
    }

    /// The header to send: --user-agent, or else the first --agent that is a whole header.
    fn header(&self) -> Option<&str> {
        let whole = || self.agents.iter().find(|agent| has_contact(agent));
        self.user_agent.as_ref().or_else(whole).map(String::as_str)
    }

    fn names(&self) -> Names {
        if self.plain_names { Names::Plain } else { Names::Known }
    }

    fn agents(&self) -> Agents {
        self.agents.iter().map(Agent::new).collect()
    }
}

fn identity(header: &str) -> Result<CrawlerIdentity, Failure> {
    CrawlerIdentity::new(header)
        .map_err(|error| Failure::Usage(format!("{header:?} is not a usable identity: {error}")))
}

/// Whether the header has a contact: a URL or a mail address.
fn has_contact(header: &str) -> bool {
    header.contains("://") || header.contains('@')
}

fn unknown(args: &IdentityArgs) -> Failure {
    match args.agents.first() {
        Some(agent) => no_contact("--agent", agent),
        None => Failure::Usage(
            "name your crawler: `--agent 'MyBot/1.0 (+https://example.com/bot)'`; sites see this header".into(),
        ),
    }
}

fn no_contact(flag: &str, header: &str) -> Failure {
    let header = text::escape(header.as_bytes());
    Failure::Usage(format!(
        "{flag} '{header}' does not say where a site's owner can find out about the crawler: add a URL or a mail \
         address, for example {flag} 'MyBot/1.0 (+https://example.com/bot)', with your crawler's own name"
    ))
}
