//! Runs that were stopped, and continued after a random change of what they read or wrote.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use robosieve_batch::{Batch, Error, Filter, Inputs, Observer, Output, Start, Summary};

use crate::dice::Dice;
use crate::runs::{Folder, record};

/// Stops a run at the end of this frame.
struct StopAt(Cell<usize>);

impl Observer for StopAt {
    fn stops(&self) -> bool {
        self.0.set(self.0.get().saturating_sub(1));
        self.0.get() == 0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Folder,
    List,
    Archive(&'static str),
}

/// How many records an archive has. With them a point is in what follows, too.
const COUNTS: [usize; 5] = [0, 1, 990, 1020, 1500];

/// Random inputs in a folder, which can be changed.
struct World {
    root: Folder,
    kinds: Vec<Kind>,
    changes: Vec<String>,
}

impl World {
    fn new(dice: &mut Dice) -> Self {
        const KINDS: [Kind; 7] = [
            Kind::Folder,
            Kind::Folder,
            Kind::List,
            Kind::Archive("ndjson"),
            Kind::Archive("ndjson.gz"),
            Kind::Archive("warc"),
            Kind::Archive("warc.zst"),
        ];
        let root = Folder::new("resume");
        fs::remove_dir_all(&root.0).unwrap();
        fs::create_dir(&root.0).unwrap();
        let mut kinds: Vec<Kind> = (0..=dice.below(3)).map(|_| dice.one_of(&KINDS)).collect();
        // One with enough records for a point, anywhere.
        let large = dice.below(kinds.len() + 1);
        kinds.insert(large, dice.one_of(&KINDS[3..]));
        let world = Self { root, kinds, changes: Vec::new() };
        for (at, &kind) in world.kinds.iter().enumerate() {
            match kind {
                Kind::Folder | Kind::List => {
                    let count = dice.one_of(&[4, 40, 100]);
                    let names: Vec<String> =
                        (0..count).map(|number| format!("{at}/{}/r{number:05}", number / 30)).collect();
                    for (number, name) in names.iter().enumerate() {
                        world.root.write(name, &rules(number));
                    }
                    fs::create_dir_all(world.path(&at.to_string())).unwrap();
                    // A file without items, and one that is several.
                    world.root.write(&format!("{at}/0/a.ndjson"), "");
                    world.root.write(&format!("{at}/0/r00020.ndjson"), "{\"status\":404}\nx\n");
                    if kind == Kind::List {
                        let path = |name: &String| world.path(name).display().to_string() + "\n";
                        world.root.write(&format!("{at}.list"), &names.iter().map(path).collect::<String>());
                    }
                }
                Kind::Archive(form) => {
                    let count = dice.one_of(if at == large { &COUNTS[3..] } else { &COUNTS });
                    world.write_archive(at, form, &(0..count).map(|number| entry(form, number)).collect::<Vec<_>>());
                }
            }
        }
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.0.join(name)
    }

    fn write_archive(&self, at: usize, form: &str, entries: &[String]) {
        let text = entries.concat();
        let bytes = match form.rsplit_once('.') {
            Some((_, "gz")) => {
                let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                packed.write_all(text.as_bytes()).unwrap();
                packed.finish().unwrap()
            }
            Some(_) => zstd::encode_all(text.as_bytes(), 1).unwrap(),
            None => text.into_bytes(),
        };
        fs::write(self.path(&format!("{at}.{form}")), bytes).unwrap();
    }

    fn inputs(&self) -> Inputs {
        self.kinds.iter().enumerate().fold(Inputs::new(), |inputs, (at, kind)| match kind {
            Kind::Folder => inputs.path(self.path(&at.to_string())),
            Kind::List => inputs.list(self.path(&format!("{at}.list"))),
            Kind::Archive(form) => inputs.path(self.path(&format!("{at}.{form}"))),
        })
    }

    /// Changes something that the run reads.
    fn change(&mut self, dice: &mut Dice) {
        let at = dice.below(self.kinds.len());
        let what = match self.kinds[at] {
            Kind::Archive(form) => self.change_archive(dice, at, form),
            Kind::List if dice.below(2) == 0 => self.change_list(dice, at),
            Kind::Folder | Kind::List => self.change_folder(dice, at),
        };
        self.changes.push(format!("{:?}: {what}", self.kinds[at]));
    }

    fn change_archive(&self, dice: &mut Dice, at: usize, form: &str) -> &'static str {
        let path = self.path(&format!("{at}.{form}"));
        let count = dice.one_of(&COUNTS);
        let mut entries: Vec<String> = (0..count).map(|number| entry(form, number)).collect();
        let (what, place) = (dice.below(7), dice.below(count));
        match what {
            0 => entries.truncate(place),
            1 => entries.push(entry(form, 9_999)),
            2 => entries.insert(place, entry(form, 9_999)),
            3 if count > 0 => drop(entries.remove(place)),
            4 if count > 0 => entries[place] = entry(form, 9_999),
            5 => {
                let _ = fs::remove_file(path);
                return "gone";
            }
            _ => {
                touch(&path);
                return "touched";
            }
        }
        self.write_archive(at, form, &entries);
        "written anew"
    }

    fn change_list(&self, dice: &mut Dice, at: usize) -> &'static str {
        let path = self.path(&format!("{at}.list"));
        let text = fs::read_to_string(&path).unwrap_or_default();
        let mut lines: Vec<&str> = text.lines().collect();
        let (one, two, count) = (dice.below(lines.len()), dice.below(lines.len()), lines.len());
        let what = match dice.below(5) {
            0 => {
                lines.insert(one, "/nowhere/at/all");
                "a line more"
            }
            1 => {
                lines.truncate(one);
                "fewer lines"
            }
            2 if count > 0 => {
                lines.swap(one, two);
                "two lines swapped"
            }
            3 if count > 0 => {
                lines.remove(one);
                "a line less"
            }
            _ => {
                lines.push("/nowhere/at/all");
                "a line at the end"
            }
        };
        fs::write(path, lines.iter().flat_map(|line| [line, "\n"]).collect::<String>()).unwrap();
        what
    }

