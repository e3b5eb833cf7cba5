//! Queues of URLs that may be longer than the memory: the middle of each is in one temporary file.
//!
//! Invariant: a queue gives back what it got, in order, and says how many URLs it could not read back. In memory it has
//! two blocks at most, besides URLs that could not be written. The file has no name, so nothing is left of it. Blocks
//! that were read are used again.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

/// The bytes of a block. Our choice: some sixty URLs. A longer URL has a block of its own.
const BLOCK: usize = 4_096;

/// The sizes of blocks: this many doublings of [`BLOCK`].
const SIZES: usize = 16;

/// The temporary file that queues share.
#[derive(Debug, Default)]
pub(super) struct Spill {
    file: Option<File>,
    end: u64,
    /// The places of blocks that were read, by size.
    free: [Vec<u64>; SIZES],
    /// What went wrong with the file, if anything did: nothing more is written.
    trouble: Option<String>,
    /// The number of URLs that could not be read back.
    lost: usize,
}

/// A block in the file.
#[derive(Clone, Copy, Debug)]
struct Block {
    at: u64,
    size: usize,
    count: usize,
}

impl Spill {
    /// Whether more can be written.
    pub(super) const fn is_sound(&self) -> bool {
        self.trouble.is_none()
    }

    /// The number of URLs that could not be read back since the last call, and why.
    pub(super) fn take_lost(&mut self) -> Option<(usize, String)> {
        let lost = std::mem::take(&mut self.lost);
        (lost > 0).then(|| (lost, self.trouble.clone().unwrap_or_default()))
    }

    fn write(&mut self, urls: &[String]) -> io::Result<Block> {
        let mut bytes = Vec::with_capacity(BLOCK);
        for url in urls {
            let length = u32::try_from(url.len()).map_err(io::Error::other)?;
            bytes.extend_from_slice(&length.to_le_bytes());
            bytes.extend_from_slice(url.as_bytes());
        }
        let fits = |size: &usize| bytes.len() <= BLOCK << size;
        let size = (0..SIZES).find(fits).ok_or_else(|| io::Error::other("a URL is too long"))?;
        let free = self.free.get_mut(size).and_then(Vec::pop);
        let at = free.unwrap_or(self.end);
        if free.is_none() {
            self.end = self.end.saturating_add(u64::try_from(BLOCK << size).unwrap_or(u64::MAX));
        }
        if self.file.is_none() {
            self.file = Some(tempfile::tempfile()?);
        }
        let mut file = self.file.as_ref().ok_or(io::ErrorKind::NotFound)?;
        file.seek(SeekFrom::Start(at))?;
        bytes.resize(BLOCK << size, 0);
        file.write_all(&bytes)?;
        Ok(Block { at, size, count: urls.len() })
    }

    fn read(&mut self, block: Block) -> io::Result<Vec<String>> {
        let mut file = self.file.as_ref().ok_or(io::ErrorKind::NotFound)?;
        file.seek(SeekFrom::Start(block.at))?;
        let mut bytes = vec![0; BLOCK << block.size];
        file.read_exact(&mut bytes)?;
        let (mut rest, mut urls) = (bytes.as_slice(), Vec::with_capacity(block.count));
        for _ in 0..block.count {
            let (length, after) = rest.split_first_chunk::<4>().ok_or(io::ErrorKind::InvalidData)?;
            let length = usize::try_from(u32::from_le_bytes(*length)).map_err(io::Error::other)?;
            let (url, after) = after.split_at_checked(length).ok_or(io::ErrorKind::InvalidData)?;
            urls.push(String::from_utf8(url.to_vec()).map_err(io::Error::other)?);
            rest = after;
        }
        if let Some(free) = self.free.get_mut(block.size) {
            free.push(block.at);
        }
        Ok(urls)
    }

    fn fail(&mut self, error: &io::Error) {
        self.trouble.get_or_insert_with(|| format!("the temporary file for URLs that wait: {error}"));
    }
}

/// A queue.
#[derive(Debug, Default)]
pub(super) struct Fifo {
    front: VecDeque<String>,
    front_bytes: usize,
    blocks: VecDeque<Block>,
    back: Vec<String>,
    back_bytes: usize,
    len: usize,
}

impl Fifo {
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// The first URL.
    pub(super) fn first(&self) -> Option<&String> {
        self.front.front()
    }

