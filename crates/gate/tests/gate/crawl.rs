//! Many URLs at once: their order, their sites, their times. [cmd.crawl-check]

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use robosieve::agent::Agents;
use robosieve_gate::crawl::{CheckedUrl, Crawl};
use robosieve_gate::decide::Lifetimes;
use robosieve_gate::pace::Pacing;
use robosieve_gate::retrieve::{Outcome, Retrieval, Retriever};
use robosieve_gate::{Answer, Gate, GateCore, GateError, MemoryStore, Moment, Origin};

use crate::making::{FILE, FailingStore, Told, core, retrieval, secs};

fn gate<R: Retriever>(retriever: R, pacing: Pacing) -> Arc<Gate<R>> {
    Arc::new(Gate::over(retriever, core().with_pacing(pacing)))
}

fn paced(millis: u64) -> Pacing {
    let delay = Duration::from_millis(millis);
    Pacing { default: delay, min: delay, max: secs(300), ..Pacing::default() }
}

fn urls(urls: impl IntoIterator<Item = String>) -> impl Iterator<Item = Result<String, ()>> + Send + 'static {
    urls.into_iter().map(Ok).collect::<Vec<_>>().into_iter()
}

fn file(origin: &Origin) -> Retrieval {
    Retrieval { origin: origin.clone(), ..retrieval(Outcome::Rules, Some(200), FILE, Moment::now()) }
}

/// The answers are in the order of the URLs, each site is requested once, and an invalid URL gives an error in its
/// place: [cmd.crawl-check]
#[test]
fn answers_in_order() {
    let told = Told::file(FILE);
    let gate = gate(told.clone(), Pacing { max_wait: secs(86_400), ..paced(100) });
    let mut given: Vec<Result<String, usize>> = Vec::new();
    for number in 0..2_000 {
        given.push(Ok(format!("https://{}.example/{number}", number % 7)));
        given.push(Ok(format!("https://{}.example/private/{number}", number % 7)));
        given.push(if number % 3 == 0 { Err(number) } else { Ok("mailto:a@b".into()) });
    }
    let answers: Vec<_> = Crawl::default().in_order(true).run(gate, given.clone().into_iter()).unwrap().collect();
    assert_eq!(answers.len(), given.len());
    let mut last = [Moment::default(); 7];
    for (number, (answer, given)) in answers.iter().zip(&given).enumerate() {
        match (answer, given) {
            (Err(found), Err(given)) => assert_eq!(found, given),
            (Ok(checked), Ok(given)) => {
                assert_eq!(checked.url, *given);
                match number % 3 {
                    0 => {
                        let (at, last) = (checked.at().unwrap(), &mut last[number / 3 % 7]);
                        assert!(at > *last, "slots are in the order of the URLs");
                        *last = at;
                        assert!(checked.reasons.findings.as_ref().unwrap().exact);
                    }
                    1 => assert!(matches!(checked.answer, Ok(Answer::Denied { .. }))),
                    _ => assert!(matches!(checked.answer, Err(GateError::Url(_)))),
                }
            }
            _ => panic!("{number}"),
        }
    }
    assert_eq!(told.count(), 7);
}

/// Retrieves only when this many sites are requested at the same time.
struct Together(Barrier);

impl Retriever for Together {
    fn retrieve(&self, origin: &Origin) -> Retrieval {
        self.0.wait();
        file(origin)
    }
}

/// As many sites are requested at the same time as there are threads, even before the first one is known:
/// [cmd.crawl-check]
#[test]
fn sites_are_requested_together() {
    let gate = gate(Together(Barrier::new(4)), Pacing::default());
    let given = urls((0..8).map(|number| format!("https://{number}.example/")));
    let answers = Crawl::default().threads(NonZeroUsize::new(4).unwrap()).run(gate, given).unwrap();
    assert!(answers.map(Result::unwrap).all(|checked| checked.at().is_some()));
}

/// An allowed URL is returned at its time. Others do not wait: [cmd.crawl-check]
#[test]
fn waiting_for_the_time() {
    let gate = gate(Told::file(FILE), paced(150));
    let given = ["a.example/1", "a.example/2", "a.example/3", "a.example/private", "b.example/1", "b.example/2"];
    let given = urls(given.map(|url| format!("https://{url}")));
    let began = Instant::now();
    let mut answers = Crawl::default().waiting(true).run(gate, given).unwrap();
    let mut seen = Vec::new();
    for checked in answers.by_ref() {
        seen.push((checked.unwrap().url, began.elapsed()));
    }
    let mut order: Vec<&str> = seen.iter().map(|seen| seen.0.trim_start_matches("https://")).collect();
    // The two hosts take turns. Which one is first depends on whose robots.txt comes first.
    order[1..3].sort_unstable();
    order[3..5].sort_unstable();
    let expected = ["a.example/private", "a.example/1", "b.example/1", "a.example/2", "b.example/2", "a.example/3"];
    assert_eq!(order, expected);
    // The requests for robots.txt count.
    assert!(seen[1].1 >= Duration::from_millis(140) && seen[5].1 >= Duration::from_millis(430), "{seen:?}");
    assert_eq!((answers.waiting(), answers.pauses()), (0, false));
}

