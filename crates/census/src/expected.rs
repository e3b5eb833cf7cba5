//! The records of archives as an index states them, compared with those that were read.
//!
//! Invariant: an archive is known by the name of its file. One that has only one of the two counts differs. What could not
//! be read is no record that was.

use std::collections::BTreeMap;
use std::io::Read;

use robosieve::printable::escape_short;
use robosieve_batch::lines::{Lines, Next};
use serde::{Deserialize, Serialize};

/// What is known of an archive.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    stated: Option<u64>,
    read: u64,
    is_input: bool,
}

/// How many records archives have, as their index says.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    counts: BTreeMap<String, Count>,
}

/// An archive whose counts differ.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Differs {
    /// The name of its file.
    pub archive: String,
    /// The records that it should have. None if nobody says.
    pub expected: Option<u64>,
    /// The records that were read.
    pub read: u64,
}

/// What was expected against what was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Compared {
    /// The archives of this run.
    pub archives: u64,
    /// Their records, as they should be.
    pub expected: u64,
    /// Their records, as they were read.
    pub read: u64,
    /// The archives whose counts differ.
    pub differ: u64,
    /// The first of them, by name, at most [`Expected::MAX_SHOWN`].
    pub first: Vec<Differs>,
}

impl Expected {
    /// The number of archives. Our choice: ten times those of a crawl of Common Crawl.
    pub const MAX_ARCHIVES: usize = 1_000_000;
    /// The number of archives that are named because their counts differ. Our choice.
    pub const MAX_SHOWN: usize = 100;
    /// The length of a line in bytes. Our choice: a path has at most 4,096 on Linux.
    const MAX_LINE: usize = 1 << 13;

    /// Reads lines such as `crawl-data/…/robotstxt/a.warc.gz,812`, of CSV: the path or name of an archive, and the number
    /// of its records. A first line with names of columns is left out:
    /// its second has a letter and no digit.
    ///
    /// ```
    /// use robosieve_census::Expected;
    /// assert!(Expected::read(&b"warc_filename,records\nsegments/1/a.warc.gz,812\n"[..]).is_ok());
    /// assert!(Expected::read(&b"a.warc.gz,812\nb.warc.gz,many\n"[..]).is_err());
    /// ```
    ///
    /// # Errors
    /// What to do about the first line that is none of these, or about more than [`Expected::MAX_ARCHIVES`].
    pub fn read(text: impl Read) -> Result<Self, String> {
        let (mut lines, mut counts) = (Lines::new(text, Self::MAX_LINE), BTreeMap::new());
        let mut number = 0_u64;
        loop {
            number = number.saturating_add(1);
            let line = match lines.next_line().map_err(|error| error.to_string())? {
                Next::End => return Ok(Self { counts }),
                Next::Line(line) if line.trim_ascii().is_empty() => continue,
                Next::Line(line) => line,
                Next::TooLong => &[],
            };
            let found = str::from_utf8(line).ok().and_then(|line| line.rsplit_once(','));
            let cell = |text: &str| text.trim().trim_matches('"').to_owned();
            let found = found.map(|(name, count)| (cell(file_name(name)), cell(count)));
            match found.as_ref().map(|(name, count)| (name.is_empty(), count.parse::<u64>())) {
                Some((false, Ok(_))) if counts.len() >= Self::MAX_ARCHIVES => {
                    return Err(format!("has more than {} archives", Self::MAX_ARCHIVES));
                }
                Some((false, Ok(stated))) => {
                    let count = Count { stated: Some(stated), ..Count::default() };
                    if counts.insert(found.unwrap_or_default().0, count).is_some() {
                        return Err(format!("line {number} has an archive that is there already"));
                    }
                }
                Some((false, Err(_))) if number == 1 && has_names(found.as_ref().map_or("", |(_, count)| count)) => {}
                _ => {
                    let line = escape_short(line);
                    return Err(format!("line {number}, `{line}`: write an archive and its records, as a.warc.gz,812"));
                }
            }
        }
    }

    /// Says that an archive is read: one without a record differs, too.
    ///
    /// # Errors
    /// If another input has the same name: nobody could say whose records are read.
    pub fn input(&mut self, path: &str) -> Result<(), String> {
        if let Some(count) = self.count(path) {
            if count.is_input {
                let name = escape_short(file_name(path).as_bytes());
                return Err(format!(
                    "several inputs are called {name}, and an archive is known by the name of its file: make a run \
                     for each, with another --part"
                ));
            }
            count.is_input = true;
        }
        Ok(())
    }

