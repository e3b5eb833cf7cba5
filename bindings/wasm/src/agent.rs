//! An agent that a caller names.

use robosieve::Agent;

/// The agent with this name. A name with a slash is a whole `User-Agent` header: `MyBot/1.0 (+https://example.com/bot)`.
pub(crate) fn agent(name: &[u8]) -> Agent {
    match str::from_utf8(name) {
        Ok(text) if text.contains('/') => Agent::from_header(text),
        _ => Agent::new(name),
    }
}