/// A URL that waited is checked again at its time, without another slot: [cmd.crawl-check] [gate.slots]
#[test]
fn what_waited_is_checked_again() {
    let told = Told::file("User-agent: *\nDisallow:\n");
    let second = Lifetimes::FLOOR;
    let lifetimes = Lifetimes { cache: second, cache_min: second, cache_max: second, ..Lifetimes::default() };
    let agents = Agents::new(["MyBot"]);
    let gate = Gate::over(
        told.clone(),
        GateCore::new(MemoryStore::default(), agents).with_pacing(paced(2_500)).with_lifetimes(lifetimes),
    );
    let given = urls(["https://a.example/1".to_owned(), "https://a.example/2".to_owned()]);
    let mut answers = Crawl::default().waiting(true).run(Arc::new(gate), given).unwrap();
    assert!(answers.next().unwrap().unwrap().at().is_some());
    assert!(answers.pauses() && answers.waiting() == 1);
    told.tell(retrieval(Outcome::Rules, Some(200), "User-agent: *\nDisallow: /2\n", Moment::default()));
    let last = answers.next().unwrap().unwrap();
    assert!(matches!(last.answer, Ok(Answer::Denied { .. })), "{last:?}");
}

/// While the input pauses, answers are not held back, and the caller can see the pause: [cmd.crawl-check]
#[test]
fn pauses_are_seen() {
    let (sender, receiver) = mpsc::channel::<Result<String, ()>>();
    let gate = gate(Told::file(FILE), paced(0));
    let mut answers = Crawl::default().run(gate, receiver.into_iter()).unwrap();
    for number in 0..3 {
        assert!(answers.pauses());
        sender.send(Ok(format!("https://a.example/{number}"))).unwrap();
        let began = Instant::now();
        while answers.pauses() {
            assert!(began.elapsed() < secs(20));
            thread::sleep(Duration::from_millis(1));
        }
        assert!(answers.next().unwrap().unwrap().url.ends_with(&number.to_string()));
    }
    drop(sender);
    assert!(answers.next().is_none());
}

/// An error of the store is the answer to one URL of its site. The others are answered: [gate.store-fails]
#[test]
fn a_failing_store_is_reported_once() {
    let gate = Gate::new(Told::file(FILE), FailingStore::of(1), Agents::new(["MyBot"]));
    let given = urls((0..3).map(|number| format!("https://a.example/{number}")));
    let answers: Vec<CheckedUrl> = Crawl::default().run(Arc::new(gate), given).unwrap().map(Result::unwrap).collect();
    let failed: Vec<bool> = answers.iter().map(|it| matches!(it.answer, Err(GateError::Store(_)))).collect();
    assert_eq!(failed, [true, false, false]);
}

/// Panics on the first call for each of these sites.
struct Panics(Mutex<Vec<String>>);

impl Retriever for Panics {
    fn retrieve(&self, origin: &Origin) -> Retrieval {
        let mut asked = self.0.lock().unwrap();
        let is_first = !asked.contains(&origin.to_string());
        asked.push(origin.to_string());
        drop(asked);
        assert!(!is_first, "a bug");
        file(origin)
    }
}

/// A retriever that panics ends no thread, and no URL is lost: [gate.single-flight]
#[test]
fn a_panic_costs_no_answer() {
    let gate = gate(Panics(Mutex::default()), Pacing::default());
    let given = urls((0..30).map(|number| format!("https://{number}.example/")));
    let answers = Crawl::default().threads(NonZeroUsize::MIN).run(gate, given).unwrap();
    assert_eq!(answers.filter(|checked| checked.as_ref().is_ok_and(|checked| checked.at().is_some())).count(), 30);
}

/// Counts the retrievals. Each takes a moment.
struct Counting(Arc<AtomicUsize>);

impl Retriever for Counting {
    fn retrieve(&self, origin: &Origin) -> Retrieval {
        self.0.fetch_add(1, Ordering::SeqCst);
        thread::sleep(Duration::from_millis(2));
        file(origin)
    }
}

