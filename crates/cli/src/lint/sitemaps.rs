//! `lint --sitemap`: the URLs of sitemaps, from files.
//!
//! Invariant: nothing is fetched. A sitemap that an index names is read only if a file of that name is next to the index,
//! and one that is an index itself is not, so nothing is read twice. What is not read is reported.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use quick_xml::Reader;
use quick_xml::events::{BytesRef, Event};
use robosieve::printable::escape_short;
use robosieve::settings::Options;
use robosieve::value::HttpUrl;
use robosieve_batch::stream;
use robosieve_explain::{Linted, SitemapUrls};

use crate::args::LintArgs;
use crate::exit::{self, Code, Failure};
use crate::input::{self, Folders, Input};
use crate::text::{counted, escape, name_of};

/// The size of a sitemap, unpacked: 50 MiB, as sitemaps.org has it.
const MAX_BYTES: usize = 50 << 20;
/// The URLs of a sitemap, and the sitemaps of an index: 50,000, as sitemaps.org has it.
const MAX_URLS: usize = 50_000;
/// The length of a URL. sitemaps.org has 2,048.
const MAX_URL: usize = 2_048;
/// The sitemaps of an index that are reported because they cannot be read. Our choice.
const MAX_TOLD: usize = 10;

/// Checks that the sitemaps are there, and that they are of one robots.txt.
pub(super) fn expect_one(args: &LintArgs, files: &[PathBuf]) -> Result<(), Failure> {
    if args.sitemaps.is_empty() {
        return Ok(());
    }
    if files.len() != 1 || files.iter().any(|file| file.is_dir()) {
        let message = "--sitemap is of one site: name one robots.txt file";
        return Err(Failure::Usage(message.into()));
    }
    input::once(files.iter().chain(&args.sitemaps).map(|file| input::is_stdin(file)))?;
    input::expect_there(&args.sitemaps, Folders::Refused)
}

/// Adds what the file closes of the sitemaps. The code is that of sitemaps that cannot be read.
pub(super) fn add(args: &LintArgs, input: &Input, linted: &mut Linted<'_>) -> Result<Code, Failure> {
    let refused = |refused| Failure::refused(&input.name, refused);
    let urls = SitemapUrls::new(&input.bytes, &Options::default(), args.base_url.as_ref()).map_err(refused)?;
    let mut walk = Walk { urls, code: Code::Fine, told: 0 };
    for path in &args.sitemaps {
        walk.named(path);
    }
    let (seen, elsewhere) = (walk.urls.seen(), walk.urls.elsewhere());
    if seen == 0 && walk.code == Code::Fine {
        exit::tell("the sitemaps have no URL");
    } else if elsewhere > 0 {
        let count = counted(elsewhere, "URL", "URLs");
        exit::tell(&format!(
            "{count} of the sitemaps: no URL of the site, so the file says nothing of it; the site is that of --base-url, or \
             else of the first URL"
        ));
    }
    linted.add_sitemap_urls(&walk.urls);
    Ok(walk.code)
}

/// The sitemaps, one after the other.
struct Walk<'a> {
    urls: SitemapUrls<'a>,
    code: Code,
    told: usize,
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Urls,
    Index,
}