    fn change_folder(&self, dice: &mut Dice, at: usize) -> &'static str {
        let mut names: Vec<PathBuf> = Vec::new();
        for below in ["0", "1", "2"] {
            let entries = fs::read_dir(self.path(&format!("{at}/{below}"))).into_iter().flatten();
            names.extend(entries.map(|entry| entry.unwrap().path()));
        }
        names.sort();
        let (one, two) = (names[dice.below(names.len())].clone(), names[dice.below(names.len())].clone());
        let times = |path: &Path| fs::metadata(path).and_then(|found| found.modified());
        match dice.below(13) {
            0 => fs::remove_file(one).map(|()| "removed"),
            1 => fs::write(self.path(&format!("{at}/0/added")), "User-agent: *").map(|()| "added early"),
            2 => fs::write(self.path(&format!("{at}/zz")), "User-agent: *").map(|()| "added late"),
            3 => fs::rename(&one, one.with_extension("other")).map(|()| "renamed"),
            4 => fs::rename(&one, two).map(|()| "in another's place"),
            5 => fs::write(&one, [fs::read(&one).unwrap(), b"Disallow: /more\n".to_vec()].concat()).map(|()| "grown"),
            6 => fs::write(&one, "").map(|()| "empty"),
            7 => {
                touch(&one);
                Ok("touched")
            }
            8 => {
                let aside = self.path("aside");
                fs::rename(&one, &aside).unwrap();
                let _ = fs::rename(&two, &one);
                fs::rename(&aside, &two).map(|()| "swapped")
            }
            9 => {
                // Of the same size, and the time is that of before.
                let (time, size) = (times(&one).unwrap(), fs::read(&one).unwrap().len());
                fs::write(&one, "Disallow: /0\n".repeat(size).get(..size).unwrap()).unwrap();
                fs::File::options().write(true).open(&one).unwrap().set_modified(time).map(|()| "forged")
            }
            10 => fs::remove_file(&one).and_then(|()| fs::create_dir(&one)).map(|()| "a folder now"),
            #[cfg(unix)]
            11 => fs::remove_file(&one).and_then(|()| std::os::unix::fs::symlink(&two, &one)).map(|()| "a link now"),
            _ => fs::remove_dir_all(self.path(&at.to_string())).map(|()| "all gone"),
        }
        .unwrap_or("nothing")
    }
}

