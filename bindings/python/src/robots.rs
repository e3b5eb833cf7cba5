//! [`Robots`]: a file that is parsed once, for any agents.
//!
//! Invariant: it never changes, apart from what is made when it is asked for first, which changes no answer.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyDictMethods, PyTuple};
use robosieve::records::{Directive, Selection};
use robosieve::values::{AgentValues, ContentUse};

use crate::asked::Kept;
use crate::input::{bytes_of, owned};
use crate::options::Settings;
use crate::unpack::opened;
use crate::values;
use crate::verdict::Verdict;

/// A robots.txt file, parsed once. It answers for any agent and URL.
///
/// It cannot be changed, any threads can use it at the same time, and it can be pickled. It reads the whole file, up to
/// ``limits={"max_bytes": 512_000}``.
///
/// >>> robots = robosieve.Robots.parse(b"User-agent: *\nDisallow: /cart\nCrawl-delay: 2.5\n")
/// >>> robots.can_fetch("https://shop.example/cart/1", "MyBot")
/// False
/// >>> robots.can_fetch("https://shop.example/", "MyBot/1.0 (+https://example.com/bot)")
/// True
/// >>> robots.crawl_delay("MyBot")
/// 2.5
#[pyclass(frozen, weakref, module = "robosieve")]
pub(crate) struct Robots {
    file: Kept,
    settings: Arc<Settings>,
    /// For pickles.
    options: Option<Py<PyDict>>,
}

impl Robots {
    /// What the values for these agents say.
    fn values<T: Send>(
        &self,
        agents: &Bound<'_, PyAny>,
        read: impl FnOnce(&AgentValues<'_, '_>) -> T + Send,
    ) -> PyResult<T> {
        let whose = self.settings.whose(agents)?;
        let py = agents.py();
        Ok(self.file.with_dependent(|_, file| {
            py.detach(|| {
                let set = file.set(&self.settings);
                read(&Selection::of(set, &whose.groups(&self.settings).within(set)).values())
            })
        }))
    }
}

#[pymethods]
impl Robots {
    #[new]
    #[pyo3(signature = (body, **options))]
    fn new(body: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let py = body.py();
        let (body, options) = opened(body, options)?;
        let settings = Settings::read(options.as_ref())?;
        let bytes = bytes_of("the file", &body)?;
        let file = Kept::of(owned(py, &body, settings.read_part(&bytes)));
        let options = options.as_ref().map(PyDictMethods::copy).transpose()?.map(Bound::unbind);
        Ok(Self { file, settings, options })
    }

    /// Parses a file.
    ///
    /// Args:
    ///     body: The file: bytes, any buffer, or str. No content raises an error.
    ///     **options: How it is read; see ``robosieve.Options``.
    ///
    /// Raises:
    ///     TypeError: If the body is neither bytes nor str, or an option does not exist.
    ///     ValueError: If the value of an option does not exist.
    ///
    /// >>> robosieve.Robots.parse("User-agent: *\nDisallow: /", dialect="google").can_fetch("/robots.txt", "MyBot")
    /// False
    #[staticmethod]
    #[pyo3(signature = (body, **options))]
    fn parse(body: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        Self::new(body, options)
    }

    /// Whether these agents may fetch a URL.
    ///
    /// Args:
    ///     url: An absolute URL, or a path with its query: str or bytes.
    ///     agents: A product token, as in ``"MyBot"``, a whole User-Agent header, or several, the preferred first.
    ///
    /// Raises:
    ///     TypeError: If an argument has another type.
    ///     ValueError: If an agent is empty, or is a URL. ``Refused`` with ``over_limit="refuse"``.
    ///
    /// >>> robosieve.Robots.parse("User-agent: a\nDisallow: /").can_fetch("/x", ["b", "a"])
    /// False
    fn can_fetch(&self, py: Python<'_>, url: &Bound<'_, PyAny>, agents: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (url, whose) = (bytes_of("the URL", url)?, self.settings.whose(agents)?);
        self.file.ask(py, &url, |file| file.allows(&url, &self.settings, &whose))
    }

    /// Like ``can_fetch``, with the line and the rule that decided.
    ///
    /// >>> robosieve.Robots.parse("User-agent: *\nDisallow: /x").test("/x", "MyBot").line
    /// 2
    fn test(&self, py: Python<'_>, url: &Bound<'_, PyAny>, agents: &Bound<'_, PyAny>) -> PyResult<Verdict> {
        let (url, whose) = (bytes_of("the URL", url)?, self.settings.whose(agents)?);
        self.file.ask(py, &url, |file| file.test(&url, &self.settings, &whose, Verdict::new))
    }

