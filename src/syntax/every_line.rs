//! All short lines, and all files of three short lines: where something has two readings, both read the same.
//!
//! Two readings are: vectors and their scalar twins, and the usual names and any names. The symbols below are the classes
//! of bytes, and the words, that the grammar can tell apart. `cargo test` takes the shortest lines. The longer ones take
//! minutes:
//!
//!     cargo test --lib every_line -- --ignored --nocapture

use alloc::borrow::ToOwned;
use alloc::vec::Vec;
use std::{println, thread};

use crate::limits::Limits;
use crate::syntax::fast::{Scalar, Scan, Ways, Work};
use crate::syntax::grammar::{self, Physical, Style, Syntax};
use crate::syntax::logical::{Line, Lines};
use crate::syntax::names::{Leniency, Vocabulary};

/// What a line is made of.
const SYMBOLS: [&[u8]; 16] = [
    b"disallow",
    b"Allow",
    b"USER-AGENT",
    b"sitemap",
    b"user",
    b"agent",
    b"x",
    b":",
    b" ",
    b"\t",
    b"#",
    b"/",
    b"*",
    b"%",
    b"\0",
    b"\x80",
];

/// What a line of a file is made of: a name whose value has one word, one whose value is a list, none, and a URL.
const SYMBOLS_OF_FILES: [&[u8]; 7] = [b"disallow", b"content-signal", b"x", b"http://x", b":", b" ", b"#"];

/// Follows a line, so that vectors read it: they leave the last bytes of a file to their scalar twins.
const PADDING: &[u8] = b"\n/23456789 123456789 123456789 123456789 123456789 123456789 1234";

const LENIENCIES: &[Leniency] = Leniency::ALL;

/// A reading of the first line.
struct First<'b, 'v>(&'b [u8], Syntax<'v>);

impl<'b> Work for First<'b, '_> {
    type Output = (&'b [u8], Physical<'b>);

    #[inline(always)]
    fn run<S: Scan>(self, scan: S) -> Self::Output {
        grammar::line(self.0, self.1, scan, |rest, line| (rest, line))
    }
}

/// A reading of all lines.
struct All<'r, 'b, 'v>(&'r mut Vec<(core::num::NonZeroU32, Line<'b>)>, Lines<'b, 'v>);

impl Work for All<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Scan>(mut self, scan: S) {
        while let Some(line) = self.1.next(scan, |number, line| (number, line)) {
            self.0.push(line);
        }
    }
}

/// Calls `check` with each sequence of up to `longest` symbols that begins with one of these, or with none.
fn each(symbols: &[&[u8]], firsts: &[&[u8]], longest: usize, check: &mut impl FnMut(&[u8])) {
    fn longer(text: &mut Vec<u8>, symbols: &[&[u8]], left: usize, check: &mut impl FnMut(&[u8])) {
        check(text);
        for symbol in symbols.iter().filter(|_| left > 0) {
            let length = text.len();
            text.extend_from_slice(symbol);
            longer(text, symbols, left - 1, check);
            text.truncate(length);
        }
    }
    for first in firsts {
        longer(&mut (*first).to_owned(), symbols, longest - 1, check);
    }
}

fn syntax(vocabulary: &Vocabulary, keep_trailing_spaces: bool, reads_usual_names: bool) -> Syntax<'_> {
    // `user-agent` does not fit.
    const LIMITS: &Limits = &Limits { max_directive_length: 9, ..Limits::DEFAULT };
    Syntax { style: Style::Standard, fold: true, keep_trailing_spaces, vocabulary, limits: LIMITS, reads_usual_names }
}

/// The first line of these bytes, in all styles and leniencies.
fn check_line(bytes: &[u8], vocabularies: &[Vocabulary], ways: Ways) {
    for vocabulary in vocabularies {
        for keeps_blanks in [false, true] {
            let usual = syntax(vocabulary, keeps_blanks, true);
            let read = ways.run(First(bytes, usual));
            let scalar = First(bytes, usual).run(Scalar);
            let any = First(bytes, syntax(vocabulary, keeps_blanks, false)).run(Scalar);
            let lossless = read.1.text.len() + read.0.len() <= bytes.len();
            assert!(lossless && read == scalar && read == any, "{bytes:?}: {read:?}, {scalar:?}, {any:?}");
        }
    }
}

