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
    /// The identity for who checks URLs: as for [`Identity::of_person`], but a crawler must be named.
    pub(super) fn of_checker(args: &IdentityArgs) -> Result<Self, Failure> {
        if args.agents.is_empty() && args.user_agent.is_none() {
            let message = "name your crawler: `--agent 'MyBot/1.0 (+https://example.com/bot)'`; sites see this header";
            return Err(Failure::Usage(message.into()));
        }
        Self::of_person(args)
    }

    /// The identity for a person who looks at a file. Without a header, it is that of this program.
    pub(super) fn of_person(args: &IdentityArgs) -> Result<Self, Failure> {
        const OWN: &str = concat!("robosieve/", env!("CARGO_PKG_VERSION"), " (+", env!("CARGO_PKG_REPOSITORY"), ")");
        args.expect_names()?;
        let header = args.header().unwrap_or(OWN);
        if !has_contact(header) {
            let header = text::escape(header.as_bytes());
            return Err(Failure::Usage(format!(
                "--user-agent '{header}' does not say where a site's owner can find out about the crawler: add a URL or a \
                 mail address, for example --user-agent 'MyBot/1.0 (+https://example.com/bot)', with your crawler's own name"
            )));
        }
        let sent = CrawlerIdentity::new(header)
            .map_err(|error| Failure::Usage(format!("{header:?} is not a usable identity: {error}")))?;
        let is_header_alone = args.agents.is_empty() && args.user_agent.is_some();
        let agents = if is_header_alone { sent.agents() } else { args.agents() };
        Ok(Self { sent, groups: args.names().groups(agents) })
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

/// Whether the header has a contact: a URL or a mail address.
fn has_contact(header: &str) -> bool {
    header.contains("://") || header.contains('@')
}
