//! Who asks: the header that is sent, and the agents whose rules count.
//!
//! Invariant: no site is asked without a word on where its owner can learn who asks (the article on parsing robots.txt in PHP: "identify
//! itself using the User Agent string including a URL").

use robosieve::{Agent, Agents};
use robosieve_gate::CrawlerIdentity;

use super::args::IdentityArgs;
use crate::exit::Failure;
use crate::text;

/// A header, and the agents to look for.
#[derive(Debug)]
pub(super) struct Identity {
    pub(super) sent: CrawlerIdentity,
    /// The preferred first; empty where no crawler was named.
    pub(super) agents: Agents,
}

impl Identity {
    /// For a crawler.
    pub(super) fn of_crawler(args: &IdentityArgs) -> Result<Self, Failure> {
        let Some(header) = args.header() else { return Err(unknown(args)) };
        if !has_contact(header) {
            return Err(no_contact("--user-agent", header));
        }
        let sent = identity(header)?;
        let agents = if args.agents.is_empty() { sent.agents() } else { args.agents() };
        Ok(Self { sent, agents })
    }

    /// For a person who looks at a file: without a header of their own it is this program that asks.
    pub(super) fn of_person(args: &IdentityArgs) -> Result<Self, Failure> {
        const OWN: &str = concat!("robosieve/", env!("CARGO_PKG_VERSION"), " (+", env!("CARGO_PKG_REPOSITORY"), ")");
        match args.header() {
            Some(_) => Self::of_crawler(args),
            None => Ok(Self { sent: identity(OWN)?, agents: args.agents() }),
        }
    }
}

impl IdentityArgs {
    /// The header to send: --user-agent, or else the first --agent that is a whole one.
    fn header(&self) -> Option<&str> {
        let whole = || self.agents.iter().find(|agent| has_contact(agent));
        self.user_agent.as_ref().or_else(whole).map(String::as_str)
    }

    fn agents(&self) -> Agents {
        let is_header = |text: &str| text.contains(['/', '(', ';']);
        let agent = |text: &String| if is_header(text) { Agent::from_header(text) } else { Agent::new(text) };
        self.agents.iter().map(agent).collect()
    }
}

fn identity(header: &str) -> Result<CrawlerIdentity, Failure> {
    CrawlerIdentity::from_header(header).map_err(|error| Failure::Usage(format!("{header:?} is no identity: {error}")))
}

/// Whether it says where to learn more: a URL, or an address for mail.
fn has_contact(header: &str) -> bool {
    header.contains("://") || header.contains('@')
}

fn unknown(args: &IdentityArgs) -> Failure {
    match args.agents.first() {
        Some(agent) => no_contact("--agent", agent),
        None => Failure::Usage(
            "say who asks: `--agent 'MyBot/1.0 (+https://example.com/bot)'`; this is what sites will see".into(),
        ),
    }
}

fn no_contact(flag: &str, header: &str) -> Failure {
    let header = text::escape(header.as_bytes());
    let product = header.split(['(', ' ']).next().unwrap_or_default();
    let product = if product.is_empty() { "MyBot/1.0" } else { product };
    let product = if product.contains('/') { product.to_owned() } else { format!("{product}/1.0") };
    Failure::Usage(format!(
        "{flag} '{header}' does not say where a site's owner can learn who asks: add a URL (or an address for mail), as in {flag} '{product} \
         (+https://example.com/bot)'"
    ))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    fn args(agents: &[&str], user_agent: Option<&str>) -> IdentityArgs {
        IdentityArgs {
            agents: agents.iter().map(|&agent| agent.into()).collect(),
            user_agent: user_agent.map(Into::into),
        }
    }

    fn names(identity: &Identity) -> Vec<String> {
        identity.agents.iter().map(|agent| agent.token().map_or("?", |token| token.as_str()).to_owned()).collect()
    }

    #[test]
    fn headers_and_tokens() {
        let whole = "MyBot/1.0 (+https://example.com/bot)";
        let found = Identity::of_crawler(&args(&[whole], None)).unwrap();
        assert_eq!((found.sent.header(), names(&found)), (whole, vec!["MyBot".to_owned()]));
        let found = Identity::of_crawler(&args(&["MyBot-Image", whole], None)).unwrap();
        assert_eq!((found.sent.header(), names(&found)), (whole, vec!["MyBot-Image".to_owned(), "MyBot".to_owned()]));
        let found = Identity::of_crawler(&args(&["Googlebot"], Some(whole))).unwrap();
        assert_eq!((found.sent.header(), names(&found)), (whole, vec!["Googlebot".to_owned()]));
        let danbot = "Mozilla/5.0 (compatible; DanBot/1.0; +http://www.example.com/about)";
        assert_eq!(names(&Identity::of_crawler(&args(&[danbot], None)).unwrap()), ["DanBot"]);
        assert!(Identity::of_crawler(&args(&["MyBot/1.0 (bot@example.com)"], None)).is_ok());
        for (agents, sent) in [
            (&["MyBot"][..], None),
            (&[], None),
            (&[whole], Some("MyBot/1.0")),
            (&["(+https://e.com)"], None),
            (&["My\nBot/1 (+https://e.com)"], None),
        ] {
            assert!(Identity::of_crawler(&args(agents, sent)).is_err(), "{agents:?} {sent:?}");
        }
        let person = Identity::of_person(&args(&["MyBot"], None)).unwrap();
        assert!(person.sent.header().starts_with("robosieve"), "{}", person.sent.header());
        assert!(Identity::of_person(&args(&[], None)).unwrap().agents.iter().next().is_none());
    }
}
