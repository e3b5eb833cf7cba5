//! The flags that say how files are read, made from the table of options.
//!
//! Invariant: a flag is a row of [`SETTINGS`], and has no meaning here. What a command takes are the rows of a [`Flags`].

use std::fmt::Debug;
use std::marker::PhantomData;

use clap::builder::{PossibleValue, PossibleValuesParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use robosieve_ask::{Door, Kind, SETTINGS, Setting, Settings};
use serde_json::Value as Json;

/// Which options a command has flags for.
pub(crate) trait Rows: Debug {
    fn has(setting: &Setting) -> bool;

    /// Whether `-h` leaves it out.
    fn is_rare(_: &Setting) -> bool {
        false
    }

    /// Whether the command refuses it, and says why. No help shows it.
    fn is_refused(_: &Setting) -> bool {
        false
    }
}

/// Rows by where the command has their flags.
macro_rules! rows {
    ($($(#[$about:meta])* $name:ident: $places:pat,)*) => {$(
        $(#[$about])*
        #[derive(Clone, Debug)]
        pub(crate) struct $name;

        $(#[$about])*
        impl Rows for $name {
            fn has(setting: &Setting) -> bool {
                matches!(setting.place, $places)
            }
        }
    )*};
}

rows! {
    /// How files are read.
    Reading: "first" | "reading" | "limits",
    /// What makes a file refused.
    #[cfg(feature = "gate")]
    First: "first",
    /// How texts are written.
    Texts: "texts",
    /// What the status of the response says.
    Statuses: "statuses",
}

/// Options that were given as flags.
#[derive(Clone, Debug)]
pub(crate) struct Flags<R: Rows>(pub(crate) Settings, PhantomData<R>);

impl<R: Rows> Args for Flags<R> {
    fn augment_args(command: Command) -> Command {
        let rows = SETTINGS.iter().filter(|setting| R::has(setting));
        let is_rare = |setting| R::is_rare(setting) || matches!(setting.place, "reading" | "limits");
        command.args(rows.map(|setting| flag(setting).hide_short_help(is_rare(setting)).hide(R::is_refused(setting))))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<R: Rows> FromArgMatches for Flags<R> {
    fn from_arg_matches(found: &ArgMatches) -> Result<Self, Error> {
        let mut flags = Self(Settings::default(), PhantomData);
        flags.update_from_arg_matches(found)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, found: &ArgMatches) -> Result<(), Error> {
        for setting in SETTINGS.iter().filter(|setting| R::has(setting)) {
            if let Some(given) = given(setting, found) {
                let wrong = |wrong| Error::raw(clap::error::ErrorKind::ValueValidation, format!("{wrong}\n"));
                self.0.set(Door::Command, setting.name, given).map_err(wrong)?;
            }
        }
        Ok(())
    }
}

/// What the flag of an option says.
fn given(setting: &Setting, found: &ArgMatches) -> Option<Json> {
    match setting.kind {
        Kind::Flag(_) => found.get_flag(setting.name).then(|| (setting.flag == setting.name).into()),
        Kind::Several(..) | Kind::Own(_) => {
            let texts = found.get_many::<String>(setting.name)?;
            Some(texts.cloned().collect::<Vec<_>>().into())
        }
        _ => found.get_one::<String>(setting.name).map(|text| text.as_str().into()),
    }
}

/// The flag of an option.
fn flag(setting: &'static Setting) -> Arg {
    let heading = match setting.place {
        "reading" => Some("How the file is read"),
        "limits" => Some("Limits (a number, or `none`)"),
        _ => None,
    };
    let arg = Arg::new(setting.name).long(setting.flag.replace('_', "-")).help(setting.help).help_heading(heading);
    let value_name = setting.value_name;
    match setting.kind {
        Kind::Flag(_) => arg.action(ArgAction::SetTrue),
        Kind::Choice(names, _) => {
            let name = setting.flag.replace('-', "_").to_ascii_uppercase();
            arg.value_name(name).value_parser(PossibleValuesParser::new(names))
        }
        Kind::Several(names, _) => {
            let known = names.iter().map(|(name, words)| PossibleValue::new(*name).help(*words));
            let arg = arg.value_name(value_name).value_delimiter(',').action(ArgAction::Append);
            arg.value_parser(PossibleValuesParser::new(known))
        }
        Kind::Own(_) => arg.value_name(value_name).action(ArgAction::Append).value_parser(checked(setting)),
        Kind::Count(_) | Kind::Status | Kind::Url(_) => {
            // A number below 0 gets the words of the option, and is no flag.
            arg.value_name(value_name).value_parser(checked(setting)).allow_negative_numbers(true)
        }
    }
}

/// A text that the option takes.
fn checked(setting: &'static Setting) -> ValueParser {
    ValueParser::new(move |text: &str| setting.check(text).map(|()| text.to_owned()))
}
