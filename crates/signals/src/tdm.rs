//! Reads `TDMRep`: the header and meta tag `tdm-reservation`, and `/.well-known/tdmrep.json`.
//!
//! Invariant: only `0` says that no right is reserved. Every other value, and a file that cannot be read, reserves.

use std::fmt;

use robosieve::records::PathPattern;
use robosieve::settings::PathForm;
use robosieve::values::Purpose;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
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
    reserve(value, words, record);
}

fn reserve(value: &[u8], words: Words<'_>, record: &mut Record) {
    if value == b"0" {
        record.say(words, Said::Yes(Use::Tdm));
    } else {
        // To train a model is to mine text and data; that mining is not reserved allows no training.
        record.say(words, Said::No(Use::Tdm));
        record.say(words, Said::No(Use::Of(Purpose::AiTraining)));
    }
}

/// An object of JSON, with all its members: of two with one name the stricter one counts.
struct Members(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a rule")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut all = Vec::new();
                while let Some(member) = map.next_entry()? {
                    all.push(member);
                }
                Ok(Members(all))
            }
        }
        deserializer.deserialize_map(All)
    }
}

impl Members {
    fn all(&self, name: &str) -> impl Iterator<Item = &Value> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value)
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Rule {
    Members(Members),
    Other(IgnoredAny),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum File {
    Rules(Vec<Rule>),
    // Some write the one rule alone.
    Rule(Members),
}

/// Reads so many rules of the file at most, for one URL. Of those whose location matches, the first one counts. After a
/// rule that is not well written nothing is allowed, since that rule may have been meant for the page.
pub(crate) fn file(bytes: &[u8], url: &[u8], most: usize, record: &mut Record) {
    let whole = Place::new(Source::Tdmrep, 0);
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let (rules, mut is_sure) = match serde_json::from_slice(bytes) {
        Ok(File::Rules(rules)) => (rules, true),
        Ok(File::Rule(rule)) => {
            record.find(FindingKind::Malformed, whole, b"tdmrep.json");
            (vec![Rule::Members(rule)], false)
        }
        // A page that says that there is no file reserves nothing.
        Err(_) if !bytes.windows(RESERVATION.len()).any(|part| part == RESERVATION.as_bytes()) => return,
        Err(_) => {
            let words = Words { at: whole, may_allow: false, is_preference: false, text: b"tdmrep.json" };
            return say(b"tdmrep.json", words, record);
        }
    };
    for (place, rule) in rules.iter().enumerate() {
        let at = Place::new(Source::Tdmrep, place.saturating_add(1));
        if place >= most {
            return record.cut(at, b"tdmrep.json");
        }
        // What is no object has no members, and reserves.
        let nothing = Members(Vec::new());
        let rule = if let Rule::Members(rule) = rule { rule } else { &nothing };
        let locations: Vec<&str> = rule.all("location").filter_map(Value::as_str).collect();
        let is_path = |one: &&str| one.starts_with(['/', '*']);
        let matches =
            |one: &str| PathPattern::new(one.as_bytes(), PathForm::default()).matches(url, PathForm::default());
        let is_located = !locations.is_empty() && locations.iter().all(is_path);
        if is_located && !locations.iter().any(|one| matches(one)) {
            continue;
        }
        for policy in rule.all("tdm-policy").filter_map(Value::as_str) {
            record.license(at, policy.as_bytes(), None);
        }
        let values: Vec<&Value> = rule.all(RESERVATION).collect();
        let text = |value: &str| format!("{} tdm-reservation: {value}", locations.join(" ")).trim_ascii().to_owned();
        // A rule for no path may be meant for each.
        let is_well_written = is_located
            && rule.all("location").count() == 1
            && matches!(&*values, [Value::Number(one)] if one.as_u64().is_some_and(|one| one < 2));
        is_sure &= is_well_written;
        if !is_well_written {
            record.find(FindingKind::Malformed, at, text("").as_bytes());
        }
        for value in values.iter().map(ToString::to_string).chain(values.is_empty().then(String::new)) {
            let text = text(&value);
            let value = if value == "\"0\"" { "0" } else { &value };
            let words = Words { at, may_allow: is_sure, is_preference: false, text: text.as_bytes() };
            reserve(value.as_bytes(), words, record);
        }
        if is_located {
            break;
        }
    }
}
