//! [`Settings`]: the options that a caller made.
//!
//! Invariant: an option that was not given is not here, so a request's options are laid over those of the command line,
//! and all of them over the dialect's. What is here has the type of its option, and a value that exists. A plan is made
//! here, and knows no settings.

use std::fmt;

use robosieve::Options;
use robosieve::settings::{Dialect, Limits};
use robosieve::verdict::StatusPolicy;
use robosieve_printable::escape;
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::Value as Json;

use crate::given::{Given, Value};
use crate::plan::Plan;
use crate::rows::{Door, Kind, SETTINGS, Setting};
use crate::wrong::Wrong;

/// The options that a caller made, each at most once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings(Vec<(usize, Value)>);

impl Settings {
    /// Takes an option, in the place of an earlier value.
    ///
    /// # Errors
    /// If the interface has no option of this name, or the value has another type or does not exist.
    pub fn set(&mut self, door: Door, name: &str, given: Given<'_>) -> Result<(), Wrong> {
        let (place, setting) = find(door, name).ok_or_else(|| unknown(door, name))?;
        let value = setting.checked(given).map_err(|wrong| Wrong { message: format!("{name}: {wrong}"), ..wrong })?;
        match self.0.binary_search_by_key(&place, |one| one.0) {
            Ok(at) => self.0.splice(at..=at, [(place, value)]).for_each(drop),
            Err(at) => self.0.insert(at, (place, value)),
        }
        Ok(())
    }

    /// Whether the option was given.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// The switch of this name, if it was given.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.value(name) {
            Some(Value::Flag(flag)) => Some(*flag),
            _ => None,
        }
    }

    fn value(&self, name: &str) -> Option<&Value> {
        let is_named = |at: usize| SETTINGS.get(at).is_some_and(|setting| setting.name == name);
        self.0.iter().find(|one| is_named(one.0)).map(|one| &one.1)
    }

    /// These options, and those of `base` where none was given.
    #[must_use]
    pub fn over(mut self, base: &Self) -> Self {
        for (place, value) in &base.0 {
            if let Err(at) = self.0.binary_search_by_key(place, |one| one.0) {
                self.0.insert(at, (*place, value.clone()));
            }
        }
        self
    }

    /// The dialect whose options all others are laid over.
    pub(crate) fn dialect(&self) -> Dialect {
        match self.value("dialect") {
            Some(Value::Text(name)) => name.parse().unwrap_or_default(),
            _ => Dialect::default(),
        }
    }

    /// Lays the options over a plan.
    pub(crate) fn apply(&self, plan: &mut Plan) -> Result<(), String> {
        for (place, value) in &self.0 {
            if let Some(setting) = SETTINGS.get(*place) {
                apply(setting, value, plan)?;
            }
        }
        Ok(())
    }
}

impl Plan {
    /// A plan for no agent yet.
    ///
    /// # Errors
    /// If two options contradict each other.
    pub fn new(settings: &Settings) -> Result<Self, Wrong> {
        let dialect = settings.dialect();
        let over = |options: Options| {
            let mut plan = Self { options, ..Self::default() };
            settings.apply(&mut plan).map(|()| plan).map_err(Wrong::of_value)
        };
        let verdicts = over(dialect.options().for_verdicts())?.options;
        let mut plan = over(dialect.options())?;
        let statuses = dialect.statuses();
        plan.statuses = StatusPolicy { forbidden: plan.forbidden.unwrap_or(statuses.forbidden), ..statuses };
        Ok(Self { verdicts, ..plan })
    }
}

impl Setting {
    /// Checks a value that is written as text.
    ///
    /// # Errors
    /// What to write instead. The message does not name the option.
    pub fn check(&self, text: &str) -> Result<(), Wrong> {
        self.checked(self.written(text)).map(drop)
    }

