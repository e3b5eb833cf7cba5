//! What requests ask for: a URL in a query, URLs in a body, and whose rules are meant.
//!
//! Invariant: what is not understood in full is refused, so that no answer is taken for that to another question.

use std::time::Duration;

use robosieve::agent::{Agent, Agents};
use robosieve_gate::Moment;
use robosieve_gate::pace::Page;
use robosieve_gate::retrieve::Head;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::form_urlencoded;

use crate::signals;

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

/// A body as an object. A list with the values of its fields is none, although it could be read as one.
fn object<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    match body.trim_ascii_start().first() {
        Some(b'{') => serde_json::from_slice(body).map_err(|error| {
            let why = wrong_field(body).unwrap_or_else(|| error.to_string());
            format!("the body is not the JSON: {why}")
        }),
        Some(_) => Err("the body is not a JSON object".into()),
        None => Err("there is no body".into()),
    }
}

/// Whether a value is of the right kind.
type IsRight = fn(&Value) -> bool;

/// The fields of bodies, with what each has to be. What may be null may also be left out.
const FIELDS: [(&str, &str, IsRight); 11] = [
    ("urls", "a list of strings", |value| value.as_array().is_some_and(|urls| urls.iter().all(Value::is_string))),
    ("agent", "a string", |value| value.is_string() || value.is_null()),
    ("url", "a string", Value::is_string),
    ("status", "a number from 0 to 65535", |value| {
        value.is_null() || value.as_u64().is_some_and(|status| u16::try_from(status).is_ok())
    }),
    ("seconds", "a number", Value::is_number),
    ("bytes", "a whole number that is not negative", Value::is_u64),
    ("retry_after", "a number of seconds", |value| value.is_number() || value.is_null()),
    ("headers", "a list of pairs of strings", |value| {
        let is_pair =
            |pair: &Value| pair.as_array().is_some_and(|two| two.len() == 2 && two.iter().all(Value::is_string));
        value.is_null() || value.as_array().is_some_and(|pairs| pairs.iter().all(is_pair))
    }),
    ("html", "a string", |value| value.is_string() || value.is_null()),
    ("html_b64", "a string", |value| value.is_string() || value.is_null()),
    ("tdmrep", "a string", |value| value.is_string() || value.is_null()),
];

/// The first field of a body whose value is of another kind. The reader of JSON does not name it.
fn wrong_field(body: &[u8]) -> Option<String> {
    let Ok(Value::Object(body)) = serde_json::from_slice(body) else { return None };
    let (name, is, _) =
        FIELDS.iter().find(|(name, _, is_right)| body.get(*name).is_some_and(|value| !is_right(value)))?;
    Some(format!("{name} has to be {is}"))
}

/// How a request for a page ended.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Done {
    url: String,
    status: Option<u16>,
    #[serde(default)]
    seconds: f64,
    #[serde(default)]
    bytes: u64,
    retry_after: Option<f64>,
    headers: Option<Vec<(String, String)>>,
    html: Option<String>,
    html_b64: Option<String>,
    tdmrep: Option<String>,
}

/// What a page says of itself.
#[derive(Default)]
pub(super) struct Words {
    pub(super) headers: Vec<(String, String)>,
    pub(super) html: Option<Vec<u8>>,
    pub(super) tdmrep: Option<String>,
}

/// The URL of a page, how it ended, and what it says of itself, if that is given. A Retry-After among its headers counts
/// as if it were named.
pub(super) fn page_of(body: &[u8], now: Moment) -> Result<(String, Page, Option<Words>), String> {
    let Done { url, status, seconds, bytes, retry_after, headers, html, html_b64, tdmrep } = object(body)?;
    let html = signals::bytes("html", html, html_b64).map_err(|problem| problem.message)?;
    let is_given = headers.is_some() || html.is_some() || tdmrep.is_some();
    let time = |name: &str, seconds: f64| {
        Duration::try_from_secs_f64(seconds).map_err(|_| format!("{name} is negative, or too long"))
    };
    let took = time("seconds", seconds)?;
    let said = || {
        let lines = headers.iter().flatten().map(|(name, value)| (name, value));
        Head::new(status.unwrap_or(503)).headers(lines).retry_after_from(now)
    };
    let retry_after = match retry_after {
        Some(seconds) => Some(time("retry_after", seconds)?),
        None => said(),
    };
    let words = is_given.then(|| Words { headers: headers.unwrap_or_default(), html, tdmrep });
    Ok((url, Page { took, bytes, status, retry_after }, words))
}

