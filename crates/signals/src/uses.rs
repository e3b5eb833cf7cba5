//! What can be done with a page: the uses that are answered, and the amounts that are limited.
//!
//! Invariant: a use that the library has a name for is the library's ([`Purpose`]), so `usage` and this crate say the
//! same word.

use std::fmt;

use robosieve::records::Directive;
use robosieve::values::{Label, Purpose};
use serde::{Serialize, Serializer};

/// A use of a page.
///
/// ```
/// use robosieve_signals::Use;
/// let names: Vec<&str> = Use::ALL.iter().map(|one| one.as_str()).collect();
/// assert_eq!(names[..3], ["fetch", "index", "follow"]);
/// assert_eq!(names[8..], ["ai-training", "ai-use", "search"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Use {
    /// To fetch it: what robots.txt says.
    Fetch,
    /// To show it among the results of a search.
    Index,
    /// To follow its links.
    Follow,
    /// To keep a copy that others can see.
    Archive,
    /// To show a part of its text.
    Snippet,
    /// To index its images.
    ImageIndex,
    /// To offer a translation of it.
    Translate,
    /// To mine its text and data: `TDMRep`.
    Tdm,
    /// A use that Content-Usage and Content-Signal have a label for. [`Purpose::Extent`] is no yes or no, and is among
    /// the [`Amount`]s.
    Of(Purpose),
}

impl Use {
    /// All of them, in the order of an answer.
    pub const ALL: [Self; 11] = [
        Self::Fetch,
        Self::Index,
        Self::Follow,
        Self::Archive,
        Self::Snippet,
        Self::ImageIndex,
        Self::Translate,
        Self::Tdm,
        Self::Of(Purpose::AiTraining),
        Self::Of(Purpose::AiUse),
        Self::Of(Purpose::Search),
    ];

    /// The stable name, as in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fetch => "fetch",
            Self::Index => "index",
            Self::Follow => "follow",
            Self::Archive => "archive",
            Self::Snippet => "snippet",
            Self::ImageIndex => "image-index",
            Self::Translate => "translate",
            Self::Tdm => "tdm",
            Self::Of(purpose) => purpose.as_str(),
        }
    }
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for Use {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// An amount that a page limits. Of two limits the smaller one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Amount {
    /// The characters of a snippet.
    Snippet,
    /// The seconds of a preview of a video.
    VideoPreview,
    /// The size of the preview of an image: a place in [`Amount::IMAGES`].
    ImagePreview,
    /// The extent of use: a place among the values of its label in the library, the strictest first.
    Extent,
}

impl Amount {
    /// The sizes of the preview of an image, the smallest first.
    pub const IMAGES: [&'static str; 3] = ["none", "standard", "large"];
    /// No limit, of characters and seconds: `-1` where it is written.
    pub const UNLIMITED: u32 = u32::MAX;

    /// The place of a size among [`Amount::IMAGES`].
    pub(crate) fn image(size: &[u8]) -> Option<u32> {
        let place = Self::IMAGES.iter().position(|known| known.as_bytes().eq_ignore_ascii_case(size));
        place.and_then(|place| u32::try_from(place).ok())
    }

    /// The names of the places, the strictest first. None for an amount that is a number.
    pub(crate) fn names(self) -> &'static [&'static str] {
        match self {
            Self::Snippet | Self::VideoPreview => &[],
            Self::ImagePreview => &Self::IMAGES,
            Self::Extent => {
                let mut labels = Label::current(Directive::ContentSignal);
                labels.find(|label| label.purpose == Some(Purpose::Extent)).map_or(&[], |label| label.values)
            }
        }
    }

    /// Whether so much is no limit, but the largest amount that can be said.
    pub(crate) fn is_largest(self, amount: u32) -> bool {
        amount == Self::UNLIMITED
            || u32::try_from(self.names().len()).is_ok_and(|names| amount.saturating_add(1) == names)
    }
}

/// The answer for a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Allowed {
    /// A source allows it, and none forbids it.
    Yes,
    /// A source forbids it.
    No,
    /// No source says anything of it.
    Unsaid,
}

impl Allowed {
    /// The stable name, as in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Unsaid => "unsaid",
        }
    }
}
