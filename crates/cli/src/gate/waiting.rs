//! Answers that wait for their time, the earliest first.
//!
//! Invariant: as many as there is room for; those of the same time come out as they went in.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use robosieve_gate::Moment;

use super::answers::Answered;

#[derive(Default)]
pub(super) struct Waiting {
    heap: BinaryHeap<Reverse<Turn>>,
    count: u64,
}

struct Turn {
    at: Moment,
    number: u64,
    answered: Answered,
}

impl Turn {
    const fn key(&self) -> (Moment, u64) {
        (self.at, self.number)
    }
}

impl PartialEq for Turn {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Turn {}

impl PartialOrd for Turn {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Turn {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl Waiting {
    /// Our choice: beside as many URLs that wait for their site to be asked.
    pub(super) const ROOM: usize = 4_096;

    pub(super) fn is_full(&self) -> bool {
        self.heap.len() >= Self::ROOM
    }

    pub(super) fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.heap.len()
    }

    pub(super) fn push(&mut self, at: Moment, answered: Answered) {
        self.count = self.count.saturating_add(1);
        self.heap.push(Reverse(Turn { at, number: self.count, answered }));
    }

    /// The next whose time has come.
    pub(super) fn pop_due(&mut self, now: Moment) -> Option<Answered> {
        self.heap.peek().filter(|first| first.0.at <= now)?;
        self.heap.pop().map(|turn| turn.0.answered)
    }

    /// How long it is until the next one's time, if there is one.
    pub(super) fn pause(&self, now: Moment) -> Option<Duration> {
        self.heap.peek().map(|first| first.0.at.since(now))
    }
}

#[cfg(test)]
mod tests {
    use robosieve_gate::Answer;

    use super::*;

    fn answered(url: String, now: Moment) -> Answered {
        Answered { url, now, found: Ok(Answer::Allowed { wait: Duration::ZERO }), findings: None }
    }

    /// [cmd.crawl-check]
    #[test]
    fn there_is_room_for_so_many() {
        let mut waiting = Waiting::default();
        let now = Moment::from_millis(0);
        for count in 1..=Waiting::ROOM {
            assert!(!waiting.is_full(), "{count}");
            let answered = answered(String::new(), now);
            waiting.push(Moment::from_millis(u64::MAX), answered);
        }
        assert!(waiting.is_full() && waiting.len() == Waiting::ROOM);
        assert!(waiting.pop_due(Moment::from_millis(u64::MAX - 1)).is_none());
        assert!(waiting.pop_due(Moment::from_millis(u64::MAX)).is_some() && !waiting.is_full());
    }

    #[test]
    fn the_earliest_comes_first_and_equals_in_turn() {
        let mut waiting = Waiting::default();
        let now = Moment::from_millis(0);
        for (at, url) in [(30, "c"), (10, "a"), (30, "d"), (20, "b")] {
            waiting.push(Moment::from_millis(at), answered(url.into(), now));
        }
        assert_eq!(waiting.pause(now), Some(Duration::from_millis(10)));
        assert!(waiting.pop_due(Moment::from_millis(9)).is_none());
        let mut seen = String::new();
        while let Some(answered) = waiting.pop_due(Moment::from_millis(30)) {
            seen.push_str(&answered.url);
        }
        assert_eq!((seen.as_str(), waiting.is_empty()), ("abcd", true));
    }
}