fn rules(number: usize) -> String {
    format!("User-agent: *\nDisallow: /{}\n", number % 200)
}

fn entry(form: &str, number: usize) -> String {
    if form.starts_with("warc") {
        return record(number, &rules(number));
    }
    format!("{{\"url\":\"http://n{number}/robots.txt\",\"robots\":\"User-agent: *\\nDisallow: /{}\"}}\n", number % 200)
}

fn touch(path: &Path) {
    if let Ok(file) = fs::File::options().write(true).open(path) {
        file.set_modified(std::time::SystemTime::now()).unwrap();
    }
}

/// The output of a run, with what it wrote.
fn read(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let all = walkdir::WalkDir::new(root).into_iter().map(Result::unwrap);
    let files = all.filter(|entry| entry.file_type().is_file());
    files.map(|entry| (entry.path().strip_prefix(root).unwrap().to_owned(), fs::read(entry.path()).unwrap())).collect()
}

fn run(world: &World, (name, root): (&str, &Path), start: Start, frames: usize) -> Result<Summary, Error> {
    fs::create_dir_all(root).unwrap();
    let run = Batch::new(Filter::new(["MyBot"]), world.inputs(), Output::path(root.join(name))).jobs(1 + frames % 2);
    let mut summary = run.start(start).checkpoint(Duration::ZERO).run(&mut StopAt(Cell::new(frames)))?;
    (summary.seconds, summary.slowest) = (0.0, Vec::new());
    Ok(summary)
}

/// Damages what the interrupted run has written.
fn damage(dice: &mut Dice, output: &Path) -> Option<String> {
    let suffix = dice.one_of(&[".part", ".journal"]);
    let path = PathBuf::from(format!("{}{suffix}", output.display()));
    let mut bytes = fs::read(&path).ok().filter(|bytes| !bytes.is_empty())?;
    let place = dice.below(bytes.len());
    if suffix == ".journal" && dice.below(2) == 0 {
        bytes[place] ^= 1 << dice.below(8);
    } else if dice.below(2) == 0 {
        bytes.truncate(place);
    } else {
        fs::remove_file(&path).unwrap();
        return Some(format!("{suffix} is gone"));
    }
    fs::write(&path, bytes).unwrap();
    Some(format!("{suffix} is damaged at {place}"))
}

/// What became of a stopped run.
#[derive(Debug, Default)]
struct Ended {
    complete: usize,
    other_inputs: usize,
    damaged: usize,
}

/// A run that was stopped is continued after a random change: its output is that of one run over the same inputs, or the
/// error says what differs.
fn stop_and_change(seed: u64, ended: &mut Ended) {
    let mut dice = Dice(seed);
    let mut world = World::new(&mut dice);
    let name = dice.one_of(&["out.ndjson", "out.ndjson.gz", "out.ndjson.zst", "out"]);
    let (root, whole) = (world.path("to"), world.path("whole"));
    let here = (name, root.as_path());
    let stopped = 1 + dice.below(3);
    match run(&world, here, Start::New, stopped) {
        Err(Error::Stopped) => {}
        Err(error) => panic!("{seed}: {error}"),
        // Too few records for a point.
        Ok(_) => return,
    }
    let expected = run(&world, (name, &whole), Start::New, usize::MAX).unwrap();
    // Killed some time after the point: the journal is older than the rest.
    let journal = root.join(format!("{name}.journal"));
    let point = fs::read(&journal).unwrap();
    if dice.below(3) == 0 {
        let _ = run(&world, here, Start::Resume, 1);
        if !journal.exists() {
            return;
        }
        fs::write(&journal, point).unwrap();
    }
    // File systems have times of a few milliseconds.
    std::thread::sleep(Duration::from_millis(10));
    let damaged = if dice.below(6) == 0 { damage(&mut dice, &root.join(name)) } else { None };
    for _ in 0..dice.below(3) {
        world.change(&mut dice);
    }
    let told = format!("{seed}: {:?} to {name}: {:?} {damaged:?}", world.kinds, world.changes);
    match run(&world, here, Start::Resume, usize::MAX) {
        // Without a journal it is a new run, over the inputs as they are now.
        Ok(summary) if damaged.is_some() => assert!(summary.records > 0 || !world.changes.is_empty(), "{told}"),
        Ok(summary) => {
            assert_eq!(summary, expected, "{told}");
            assert!(read(&root) == read(&whole), "{told}: other bytes");
            ended.complete += 1;
        }
        Err(error) => {
            assert!(error.is_usage(), "{told}: {error}");
            match &error {
                // An input that was named is gone.
                Error::OtherInputs(_) | Error::Input(..) => {
                    assert!(!world.changes.is_empty(), "{told}: {error}");
                    ended.other_inputs += 1;
                }
                Error::Damaged(..) | Error::NoJournal { .. } | Error::Foreign(_) => {
                    assert!(damaged.is_some(), "{told}: {error}");
                    ended.damaged += 1;
                }
                _ => panic!("{told}: {error}"),
            }
        }
    }
}