/// All lines of up to so many symbols, with a line after them and at the end of a file. Returns how many these are.
fn all_lines(longest: usize) -> u64 {
    let vocabularies: Vec<Vocabulary> = LENIENCIES.iter().map(|leniency| Vocabulary::new(*leniency)).collect();
    let ways = Ways::detect();
    let of = |firsts: &[&[u8]]| {
        let (mut count, mut padded) = (0, Vec::new());
        each(&SYMBOLS, firsts, longest, &mut |line| {
            count += 2;
            check_line(line, &vocabularies, ways);
            padded.clear();
            padded.extend_from_slice(line);
            padded.extend_from_slice(PADDING);
            check_line(&padded, &vocabularies, ways);
        });
        count
    };
    let (left, right) = SYMBOLS.split_at(8);
    thread::scope(|scope| {
        let left = scope.spawn(|| of(left));
        of(right) + left.join().expect("a check has failed")
    })
}

/// The lines of a file, in all styles, by both ways of reading.
fn check_file(file: &[u8], vocabulary: &Vocabulary, ways: Ways) {
    let (mut read, mut other) = (Vec::new(), Vec::new());
    for keeps_blanks in [false, true] {
        for style in [Style::Standard, Style::Google] {
            let with = |reads_usual_names| Syntax { style, ..syntax(vocabulary, keeps_blanks, reads_usual_names) };
            read.clear();
            other.clear();
            ways.run(All(&mut read, Lines::new(file, with(true))));
            All(&mut other, Lines::new(file, with(false))).run(Scalar);
            assert!(read == other, "{file:?} {style:?}: {read:?}, {other:?}");
        }
    }
}

/// All files of three lines of up to so many symbols. Returns how many these are.
fn all_files(longest: usize) -> u64 {
    let vocabulary = Vocabulary::default();
    let mut lines: Vec<Vec<u8>> = alloc::vec![Vec::new()];
    each(&SYMBOLS_OF_FILES, &SYMBOLS_OF_FILES, longest, &mut |line| lines.push(line.to_owned()));
    let ways = Ways::detect();
    let of = |firsts: &[Vec<u8>]| {
        let (mut count, mut file) = (0, Vec::new());
        for first in firsts {
            for second in &lines {
                for third in &lines {
                    for end in [&b"\n"[..], b"\r\n"] {
                        count += 1;
                        file.clear();
                        for part in [first, end, second, end, third] {
                            file.extend_from_slice(part);
                        }
                        check_file(&file, &vocabulary, ways);
                    }
                }
            }
        }
        count
    };
    let (left, right) = lines.split_at(lines.len() / 2);
    thread::scope(|scope| {
        let left = scope.spawn(|| of(left));
        of(right) + left.join().expect("a check has failed")
    })
}

/// [line.shortcuts] [line.vectors]
#[test]
fn short_lines() {
    assert_eq!(all_lines(3), 2 * (16 + 16 * 16 + 16 * 16 * 16));
}

/// [line.fold] [line.shortcuts]
#[test]
fn files_of_three_short_lines() {
    assert_eq!(all_files(2), 2 * 57 * 57 * 57);
}

/// [line.shortcuts] [line.vectors]
#[test]
#[ignore = "takes minutes"]
fn longer_lines() {
    println!("{} lines", all_lines(5));
}

/// [line.fold] [line.shortcuts]
#[test]
#[ignore = "takes minutes"]
fn files_of_three_longer_lines() {
    println!("{} files", all_files(3));
}

/// [line.shortcuts]: with any byte at any place of a usual name.
#[test]
fn nearly_usual_names() {
    let vocabularies: Vec<Vocabulary> = LENIENCIES.iter().map(|leniency| Vocabulary::new(*leniency)).collect();
    for name in [&b"disallow: /x"[..], b"allow: /x", b"user-agent: x", b"sitemap: /x"] {
        for at in 0..name.len() {
            for byte in 0..=u8::MAX {
                let mut line = [name, PADDING].concat();
                line[at] = byte;
                check_line(&line, &vocabularies, Ways::detect());
                check_line(&line[..name.len()], &vocabularies, Ways::detect());
                check_line(&line[..at], &vocabularies, Ways::detect());
            }
        }
    }
}
