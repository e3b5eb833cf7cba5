//! Reads crawls: what `census` wrote, or texts.
//!
//! Invariant: both give the same entries: texts are made into entries by [`Census`]. Memory holds one of them.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::path::{Path, PathBuf};

use robosieve_ask::Plan;
use robosieve_batch::{Form, site_of};
use robosieve_census::normal::TextRow;
use robosieve_census::{Census, Entry, Read, Reading, Seen, Stored, View};

use crate::census::report_running;
use crate::exit::{self, Code, Failure, Stopped};
use crate::files::{self, Wanted};
use crate::input::{self, Input};
use crate::text;

/// The number of lines of a crawl that are reported because they cannot be read. Our choice.
const MAX_TOLD: u64 = 10;

/// A file, and where it is from.
pub(super) struct Found<'r> {
    pub(super) entry: &'r Entry,
    /// The file's URL; or its name below the directory; or nothing for a crawl that is one text.
    pub(super) site: Cow<'r, str>,
    pub(super) time: Option<Cow<'r, str>>,
    /// The file with the text, below the crawl, and a hash of its bytes.
    pub(super) text: Option<(&'r Path, u64)>,
}

/// A crawl.
#[derive(Debug)]
pub(super) struct Crawl {
    path: PathBuf,
    /// Its name, escaped.
    pub(super) name: String,
    kind: Kind,
    /// The date in its name.
    date: Option<String>,
}

#[derive(Debug)]
enum Kind {
    Stored(Stored),
    Folder,
    Text,
}

/// How crawls are read.
pub(super) struct Reader<'p> {
    pub(super) plan: &'p Plan,
    pub(super) view: View,
    pub(super) census: Census,
    /// How the files of each crawl must have been read.
    pub(super) reading: Reading,
    /// Whether the crawlers that files name are asked about, too.
    pub(super) has_named: bool,
    /// Equal texts have equal hashes in one run.
    pub(super) keys: RandomState,
}

impl Crawl {
    /// Opens a crawl, or those of a folder of tables, by name.
    pub(super) fn open(path: &Path) -> Result<Vec<Self>, Failure> {
        let name = text::name_of(path);
        let found = std::fs::metadata(path).map_err(|error| Failure::file(path, &error, "check the path"))?;
        let file = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let bare = file.strip_suffix(".gz").or_else(|| file.strip_suffix(".zst")).unwrap_or(&file);
        let kind = match Form::of_name(path) {
            _ if found.is_dir() && Stored::is_one(path) => Kind::Stored(Stored::new(path)),
            _ if found.is_dir() => match Stored::census_of(path) {
                Some(census) => {
                    let census = text::name_of(&census);
                    return Err(Failure::Usage(format!("{name}: is a part of a census: name its folder, {census}")));
                }
                None => Kind::Folder,
            },
            Form::Ndjson => Kind::Stored(Stored::new(path)),
            Form::Warc => return Err(no_rows(&name, "is an archive")),
            _ if bare.rsplit_once('.').is_some_and(|(_, extension)| matches!(extension, "csv" | "parquet")) => {
                return Err(no_rows(&name, "is a table in another form"));
            }
            _ => Kind::Text,
        };
        let path = path.to_owned();
        let mut several = Vec::new();
        if let Kind::Stored(stored) = &kind {
            report_running(stored);
            several = stored.crawls();
        }
        if several.is_empty() {
            return Ok(vec![Self { path, name, kind, date: date_in(&file) }]);
        }
        let one = |(name, stored): (String, Stored)| Self {
            path: path.clone(),
            name: text::escape(name.as_bytes()),
            kind: Kind::Stored(stored),
            date: None,
        };
        Ok(several.into_iter().map(one).collect())
    }