/// For more, by hand: `ROBOSIEVE_STOPS=500 cargo test -p robosieve-batch --test batch stopped -- --nocapture`.
///
#[test]
fn a_stopped_run_is_one_run_or_an_error() {
    let stops = std::env::var("ROBOSIEVE_STOPS").map_or(16, |count| count.parse().unwrap());
    let mut ended = Ended::default();
    let mut seed = std::env::var("ROBOSIEVE_SEED").map_or(0, |seed| seed.parse().unwrap());
    while ended.complete + ended.other_inputs + ended.damaged < stops {
        stop_and_change(seed, &mut ended);
        seed += 1;
    }
    eprintln!("{stops} stopped runs: {ended:?}");
    assert!(ended.complete >= stops / 8 && ended.other_inputs >= stops / 8, "{ended:?}");
}

/// A folder with files, and an archive that is long enough for a point, of which a run was stopped.
struct Stopped(Folder);

impl Stopped {
    fn new(name: &str) -> Self {
        let root = Folder::new(name);
        for name in ["b", "c", "d"] {
            root.write(&format!("in/{name}"), &rules(1));
        }
        root.write("in/e.ndjson", &(0..1500).map(|number| entry("ndjson", number)).collect::<String>());
        root.write("in/f", &rules(2));
        let stopped = Self(root);
        assert!(matches!(stopped.run(Start::New, &mut StopAt(Cell::new(1))), Err(Error::Stopped)));
        stopped
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.0.join(name)
    }

    fn run(&self, start: Start, observer: &mut dyn Observer) -> Result<Summary, Error> {
        let run = Batch::new(
            Filter::new(["MyBot"]),
            Inputs::new().path(self.path("in")),
            Output::path(self.path("o.ndjson")),
        );
        run.start(start).checkpoint(Duration::ZERO).run(observer)
    }
}

/// Each change of the inputs is said, and `--start-over` begins again.
#[test]
fn what_changed_is_said() {
    type Change = (&'static str, &'static str, fn(&Stopped) -> io::Result<()>);
    let changes: [Change; 7] = [
        ("a", "is new", |root| fs::write(root.path("in/a"), "")),
        ("z", "is new", |root| fs::write(root.path("in/z"), "")),
        ("d", "what came before it is gone", |root| fs::remove_file(root.path("in/c"))),
        ("", "there are only 4 now", |root| fs::remove_file(root.path("in/f"))),
        ("c", "its size, or a time of its change, is another", |root| fs::write(root.path("in/c"), "x")),
        ("c1", "another one was in its place", |root| fs::rename(root.path("in/c"), root.path("in/c1"))),
        ("b", "its size, or a time of its change, is another", |root| {
            fs::rename(root.path("in/b"), root.path("x"))?;
            fs::rename(root.path("in/c"), root.path("in/b"))?;
            fs::rename(root.path("x"), root.path("in/c"))
        }),
    ];
    for (number, (name, what, change)) in changes.into_iter().enumerate() {
        let root = Stopped::new(&format!("changed-{number}"));
        std::thread::sleep(Duration::from_millis(10));
        change(&root).unwrap();
        let why = root.run(Start::Resume, &mut ()).unwrap_err().to_string();
        let name = if name.is_empty() { String::new() } else { format!("{}: ", root.path("in").join(name).display()) };
        assert_eq!(why, format!("the inputs changed: {name}{what}"));
        let count = root.run(Start::Over, &mut ()).unwrap().records;
        assert_eq!(count, fs::read_to_string(root.path("o.ndjson")).unwrap().lines().count() as u64);
    }
}