    pub(crate) fn add(&mut self, source: &str) {
        if let Some(count) = self.count(source) {
            count.read = count.read.saturating_add(1);
        }
    }

    fn count(&mut self, path: &str) -> Option<&mut Count> {
        let name = file_name(path);
        if !self.counts.contains_key(name) {
            // One more than are stated differs, and stands for the others.
            let name = if self.counts.len() > Self::MAX_ARCHIVES { "others" } else { name };
            return Some(self.counts.entry(name.to_owned()).or_default());
        }
        self.counts.get_mut(name)
    }

    pub(crate) fn compared(self) -> Compared {
        let mut sum = Compared::default();
        for (archive, Count { stated, read, .. }) in
            self.counts.into_iter().filter(|one| one.1.is_input || one.1.read > 0)
        {
            sum.archives = sum.archives.saturating_add(1);
            sum.expected = sum.expected.saturating_add(stated.unwrap_or(0));
            sum.read = sum.read.saturating_add(read);
            if stated != Some(read) {
                sum.differ = sum.differ.saturating_add(1);
                if sum.first.len() < Self::MAX_SHOWN {
                    sum.first.push(Differs { archive, expected: stated, read });
                }
            }
        }
        sum
    }
}

/// Whether a cell of the first line is the name of a column. A count that is none has a digit.
fn has_names(cell: &str) -> bool {
    cell.chars().any(char::is_alphabetic) && !cell.chars().any(char::is_numeric)
}

/// The name of a file, as archives are known by.
fn file_name(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Compared, String> {
        let mut expected = Expected::read(text.as_bytes())?;
        for source in ["x/a.warc.gz", "x/a.warc.gz", "b.warc.gz"] {
            expected.add(source);
        }
        for path in ["x/a.warc.gz", "y/c.warc.gz"] {
            expected.input(path)?;
        }
        Ok(expected.compared())
    }

    /// [census.expect]
    #[test]
    fn counts_are_compared_by_the_names_of_files() {
        let all = read("file,records\n\"s/1/a.warc.gz\",\"2\"\nb.warc.gz,1\n\nc.warc.gz,0\nother.warc.gz,9\n");
        let sum = |differ| Compared { archives: 3, expected: 3, read: 3, differ, first: Vec::new() };
        assert_eq!(all, Ok(sum(0)));
        let differ = read("a.warc.gz,2\nc.warc.gz,1\n").map(|found| (found.differ, found.first));
        let of = |archive: &str, expected, read| Differs { archive: archive.into(), expected, read };
        assert_eq!(differ, Ok((2, vec![of("b.warc.gz", None, 1), of("c.warc.gz", Some(1), 0)])));
        for bad in ["a\n", "a,1\nb,x\n", "a,1\nx/a,2\n", "a,-1\na,1.5\n", ",5\n", "a,1\n\u{0}"] {
            assert!(read(bad).is_err(), "{bad}");
        }
        // A bad count is no name of a column.
        for bad in ["a.warc.gz,-1\n", "a.warc.gz,18446744073709551616\n", "a.warc.gz,\n", "a.warc.gz,\"1.5\"\n"] {
            assert!(read(bad).is_err(), "{bad}");
        }
        let mut twice = Expected::default();
        assert_eq!(twice.input("x/a.warc.gz"), Ok(()));
        assert!(twice.input("y/a.warc.gz").is_err_and(|why| why.contains("several inputs are called a.warc.gz")));
        let long = "x".repeat(1 << 13);
        for (length, is_fine) in
            [(Expected::MAX_LINE - 1, true), (Expected::MAX_LINE, true), (Expected::MAX_LINE + 1, false)]
        {
            assert_eq!(read(&format!("{},1\n", &long[..length - 2])).is_ok(), is_fine, "{length}");
        }
        for (count, is_fine) in [(999_999, true), (1_000_000, true), (1_000_001, false)] {
            let text = (0..count).fold(String::new(), |text, name| text + &name.to_string() + ",1\n");
            assert_eq!(read(&text).is_ok(), is_fine, "{count}");
        }
        for (count, shown) in [(99, 99), (100, 100), (101, 100)] {
            let mut expected = Expected::default();
            (0..count).for_each(|name| expected.add(&name.to_string()));
            assert_eq!(expected.compared().first.len(), shown);
        }
    }
}
