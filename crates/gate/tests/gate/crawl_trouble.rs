//! Trouble on our side while answers wait for their times: it uses up no URL. [gate.wait-out]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use robosieve::agent::Agents;
use robosieve_gate::crawl::{CheckedUrl, Crawl};
use robosieve_gate::keep::{SharedStore, SiteStore, StoreError, Visit};
use robosieve_gate::pace::{PaceBy, Pacing, Page};
use robosieve_gate::retrieve::{Attempt, AttemptEnd, Outcome, Retrieval, Retriever};
use robosieve_gate::{Gate, GateCore, GateError, MemoryStore, Moment, Origin};

use crate::making::{FILE, Told, core, retrieval, secs};

fn paced(millis: u64) -> Pacing {
    let delay = Duration::from_millis(millis);
    Pacing { default: delay, min: delay, ..Pacing::default() }
}

fn urls(urls: impl IntoIterator<Item = String>) -> impl Iterator<Item = Result<String, ()>> + Send + 'static {
    urls.into_iter().map(Ok).collect::<Vec<_>>().into_iter()
}

/// A store whose first calls fail, as those of a server that starts again.
#[derive(Default)]
struct Away {
    store: MemoryStore,
    failures: AtomicUsize,
    calls: Arc<AtomicUsize>,
}

impl Away {
    fn for_calls(failures: usize) -> Self {
        Self { failures: AtomicUsize::new(failures), ..Self::default() }
    }

    fn call(&self) -> Result<&MemoryStore, StoreError> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let fails = self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
        if fails { Err(StoreError::Failed("the server is away".into())) } else { Ok(&self.store) }
    }
}

impl SiteStore for Away {
    fn get(&self, origin: &Origin, reader: &str) -> Result<Option<robosieve_gate::decide::SiteRecord>, StoreError> {
        self.call()?.get(origin, reader)
    }

    fn put(
        &self,
        origin: &Origin,
        reader: &str,
        record: &robosieve_gate::decide::SiteRecord,
    ) -> Result<(), StoreError> {
        self.call()?.put(origin, reader, record)
    }

    fn remove(&self, origin: &Origin, reader: &str) -> Result<bool, StoreError> {
        self.call()?.remove(origin, reader)
    }

    fn clear(&self) -> Result<(), StoreError> {
        self.call()?.clear()
    }

    fn len(&self) -> Result<u64, StoreError> {
        self.call()?.len()
    }

    fn for_each(&self, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        self.call()?.for_each(visit)
    }
}

/// The numbers of a site's URLs, as they were answered.
fn numbers(answers: &[CheckedUrl], site: &str) -> Vec<usize> {
    let of_site = answers.iter().filter(|checked| checked.url.contains(site));
    of_site.map(|checked| checked.url.rsplit('/').next().unwrap().parse().unwrap()).collect()
}

/// A store that is away for a while uses up no URL. Those of a site keep their order, and it is retrieved once:
/// [gate.wait-out]
#[test]
fn a_store_that_comes_back_uses_up_no_url() {
    let told = Told::file(FILE);
    let gate = Gate::over(
        told.clone(),
        GateCore::new(Arc::new(Away::for_calls(12)) as SharedStore, Agents::new(["MyBot"])).with_pacing(paced(1)),
    );
    let given = urls((0..300).map(|number| format!("https://{}.example/{number}", number % 3)));
    let answers = Crawl::default().waiting(true).run(Arc::new(gate), given).unwrap();
    let answers: Vec<CheckedUrl> = answers.map(Result::unwrap).collect();
    assert!(answers.iter().all(|checked| checked.at().is_some()));
    for site in 0..3 {
        let expected: Vec<usize> = (0..300).filter(|number| number % 3 == site).collect();
        assert_eq!(numbers(&answers, &format!("//{site}.")), expected);
    }
    assert_eq!(told.count(), 3);
}

/// A store that stays away ends the run after the patience, with an error that says so. It is not asked for each URL:
/// [gate.wait-out]
#[test]
fn a_store_that_stays_away_ends_the_run() {
    let store = Away::for_calls(usize::MAX);
    let calls = Arc::clone(&store.calls);
    let gate = Gate::over(
        Told::file(FILE),
        GateCore::new(Arc::new(store) as SharedStore, Agents::new(["MyBot"])).with_pacing(paced(1)),
    );
    let given = urls((0..5_000).map(|number| format!("https://{}.example/{number}", number % 5)));
    let began = Instant::now();
    let crawl = Crawl::default().waiting(true).patience(secs(2));
    let answers: Vec<CheckedUrl> = crawl.run(Arc::new(gate), given).unwrap().map(Result::unwrap).collect();
    assert!(began.elapsed() >= secs(2));
    assert_eq!(answers.len(), 5_000);
    for checked in &answers {
        let error = checked.answer.as_ref().unwrap_err().to_string();
        let expected =
            "the site could not be asked: the store of sites failed: the server is away (for 2 s)".to_owned();
        assert_eq!(error, expected);
    }
    for site in 0..5 {
        assert!(numbers(&answers, &format!("//{site}.")).is_sorted());
    }
    let calls = calls.load(Ordering::SeqCst);
    assert!(calls < 500, "{calls} calls for 5 sites");
}