    /// The crawl delay of these agents in seconds, or None. Of several, the longest; at most a day.
    ///
    /// >>> robosieve.Robots.parse("User-agent: *\nCrawl-delay: 10").crawl_delay("MyBot")
    /// 10.0
    #[allow(clippy::redundant_closure_for_method_calls, reason = "the method itself is for one lifetime")]
    fn crawl_delay(&self, agents: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
        let delay = self.values(agents, |values| values.crawl_delay())?;
        Ok(delay.map(|delay| delay.as_duration().as_secs_f64()))
    }

    /// The request rate of these agents, a ``robosieve.RequestRate``, or None. Of several, the slowest.
    ///
    /// >>> robosieve.Robots.parse("User-agent: *\nRequest-rate: 1/10m 0600-0845").request_rate("MyBot")
    /// RequestRate(requests=1, seconds=600, start_time=datetime.time(6, 0), end_time=datetime.time(8, 45))
    fn request_rate<'py>(&self, agents: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let rate =
            self.values(agents, |values| values.request_rates().max_by_key(robosieve::values::RequestRate::per_page))?;
        rate.map(|rate| values::request_rate(agents.py(), &rate)).transpose()
    }

    /// The first visit time of these agents in UTC, a ``robosieve.VisitTime``, or None.
    ///
    /// >>> robosieve.Robots.parse("User-agent: *\nVisit-time: 0200-0630").visit_time("MyBot")
    /// VisitTime(start_time=datetime.time(2, 0), end_time=datetime.time(6, 30))
    fn visit_time<'py>(&self, agents: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let hours = self.values(agents, |values| values.visit_times().next())?;
        hours.map(|hours| values::visit_time(agents.py(), hours)).transpose()
    }

    /// What the Content-Signal lines of these agents say: a list of ``robosieve.ContentUse``.
    ///
    /// >>> robosieve.Robots.parse("User-agent: *\nContent-Signal: search=yes, ai-train=no").content_signals("MyBot")
    /// [ContentUse(path='', uses={'search': 'yes', 'ai-train': 'no'})]
    fn content_signals<'py>(&self, agents: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let signals: Vec<ContentUse> = self.values(agents, |values| values.content_signals().collect())?;
        signals.iter().map(|signal| values::content_use(agents.py(), signal)).collect()
    }

    /// What the content of a URL may be used for, by the Content-Usage lines of these agents: each use that they allow
    /// or disallow. Those of the longest path that matches count. They say nothing of a URL that is disallowed.
    ///
    /// >>> robots = robosieve.Robots.parse("User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /open train-ai=y")
    /// >>> robots.content_usage("https://example.com/open/1", "MyBot"), robots.content_usage("/", "MyBot")
    /// ({'train-ai': True}, {'train-ai': False})
    fn content_usage<'py>(&self, url: &Bound<'py, PyAny>, agents: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let path = bytes_of("the URL", url)?;
        if !self.can_fetch(agents.py(), url, agents)? {
            return Ok(PyDict::new(agents.py()));
        }
        let usage = self.values(agents, |values| {
            let lines = values.uses_of(Directive::ContentUsage, &path);
            lines.into_iter().map(|(_, usage)| usage).collect::<Vec<ContentUse>>()
        })?;
        values::combined(agents.py(), &usage)
    }

    /// The URLs of the sitemaps, in the order of the file, each once.
    #[getter]
    fn sitemaps(&self, py: Python<'_>) -> Vec<String> {
        let sitemaps = self.file.with_dependent(|_, file| py.detach(|| file.set(&self.settings).sitemaps()));
        sitemaps.iter().map(ToString::to_string).collect()
    }

    /// The main host of the site, from its Host line, or None.
    #[getter]
    fn preferred_host(&self) -> Option<String> {
        self.file.with_dependent(|_, file| file.set(&self.settings).host())
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let options = self.options.as_ref().map_or_else(|| PyDict::new(py), |options| options.bind(py).clone());
        Ok((PyTuple::new(py, [PyBytes::new(py, self.file.borrow_owner())])?, options))
    }

    fn __repr__(&self) -> String {
        let groups = self.file.with_dependent(|_, file| file.set(&self.settings).records().len());
        format!("<Robots with {groups} {}>", if groups == 1 { "group" } else { "groups" })
    }
}