    /// Whether it is one text.
    pub(super) fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Text)
    }

    /// Whether it is a directory of texts.
    pub(super) fn is_folder(&self) -> bool {
        matches!(self.kind, Kind::Folder)
    }

    /// The date in its name.
    pub(super) fn date(&self) -> Option<&str> {
        self.date.as_deref()
    }

    /// Its date, or the end of its name.
    pub(super) fn label(&self) -> &str {
        let name = self.name.trim_end_matches('/');
        self.date.as_deref().unwrap_or_else(|| name.rsplit_once('/').map_or(name, |(_, file)| file))
    }

    /// The file with a site's text.
    pub(super) fn text(&self, below: &Path) -> PathBuf {
        if self.is_text() { self.path.clone() } else { self.path.join(below) }
    }

    /// Gives the texts of tables with these hashes.
    pub(super) fn texts(
        &self,
        hashes: &HashSet<&str>,
        mut each: impl FnMut(TextRow) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let Kind::Stored(stored) = &self.kind else { return Ok(()) };
        let read = stored.texts(hashes, &mut each);
        read.map_err(|error| Failure::Io(error.to_string()))
    }

    /// Gives each file, or those of a host and perhaps others. Reports what cannot be read.
    pub(super) fn each(
        &self,
        reader: &Reader<'_>,
        host: Option<&str>,
        mut each: impl FnMut(Found<'_>) -> Result<(), Failure>,
    ) -> Result<Code, Failure> {
        if let Kind::Stored(stored) = &self.kind {
            return self.each_entry(reader, stored, host, each);
        }
        let mut code = Code::Fine;
        files::each(&self.path, &Wanted::All, |found| {
            let read = found.map_err(Failure::Io).and_then(|path| {
                let file = input::read(path, reader.plan.max_bytes())?;
                Ok((path.strip_prefix(&self.path).unwrap_or(path), file))
            });
            match read {
                Ok((below, file)) => self.of_text(reader, below, &file, &mut each),
                Err(failure) => {
                    failure.tell();
                    code = Code::Refused.known();
                    Ok(())
                }
            }
        })?;
        Ok(code)
    }

    fn each_entry(
        &self,
        reader: &Reader<'_>,
        stored: &Stored,
        host: Option<&str>,
        mut each: impl FnMut(Found<'_>) -> Result<(), Failure>,
    ) -> Result<Code, Failure> {
        let mut unread = 0_u64;
        let mut each = |read: Read<'_>| match read {
            Read::Entry(entry, _) => {
                let failed = |error: io::Error| Stopped(Failure::Io(format!("{}: {error}", self.name)));
                reader.reading.expect(&entry).map_err(failed)?;
                let site = entry.file.url.as_deref().unwrap_or(&entry.file.source);
                let time = entry.file.time.as_deref().map(Cow::Borrowed);
                each(Found { entry: &entry, site: Cow::Borrowed(site), time, text: None }).map_err(Stopped)
            }
            Read::Unread(number) => {
                unread = unread.saturating_add(1);
                Code::Refused.known();
                if unread <= MAX_TOLD {
                    exit::tell(&format!(
                        "{}:{number}: is not a line that `robosieve census` writes for a file",
                        self.name
                    ));
                }
                Ok(())
            }
            _ => Ok(()),
        };
        let read = match host {
            Some(host) => stored.each_of(&HashSet::from([host]), &mut each),
            None => stored.each(&mut each),
        };
        read.map_err(|Stopped(failure)| failure)?;
        if unread > MAX_TOLD {
            exit::tell(&format!("{}: {} more lines are none", self.name, unread.saturating_sub(MAX_TOLD)));
        }
        Ok(if unread > 0 { Code::Refused } else { Code::Fine })
    }

    fn of_text(
        &self,
        reader: &Reader<'_>,
        below: &Path,
        file: &Input,
        each: &mut impl FnMut(Found<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let site = if self.is_text() { String::new() } else { text::name_of(below) };
        let seen = Seen { source: &site, ..Seen::default() };
        let entry = reader.census.entry(&seen, &file.bytes, file.is_whole);
        let hash = reader.keys.hash_one(&file.bytes);
        let time = self.date.as_deref().map(Cow::Borrowed);
        each(Found { entry: &entry, site: Cow::Borrowed(&site), time, text: Some((below, hash)) })
    }
}

impl Found<'_> {
    /// Whether it is of this site, which has this URL. None if it is a file below a directory whose name is that of no
    /// site. A crawl that is one text is of any.
    pub(super) fn is_of(&self, site: &str) -> Option<bool> {
        match self.text {
            Some(_) if self.site.is_empty() => Some(true),
            Some((below, _)) => is_named_after(below, site),
            None => Some(self.entry.file.url.as_deref().and_then(site_of).is_some_and(|of| of == site)),
        }
    }
}

/// Whether a file below a directory is named after a site. None if no site is known of its name.
fn is_named_after(below: &Path, site: &str) -> Option<bool> {
    let parts: Option<Vec<&str>> = below.iter().map(OsStr::to_str).collect();
    let parts = parts?;
    let (file, folders) = parts.split_last()?;
    if let [scheme @ ("http" | "https"), host, paths @ ..] = folders {
        // What `batch -o` writes, whatever the path.
        let of = site_of(&format!("{scheme}://{}", unescaped(host)?))?;
        return Some(of == site && paths.is_empty() && *file == "robots.txt");
    }
    let file = file.to_ascii_lowercase();
    let file = file.strip_suffix(".gz").or_else(|| file.strip_suffix(".zst")).unwrap_or(&file);
    let host = match folders {
        [host] if file == "robots.txt" => host,
        [] if file != "robots.txt" => file.strip_suffix(".txt").unwrap_or(file),
        _ => return None,
    };
    if host.contains(['@', '?', '#', '\\']) {
        return None;
    }
    let of = |scheme: &str| site_of(&format!("{scheme}://{host}"));
    let both = [of("http")?, of("https")?];
    if both.iter().any(|of| of == site) {
        return Some(true);
    }
    // What is a name and perhaps not that of a host: `README`, `.list`, `e.com.txt.bak`, `e.com_old`, `e.com-robots`.
    let end = host.rsplit('.').next().unwrap_or_default();
    let is_other = host.contains('.') && !end.contains(['_', '-']) || host.contains(':') || end.starts_with("xn--");
    let is_doubtful = host.starts_with('.') || host.contains(".txt.");
    (is_other && !is_doubtful && end != "robots").then_some(false)
}

