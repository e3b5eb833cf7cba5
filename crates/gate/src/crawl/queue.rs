//! URLs that wait for their lanes.
//!
//! Invariant: the URLs of a lane keep their order, and only the first one is offered. No slot is taken before its time,
//! so a program that was stopped for a while has nothing to release at once. A long queue is in a file.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use super::fifo::{Fifo, Spill};
use crate::moment::Moment;

#[derive(Debug, Default)]
pub(super) struct Queue {
    spill: Spill,
    lanes: HashMap<String, Waiting>,
    /// The lanes by the time when their first URL is offered; lanes of the same time in the order in which they came.
    due: BTreeSet<(Moment, u64, String)>,
    count: u64,
    len: usize,
}

#[derive(Debug, Default)]
struct Waiting {
    urls: Fifo,
    /// The entry in `due`.
    due: (Moment, u64),
}

impl Queue {
    /// The number of URLs.
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// The number of URLs of a lane.
    pub(super) fn of_lane(&self, lane: &str) -> usize {
        self.lanes.get(lane).map_or(0, |waiting| waiting.urls.len())
    }

    /// The number of lanes.
    pub(super) fn lanes(&self) -> usize {
        self.lanes.len()
    }

    pub(super) const fn spill(&mut self) -> &mut Spill {
        &mut self.spill
    }

    /// Adds a URL after those of its lane. If it is the only one, it is offered at that time.
    pub(super) fn push(&mut self, lane: &str, url: String, at: Moment) {
        self.len = self.len.saturating_add(1);
        if let Some(waiting) = self.lanes.get_mut(lane) {
            return waiting.urls.push(url, &mut self.spill);
        }
        let mut urls = Fifo::default();
        urls.push(url, &mut self.spill);
        self.lanes.insert(lane.to_owned(), Waiting { urls, due: (at, 0) });
        self.offer(lane, at);
    }

    /// A lane whose first URL is to be offered now, and the URL. It stays in the queue.
    pub(super) fn first(&self, now: Moment) -> Option<(String, String)> {
        let (_, _, lane) = self.due.first().filter(|first| first.0 <= now)?;
        let url = self.lanes.get(lane)?.urls.first()?;
        Some((lane.clone(), url.clone()))
    }

    /// Offers the first URL of a lane at that time.
    pub(super) fn offer(&mut self, lane: &str, at: Moment) {
        let Some(waiting) = self.lanes.get_mut(lane) else { return };
        self.due.remove(&(waiting.due.0, waiting.due.1, lane.to_owned()));
        self.count = self.count.saturating_add(1);
        waiting.due = (at, self.count);
        self.due.insert((at, self.count, lane.to_owned()));
    }

    /// Offers no URL of a lane until [`Queue::offer`].
    pub(super) fn park(&mut self, lane: &str) {
        if let Some(waiting) = self.lanes.get(lane) {
            self.due.remove(&(waiting.due.0, waiting.due.1, lane.to_owned()));
        }
    }

    /// Removes the first URL of a lane. The next one is offered now.
    pub(super) fn pop(&mut self, lane: &str, now: Moment) {
        let Some(waiting) = self.lanes.get_mut(lane) else { return };
        let before = waiting.urls.len();
        waiting.urls.pop(&mut self.spill);
        self.len = self.len.saturating_sub(before.saturating_sub(waiting.urls.len()));
        if waiting.urls.len() == 0 {
            self.due.remove(&(waiting.due.0, waiting.due.1, lane.to_owned()));
            self.lanes.remove(lane);
        } else {
            self.offer(lane, now);
        }
    }

    /// The time until a URL is to be offered.
    pub(super) fn pause(&self, now: Moment) -> Option<Duration> {
        self.due.first().map(|first| first.0.since(now))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Moment {
        Moment::from_millis(millis)
    }

    /// [cmd.crawl-check]
    #[test]
    fn lanes_keep_their_order_and_do_not_wait_for_each_other() {
        let mut queue = Queue::default();
        for (lane, url, time) in [("a", "a1", 30), ("a", "a2", 5), ("b", "b1", 20), ("a", "a3", 1), ("c", "c1", 30)] {
            queue.push(lane, url.into(), at(time));
        }
        assert_eq!((queue.len(), queue.of_lane("a"), queue.of_lane("d")), (5, 3, 0));
        assert_eq!((queue.pause(at(5)), queue.first(at(19))), (Some(Duration::from_millis(15)), None));
        let mut seen = String::new();
        while let Some((lane, url)) = queue.first(at(30)) {
            seen.push_str(&url);
            seen.push(' ');
            queue.pop(&lane, at(30));
        }
        assert_eq!((seen.as_str(), queue.len(), queue.pause(at(0))), ("b1 a1 c1 a2 a3 ", 0, None));
    }

    /// [cmd.crawl-check]
    #[test]
    fn what_can_not_start_is_offered_again() {
        let mut queue = Queue::default();
        queue.push("a", "a1".into(), at(10));
        queue.offer("a", at(25));
        assert_eq!((queue.first(at(24)), queue.len()), (None, 1));
        assert_eq!(queue.first(at(25)).unwrap().1, "a1");
        queue.pop("b", at(25));
        queue.offer("b", at(25));
        assert_eq!(queue.len(), 1);
    }
}
