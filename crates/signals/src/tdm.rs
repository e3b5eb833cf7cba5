//! Reads `TDMRep`: the header and meta tag `tdm-reservation`, and `/.well-known/tdmrep.json`.
//!
//! Invariant: only `0` says that no right is reserved. Every other value, and a file that cannot be read, reserves.

use robosieve::path::{PathForm, PathPattern, UrlPath};
use robosieve::value::Purpose;
use serde_json::Value;

use crate::finding::FindingKind;
use crate::record::{Record, Words};
use crate::statement::{Place, Said, Source};
use crate::uses::Use;

const RESERVATION: &str = "tdm-reservation";

/// Reads the value of `tdm-reservation`, in a header or a meta tag.
pub(crate) fn reservation(value: &[u8], at: Place, may_allow: bool, record: &mut Record) {
    let value = value.trim_ascii();
    let text = [b"tdm-reservation: ", value].concat();
    say(value, Words { at, may_allow, is_preference: false, text: &text }, record);
}

fn say(value: &[u8], words: Words<'_>, record: &mut Record) {
    if !matches!(value, b"0" | b"1") {
        record.find(FindingKind::Malformed, words.at, words.text);
    }
    if value == b"0" {
        record.say(words, Said::Yes(Use::Tdm));
    } else {
        // To train a model is to mine text and data; that mining is not reserved allows no training.
        record.say(words, Said::No(Use::Tdm));
        record.say(words, Said::No(Use::Of(Purpose::AiTraining)));
    }
}

/// Reads so many rules of the file at most, for one URL. Of those whose location matches, the first one counts.
pub(crate) fn file(bytes: &[u8], url: &[u8], most: usize, record: &mut Record) {
    let whole = Place::new(Source::Tdmrep, 0);
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let rules = match serde_json::from_slice(bytes) {
        Ok(Value::Array(rules)) => rules,
        // Some write the one rule alone.
        Ok(rule @ Value::Object(_)) => {
            record.find(FindingKind::Malformed, whole, b"tdmrep.json");
            vec![rule]
        }
        // A page that says that there is no file reserves nothing.
        _ if !bytes.windows(RESERVATION.len()).any(|part| part == RESERVATION.as_bytes()) => return,
        _ => {
            return say(
                b"tdmrep.json",
                Words { at: whole, may_allow: false, is_preference: false, text: b"tdmrep.json" },
                record,
            );
        }
    };
    let path = UrlPath::of(url, PathForm::default());
    for (place, rule) in rules.iter().enumerate() {
        let at = Place::new(Source::Tdmrep, place.saturating_add(1));
        if place >= most {
            return record.cut(at, b"tdmrep.json");
        }
        let value = match rule.get(RESERVATION) {
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::String(text)) => text.trim_ascii().to_owned(),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        let location = rule.get("location").and_then(Value::as_str).filter(|location| location.starts_with(['/', '*']));
        let (text, may_allow) = match location {
            Some(location) if !PathPattern::new(location.as_bytes(), PathForm::default()).matches(&path) => continue,
            Some(location) => (format!("{location} tdm-reservation: {value}"), true),
            // A rule for no path may be meant for each.
            None => (format!("tdm-reservation: {value}"), false),
        };
        if !may_allow {
            record.find(FindingKind::Malformed, at, text.as_bytes());
        }
        say(value.as_bytes(), Words { at, may_allow, is_preference: false, text: text.as_bytes() }, record);
        if may_allow {
            break;
        }
    }
}
