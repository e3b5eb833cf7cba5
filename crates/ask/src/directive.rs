//! A directive of the caller's own.
//!
//! Invariant: the library knows what a name is. Only the form `NAME[:record|file][:text|path]` is read here.

use std::str::FromStr;

use robosieve::settings::{ConfigError, DirectiveScope, Leniency, Vocabulary};

/// A directive of the caller's own: `NAME[:record|file][:text|path]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnDirective {
    name: String,
    scope: DirectiveScope,
    is_path: bool,
}

impl OwnDirective {
    /// Adds the directive to a vocabulary.
    ///
    /// # Errors
    /// If the vocabulary has the name for something else.
    pub fn add_to(&self, words: Vocabulary) -> Result<Vocabulary, ConfigError> {
        let add = if self.is_path { Vocabulary::with_path_directive } else { Vocabulary::with_directive };
        add(words, &self.name, self.scope)
    }
}

impl FromStr for OwnDirective {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default().to_owned();
        let mut own = Self { name, scope: DirectiveScope::Record, is_path: false };
        for part in parts {
            match part {
                "record" => own.scope = DirectiveScope::Record,
                "file" => own.scope = DirectiveScope::File,
                "text" => own.is_path = false,
                "path" => own.is_path = true,
                _ => {
                    return Err("write NAME, NAME:record or NAME:file; add :path if its value is a path".into());
                }
            }
        }
        own.add_to(Vocabulary::new(Leniency::Strict)).map_err(|error| error.to_string())?;
        Ok(own)
    }
}
