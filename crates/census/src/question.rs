//! Questions: a page, a crawler and perhaps a time.
//!
//! Invariant: a question is one that can be answered. Its URL has a site, its crawler is `*` or one product token, and
//! its time is one that there is.

use robosieve::agent::Agent;
use robosieve::printable::escape_short;
use robosieve::value::HttpUrl;
use robosieve_batch::requests::RequestAgents;
use robosieve_batch::{Problem, host_of, site_of};
use robosieve_explain::Crawler;
use serde::Deserialize;

use crate::agents::AgentList;
use crate::time::digits;

/// A page, a crawler and a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    url: String,
    agent: String,
    time: Option<String>,
}

/// The fields of a line. Another one would be a misspelt one that nobody obeys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    url: String,
    agent: String,
    #[serde(default)]
    time: Option<String>,
}

impl Question {
    /// The length of a line in bytes. Our choice: the longest URL that browsers and sitemaps take, escaped.
    pub const MAX_BYTES: usize = 1 << 14;

    /// Whether a crawler may fetch a page. The crawler is a product token, or `*`. The time is that of the fetch, as
    /// `2026`, `2026-01`, `2026-01-31` or `2026-01-31T12:00:00Z`, and a part of one means its end; without one, the last
    /// observation answers.
    ///
    /// ```
    /// use robosieve_census::Question;
    /// assert!(Question::new("https://e.com/a", "GPTBot", Some("2026-01")).is_ok());
    /// assert!(Question::new("e.com/a", "GPTBot", None).is_err());
    /// assert!(Question::new("https://e.com/a", "My Bot", None).is_err());
    /// assert!(Question::new("https://e.com/a", "GPTBot", Some("2026-13")).is_err());
    /// ```
    ///
    /// # Errors
    /// `bad-url` for a URL without a site, and `bad-request` for a name that is none, or more than one, and for a time
    /// that cannot be read.
    pub fn new(url: &str, agent: &str, time: Option<&str>) -> Result<Self, Problem> {
        if page_of(url).is_none() || site_of(url).is_none() {
            let url = escape_short(url.as_bytes());
            return Err(Problem::url(format!("{url}: is no http or https URL: write it as a whole")));
        }
        expect_agent(agent)?;
        if let Some(time) = time.filter(|time| digits(time).is_none()) {
            let time = escape_short(time.as_bytes());
            return Err(Problem::request(format!(
                "time: `{time}`: write 2026, 2026-01, 2026-01-31 or 2026-01-31T12:00:00Z"
            )));
        }
        Ok(Self { url: url.to_owned(), agent: agent.to_owned(), time: time.map(ToOwned::to_owned) })
    }

    /// Reads a line: a JSON object with `url`, `agent` and perhaps `time`.
    ///
    /// # Errors
    /// Those of [`Question::new`], `bad-json`, and `bad-request` for other fields and for more than
    /// [`Question::MAX_BYTES`].
    pub fn read(line: &[u8]) -> Result<Self, Problem> {
        if line.len() > Self::MAX_BYTES {
            return Err(Self::too_long());
        }
        if line.trim_ascii_start().first() != Some(&b'{') {
            // The words of the reader about what is not JSON say where it is.
            serde_json::from_slice::<serde::de::IgnoredAny>(line)?;
            let how = r#"write {"url":"https://e.com/a","agent":"GPTBot"}"#;
            return Err(Problem::request(format!("this line is not a JSON object: {how}")));
        }
        let Line { url, agent, time } = serde_json::from_slice(line)?;
        Self::new(&url, &agent, time.as_deref())
    }

    /// What a line with more than [`Question::MAX_BYTES`] is.
    #[must_use]
    pub fn too_long() -> Problem {
        Problem::request(format!("a question has at most {} bytes", Self::MAX_BYTES))
    }

    /// The page.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The host of the page, as [`FileRow::host`](crate::normal::FileRow::host) has it.
    #[must_use]
    pub fn host(&self) -> String {
        host_of(&self.url).unwrap_or_default()
    }

    /// The crawler's product token, or `*`.
    #[must_use]
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// When it was fetched.
    #[must_use]
    pub fn time(&self) -> Option<&str> {
        self.time.as_deref()
    }
}

