//! The words of X-Robots-Tag and of the robots meta tag: which there are, what they mean, to whom, and who says so.
//!
//! Invariant: this table is the only place that knows a word. Each row has the page that defines it, and when that page
//! was read or written.

use robosieve::parts::is_one_edit;
use robosieve::values::Purpose;

use crate::uses::{Amount, Use};

/// A word, and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Directive {
    /// The word, in lower case.
    pub name: &'static str,
    /// What it means.
    pub meaning: Meaning,
    /// The page that says so.
    pub source: &'static str,
    /// The date of the page, or the one when it was read.
    pub date: &'static str,
}

/// What a word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Meaning {
    /// It allows these uses.
    Allows(&'static [Use]),
    /// It forbids these uses.
    Forbids(&'static [Forbidden]),
    /// A number follows, after a colon. `-1` is no limit.
    Number(Amount),
    /// The size of a preview follows, after a colon.
    Image,
    /// A date follows, after a colon. From then on the page may not be shown.
    Date,
    /// Nothing that is answered here: it is known, and is neither an error nor the name of a crawler.
    Nothing,
}

/// A use that a word forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Forbidden {
    /// The use.
    pub what: Use,
    /// The crawlers whose owners say so. Empty: all.
    pub only: &'static [&'static str],
}

const GOOGLE: &str = "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag";
const BING: &str = "https://www.bing.com/webmasters/help/which-robots-metatags-does-bing-support-5198d240";
const BING_CHAT: &str = "https://blogs.bing.com/webmaster/september-2023/\
    Announcing-new-options-for-webmasters-to-control-usage-of-their-content-in-Bing-Chat";
const NOAI: &str =
    "https://www.deviantart.com/team/journal/UPDATE-All-Deviations-Are-Opted-Out-of-AI-Datasets-934500371";
const YAHOO: &str = "https://searchengineland.com/\
    yahoo-provides-noydir-opt-out-of-yahoo-directory-titles-descriptions-10631";
const MOJEEK: &str = "https://noml.info/";
const YANDEX: &str = "https://yandex.com/support/webmaster/controlling-robot/meta-robots.html";
const READ: &str = "2026-11-27";

const TRAINING: Use = Use::Of(Purpose::AiTraining);
const AI_USE: Use = Use::Of(Purpose::AiUse);
const SEARCH: Use = Use::Of(Purpose::Search);

const fn to_all(what: Use) -> Forbidden {
    Forbidden { what, only: &[] }
}

const fn to(only: &'static [&'static str], what: Use) -> Forbidden {
    Forbidden { what, only }
}

const fn row(name: &'static str, meaning: Meaning, source: &'static str, date: &'static str) -> Directive {
    Directive { name, meaning, source, date }
}

/// What `noindex` forbids, and a date that is past.
pub(crate) const NOINDEX: &[Forbidden] = &[to_all(Use::Index), to_all(SEARCH)];
/// What `nosnippet` forbids, and `max-snippet:0`. Google also takes it as no to answers of AI.
pub(crate) const NOSNIPPET: &[Forbidden] = &[to_all(Use::Snippet), to(&["googlebot"], AI_USE)];

const DIRECTIVES: &[Directive] = {
    use Meaning::{Allows, Date, Forbids, Image, Nothing, Number};
    &[
        row("all", Allows(&[Use::Index, Use::Follow]), GOOGLE, READ),
        row("index", Allows(&[Use::Index]), BING, READ),
        row("follow", Allows(&[Use::Follow]), BING, READ),
        row("noindex", Forbids(NOINDEX), GOOGLE, READ),
        row("nofollow", Forbids(&[to_all(Use::Follow)]), GOOGLE, READ),
        row("none", Forbids(&[to_all(Use::Index), to_all(SEARCH), to_all(Use::Follow)]), GOOGLE, READ),
        row(
            "noarchive",
            // To Amazon it is no to training: https://developer.amazon.com/amazonbot
            Forbids(&[to_all(Use::Archive), to(&["bingbot", "amazonbot"], TRAINING), to(&["bingbot"], AI_USE)]),
            BING_CHAT,
            "2023-09-22",
        ),
        row("nocache", Forbids(&[to_all(Use::Archive), to(&["bingbot"], TRAINING)]), BING_CHAT, "2023-09-22"),
        row("nosnippet", Forbids(NOSNIPPET), GOOGLE, READ),
        row("noimageindex", Forbids(&[to_all(Use::ImageIndex)]), GOOGLE, READ),
        row("notranslate", Forbids(&[to_all(Use::Translate)]), GOOGLE, READ),
        row("max-snippet", Number(Amount::Snippet), GOOGLE, READ),
        row("max-video-preview", Number(Amount::VideoPreview), GOOGLE, READ),
        row("max-image-preview", Image, GOOGLE, READ),
        row("unavailable_after", Date, GOOGLE, READ),
        row("indexifembedded", Nothing, GOOGLE, READ),
        row("nositelinkssearchbox", Nothing, GOOGLE, READ),
        row("noodp", Nothing, BING, READ),
        row("noydir", Nothing, YAHOO, "2007-02-28"),
        row("archive", Allows(&[Use::Archive]), YANDEX, READ),
        row("noyaca", Nothing, YANDEX, READ),
        // The images of a page are a part of it, so that a page with `noimageai` is none to train with.
        row("noai", Forbids(&[to_all(TRAINING)]), NOAI, "2022-11-11"),
        row("noimageai", Forbids(&[to_all(TRAINING)]), NOAI, "2022-11-11"),
        row("noml", Forbids(&[to_all(TRAINING)]), MOJEEK, "2023-10-25"),
    ]
};

impl Directive {
    /// All words.
    ///
    /// ```
    /// use robosieve_signals::Directive;
    /// assert!(Directive::all().all(|one| one.source.starts_with("https://") && one.date.len() == 10));
    /// ```
    pub fn all() -> impl Iterator<Item = &'static Self> {
        DIRECTIVES.iter()
    }

    /// The word with this name, also if it has an underscore for a hyphen, or a hyphen for an underscore.
    pub(crate) fn meant(name: &[u8]) -> Option<&'static Self> {
        let plain = |byte: &u8| if *byte == b'_' { b'-' } else { byte.to_ascii_lowercase() };
        Self::all().find(|one| one.name.as_bytes().iter().map(plain).eq(name.iter().map(plain)))
    }

    /// Whether a name is such a word, or one letter away from one: no crawler has it.
    pub(crate) fn is_near(name: &[u8]) -> bool {
        /// A shorter word is one letter away from many names. Our choice.
        const SHORTEST: usize = 6;
        let is_slip = |known: &str| known.len() >= SHORTEST && is_one_edit(known.as_bytes(), name);
        Self::meant(name).is_some() || Self::all().any(|one| is_slip(one.name))
    }

    /// The word with this name, in any case.
    #[must_use]
    pub fn find(name: &[u8]) -> Option<&'static Self> {
        Self::all().find(|one| one.name.as_bytes().eq_ignore_ascii_case(name))
    }
}