/// A part of a name that `batch` made of a URL.
fn unescaped(part: &str) -> Option<String> {
    let mut pieces = part.split('%');
    let mut bytes = pieces.next()?.as_bytes().to_vec();
    for piece in pieces {
        bytes.push(u8::from_str_radix(piece.get(..2)?, 16).ok()?);
        bytes.extend_from_slice(piece.get(2..)?.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

fn no_rows(name: &str, what: &str) -> Failure {
    Failure::Usage(format!("{name} {what}: make a census of it, with `robosieve census … -o crawl.ndjson.zst`"))
}

/// The first date in a name: `2026-01-31`, `2026-01` or `20260131`.
fn date_in(name: &str) -> Option<String> {
    let is_date = |text: &str| {
        let number = |from: usize, to: usize| text.get(from..to).and_then(|digits| digits.parse::<u32>().ok());
        let year = number(0, 4).is_some_and(|year| (1990..2200).contains(&year));
        let month = |from: usize| number(from, from.saturating_add(2)).is_some_and(|month| (1..=12).contains(&month));
        let day = |from: usize| number(from, from.saturating_add(2)).is_some_and(|day| (1..=31).contains(&day));
        match text.len() {
            10 => year && month(5) && day(8) && text.get(4..5) == Some("-") && text.get(7..8) == Some("-"),
            8 => year && month(4) && day(6),
            7 => year && month(5) && text.get(4..5) == Some("-"),
            _ => false,
        }
    };
    let starts = || (0..name.len()).filter(|at| !name.get(..*at).is_some_and(|before| before.ends_with(is_digit)));
    let ends_there = |at: usize, length: usize| {
        let end = at.saturating_add(length);
        let is_over = !name.get(end..)?.starts_with(is_digit);
        name.get(at..end).filter(|text| is_over && is_date(text))
    };
    let found = [10, 8, 7].into_iter().find_map(|length| starts().find_map(|at| ends_there(at, length)));
    found.map(|date| match (date.get(..4), date.get(4..6), date.get(6..8)) {
        (Some(year), Some(month), Some(day)) if date.len() == 8 => format!("{year}-{month}-{day}"),
        _ => date.to_owned(),
    })
}

fn is_digit(letter: char) -> bool {
    letter.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [history.at]
    #[test]
    fn a_file_is_named_after_a_site() {
        let (site, yes, no) = ("https://e.com", Some(true), Some(false));
        for (name, expected) in [
            ("e.com", yes),
            ("E.com.TXT", yes),
            ("e.com.txt.gz", yes),
            ("e.com.txt.zst", yes),
            ("e.com:443.txt", yes),
            ("e.com/robots.txt", yes),
            ("e.com/robots.txt.gz", yes),
            ("https/e.com/robots.txt", yes),
            ("https/e.com%3A443/robots.txt", yes),
            ("f.com.txt", no),
            ("www.e.com.txt", no),
            ("e.com:8080.txt", no),
            ("[::1].txt", no),
            ("b\u{fc}cher.example.txt", no),
            ("http/e.com/robots.txt", no),
            ("https/e.com%3A8080/robots.txt", no),
            ("https/e.com/a@/robots.txt", no),
            ("https/e.com/robots.txt%3Fa", no),
            ("https/%2/robots.txt", None),
            ("README", None),
            (".list", None),
            ("robots.txt", None),
            ("robots.txt.gz", None),
            ("e.com.txt.bz2", None),
            ("e.com_robots.txt", None),
            ("e.com-robots.txt", None),
            ("e.com.robots.txt", None),
            ("x@e.com.txt", None),
            ("e.com/index.html", None),
            ("a/b/e.com.txt", None),
            ("e com.txt", None),
        ] {
            assert_eq!(is_named_after(Path::new(name), site), expected, "{name}");
        }
        assert_eq!(is_named_after(Path::new("e.com.txt"), "http://e.com"), yes);
        assert_eq!(is_named_after(Path::new("e.com.txt"), "https://e.com:8080"), no);
        assert_eq!(is_named_after(Path::new("https/e.com%3A8080/robots.txt"), "https://e.com:8080"), yes);
        assert_eq!(is_named_after(Path::new("localhost.txt"), "http://localhost"), yes);
    }

    /// [history.crawls]
    #[test]
    fn a_name_may_have_a_date() {
        for (name, date) in [
            ("2026-01-31", Some("2026-01-31")),
            ("crawl-2026-01-31.txt", Some("2026-01-31")),
            ("cc-2026-01.d", Some("2026-01")),
            ("robots_20260131.txt", Some("2026-01-31")),
            ("robots_202601311.txt", None),
            ("2026-13-01", None),
            ("1026-01", None),
            ("e\u{e4}-2026-01", Some("2026-01")),
            ("monday", None),
            ("", None),
        ] {
            assert_eq!(date_in(name).as_deref(), date, "{name}");
        }
    }
}
