//! [`Settings`]: the options that a caller made.
//!
//! Invariant: an option that was not given is not here, so a request's options are laid over those of the command line,
//! and all of them over the dialect's. A value is JSON, also that of a flag, and what is here has the type of its option,
//! and exists. A plan is made here, and knows no settings.

use std::collections::BTreeMap;
use std::fmt;

use robosieve::Options;
use robosieve::settings::{Dialect, Limits};
use robosieve_printable::escape;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value as Json};

use crate::plan::Plan;
use crate::problem::Problem;
use crate::rows::{Door, Kind, SETTINGS, Setting};

/// The options that a caller made, each at most once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings(BTreeMap<&'static str, Json>);

impl Settings {
    /// Takes an option, in the place of an earlier value.
    ///
    /// # Errors
    /// If the interface has no option of this name, or the value has another type or does not exist.
    pub fn set(&mut self, door: Door, name: &str, value: impl Into<Json>) -> Result<(), Problem> {
        let setting = find(door, name).ok_or_else(|| unknown(door, name, false))?;
        let value = value.into();
        let named = |problem: Problem| Problem { message: format!("{name}: {problem}"), ..problem };
        setting.apply(&value, &mut Plan::default()).map_err(named)?;
        self.0.insert(setting.name, value);
        Ok(())
    }

    /// Whether the option was given.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The switch of this name, if it was given.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.0.get(name)?.as_bool()
    }

    /// These options, and those of `base` where none was given.
    #[must_use]
    pub fn over(mut self, base: &Self) -> Self {
        for (name, value) in &base.0 {
            self.0.entry(name).or_insert_with(|| value.clone());
        }
        self
    }

    /// The options in an object: of a request, or of a caller of a package.
    ///
    /// # Errors
    /// If there is no option of such a name, or its value has another type or does not exist.
    pub fn read(door: Door, options: &Map<String, Json>) -> Result<Self, Problem> {
        let mut settings = Self::default();
        for (name, value) in options {
            match (name.as_str(), value) {
                ("limits", Json::Null) => {}
                ("limits", Json::Object(limits)) => {
                    limits.iter().try_for_each(|(name, value)| settings.take(door, true, name, value))?;
                }
                ("limits", _) => return Err(Problem::option("limits: expected an object")),
                (name, value) => settings.take(door, false, name, value)?,
            }
        }
        Ok(settings)
    }

    /// Takes one of them. Null is an option that was not given; of a limit, no limit.
    fn take(&mut self, door: Door, is_limit: bool, name: &str, value: &Json) -> Result<(), Problem> {
        let found = find(door, name).filter(|setting| setting.is_limit() == is_limit);
        let setting = found.ok_or_else(|| unknown(door, name, is_limit))?;
        if value.is_null() && !is_limit {
            return Ok(());
        }
        if self.has(setting.name) {
            return Err(Problem::option(format!("{name} is given twice")));
        }
        self.set(door, name, value.clone())
    }

    /// The dialect whose options all others are laid over.
    pub(crate) fn dialect(&self) -> Dialect {
        self.0.get("dialect").and_then(Json::as_str).and_then(|name| name.parse().ok()).unwrap_or_default()
    }
}

impl Plan {
    /// A plan for no agent yet.
    ///
    /// # Errors
    /// If two options contradict each other.
    pub fn new(settings: &Settings) -> Result<Self, Problem> {
        let dialect = settings.dialect();
        let over = |options: Options| {
            let mut plan = Self { options, ..Self::default() };
            let mut given = SETTINGS.iter().filter_map(|setting| Some((setting, settings.0.get(setting.name)?)));
            given.try_for_each(|(setting, value)| setting.apply(value, &mut plan)).map(|()| plan)
        };
        let verdicts = over(dialect.options().for_verdicts())?.options;
        let plan = Self { verdicts, ..over(dialect.options())? };
        // A part of the file, for any request.
        Ok(if plan.status == Some(206) { plan.incomplete() } else { plan })
    }
}

impl Setting {
    /// The value that this text stands for, as a flag has it.
    #[must_use]
    pub fn written(&self, text: &str) -> Json {
        match self.kind {
            Kind::Several(..) | Kind::Own(_) => Json::from(vec![text]),
            _ => Json::from(text),
        }
    }

    /// Checks a value that is written as text.
    ///
    /// # Errors
    /// What to write instead. The message does not name the option.
    pub fn check(&self, text: &str) -> Result<(), Problem> {
        self.apply(&self.written(text), &mut Plan::default())
    }

