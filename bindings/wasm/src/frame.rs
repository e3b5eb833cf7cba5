//! The input of a call: pairs of a name and a value.
//!
//! Invariant: each text is its length in four bytes, little-endian, and its bytes. A frame that ends early ends there:
//! nothing is read beyond it.

/// The pairs of a call.
pub(crate) struct Frame<'f>(Vec<(&'f str, &'f [u8])>);

impl<'f> Frame<'f> {
    pub(crate) fn new(bytes: &'f [u8]) -> Self {
        let mut rest = bytes;
        let mut pairs = Vec::new();
        while let (Some(name), Some(value)) = (text(&mut rest), text(&mut rest)) {
            pairs.push((str::from_utf8(name).unwrap_or_default(), value));
        }
        Self(pairs)
    }

    /// All values with this name.
    pub(crate) fn all<'n>(&'n self, name: &'n str) -> impl Iterator<Item = &'f [u8]> + 'n {
        self.0.iter().filter(move |pair| pair.0 == name).map(|pair| pair.1)
    }

    /// The value with this name, or nothing.
    pub(crate) fn bytes(&self, name: &str) -> &'f [u8] {
        self.all(name).next().unwrap_or_default()
    }

    /// The value with this name, if it was given. JavaScript encodes all texts in UTF-8.
    pub(crate) fn text(&self, name: &str) -> Option<&'f str> {
        self.all(name).next().and_then(|value| str::from_utf8(value).ok())
    }

    #[cfg(any(feature = "full", feature = "gate"))]
    /// All texts with this name.
    pub(crate) fn texts<'n>(&'n self, name: &'n str) -> impl Iterator<Item = &'f str> + 'n {
        self.all(name).filter_map(|value| str::from_utf8(value).ok())
    }
}

/// Takes a text off the front.
fn text<'f>(rest: &mut &'f [u8]) -> Option<&'f [u8]> {
    let (length, behind) = rest.split_first_chunk::<4>()?;
    let (text, behind) = behind.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
    *rest = behind;
    Some(text)
}