/// Checks a name as other interfaces do, and that it is one: each of two would have an answer of its own.
fn expect_agent(name: &str) -> Result<(), Problem> {
    if name == "*" {
        return Ok(());
    }
    RequestAgents::of(Some(name.to_owned()), None, None)?;
    let agent = Agent::new(name);
    let is_one = agent.is_named() && !agent.is_cut() && *agent.as_bstr() == *name.as_bytes();
    if is_one && name.len() <= AgentList::MAX_NAME && Crawler::no_name(name, &[]).is_none() {
        return Ok(());
    }
    let name = escape_short(name.as_bytes());
    Err(Problem::request(format!("agent: `{name}` is no product token: write one name, such as GPTBot, or `*`")))
}

/// A URL with a site. A fragment is none of it.
pub(crate) fn page_of(url: &str) -> Option<HttpUrl> {
    HttpUrl::read(url.split('#').next().unwrap_or(url))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [census.ask]
    #[test]
    fn a_site_has_its_port_if_it_is_another() {
        for (url, expected) in [
            ("https://E.com:443/a", Some("https://e.com")),
            ("https://e.com:0443", Some("https://e.com")),
            ("https://e.com:/a:b", Some("https://e.com")),
            ("http://e.com:443/a", Some("http://e.com:443")),
            ("http://e.com:80?a", Some("http://e.com")),
            ("http://u:p@e.com:08080/", Some("http://e.com:8080")),
            ("http://[::1]:80/", Some("http://[::1]")),
            ("http://[::1]/#a", Some("http://[::1]")),
            ("https://e.com#x", Some("https://e.com")),
            ("https://e.com\\@f.com/", None),
            ("//e.com/a", None),
            ("e.com/a", None),
            ("", None),
        ] {
            assert_eq!(page_of(url).and_then(|url| site_of(url.as_str())).as_deref(), expected, "{url}");
        }
    }

    /// [census.question]
    #[test]
    fn a_question_is_one_that_can_be_answered() {
        let kind = |line: &str| Question::read(line.as_bytes()).map_or_else(|problem| problem.kind, |_| "fine");
        let of = |agent: &str| kind(&serde_json::json!({"url": "https://e.com/", "agent": agent}).to_string());
        for agent in ["*", "GPTBot", "gptbot", "Googlebot-Image", "MJ12bot", "known"] {
            assert_eq!(of(agent), "fine", "{agent}");
        }
        let cut = [
            "",
            " ",
            "OpenAI GPTBot",
            "My GPTBot",
            "GPTBot,CCBot",
            "Mozilla",
            "Mozilla/5.0",
            "known:ai",
            "()",
            "GPTBot/1.0",
        ];
        for agent in cut {
            assert_eq!(of(agent), "bad-request", "{agent}");
        }
        for (length, expected) in [(2_047, "fine"), (2_048, "fine"), (2_049, "bad-request")] {
            assert_eq!(of(&"x".repeat(length)), expected, "{length}");
        }
        for (rest, expected) in [
            (r#""time":"2026-01""#, "fine"),
            (r#""time":null"#, "fine"),
            (r#""time":"2024-13-99""#, "bad-request"),
            (r#""time":"""#, "bad-request"),
            (r#""date":"2026-01""#, "bad-request"),
            (r#""agent":"CCBot""#, "bad-request"),
            (r#""x"#, "bad-json"),
        ] {
            assert_eq!(kind(&format!(r#"{{"url":"https://e.com/","agent":"*",{rest}}}"#)), expected, "{rest}");
        }
        assert_eq!(kind(r#"{"url":"/a","agent":"*"}"#), "bad-url");
        assert_eq!(
            (kind(r#"["https://e.com/","*",null]"#), kind("?"), kind("{}")),
            ("bad-request", "bad-json", "bad-request")
        );
        let front = r#"{"agent":"*","url":"https://e.com/"#;
        for (length, expected) in [(-1, "fine"), (0, "fine"), (1, "bad-request")] {
            let path = Question::MAX_BYTES.saturating_add_signed(length).saturating_sub(front.len()).saturating_sub(2);
            assert_eq!(kind(&format!("{front}{}\"}}", "x".repeat(path))), expected, "{length}");
        }
    }
}