impl Walk<'_> {
    /// A file of the command line.
    fn named(&mut self, path: &Path) {
        let name = name_of(path);
        let Some(bytes) = self.read(path) else { return };
        let mut below = Vec::new();
        let read = each(&bytes, |kind, url| match kind {
            Kind::Urls => self.urls.add(url, &name),
            Kind::Index => below.push(file_of(url)),
        });
        self.told(&name, read);
        drop(bytes);
        self.told = 0;
        let mut seen = BTreeSet::new();
        for file in below {
            let Some(file) = file else {
                self.missing(&name, "an address in it ends in no name of a file");
                continue;
            };
            if !seen.insert(file.clone()) {
                continue;
            }
            let path = if input::is_stdin(path) { PathBuf::from(&file) } else { path.with_file_name(&file) };
            if fs::metadata(&path).is_ok_and(|found| found.is_file()) {
                self.of_index(&path);
            } else {
                self.missing(&name, &format!("{} is not next to it", escape(file.as_bytes())));
            }
        }
        if self.told > MAX_TOLD {
            exit::tell(&format!("{name}: {} more of its sitemaps were not read", self.told.saturating_sub(MAX_TOLD)));
        }
    }

    /// A sitemap that an index names.
    fn of_index(&mut self, path: &Path) {
        let name = name_of(path);
        let Some(bytes) = self.read(path) else { return };
        let mut is_index = false;
        let read = each(&bytes, |kind, url| match kind {
            Kind::Urls => self.urls.add(url, &name),
            Kind::Index => is_index = true,
        });
        if is_index {
            self.missing(&name, "an index in an index is not read: name it with --sitemap");
        }
        self.told(&name, read);
    }

    fn read(&mut self, path: &Path) -> Option<Vec<u8>> {
        match read(path) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                self.code = self.code.and(Failure::file(path, &error, input::what_to_do(&error)).tell());
                None
            }
        }
    }

    /// Reports why a file was not read to its end.
    fn told(&mut self, name: &str, read: Result<(), String>) {
        if let Err(why) = read {
            self.fail(&format!("{name}: {why}"));
        }
    }

    fn missing(&mut self, name: &str, why: &str) {
        self.told = self.told.saturating_add(1);
        if self.told <= MAX_TOLD {
            exit::tell(&format!("{name}: {why}"));
        }
        self.code = self.code.and(Code::Failed);
    }

    fn fail(&mut self, message: &str) {
        exit::tell(message);
        self.code = self.code.and(Code::Failed);
    }
}

/// The bytes of a sitemap, unpacked, and a few more than may be read.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file: Box<dyn io::Read + Send> =
        if input::is_stdin(path) { Box::new(io::stdin()) } else { Box::new(File::open(path)?) };
    stream::read_within(stream::unpacked(file)?, MAX_BYTES)
}

/// The name of the file at the end of a URL. None if it is no name of a file in a folder.
fn file_of(url: &str) -> Option<String> {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let file = path.rsplit_once('/').map_or(path, |(_, file)| file);
    let is_name = !matches!(file, "" | "." | "..") && !file.contains(['\\', ':', '\0']) && file.len() <= 255;
    is_name.then(|| file.to_owned())
}