/// The URLs of a body.
pub(super) fn urls_of(body: &[u8], agents: &Agents) -> Result<Vec<String>, String> {
    let many: Many = object(body)?;
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

    /// [serve.done]
    #[test]
    fn a_wait_among_the_headers_counts() {
        let now = Moment::from_millis(784_111_777_000);
        let wait = |rest: &str| {
            let body = format!("{{\"url\":\"http://a/\",\"status\":503{rest}}}");
            page_of(body.as_bytes(), now).unwrap().1.retry_after.map(|wait| wait.as_secs())
        };
        let header = |value: &str| format!(",\"headers\":[[\"A\",\"b\"],[\"retry-after\",\"{value}\"]]");
        assert_eq!(wait(&header("50")), Some(50));
        assert_eq!(wait(&header("Sun, 06 Nov 1994 08:50:37 GMT")), Some(60));
        assert_eq!(wait(&format!("{},\"retry_after\":7", header("50"))), Some(7));
        assert_eq!((wait(&header("soon")), wait(",\"headers\":[]"), wait("")), (None, None, None));
    }

    /// What is no object, and which field is wrong: [serve.many] [cmd.serve]
    #[test]
    fn errors_name_what_is_wrong() {
        let urls = |body: &str| urls_of(body.as_bytes(), &Agents::default()).unwrap_err();
        let page = |body: &str| page_of(body.as_bytes(), Moment::now()).err().unwrap();
        for body in ["[[\"http://a/\"],null]", "[]", "null", "\"x\"", "1"] {
            assert_eq!((urls(body), page(body)), (page(body), "the body is not a JSON object".into()), "{body}");
        }
        assert_eq!((urls(" \n"), page("")), (page(""), "there is no body".into()));
        for (body, why) in [
            ("{\"urls\":[1]}", "urls has to be a list of strings"),
            ("{\"urls\":\"http://a/\"}", "urls has to be a list of strings"),
            ("{\"urls\":[],\"agent\":1}", "agent has to be a string"),
            ("{}", "missing field `urls`"),
            ("{\"urls\":[],\"x\":1}", "unknown field `x`"),
        ] {
            assert!(urls(body).contains(why), "{}", urls(body));
        }
        for (fields, why) in [
            ("\"url\":1", "url has to be a string"),
            ("\"url\":null", "url has to be a string"),
            ("\"url\":\"a\",\"url\":\"b\"", "duplicate field `url`"),
            ("\"status\":200", "missing field `url`"),
            ("\"url\":\"a\",\"status\":-1", "status has to be a number from 0 to 65535"),
            ("\"url\":\"a\",\"status\":65536", "status has to be"),
            ("\"url\":\"a\",\"seconds\":\"1\"", "seconds has to be a number"),
            ("\"url\":\"a\",\"seconds\":null", "seconds has to be a number"),
            ("\"url\":\"a\",\"seconds\":-1", "seconds is negative, or too long"),
            ("\"url\":\"a\",\"seconds\":1e300", "seconds is negative, or too long"),
            ("\"url\":\"a\",\"bytes\":1.5", "bytes has to be a whole number"),
            ("\"url\":\"a\",\"retry_after\":\"60\"", "retry_after has to be a number of seconds"),
            ("\"url\":\"a\",\"retry_after\":-1", "retry_after is negative, or too long"),
            ("\"url\":\"a\",\"headers\":{}", "headers has to be a list of pairs of strings"),
            ("\"url\":\"a\",\"headers\":[[\"a\"]]", "headers has to be a list of pairs of strings"),
            ("\"url\":\"a\",\"headers\":[[\"a\",1]]", "headers has to be a list of pairs of strings"),
            ("\"url\":\"a\",\"html\":1", "html has to be a string"),
            ("\"url\":\"a\",\"html\":\"\",\"html_b64\":\"\"", "not both"),
            ("\"url\":\"a\",\"html_b64\":\"?\"", "html_b64 is not base64"),
            ("\"url\":\"a\",\"tdmrep\":[]", "tdmrep has to be a string"),
            ("\"url\":\"a\",\"x\":1", "unknown field `x`"),
        ] {
            let body = format!("{{{fields}}}");
            assert!(page(&body).contains(why), "{body}: {}", page(&body));
        }
        assert!(page_of(b" {\"url\":\"a\",\"status\":null,\"bytes\":18446744073709551615}", Moment::now()).is_ok());
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