/// Without waiting, each error is an answer at once: [gate.wait-out]
#[test]
fn without_waiting_an_error_is_the_answer() {
    let gate = Gate::over(
        Told::file(FILE),
        GateCore::new(Arc::new(Away::for_calls(1)) as SharedStore, Agents::new(["MyBot"])).with_pacing(paced(0)),
    );
    let given = urls((0..3).map(|number| format!("https://a.example/{number}")));
    let answers: Vec<CheckedUrl> = Crawl::default().run(Arc::new(gate), given).unwrap().map(Result::unwrap).collect();
    let failed: Vec<bool> = answers.iter().map(|it| matches!(it.answer, Err(GateError::Store(_)))).collect();
    assert_eq!(failed, [true, false, false]);
}

/// No name server answers for one host, or its port is refused. The others are there.
struct Lame;

impl Retriever for Lame {
    fn retrieve(&self, origin: &Origin) -> Retrieval {
        let not_asked = |why: &str| {
            let attempts = vec![Attempt { address: None, end: AttemptEnd::NotAsked(why.into()) }];
            Retrieval { attempts, ..retrieval(Outcome::NotAsked, None, "", Moment::now()) }
        };
        let found = match origin.to_string() {
            name if name.contains("lame") => not_asked("no name server answered"),
            name if name.ends_with(":25") => not_asked("refused: port 25 is neither 80, 443 nor above 1023"),
            _ => retrieval(Outcome::Rules, Some(200), FILE, Moment::now()),
        };
        Retrieval { origin: origin.clone(), ..found }
    }
}

/// A host that holds its requests holds up no other of its lane: [gate.hold]
#[test]
fn a_hold_holds_up_no_other() {
    let pacing = Pacing { by: PaceBy::RegisteredDomain, ..paced(10) };
    let gate = Arc::new(Gate::over(Told::file(FILE), core().with_pacing(pacing)));
    let hosts = ["held.example.com", "good.example.com", "other.example.com"];
    let page = |number: usize| format!("http://{}/{number}", hosts[number % 3]);
    (0..3).for_each(|number| drop(gate.permits(&page(number), gate.now()).unwrap()));
    let busy = Page { status: Some(429), retry_after: Some(secs(2)), ..Page::default() };
    gate.observe(&page(0), &busy, gate.now()).unwrap();
    let (began, mut last) = (Instant::now(), Duration::ZERO);
    let mut answers = Crawl::default().waiting(true).run(gate, urls((0..90).map(page))).unwrap();
    let others: Vec<CheckedUrl> =
        answers.by_ref().take(60).map(Result::unwrap).inspect(|_| last = began.elapsed()).collect();
    assert!(last < Duration::from_millis(1_900), "{last:?}");
    assert_eq!((numbers(&others, "good").len(), numbers(&others, "other").len()), (30, 30));
    let held: Vec<CheckedUrl> = answers.map(Result::unwrap).collect();
    let in_order = numbers(&held, "held");
    assert!(in_order.len() == 30 && in_order.is_sorted(), "{in_order:?}");
    assert!(began.elapsed() > Duration::from_millis(1_900));
}

/// A site with trouble holds up no other of its lane, and a port that is refused is not waited for: [gate.wait-out]
#[test]
fn trouble_with_a_site_holds_up_no_other() {
    let pacing = Pacing { by: PaceBy::RegisteredDomain, ..paced(10) };
    let gate = Gate::over(Lame, core().with_pacing(pacing));
    let hosts = ["lame.example.com", "good.example.com", "other.example.com:25"];
    let given = urls((0..90).map(|number| format!("http://{}/{number}", hosts[number % 3])));
    let began = Instant::now();
    let mut answers = Crawl::default().waiting(true).run(Arc::new(gate), given).unwrap();
    let others: Vec<CheckedUrl> = answers.by_ref().take(60).map(Result::unwrap).collect();
    // Nobody asks the lame one again before that.
    assert!(began.elapsed() < secs(9), "{:?}", began.elapsed());
    assert_eq!((numbers(&others, "good").len(), numbers(&others, ":25").len()), (30, 30));
    assert!(others.iter().all(|checked| checked.at().is_some() == checked.url.contains("good")));
    assert_eq!(answers.waiting(), 30);
}
