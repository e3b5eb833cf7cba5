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
    pub fn over(self, base: &Self) -> Self {
        let mut both = base.clone();
        both.0.extend(self.0);
        both
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
}

impl Plan {
    /// A plan for no agent yet.
    ///
    /// # Errors
    /// If two options contradict each other.
    pub fn new(settings: &Settings) -> Result<Self, Problem> {
        let dialect = settings.0.get("dialect").and_then(Json::as_str).and_then(|name| name.parse().ok());
        let dialect: Dialect = dialect.unwrap_or_default();
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
    /// Checks a value that is written as text.
    ///
    /// # Errors
    /// What to write instead. The message does not name the option.
    pub fn check(&self, text: &str) -> Result<(), Problem> {
        let value = match self.kind {
            Kind::Several(..) | Kind::Own(_) => Json::from(vec![text]),
            _ => Json::from(text),
        };
        self.apply(&value, &mut Plan::default())
    }

    /// Lays a value over a plan, if it has the type of this option and exists.
    fn apply(&self, value: &Json, plan: &mut Plan) -> Result<(), Problem> {
        let expected = |what: &str| Problem::option(format!("expected {what}"));
        match self.kind {
            Kind::Flag(place) => *place(plan) = value.as_bool().ok_or_else(|| expected("true or false"))?,
            Kind::Count(place) => {
                let count = count(value)?;
                if let Some(place) = place(plan, self.name) {
                    *place = count;
                }
            }
            Kind::Status => {
                let status = value.as_u64().or_else(|| value.as_str()?.parse().ok()).and_then(|it| it.try_into().ok());
                let status = status.filter(|status| (100..1000).contains(status));
                plan.status = Some(status.ok_or_else(|| expected("an HTTP status, from 100 to 999"))?);
            }
            Kind::Choice(names, set) => {
                let text = value.as_str().ok_or_else(|| expected(&format!("one of {}", names.join(", "))))?;
                set(plan, text).map_err(Problem::value)?;
            }
            Kind::Url(set) => set(plan, value.as_str().ok_or_else(|| expected("a URL"))?).map_err(Problem::value)?,
            Kind::Several(_, set) | Kind::Own(set) => {
                let texts =
                    value.as_array().and_then(|texts| texts.iter().map(Json::as_str).collect::<Option<Vec<_>>>());
                let texts = texts.ok_or_else(|| expected("an array of texts"))?;
                texts.into_iter().try_for_each(|text| set(plan, text)).map_err(Problem::value)?;
            }
        }
        Ok(())
    }
}

/// A number; `none`, null and a number that no file reaches are no limit.
fn count(value: &Json) -> Result<usize, Problem> {
    const BEYOND: f64 = 18_446_744_073_709_551_615.0;
    if value.is_null() || value == "none" || value.as_f64().is_some_and(|number| number >= BEYOND) {
        return Ok(usize::MAX);
    }
    if let Some(text) = value.as_str() {
        let number = text.parse().ok().filter(|_| !text.starts_with('+'));
        return number.ok_or_else(|| Problem::value("write a whole number, for example 1000, or `none`"));
    }
    if value.as_f64().is_some_and(|number| number < 0.0) {
        return Err(Problem::value("it must not be negative: write a whole number, or \"none\""));
    }
    let number = value.as_u64().map(|number| usize::try_from(number).unwrap_or(usize::MAX));
    number.ok_or_else(|| Problem::option("expected a whole number that is not negative, or \"none\""))
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
#[derive(Default)]
struct Unique(Map<String, Json>);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Self::default())
    }
}

impl<'de> Visitor<'de> for Unique {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self, A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            let value = if name == "limits" {
                map.next_value::<Option<Self>>()?.map_or(Json::Null, |limits| Json::Object(limits.0))
            } else {
                map.next_value()?
            };
            if self.0.contains_key(&name) {
                return Err(de::Error::custom(format!("{} is given twice", escape(name.as_bytes()))));
            }
            self.0.insert(name, value);
        }
        Ok(self)
    }
}
