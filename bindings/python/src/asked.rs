//! A file, and the testers that were made for the agents that callers asked for.
//!
//! Invariant: verdicts are those of the command's `test`. Groups and testers are made when they are asked for first, which
//! changes no answer. The first verdict needs no groups (`[verdict.pass]`): most callers ask one URL of a file.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use robosieve::records::{RecordSet, Selection};
use robosieve::settings::{OverLimit, Refused};
use robosieve::verdict::FileVerdict;
use robosieve::{Tester, Verdict};
use robosieve_explain::{Groups, Who};

use crate::agents::Names;
use crate::error::refused;
use crate::options::{Settings, Whose, locked};

/// The number of agents whose testers are kept. With more, the one that was not asked for longest is dropped.
const MAX_TESTERS: usize = 64;

/// A tester, and whose group it answers from.
struct Asked<'a> {
    tester: Tester<'a>,
    who: Who,
}

impl<'a> Asked<'a> {
    /// Selects the groups of these agents. Fails if the options refuse the file.
    fn new(set: &RecordSet<'a>, groups: &Groups) -> Result<Self, Refused> {
        let groups = &*groups.within(set);
        if set.options().over_limit != OverLimit::Drop {
            Selection::of(set, groups).check()?;
        }
        let tester = Tester::new(set, groups);
        Ok(Self { who: Who::new(tester.answered_by(), groups), tester })
    }
}

/// A file. It is asked with the same settings each time, and for any agents.
pub(crate) struct File<'a> {
    bytes: &'a [u8],
    set: OnceLock<RecordSet<'a>>,
    /// Whether a verdict was asked for.
    is_asked: AtomicBool,
    /// The one that was asked last is the first.
    testers: Mutex<VecDeque<(Option<Names>, Arc<Asked<'a>>)>>,
}

impl<'a> File<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, set: OnceLock::new(), is_asked: AtomicBool::new(false), testers: Mutex::default() }
    }

    /// The groups.
    pub(crate) fn set(&self, settings: &Settings) -> &RecordSet<'a> {
        self.set.get_or_init(|| settings.parser.parse(self.bytes))
    }

    /// Fails if the settings refuse the file.
    pub(crate) fn check(&self, settings: &Settings, whose: &Whose) -> Result<(), Refused> {
        self.asked(settings, whose).map(drop)
    }

    /// Whether a URL may be fetched.
    pub(crate) fn allows(&self, url: &[u8], settings: &Settings, whose: &Whose) -> Result<bool, Refused> {
        match self.first(url, settings, whose)? {
            Some(answer) => Ok(answer.allowed()),
            None => Ok(self.asked(settings, whose)?.tester.is_allowed(url)),
        }
    }

    /// What is read of the verdict on a URL.
    pub(crate) fn test<T>(
        &self,
        url: &[u8],
        settings: &Settings,
        whose: &Whose,
        read: impl FnOnce(&Verdict<'_, '_>, &Who) -> T,
    ) -> Result<T, Refused> {
        if let Some(answer) = self.first(url, settings, whose)? {
            let who = Who::new(answer.answered_by(), whose.groups(settings));
            return Ok(read(&answer.verdict(), &who));
        }
        let asked = self.asked(settings, whose)?;
        Ok(read(&asked.tester.test(url), &asked.who))
    }

    /// The answer for the first URL.
    fn first(&self, url: &[u8], settings: &Settings, whose: &Whose) -> Result<Option<FileVerdict<'a>>, Refused> {
        if settings.refuses() || self.is_asked.swap(true, Ordering::Relaxed) {
            return Ok(None);
        }
        whose.sieve(settings).test(self.bytes, url).map(Some)
    }

    /// The tester for these agents.
    fn asked(&self, settings: &Settings, whose: &Whose) -> Result<Arc<Asked<'a>>, Refused> {
        if let Some((names, asked)) = locked(&self.testers).front()
            && *names == whose.names
        {
            return Ok(Arc::clone(asked));
        }
        let known = {
            let mut testers = locked(&self.testers);
            testers.iter().position(|(names, _)| *names == whose.names).and_then(|at| testers.remove(at))
        };
        let (names, asked) = match known {
            Some(known) => known,
            None => (whose.names.clone(), Arc::new(Asked::new(self.set(settings), whose.groups(settings))?)),
        };
        let mut testers = locked(&self.testers);
        testers.push_front((names, Arc::clone(&asked)));
        testers.truncate(MAX_TESTERS);
        Ok(asked)
    }
}

self_cell::self_cell!(
    /// A file with its bytes.
    pub(crate) struct Kept {
        owner: PyBackedBytes,
        #[not_covariant]
        dependent: File,
    }
);

impl Kept {
    pub(crate) fn of(bytes: PyBackedBytes) -> Self {
        Self::new(bytes, |bytes| File::new(bytes))
    }

    /// What the file answers to a URL.
    pub(crate) fn ask<T: Send>(
        &self,
        py: Python<'_>,
        url: &[u8],
        answer: impl FnOnce(&File<'_>) -> Result<T, Refused> + Send,
    ) -> PyResult<T> {
        self.with_dependent(|bytes, file| if is_long(bytes, url) { py.detach(|| answer(file)) } else { answer(file) })
            .map_err(refused)
    }
}

/// Whether a verdict may take so long that other threads should go on. To release the interpreter and to take it again
/// costs as much as a usual verdict.
const fn is_long(file: &[u8], url: &[u8]) -> bool {
    const LONG_FILE: usize = 20_000;
    const LONG_URL: usize = 1_000;
    file.len() > LONG_FILE || url.len() > LONG_URL
}
