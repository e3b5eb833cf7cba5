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
    Stream(&'static str),
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
        const KINDS: [Kind; 9] = [
            Kind::Folder,
            Kind::Folder,
            Kind::List,
            Kind::Archive("ndjson"),
            Kind::Archive("ndjson.gz"),
            Kind::Archive("warc"),
            Kind::Archive("warc.zst"),
            Kind::Stream("ndjson"),
            Kind::Stream("warc"),
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
                Kind::Archive(form) | Kind::Stream(form) => {
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
            Kind::List => inputs.list(self.path(&format!("{at}.list")), b'\n'),
            Kind::Archive(form) => inputs.path(self.path(&format!("{at}.{form}"))),
            Kind::Stream(form) => {
                let bytes = fs::read(self.path(&format!("{at}.{form}"))).unwrap_or_default();
                inputs.stream(format!("stream{at}"), format!("{at}.txt"), io::Cursor::new(bytes))
            }
        })
    }

    /// Changes something that the run reads.
    fn change(&mut self, dice: &mut Dice) {
        let at = dice.below(self.kinds.len());
        let what = match self.kinds[at] {
            Kind::Archive(form) | Kind::Stream(form) => self.change_archive(dice, at, form),
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

/// Where a run writes.
#[derive(Clone, Copy, Debug)]
struct Target {
    records: Option<&'static str>,
    has_texts: bool,
    dedup: bool,
}

impl Target {
    fn output(self, root: &Path) -> Output {
        let output = match (self.has_texts, self.records) {
            (true, None) => Output::path(root.join("out")),
            (true, Some(name)) => Output::path(root.join("out")).records(root.join(name)),
            (false, name) => Output::path(root.join(name.unwrap())),
        };
        output.dedup(self.dedup)
    }

    /// The name of a file of an unfinished run.
    fn file(self, root: &Path, suffix: &str) -> PathBuf {
        let name = match (self.records, suffix) {
            (Some(name), ".part") => name,
            (Some(name), _) if !self.has_texts => name,
            _ => "out",
        };
        root.join(format!("{name}{suffix}"))
    }

    fn read(self, root: &Path) -> (Option<Vec<u8>>, BTreeMap<PathBuf, Vec<u8>>) {
        let mut texts = BTreeMap::new();
        for entry in walkdir::WalkDir::new(root.join("out")).into_iter().flatten() {
            if entry.file_type().is_file() {
                let name = entry.path().strip_prefix(root).unwrap().to_owned();
                texts.insert(name, fs::read(entry.path()).unwrap());
            }
        }
        (self.records.map(|name| fs::read(root.join(name)).unwrap()), texts)
    }
}

fn run(world: &World, (target, root): (Target, &Path), start: Start, frames: usize) -> Result<Summary, Error> {
    fs::create_dir_all(root).unwrap();
    let run = Batch::new(Filter::new(["MyBot"]), world.inputs(), target.output(root)).jobs(1 + frames % 2);
    let mut summary = run.start(start).checkpoint(Duration::ZERO).run(&mut StopAt(Cell::new(frames)))?;
    (summary.seconds, summary.slowest) = (0.0, Vec::new());
    Ok(summary)
}

/// Damages what the interrupted run has written.
fn damage(dice: &mut Dice, target: Target, root: &Path) -> Option<String> {
    let suffix = dice.one_of(&[".part", ".hashes", ".inputs", ".journal"]);
    let path = target.file(root, suffix);
    let mut bytes = fs::read(&path).ok().filter(|bytes| !bytes.is_empty())?;
    let place = dice.below(bytes.len());
    let what = match dice.below(3) {
        0 => {
            bytes.truncate(place);
            "cut"
        }
        1 => {
            fs::remove_file(&path).unwrap();
            return Some(format!("{suffix} is gone"));
        }
        _ => {
            bytes[place] ^= 1 << dice.below(8);
            "changed"
        }
    };
    fs::write(&path, bytes).unwrap();
    Some(format!("{suffix} is {what} at {place}"))
}

/// What became of a stopped run.
#[derive(Debug, Default)]
struct Ended {
    complete: usize,
    other_inputs: usize,
    damaged: usize,
}

/// A run that was stopped is continued after a random change: its output is that of one run over the inputs as they are
/// now, or the error names what differs.
fn stop_and_change(seed: u64, ended: &mut Ended) {
    const TARGETS: [Target; 7] = [
        Target { records: Some("out.ndjson"), has_texts: false, dedup: false },
        Target { records: Some("out.ndjson"), has_texts: false, dedup: true },
        Target { records: Some("out.ndjson.gz"), has_texts: false, dedup: true },
        Target { records: Some("out.ndjson.zst"), has_texts: false, dedup: false },
        Target { records: None, has_texts: true, dedup: false },
        Target { records: Some("r.ndjson"), has_texts: true, dedup: false },
        Target { records: Some("r.ndjson.zst"), has_texts: true, dedup: true },
    ];
    let mut dice = Dice(seed);
    let mut world = World::new(&mut dice);
    let target = dice.one_of(&TARGETS);
    let root = world.path("to");
    let here = (target, root.as_path());
    let stopped = 1 + dice.below(3);
    match run(&world, here, Start::New, stopped) {
        Err(Error::Stopped) => {}
        Err(error) => panic!("{seed}: {error}"),
        // Too few records for a point.
        Ok(_) => return,
    }
    // Killed some time after the point: the journal is older than the rest.
    let journal = target.file(&root, ".journal");
    let point = fs::read(&journal).unwrap();
    let is_killed = dice.below(3) == 0;
    if is_killed {
        let _ = run(&world, here, Start::Resume, 1);
        if !journal.exists() {
            return;
        }
        fs::write(&journal, point).unwrap();
    }
    // File systems have times of a few milliseconds.
    std::thread::sleep(Duration::from_millis(10));
    let damaged = if dice.below(6) == 0 { damage(&mut dice, target, &root) } else { None };
    for _ in 0..dice.below(3) {
        world.change(&mut dice);
    }
    let told = format!("{seed}: {:?} to {target:?}, killed {is_killed}: {:?} {damaged:?}", world.kinds, world.changes);
    match run(&world, here, Start::Resume, usize::MAX) {
        Ok(summary) => {
            let whole = world.path("whole");
            assert_eq!(run(&world, (target, &whole), Start::New, usize::MAX).unwrap(), summary, "{told}");
            let (mut found, expected) = (target.read(&root), target.read(&whole));
            if is_killed || damaged.is_some() {
                // Texts of inputs that went after the point, and were written before the kill, stay.
                found.1.retain(|name, _| expected.1.contains_key(name));
            }
            assert!(found.0 == expected.0, "{told}: other records");
            assert!(found.1 == expected.1, "{told}: other texts");
            ended.complete += 1;
        }
        Err(error) => {
            assert!(error.is_usage(), "{told}: {error}");
            match &error {
                Error::OtherInputs { input, .. } => {
                    assert!(!world.changes.is_empty() && !input.is_empty(), "{told}: {error}");
                    ended.other_inputs += 1;
                }
                // An input that was named is gone.
                Error::Input(..) => {
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
/// [batch.resume] [batch.resume-inputs] [batch.resume-output]
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

/// A list that names nothing any more is named itself. [batch.resume-inputs]
#[test]
fn a_list_that_is_empty_now_is_named() {
    let root = Folder::new("empty-list");
    let lines = root.write("a.ndjson", &(0..1500).map(|number| entry("ndjson", number)).collect::<String>());
    let list = root.write("all.list", &format!("{}\n", lines.display()));
    let run = |start: Start| {
        let run =
            Batch::new(Filter::new(["MyBot"]), Inputs::new().list(&list, b'\n'), Output::path(root.0.join("o.ndjson")));
        run.start(start).checkpoint(Duration::ZERO).run(&mut StopAt(Cell::new(1)))
    };
    assert!(matches!(run(Start::New), Err(Error::Stopped)));
    fs::write(&list, "").unwrap();
    let why = run(Start::Resume).unwrap_err().to_string();
    assert!(why.ends_with("all.list: no input is there now, and some were read"), "{why}");
}
