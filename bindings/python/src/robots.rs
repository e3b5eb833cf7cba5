//! [`Robots`]: a file that is parsed once, for any agents.
//!
//! Invariant: it never changes, apart from what is made when it is asked for first: the groups, and testers. These change
//! no answer. Verdicts are those of the command's `test`. The first one needs no groups (`[verdict.pass]`): most callers
//! ask one URL of a file.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyDictMethods, PyString, PyTuple};
use robosieve::records::{Directive, Parser, RecordSet, Selection};
use robosieve::values::{AgentValues, ContentUse};
use robosieve::verdict::FileVerdict;
use robosieve_explain::Who;

use crate::agents::Names;
use crate::asked::{Asked, is_long};
use crate::error::refused;
use crate::input::{bytes_of, owned};
use crate::options::{Settings, Whose, locked};
use crate::unpack::opened;
use crate::values;
use crate::verdict::Verdict;

/// The number of agents whose testers are kept. When there are more, all are made again when asked for.
const MAX_TESTERS: usize = 64;

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
    file: File,
    settings: Arc<Settings>,
    /// For pickles.
    options: Option<Py<PyDict>>,
}

/// What borrows from the bytes of a file: its groups, and the testers that were made.
struct Groups<'a> {
    file: &'a [u8],
    set: OnceLock<RecordSet<'a>>,
    /// Whether a verdict was asked for.
    is_asked: AtomicBool,
    /// The tester that was asked for last by a str. Most callers ask with the same str again, and of one crawler only.
    last: Mutex<Option<Last<'a>>>,
    /// The others.
    testers: Mutex<HashMap<Names, Arc<Asked<'a>>>>,
}

/// A tester, the str that named its agent, and its name.
struct Last<'a> {
    given: Py<PyString>,
    names: Names,
    asked: Arc<Asked<'a>>,
}

self_cell::self_cell!(
    struct File {
        owner: PyBackedBytes,
        #[not_covariant]
        dependent: Groups,
    }
);

impl<'a> Groups<'a> {
    fn of(file: &'a [u8]) -> Self {
        let (set, is_asked) = (OnceLock::new(), AtomicBool::new(false));
        Self { file, set, is_asked, last: Mutex::default(), testers: Mutex::default() }
    }

    /// The groups. The file is parsed when they are asked for first.
    fn set(&self, parser: &Parser) -> &RecordSet<'a> {
        self.set.get_or_init(|| parser.parse(self.file))
    }

    /// The answer for the first URL.
    fn first(
        &self,
        url: &[u8],
        agents: &Bound<'_, PyAny>,
        settings: &Settings,
    ) -> PyResult<Option<(FileVerdict<'a>, Arc<Whose>)>> {
        if settings.refuses() || self.is_asked.swap(true, Ordering::Relaxed) {
            return Ok(None);
        }
        let whose = settings.whose(agents, None)?;
        let test = || whose.sieve.test(self.file, url);
        let answer = if is_long(self.file, url) { agents.py().detach(test) } else { test() };
        Ok(Some((answer.map_err(refused)?, whose)))
    }

    /// The tester for these agents. It is made when it is asked for first.
    fn asked(&self, agents: &Bound<'_, PyAny>, settings: &Settings) -> PyResult<Arc<Asked<'a>>> {
        if let Some(last) = &*locked(&self.last)
            && last.given.is(agents)
        {
            return Ok(Arc::clone(&last.asked));
        }
        let names = Names::read(agents)?;
        let known = locked(&self.testers).get(&names).map(Arc::clone);
        let asked = match known {
            Some(asked) => asked,
            None => self.made(agents, &names, settings)?,
        };
        // A str never changes. The type is exact, so that dropping it runs no code of others.
        let rest = match agents.cast_exact::<PyString>() {
            Ok(given) => {
                let last = Last { given: given.clone().unbind(), names, asked: Arc::clone(&asked) };
                locked(&self.last).replace(last).map(|before| (before.names, before.asked))
            }
            Err(_) => Some((names, Arc::clone(&asked))),
        };
        if let Some((names, tester)) = rest {
            let mut testers = locked(&self.testers);
            if testers.len() >= MAX_TESTERS {
                testers.clear();
            }
            testers.insert(names, tester);
        }
        Ok(asked)
    }

    /// A new tester.
    fn made(&self, agents: &Bound<'_, PyAny>, names: &Names, settings: &Settings) -> PyResult<Arc<Asked<'a>>> {
        let whose = settings.whose(agents, Some(names))?;
        let ask = || Asked::new(self.set(&settings.parser), &whose.groups).map(Arc::new);
        let asked = if is_long(self.file, b"") { agents.py().detach(ask) } else { ask() };
        asked.map_err(refused)
    }
}

impl Robots {
    /// What the values for these agents say.
    fn values<T: Send>(
        &self,
        agents: &Bound<'_, PyAny>,
        read: impl FnOnce(&AgentValues<'_, '_>) -> T + Send,
    ) -> PyResult<T> {
        let whose = self.settings.whose(agents, None)?;
        let py = agents.py();
        Ok(self.file.with_dependent(|_, groups| {
            py.detach(|| {
                let set = groups.set(&self.settings.parser);
                read(&Selection::of(set, &whose.groups.within(set)).values())
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
        let body = owned(py, &body, settings.read_part(&bytes));
        let file = File::new(body, |body| Groups::of(body));
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
        self.file.with_dependent(|file, groups| {
            let url = bytes_of("the URL", url)?;
            if let Some((answer, _)) = groups.first(&url, agents, &self.settings)? {
                return Ok(answer.allowed());
            }
            let asked = groups.asked(agents, &self.settings)?;
            let answer = || asked.tester.is_allowed(&url);
            Ok(if is_long(file, &url) { py.detach(answer) } else { answer() })
        })
    }

    /// Like ``can_fetch``, with the line and the rule that decided.
    ///
    /// >>> robosieve.Robots.parse("User-agent: *\nDisallow: /x").test("/x", "MyBot").line
    /// 2
    fn test(&self, py: Python<'_>, url: &Bound<'_, PyAny>, agents: &Bound<'_, PyAny>) -> PyResult<Verdict> {
        self.file.with_dependent(|file, groups| {
            let url = bytes_of("the URL", url)?;
            if let Some((answer, whose)) = groups.first(&url, agents, &self.settings)? {
                return Ok(Verdict::new(&answer.verdict(), &Who::new(answer.answered_by(), &whose.groups)));
            }
            let asked = groups.asked(agents, &self.settings)?;
            let answer = || Verdict::new(&asked.tester.test(&url), &asked.who);
            Ok(if is_long(file, &url) { py.detach(answer) } else { answer() })
        })
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
        let sitemaps = self.file.with_dependent(|_, groups| py.detach(|| groups.set(&self.settings.parser).sitemaps()));
        sitemaps.iter().map(ToString::to_string).collect()
    }

    /// The main host of the site, from its Host line, or None.
    #[getter]
    fn preferred_host(&self) -> Option<String> {
        self.file.with_dependent(|_, groups| groups.set(&self.settings.parser).host())
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let options = self.options.as_ref().map_or_else(|| PyDict::new(py), |options| options.bind(py).clone());
        Ok((PyTuple::new(py, [PyBytes::new(py, self.file.borrow_owner())])?, options))
    }

    fn __repr__(&self) -> String {
        let groups = self.file.with_dependent(|_, groups| groups.set(&self.settings.parser).records().len());
        format!("<Robots with {groups} {}>", if groups == 1 { "group" } else { "groups" })
    }
}
