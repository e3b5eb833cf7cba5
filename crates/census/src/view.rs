//! The normal form, seen as rows for crawlers.
//!
//! Invariant: the answer for a crawler is that of [`Census`](crate::Census) for it. It is found by its name, then by
//! those of its fallbacks, then by `*`. In a file with more names than are listed, the answer for a crawler that has no
//! row is not known.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::agents::{AgentList, Asked, NOBODY};
use crate::cells::{Cell, Form};
use crate::normal::{Entry, FileRow, NameRow, PolicyRow, Row as _};

/// The names of an entry, in small letters, each with its place.
pub(crate) type Places = HashMap<String, usize>;

/// Whose group answers a crawler.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found<'e> {
    pub(crate) group: Option<Cow<'e, str>>,
    pub(crate) named: bool,
    pub(crate) line: Option<u64>,
    pub(crate) policy: Cow<'e, PolicyRow>,
}

/// What a file says to a crawler.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Said<'e> {
    /// The crawler's name.
    pub agent: &'e str,
    /// Whether a user-agent line names it. None if the file could not be retrieved.
    pub named: Option<bool>,
    /// What it says.
    pub policy: Cow<'e, PolicyRow>,
}

impl Entry {
    /// The places of its names. The last of two that are the same is that of a crawler of the list.
    pub(crate) fn places(&self) -> Places {
        self.names.iter().enumerate().map(|(place, name)| (name.agent.to_ascii_lowercase(), place)).collect()
    }

    /// Whether the file has more names than have a row.
    pub(crate) fn is_cut(&self) -> bool {
        let listed = self.names.iter().filter(|name| name.listed).count();
        self.file.agents_count.is_some_and(|count| count > u64::try_from(listed).unwrap_or(u64::MAX))
    }

    fn name(&self, places: &Places, name: &str) -> Option<&NameRow> {
        let place = if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            places.get(&name.to_ascii_lowercase())
        } else {
            places.get(name)
        };
        place.and_then(|place| self.names.get(*place))
    }

    /// What the file says to a crawler. None if it could not be retrieved.
    pub(crate) fn found<'e>(&'e self, places: &Places, one: &'e Asked) -> Option<Found<'e>> {
        let star = self.names.first()?;
        let of = |row: &'e NameRow, group: Option<Cow<'e, str>>, named: bool| {
            let policy = Cow::Borrowed(self.policy(row.policy)?);
            Some(Found { group, named, line: row.line, policy })
        };
        if one.is_everyone {
            return of(star, star.group.as_deref().map(Cow::Borrowed), star.named);
        }
        if let Some(row) = self.name(places, &one.name) {
            let spelled = |group: &'e str| {
                let own = one.group_names.iter().find(|name| name.eq_ignore_ascii_case(group));
                Cow::Borrowed(own.map_or(group, String::as_str))
            };
            return of(row, row.group.as_deref().map(spelled), row.named);
        }
        if self.is_cut() {
            let policy = Cow::Owned(PolicyRow::without_rules("unknown", None));
            return Some(Found { group: None, named: false, line: None, policy });
        }
        for name in &one.group_names {
            if let Some(row) = self.name(places, name).filter(|row| row.named) {
                return of(row, Some(Cow::Borrowed(name)), name.eq_ignore_ascii_case(&one.name));
            }
        }
        if one.groups.fallback {
            return of(star, star.group.as_deref().map(Cow::Borrowed), false);
        }
        if let Some(row) = self.name(places, NOBODY) {
            return of(row, None, false);
        }
        if star.line.is_none() {
            return of(star, None, false);
        }
        // No rule is for it.
        let policy = PolicyRow { proved: Some(true), ..PolicyRow::without_rules("none", Some(true)) };
        Some(Found { group: None, named: false, line: None, policy: Cow::Owned(policy) })
    }
}

impl FileRow {
    /// Writes the cells that a row for a crawler has.
    pub(crate) fn write(&self, form: Form, out: &mut Vec<u8>) {
        let mut columns = Self::COLUMNS.iter();
        let mut is_over = false;
        self.cells(&mut |cell| {
            let Some(column) = columns.next() else { return };
            is_over |= column.name == "status";
            if !is_over && column.name != "domain" {
                form.push(out, column.name, cell);
            }
        });
    }
}

/// Makes rows for crawlers of the normal form.
///
/// ```
/// use robosieve_census::{AgentList, Census, Entry, Form, Rows, Seen, View};
///
/// let list = AgentList::read("*,GPTBot")?;
/// let (mut line, mut rows, mut expected) = (Vec::new(), Vec::new(), Vec::new());
/// let (seen, file) = (Seen { source: "s", ..Seen::default() }, b"User-agent: GPTBot\nDisallow: /");
/// Census::new(list.clone()).rows(Rows::Normal).add(&seen, file, true, &mut line);
/// Census::new(list.clone()).rows(Rows::Agents).add(&seen, file, true, &mut expected);
/// View::new(list, Form::Ndjson).expand(&Entry::read(&line).unwrap(), &mut rows);
/// assert_eq!(rows, expected);
/// # Ok::<(), robosieve_census::AgentsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct View {
    list: AgentList,
    form: Form,
}

impl View {
    /// Rows for these crawlers.
    #[must_use]
    pub const fn new(list: AgentList, form: Form) -> Self {
        Self { list, form }
    }

    /// What comes before the first row.
    #[must_use]
    pub fn head(&self) -> Vec<u8> {
        self.form.head(crate::Rows::Agents.columns().map(|column| column.name))
    }

    /// Adds the rows of a file: those of [`Census`](crate::Census). Cost: the rows.
    pub fn expand(&self, entry: &Entry, out: &mut Vec<u8>) {
        let (mut head, form) = (Vec::with_capacity(256), self.form);
        form.begin(1, &mut head);
        entry.file.write(form, &mut head);
        self.each_found(entry, &mut |one, found| {
            out.extend_from_slice(&head);
            out.extend_from_slice(&one.cells(form));
            if let Some(found) = found {
                form.push(out, "named", Cell::Flag(found.named));
                form.push(out, "group", found.group.as_deref());
                form.push(out, "line", found.line);
                found.policy.write(form, out);
            } else {
                for name in ["named", "group", "line"] {
                    form.push(out, name, Cell::Null);
                }
                entry.without_rules().write(form, out);
            }
            form.end(out);
        });
    }

    /// Gives what a file says to each crawler of the list.
    pub fn each(&self, entry: &Entry, each: &mut dyn FnMut(Said<'_>)) {
        self.each_found(entry, &mut |one, found| {
            let (named, policy) = match found {
                Some(found) => (Some(found.named), found.policy),
                None => (None, Cow::Owned(entry.without_rules())),
            };
            each(Said { agent: &one.name, named, policy });
        });
    }

    fn each_found(&self, entry: &Entry, each: &mut dyn FnMut(&Asked, Option<Found<'_>>)) {
        let places = entry.places();
        for one in &self.list.asked {
            each(one, entry.found(&places, one));
        }
        if self.list.named {
            let listed = entry.names.iter().filter(|name| name.listed && !self.list.has(name.agent.as_bytes()));
            for name in listed.take(AgentList::MAX_NAMED) {
                let asked = Asked::new(name.agent.as_bytes(), None, self.list.names);
                let asked = Asked { name: name.agent.clone(), ..asked };
                each(&asked, entry.found(&places, &asked));
            }
        }
    }
}

impl Entry {
    /// What a file that could not be retrieved says.
    fn without_rules(&self) -> PolicyRow {
        PolicyRow::without_rules(&*self.file.status, self.file.root)
    }
}