/// Does something at the first point.
struct AtPoint<F: Fn()>(F);

impl<F: Fn()> Observer for AtPoint<F> {
    fn stops(&self) -> bool {
        self.0();
        false
    }
}

/// A second run is refused at once, and the lock is free after the first.
#[test]
fn an_output_has_one_run_at_a_time() {
    let root = Stopped::new("two");
    let asked = Cell::new(0);
    let second = || {
        for start in [Start::New, Start::Resume, Start::Over] {
            assert!(matches!(root.run(start, &mut ()), Err(Error::Busy(_))));
            asked.set(asked.get() + 1);
        }
    };
    assert_eq!(root.run(Start::Over, &mut AtPoint(second)).unwrap().records, 1504);
    assert_eq!((asked.get(), root.run(Start::New, &mut ()).unwrap().records), (3, 1504));
}

/// What is at the output at the end is of this run, or it is an error: [batch.output]
#[test]
fn an_output_that_is_taken_away_is_an_error() {
    let (old, other) = (b"old\n".to_vec(), b"other\n".to_vec());
    for is_replaced in [false, true] {
        let root = Stopped::new(if is_replaced { "replaced" } else { "removed" });
        fs::write(root.path("o.ndjson"), &old).unwrap();
        let part = root.path("o.ndjson.part");
        let take = AtPoint(|| {
            fs::remove_file(&part).unwrap();
            if is_replaced {
                fs::write(&part, &other).unwrap();
            }
        });
        let why = root.run(Start::Over, &mut { take }).unwrap_err();
        assert!(matches!(why, Error::Write(..)) && why.to_string().contains("o.ndjson: "), "{why}");
        assert_eq!(fs::read(root.path("o.ndjson")).unwrap(), old);
        assert!(!is_replaced || fs::read(&part).unwrap() == other);
    }
}

/// A file that no run made stays as it is, whatever was asked for.
#[test]
fn a_file_of_others_is_never_replaced() {
    let root = Folder::new("foreign");
    root.write("in", &rules(1));
    let content = [("journal", ""), ("journal", "mine\n"), ("journal.new", "mine\n"), ("part", "mine\n")];
    for (suffix, content) in content {
        let path = root.write(&format!("o.ndjson.{suffix}"), content);
        let part = root.0.join("o.ndjson.part");
        if suffix == "journal" {
            fs::write(&part, "mine too").unwrap();
        }
        for start in [Start::New, Start::Resume, Start::Over] {
            let run = Batch::new(
                Filter::new(["x"]),
                Inputs::new().path(root.0.join("in")),
                Output::path(root.0.join("o.ndjson")),
            );
            let why = run.start(start).run(&mut ()).unwrap_err();
            assert!(matches!(&why, Error::Foreign(found) if *found == path), "{suffix}: {why}");
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        assert!(suffix != "journal" || fs::read(&part).unwrap() == b"mine too");
        let _ = (fs::remove_file(&path), fs::remove_file(&part));
        assert_eq!(fs::read_dir(&root.0).unwrap().count(), 1, "{suffix}");
    }
}

/// A stream can't be read again, so its run is not continued.
#[test]
fn a_stream_is_not_continued() {
    let root = Folder::new("stream");
    let lines: String = (0..1500).map(|number| entry("ndjson", number)).collect();
    let run = |start: Start, frames: usize| {
        let inputs = Inputs::new().stream("-", "in", io::Cursor::new(lines.clone()));
        let run = Batch::new(Filter::new(["x"]), inputs, Output::path(root.0.join("o.ndjson")));
        run.start(start).run(&mut StopAt(Cell::new(frames)))
    };
    assert!(matches!(run(Start::New, 1), Err(Error::Stopped)));
    assert!(matches!(run(Start::New, 1), Err(Error::Interrupted(_))));
    assert!(matches!(run(Start::Resume, 1), Err(Error::OnlyOnce)));
    assert_eq!(run(Start::Over, usize::MAX).unwrap().records, 1500);
    assert_eq!(fs::read_dir(&root.0).unwrap().count(), 1);
}