/// Gives each URL of a sitemap or an index: a line of a text, or the text of `loc` in `url` or `sitemap`, below the root.
fn each(bytes: &[u8], mut each: impl FnMut(Kind, &str)) -> Result<(), String> {
    let front = bytes.get(..MAX_BYTES).unwrap_or(bytes);
    let front = front.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(front);
    let is_url = |scheme: &[u8]| {
        front.trim_ascii_start().get(..scheme.len()).is_some_and(|front| front.eq_ignore_ascii_case(scheme))
    };
    if [&b"http://"[..], b"https://"].into_iter().any(is_url) {
        return each_line(front, bytes.len() > MAX_BYTES, |url| each(Kind::Urls, url));
    }
    let mut reader = Reader::from_reader(front);
    let (mut depth, mut count) = (0_usize, 0_usize);
    let (mut kind, mut is_entry, mut is_empty) = (None, false, false);
    let mut text: Option<String> = None;
    let is_cut = bytes.len() > MAX_BYTES;
    let broken = |reader: &Reader<&[u8]>, why: &dyn Display| {
        if is_cut {
            return format!("has more than {MAX_BYTES} bytes: the others were not read");
        }
        let why = escape(why.to_string().as_bytes());
        format!("is not whole XML: {why}, before byte {}; the part before it was read", reader.buffer_position())
    };
    loop {
        let event = reader.read_event().map_err(|error| broken(&reader, &error))?;
        match event {
            Event::Start(tag) => {
                depth = depth.saturating_add(1);
                let name = tag.local_name();
                match (depth, kind) {
                    (1, _) => {
                        kind = match name.as_ref() {
                            b"urlset" => Some(Kind::Urls),
                            b"sitemapindex" => Some(Kind::Index),
                            other => return Err(not_one(other)),
                        }
                    }
                    (2, Some(Kind::Urls)) => is_entry = name.as_ref() == b"url",
                    (2, Some(Kind::Index)) => is_entry = name.as_ref() == b"sitemap",
                    (3, _) if is_entry && name.as_ref() == b"loc" => text = Some(String::new()),
                    _ => {}
                }
            }
            Event::Empty(tag) if depth == 0 => match tag.local_name().as_ref() {
                b"urlset" | b"sitemapindex" => is_empty = true,
                other => return Err(not_one(other)),
            },
            Event::End(_) => {
                if let (3, Some(kind), Some(url)) = (depth, kind, text.take_if(|_| depth == 3)) {
                    let url = Some(url.trim_end()).filter(|url| url.len() <= MAX_URL).unwrap_or_default();
                    count = count.saturating_add(1);
                    if count > MAX_URLS {
                        return Err(format!("has more than {MAX_URLS} entries: the others were not read"));
                    }
                    each(kind, url);
                }
                depth = depth.saturating_sub(1);
            }
            Event::Text(part) => push(&mut text, &part.decode().map_err(|error| broken(&reader, &error))?),
            Event::CData(part) => push(&mut text, &part.decode().map_err(|error| broken(&reader, &error))?),
            Event::GeneralRef(name) => {
                if let Some(known) = text.as_ref().map(|_| character(&name)) {
                    let Some(known) = known else {
                        return Err(broken(&reader, &"a URL has an entity that XML does not define"));
                    };
                    push(&mut text, known.encode_utf8(&mut [0; 4]));
                }
            }
            Event::Eof if is_cut || depth > 0 => return Err(broken(&reader, &"it ends too early")),
            Event::Eof if kind.is_none() && !is_empty => return Err("is no sitemap: it has no element".into()),
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

/// Gives each URL of a text: one on each line.
fn each_line(text: &[u8], is_cut: bool, mut each: impl FnMut(&str)) -> Result<(), String> {
    let mut count = 0_usize;
    // Lines end with CR only where none ends with LF.
    let end = if text.contains(&b'\n') { b'\n' } else { b'\r' };
    for (number, line) in (1_u64..).zip(text.split(|byte| *byte == end)) {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        count = count.saturating_add(1);
        if count > MAX_URLS {
            return Err(format!("has more than {MAX_URLS} entries: the others were not read"));
        }
        // Two URLs in a line are none.
        let is_one =
            |url: &&str| HttpUrl::read(url).is_some() && !url.contains(|c: char| c.is_whitespace() || c.is_control());
        let url = str::from_utf8(line).ok().filter(is_one);
        let Some(url) = url else {
            let line = escape_short(line);
            return Err(format!("line {number}, `{line}`, is not an http or https URL; the part before it was read"));
        };
        each(Some(url).filter(|url| url.len() <= MAX_URL).unwrap_or_default());
    }
    if is_cut { Err(format!("has more than {MAX_BYTES} bytes: the others were not read")) } else { Ok(()) }
}

fn not_one(root: &[u8]) -> String {
    let root = escape_short(root);
    format!("is no sitemap: its root is <{root}>, and not <urlset> or <sitemapindex>")
}

/// Adds text to a URL that is open, up to one character more than a URL has.
fn push(text: &mut Option<String>, part: &str) {
    let Some(text) = text else { return };
    let part = if text.is_empty() { part.trim_start() } else { part };
    let room = MAX_URL.saturating_add(1).saturating_sub(text.len());
    text.extend(part.chars().take(room));
}

/// The character that an entity stands for: one of XML's five, or a number.
fn character(name: &BytesRef<'_>) -> Option<char> {
    match name.resolve_char_ref() {
        Ok(Some(one)) => Some(one),
        Ok(None) => match &**name {
            b"amp" => Some('&'),
            b"lt" => Some('<'),
            b"gt" => Some('>'),
            b"quot" => Some('"'),
            b"apos" => Some('\''),
            _ => None,
        },
        Err(_) => None,
    }
}
