//! What requests ask for: a URL in a query, URLs in a body, and whose rules are meant.
//!
//! Invariant: what is not understood in full is refused, so that no answer is taken for that to another question.

use robosieve::{Agent, Agents};
use serde::Deserialize;
use url::form_urlencoded;

/// The URLs of one body. Our choice.
pub(super) const MAX_URLS: usize = 100;

/// Many URLs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Many {
    pub(super) urls: Vec<String>,
    agent: Option<String>,
}

/// The URL of a query, which has one and perhaps an agent, which must be the service's.
pub(super) fn url_of(query: &str, agents: &Agents) -> Result<String, String> {
    let (mut url, mut agent) = (None, None);
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let place = match &*name {
            "url" => &mut url,
            "agent" => &mut agent,
            _ => return Err("the query has to be url and agent, and nothing else".into()),
        };
        if place.replace(value.into_owned()).is_some() {
            return Err(format!("the query has {name} twice"));
        }
    }
    expect(agent.as_deref(), agents)?;
    match url {
        Some(url) if url.contains('\u{fffd}') => Err("the URL is not UTF-8".into()),
        Some(url) if !url.is_empty() => Ok(url),
        _ => Err("the query has no url".into()),
    }
}

/// The URLs of a body.
pub(super) fn urls_of(body: &[u8], agents: &Agents) -> Result<Vec<String>, String> {
    let many: Many = serde_json::from_slice(body).map_err(|error| format!("the body is not the JSON: {error}"))?;
    expect(many.agent.as_deref(), agents)?;
    match many.urls.len() {
        0 => Err("urls is empty".into()),
        1..=MAX_URLS => Ok(many.urls),
        _ => Err(format!("more than {MAX_URLS} URLs")),
    }
}

/// Checks that the rules that are meant are those by which this service answers.
fn expect(agent: Option<&str>, agents: &Agents) -> Result<(), String> {
    let is_ours = |named: &str| {
        let named = Agent::new(named);
        agents.iter().any(|own| own.as_bstr().eq_ignore_ascii_case(named.as_bstr()))
    };
    match agent {
        Some(agent) if !is_ours(agent) => {
            Err("the agent is not that of this service: start one with --agent for each agent".into())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    // [serve.many] N-1, N and N+1.
    #[test]
    fn urls_are_counted() {
        let body = |count: usize| serde_json::json!({ "urls": vec!["http://a/"; count] }).to_string();
        for (count, is_taken) in [(0, false), (1, true), (99, true), (100, true), (101, false)] {
            assert_eq!(urls_of(body(count).as_bytes(), &Agents::default()).is_ok(), is_taken, "{count}");
        }
    }

    #[test]
    fn an_agent_is_that_of_the_service() {
        let agents: Agents = [Agent::new("MyBot")].into_iter().collect();
        assert_eq!(url_of("url=http://a/&agent=mybot", &agents).unwrap(), "http://a/");
        for query in ["url=http://a/&agent=OtherBot", "url=http://a/&agent=", "agent=MyBot", "url=http://a/&x=1", ""] {
            assert!(url_of(query, &agents).is_err(), "{query}");
        }
    }
}