    /// Lays a value over a plan, if it has the type of this option and exists.
    fn apply(&self, value: &Json, plan: &mut Plan) -> Result<(), Problem> {
        let expected = |what: &str| Err(Problem::option(format!("expected {what}")));
        match (&self.kind, value) {
            (Kind::Flag(place), Json::Bool(flag)) => *place(plan) = *flag,
            (Kind::Flag(_), _) => return expected("true or false"),
            (Kind::Count(place), value) => *place(plan) = count(value)?,
            (Kind::Limit, value) => {
                let count = count(value)?;
                plan.options.limits.named_mut(self.name).into_iter().for_each(|limit| *limit = count);
            }
            (Kind::Status, value) => {
                let status = value.as_u64().or_else(|| value.as_str()?.parse().ok());
                plan.status =
                    status.and_then(|status| status.try_into().ok()).filter(|status| (100..1000).contains(status));
                if plan.status.is_none() {
                    return expected("an HTTP status, from 100 to 999");
                }
            }
            (Kind::Choice(_, set) | Kind::Url(set), Json::String(text)) => set(plan, text).map_err(Problem::value)?,
            (Kind::Choice(names, _), _) => return expected(&format!("one of {}", names.join(", "))),
            (Kind::Url(_), _) => return expected("a URL"),
            (Kind::Several(_, set) | Kind::Own(set), value) => {
                let texts =
                    value.as_array().and_then(|texts| texts.iter().map(Json::as_str).collect::<Option<Vec<_>>>());
                let Some(texts) = texts else { return expected("an array of texts") };
                texts.into_iter().try_for_each(|text| set(plan, text)).map_err(Problem::value)?;
            }
        }
        Ok(())
    }
}

/// A number; `none`, null and a number that no file reaches are no limit.
fn count(value: &Json) -> Result<usize, Problem> {
    const BEYOND: f64 = 18_446_744_073_709_551_615.0;
    match value {
        Json::Null => Ok(usize::MAX),
        Json::String(text) if text == "none" => Ok(usize::MAX),
        Json::String(text) => {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let number = text.parse().ok().filter(|_| is_number);
            number.ok_or_else(|| Problem::value("write a whole number, for example 1000, or `none`"))
        }
        Json::Number(number) if number.as_f64().is_some_and(|number| number < 0.0) => {
            Err(Problem::value("it must not be negative: write a whole number, or \"none\""))
        }
        Json::Number(number) if number.as_f64().is_some_and(|number| number >= BEYOND) => Ok(usize::MAX),
        value => {
            let number = value.as_u64().map(|number| usize::try_from(number).unwrap_or(usize::MAX));
            number.ok_or_else(|| Problem::option("expected a whole number that is not negative, or \"none\""))
        }
    }
}

/// The option of this interface with this name.
fn find(door: Door, name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|one| one.doors >= door && (one.name == name || one.other_name == name))
}

/// The error for a name that no option of this interface has, or no limit.
fn unknown(door: Door, name: &str, is_limit: bool) -> Problem {
    if Limits::NAMES.contains(&name) {
        return Problem::option(format!("{name} is one of the limits: write it there"));
    }
    let options = SETTINGS.iter().filter(|one| one.doors >= door && !one.is_limit()).map(|one| one.name);
    let (what, known) = if is_limit {
        ("limit", Limits::NAMES.join(", "))
    } else {
        ("option", options.chain(["limits"]).collect::<Vec<_>>().join(", "))
    };
    let name = escape(name.as_bytes());
    Problem::option(format!("there is no {what} \"{name}\": the {what}s are {known}"))
}

/// The options of a request: an object, in which each name stands once.
impl<'de> Deserialize<'de> for Settings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Unique(options) = Unique::deserialize(deserializer)?;
        Self::read(Door::Request, &options).map_err(de::Error::custom)
    }
}

/// An object in which each name stands once, and in the object `limits`, too.
struct Unique(Map<String, Json>);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names;
        impl<'de> Visitor<'de> for Names {
            type Value = Unique;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Unique, A::Error> {
                let mut found = Map::new();
                while let Some(name) = map.next_key::<String>()? {
                    let value = if name == "limits" {
                        map.next_value::<Option<Unique>>()?.map_or(Json::Null, |limits| Json::Object(limits.0))
                    } else {
                        map.next_value()?
                    };
                    if found.contains_key(&name) {
                        let name = escape(name.as_bytes());
                        return Err(de::Error::custom(format!("{name} is given twice")));
                    }
                    found.insert(name, value);
                }
                Ok(Unique(found))
            }
        }
        deserializer.deserialize_map(Names)
    }
}