    /// The value, if it has the type of this option and exists.
    fn checked(&self, given: Given<'_>) -> Result<Value, Wrong> {
        let value = self.value(given)?;
        apply(self, &value, &mut Plan::default()).map_err(Wrong::of_value)?;
        Ok(value)
    }
}

/// The options of this interface with this name, and its place.
fn find(door: Door, name: &str) -> Option<(usize, &'static Setting)> {
    let is_named = |setting: &Setting| setting.doors >= door && (setting.name == name || setting.other_name == name);
    SETTINGS.iter().enumerate().find(|one| is_named(one.1))
}

/// The names of the options of an interface.
fn known(door: Door) -> String {
    let known = SETTINGS.iter().filter(|one| one.doors >= door && !one.is_limit()).map(|one| one.name);
    known.chain(["limits"]).collect::<Vec<_>>().join(", ")
}

fn unknown(door: Door, name: &str) -> Wrong {
    let name = escape(name.as_bytes());
    Wrong::of_type(format!("there is no option \"{name}\": the options are {}", known(door)))
}

fn apply(setting: &Setting, value: &Value, plan: &mut Plan) -> Result<(), String> {
    match (&setting.kind, value) {
        (Kind::Flag(place), Value::Flag(flag)) => *place(plan) = *flag,
        (Kind::Count(place), Value::Count(count)) => *place(plan) = *count,
        (Kind::Limit, Value::Count(count)) => {
            if let Some(limit) = plan.options.limits.named_mut(setting.name) {
                *limit = *count;
            }
        }
        (Kind::Status, Value::Count(status)) => plan.status = u16::try_from(*status).ok(),
        (Kind::Choice(_, set) | Kind::Url(set), Value::Text(text)) => set(plan, text)?,
        (Kind::Several(_, set) | Kind::Own(set), Value::Texts(texts)) => {
            texts.iter().try_for_each(|text| set(plan, text))?;
        }
        // A value has the type of its option.
        _ => {}
    }
    Ok(())
}

/// The options of a request: an object. Null is the same as leaving it out.
impl<'de> Deserialize<'de> for Settings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut settings = Self::default();
        Object { settings: &mut settings, is_limits: false }.deserialize(deserializer)?;
        Ok(settings)
    }
}

/// Reads an object of options, or of limits, into settings.
struct Object<'s> {
    settings: &'s mut Settings,
    is_limits: bool,
}

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            if name == "limits" && !self.is_limits {
                map.next_value_seed(Object { settings: &mut *self.settings, is_limits: true })?;
                continue;
            }
            if Limits::NAMES.contains(&&*name) != self.is_limits {
                let name = escape(name.as_bytes());
                let what = if self.is_limits { "limit" } else { "option" };
                let place = if self.is_limits { Limits::NAMES.join(", ") } else { known(Door::Request) };
                return Err(de::Error::custom(format!("there is no {what} \"{name}\": the {what}s are {place}")));
            }
            let value = map.next_value::<Json>()?;
            self.settings.take(&name, &value)?;
        }
        Ok(())
    }
}

impl Settings {
    fn take<E: de::Error>(&mut self, name: &str, value: &Json) -> Result<(), E> {
        let texts = |values: &[Json]| values.iter().map(|one| one.as_str().map(str::to_owned)).collect::<Option<_>>();
        let given = match value {
            Json::Null if find(Door::Request, name).is_some() => return Ok(()),
            Json::Bool(flag) => Given::Flag(*flag),
            Json::Number(number) => {
                number.as_u64().map_or(Given::Other, |count| Given::Count(usize::try_from(count).unwrap_or(usize::MAX)))
            }
            Json::String(text) => Given::Text(text),
            Json::Array(values) => texts(values).map_or(Given::Other, Given::Texts),
            Json::Null | Json::Object(_) => Given::Other,
        };
        let count = self.0.len();
        self.set(Door::Request, name, given).map_err(E::custom)?;
        if self.0.len() == count {
            return Err(E::custom(format!("{name} is given twice")));
        }
        Ok(())
    }
}
