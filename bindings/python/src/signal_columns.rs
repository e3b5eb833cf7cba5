//! Pages in columns of Arrow: a row a page.
//!
//! Invariant: a row's answer is that of [`crate::signals`] for its sources, with robots.txt unpacked as `unpack` does it.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use robosieve_explain::Groups;
use robosieve_signals::{Answer, Use};

use crate::agents::Names;
use crate::buffers::{Bits, Node, Texts};
use crate::columns::{Column, Given};
use crate::json;
use crate::options::Settings;
use crate::signals::{Sources, expect_taken};
use crate::unpack::unpacked;

/// The columns of pages.
#[derive(FromPyObject)]
pub(crate) struct Pages<'py>(
    Given<'py>,
    Option<Given<'py>>,
    Option<Given<'py>>,
    Option<Given<'py>>,
    Option<Given<'py>>,
    Option<Given<'py>>,
);

/// For ``robosieve.arrow``: what may be done with the pages of columns: URL, headers, HTML, robots.txt, tdmrep.json, and
/// the time as a decimal number. `at` is the time of all rows otherwise. Returns the uses, the answer and an error.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "arguments from Python are")]
#[pyo3(signature = (pages, rows, agents, at, **options))]
pub(crate) fn _signals_column<'py>(
    py: Python<'py>,
    pages: Pages<'py>,
    rows: usize,
    agents: &Bound<'py, PyAny>,
    at: Option<&Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let settings = Settings::read(options)?;
    let groups = settings.groups_of(agents, &Names::read(agents)?);
    let at = crate::signals::time_of(at)?;
    let Pages(urls, headers, html, robots, tdmrep, times) = &pages;
    let urls = Column::of(urls);
    let [headers, html, robots, tdmrep, times] =
        [headers, html, robots, tdmrep, times].map(|given| given.as_ref().map(Column::of));
    let columns = Columns { urls, headers, html, robots, tdmrep, times };
    py.detach(|| columns.answers(rows, &settings, &groups, at))?.into_python(py)
}

struct Columns<'a> {
    urls: Column<'a>,
    headers: Option<Column<'a>>,
    html: Option<Column<'a>>,
    robots: Option<Column<'a>>,
    tdmrep: Option<Column<'a>>,
    times: Option<Column<'a>>,
}

impl<'a> Columns<'a> {
    fn answers(&self, rows: usize, settings: &Settings, groups: &Groups, at: i64) -> PyResult<Node> {
        let of_part = settings.of_part();
        let (mut valid, mut answers, mut error) = (Bits::default(), Texts::new(), Texts::new());
        let mut uses = Use::ALL.map(|_| Texts::new());
        for row in 0..rows {
            let of = |column: Option<&Column<'a>>| column.map_or(Ok(None), |column| column.row(row));
            let (url, time) = (self.urls.row(row)?, of(self.times.as_ref())?);
            // Of a page without a URL, or without its time, nothing is known.
            let is_known = url.is_some() && (time.is_some() || self.times.is_none());
            valid.push(is_known);
            let sources = Sources {
                url: url.unwrap_or_default(),
                head: of(self.headers.as_ref())?,
                html: of(self.html.as_ref())?,
                robots: of(self.robots.as_ref())?,
                tdmrep: of(self.tdmrep.as_ref())?,
            };
            let at = time.and_then(|time| str::from_utf8(time).ok()?.parse().ok()).unwrap_or(at);
            let answer = is_known.then(|| answer(sources, settings, &of_part, groups, at));
            error.push(answer.as_ref().and_then(|answer| answer.as_ref().err()).map(String::as_str))?;
            let answer = answer.and_then(Result::ok);
            for (what, texts) in Use::ALL.iter().zip(&mut uses) {
                texts.push(answer.as_ref().map(|answer| answer.of(*what).as_str()))?;
            }
            answers.push(answer.as_ref().map(json::text).transpose()?.as_deref())?;
        }
        let uses = uses.into_iter().map(Texts::finish);
        Ok(Node::of_fields(rows, Some(valid), uses.chain([answers.finish(), error.finish()])))
    }
}

/// The answer of a row; or why its robots.txt has none.
fn answer(
    sources: Sources<'_>,
    settings: &Settings,
    of_part: &Settings,
    groups: &Groups,
    at: i64,
) -> Result<Answer, String> {
    let robots = sources.robots.map(|robots| unpacked(robots, settings.plan.max_bytes())).transpose()?;
    let settings = if robots.as_ref().is_none_or(|(_, is_whole)| *is_whole) { settings } else { of_part };
    let robots = robots.as_ref().map(|(robots, _)| settings.read_part(robots));
    expect_taken(robots, settings, groups).map_err(|refused| refused.to_string())?;
    let page = Sources { robots, ..sources }.page(settings);
    let answer = page.signals().answer(groups.clone(), at);
    Ok(answer)
}