    pub(super) fn push(&mut self, url: String, spill: &mut Spill) {
        self.len = self.len.saturating_add(1);
        let bytes = url.len().saturating_add(size_of::<u32>());
        let fits = |held: usize| held.saturating_add(bytes) <= BLOCK;
        if self.front.is_empty() || (self.blocks.is_empty() && self.back.is_empty() && fits(self.front_bytes)) {
            self.front_bytes = self.front_bytes.saturating_add(bytes);
            return self.front.push_back(url);
        }
        if !self.back.is_empty() && !fits(self.back_bytes) && spill.is_sound() {
            match spill.write(&self.back) {
                Ok(block) => {
                    self.blocks.push_back(block);
                    self.back.clear();
                    self.back_bytes = 0;
                }
                Err(error) => spill.fail(&error),
            }
        }
        self.back_bytes = self.back_bytes.saturating_add(bytes);
        self.back.push(url);
    }

    pub(super) fn pop(&mut self, spill: &mut Spill) -> Option<String> {
        let url = self.front.pop_front()?;
        self.len = self.len.saturating_sub(1);
        let bytes = url.len().saturating_add(size_of::<u32>());
        self.front_bytes = self.front_bytes.saturating_sub(bytes);
        while self.front.is_empty()
            && let Some(block) = self.blocks.pop_front()
        {
            match spill.read(block) {
                Ok(urls) => self.front.extend(urls),
                Err(error) => {
                    spill.fail(&error);
                    spill.lost = spill.lost.saturating_add(block.count);
                    self.len = self.len.saturating_sub(block.count);
                }
            }
            // What is in the file is a block or less.
            self.front_bytes = BLOCK;
        }
        if self.front.is_empty() {
            self.front.extend(self.back.drain(..));
            self.front_bytes = std::mem::take(&mut self.back_bytes);
        }
        Some(url)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::arithmetic_side_effects, clippy::indexing_slicing)]
mod tests {
    use super::*;

    /// What goes in comes out, in order, in several queues with one file, and what was read is used again.
    /// [gate.read-ahead]
    #[test]
    fn queues_keep_their_order_in_a_file() {
        let (mut spill, mut queues) = (Spill::default(), [(); 3].map(|()| Fifo::default()));
        let url = |queue: usize, number: usize| format!("https://{queue}.test/{number}/{}", "x".repeat(number % 97));
        let mut taken = [0; 3];
        for number in 0..9_000 {
            for (at, queue) in queues.iter_mut().enumerate() {
                queue.push(url(at, number), &mut spill);
                if number % (at + 2) == 0 {
                    assert_eq!(queue.pop(&mut spill), Some(url(at, taken[at])));
                    taken[at] += 1;
                }
            }
        }
        assert!(queues.iter().all(|queue| queue.front.len() + queue.back.len() < 500), "the middle is in the file");
        let end = spill.end;
        for (at, queue) in queues.iter_mut().enumerate() {
            assert_eq!(queue.len(), 9_000 - taken[at]);
            for number in taken[at]..9_000 {
                assert_eq!(queue.first(), Some(&url(at, number)));
                assert_eq!(queue.pop(&mut spill), Some(url(at, number)));
            }
            assert_eq!((queue.pop(&mut spill), queue.len(), queue.first()), (None, 0, None));
        }
        (0..9_000).for_each(|number| queues[0].push(url(0, number), &mut spill));
        assert_eq!(spill.end, end, "blocks are used again");
        assert_eq!(spill.take_lost(), None);
    }

    /// Long URLs have blocks of their own, and any text comes back. [gate.read-ahead]
    #[test]
    fn long_urls() {
        let (mut spill, mut queue) = (Spill::default(), Fifo::default());
        let urls: Vec<String> = [0, 1, 4_091, 4_092, 4_093, 8_188, 16_000, 100_000, 3, 0, 70_000, 5]
            .map(|length| "\n".repeat(length))
            .into();
        for url in &urls {
            queue.push(url.clone(), &mut spill);
        }
        for url in &urls {
            assert_eq!(queue.pop(&mut spill).as_ref(), Some(url));
        }
        assert_eq!(queue.len(), 0);
    }

    /// Without a file that can be read, the number of lost URLs is known, and nothing else is lost. [gate.read-ahead]
    #[test]
    fn lost_blocks_are_counted() {
        let (mut spill, mut queue) = (Spill::default(), Fifo::default());
        (0..1_000).for_each(|number| queue.push(format!("https://a.test/{number}"), &mut spill));
        spill.file.as_ref().unwrap().set_len(0).unwrap();
        let mut came = 0;
        while queue.pop(&mut spill).is_some() {
            came += 1;
        }
        let (lost, why) = spill.take_lost().unwrap();
        assert!(came > 100 && came + lost == 1_000 && why.contains("temporary file"), "{came} {lost} {why}");
        assert_eq!((spill.take_lost(), queue.len(), spill.is_sound()), (None, 0, false));
        (0..1_000).for_each(|number| queue.push(format!("https://a.test/{number}"), &mut spill));
        assert_eq!(std::iter::from_fn(|| queue.pop(&mut spill)).count(), 1_000, "in memory");
    }
}