/// After the answers are dropped, no further site is requested. [cmd.crawl-check]
#[test]
fn dropped_answers_end_the_requests() {
    let count = Arc::new(AtomicUsize::new(0));
    let gate = gate(Counting(Arc::clone(&count)), Pacing::default());
    let threads = NonZeroUsize::new(2).unwrap();
    let sites = urls((0..2_000).map(|number| format!("https://{number}.example/")));
    let mut answers = Crawl::default().threads(threads).run(gate, sites).unwrap();
    assert!(answers.next().is_some());
    drop(answers);
    // Each thread may have begun a retrieval, and have another job in hand.
    let begun = count.load(Ordering::SeqCst);
    thread::sleep(Duration::from_millis(300));
    let ended = count.load(Ordering::SeqCst);
    assert!(ended <= begun + 4 * threads.get(), "{begun} retrievals became {ended}");
}

/// Retrieves as a closure says.
struct By<F>(F);

impl<F: Fn(&Origin) -> Retrieval> Retriever for By<F> {
    fn retrieve(&self, origin: &Origin) -> Retrieval {
        Retrieval { origin: origin.clone(), ..(self.0)(origin) }
    }
}

/// Sites that are slow by their delay, or do not answer, and others: [`stuck`] has many URLs in front of theirs.
fn behind_many(is_waiting: bool, stuck: &'static str, count: usize) -> (Duration, Vec<String>) {
    let retriever = move |origin: &Origin| match origin.to_string() {
        host if host.contains("mute") => {
            thread::sleep(secs(5));
            retrieval(Outcome::Unreachable, None, "", Moment::now())
        }
        host if host.contains("slow") => {
            retrieval(Outcome::Rules, Some(200), "User-agent: *\nCrawl-delay: 10\n", Moment::now())
        }
        _ => retrieval(Outcome::Rules, Some(200), FILE, Moment::now()),
    };
    let gate = gate(By(retriever), Pacing { max_wait: secs(86_400), ..paced(100) });
    let first = (0..count).map(move |number| format!("https://{stuck}.example/{number}"));
    let given = first.chain((0..20).map(|number| format!("https://{number}.example/page")));
    let began = Instant::now();
    let mut answers = Crawl::default().waiting(is_waiting).run(gate, given.map(Ok::<_, ()>)).unwrap();
    let others = answers.by_ref().map(|it| it.unwrap().url).filter(|url| !url.contains(stuck)).take(20).collect();
    (began.elapsed(), others)
}

/// Many URLs of one site do not hold up the others, whether it has a long delay or does not answer. [gate.read-ahead]
#[test]
fn many_urls_of_a_site_hold_nobody_up() {
    for (is_waiting, stuck) in [(true, "slow"), (true, "mute"), (false, "mute")] {
        let (took, others) = behind_many(is_waiting, stuck, 50_000);
        assert_eq!(others.len(), 20, "{stuck}");
        assert!(took < secs(4), "{stuck}: {took:?}");
    }
}

/// A URL that waits is not refused for the number of those before it, only if its lane has no slot for too long.
/// [gate.read-ahead]
#[test]
fn urls_wait_however_many_stand_before_them() {
    let gate = gate(Told::file(FILE), Pacing { max_wait: Duration::from_millis(100), ..paced(20) });
    let given = urls((0..40).map(|number| format!("https://a.example/{number}")));
    let answers = Crawl::default().waiting(true).run(gate, given).unwrap();
    assert_eq!(answers.filter(|checked| checked.as_ref().is_ok_and(|checked| checked.at().is_some())).count(), 40);
}

/// All URLs come back, each once, those of a site in order, also from the file. [gate.read-ahead]
#[test]
fn urls_that_were_set_aside_come_back_in_order() {
    struct Late;
    impl Retriever for Late {
        fn retrieve(&self, origin: &Origin) -> Retrieval {
            thread::sleep(Duration::from_millis(200));
            file(origin)
        }
    }
    for is_waiting in [false, true] {
        let gate = gate(Late, Pacing { max_wait: secs(1 << 30), max: Duration::ZERO, ..paced(0) });
        let given = urls((0..30_000).map(|number| format!("https://{}.example/{number}", number / 10_000)));
        let answers = Crawl::default().waiting(is_waiting).run(gate, given).unwrap();
        let mut seen: [Vec<usize>; 3] = Default::default();
        for checked in answers {
            let (site, number) = checked
                .unwrap()
                .url
                .strip_prefix("https://")
                .unwrap()
                .split_once(".example/")
                .map(|(site, number)| (site.parse::<usize>().unwrap(), number.parse::<usize>().unwrap()))
                .unwrap();
            seen[site].push(number);
        }
        for (site, seen) in seen.iter().enumerate() {
            assert!(seen.iter().copied().eq(site * 10_000..(site + 1) * 10_000), "{is_waiting} {site}: {}", seen.len());
        }
    }
}
