//! What is worth knowing about a source: what was not understood, not read, or said twice.
//!
//! Invariant: a kind has one name and one text.

use serde::{Serialize, Serializer};

use crate::statement::Place;

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $kind:ident => $name:literal, $words:literal;)+) => {
        /// What was found.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum FindingKind { $($(#[doc = $doc])+ $kind),+ }

        impl FindingKind {
            /// The stable name, as in JSON.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$kind => $name),+ }
            }

            /// For people.
            #[must_use]
            pub const fn words(self) -> &'static str {
                match self { $(Self::$kind => $words),+ }
            }
        }
    };
}

kinds! {
    /// A value that is not written as its document says. What it forbids counts, what it allows does not.
    Malformed => "malformed", "is not written as its document says: only what it forbids counts";
    /// A word that no document of the table has.
    Unknown => "unknown", "is a word without a meaning";
    /// A name of a crawler after other words of a header.
    AmbiguousAgent => "ambiguous-agent", "names a crawler after other words: what follows is read for both";
    /// A date that cannot be read. It counts as past.
    UnreadableDate => "unreadable-date", "is a date that cannot be read, and counts as past";
    /// A date without a time zone. It counts from where the day begins first.
    DateWithoutZone => "date-without-zone", "is a date without a time zone, and counts from where it begins first";
    /// An element after the end of the HTML head. What it forbids counts.
    AfterHead => "after-head", "stands after the end of the HTML head: only what it forbids counts";
    /// An element that only some readers see: in `noscript`, or in an image in the HTML. What it forbids counts.
    Aside => "aside", "is seen by some readers of HTML only: only what it forbids counts";
    /// An element, a tag or a comment of the HTML that does not end. What follows in it is not read.
    Unclosed => "unclosed", "does not end: what follows in the HTML is not read, and nothing counts as allowed";
    /// More than a limit allows to read. Nothing is allowed then.
    Cut => "cut", "is more than a limit allows to read: nothing counts as allowed";
    /// Words of a page that robots.txt closes: nobody who obeys it reads them.
    Unseen => "unseen", "is not seen by who obeys robots.txt, which closes the page";
    /// Two sources that say the opposite. The one that forbids counts.
    Contradiction => "contradiction", "is allowed elsewhere: what forbids counts";
    /// The body after the headers of a response, if the page was not given as HTML.
    Body => "body", "follows the headers and is not read: give it as HTML";
}

impl FindingKind {
    /// Whether it says something of the whole answer. Such a finding is listed before others.
    pub(crate) const fn is_of_all(self) -> bool {
        matches!(self, Self::Cut | Self::Unclosed | Self::Unseen | Self::Contradiction)
    }
}

impl Serialize for FindingKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// What it is.
    pub kind: FindingKind,
    /// Where it stands.
    #[serde(flatten)]
    pub at: Place,
    /// The words that it is about, escaped and cut; or the name of a use.
    pub text: String,
}

impl Finding {
    /// For people: ``html 3: `noindexx` is a word without a meaning``.
    #[must_use]
    pub fn words(&self) -> String {
        format!("{}: `{}` {}", self.at, self.text, self.kind.words())
    }
}
