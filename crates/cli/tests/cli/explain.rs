//! `robosieve explain`.

use crate::common::Dir;

const FILE: &str = "\
# for all
User-agent: MyBot/2.1
Disalow: tmp

User-agent: *
Disallow: /a
Disallow:
  /b
Sitemap: HTTP://E.com/s
Foo: bar
no field
Crawl-delay: 5
Disallow: /*a*b*c*d*e*f*g*h*i*j*k*l
User-agent: ???
Disallow: /gone
";

/// The lines that begin with this number.
fn line(out: &str, number: u32) -> &str {
    let starts = |line: &&str| line.trim_start_matches(['>', ' ']).starts_with(&format!("{number} "));
    out.lines().find(starts).unwrap()
}

/// [cmd.explain] [explain.left-out]
#[test]
fn shows_each_line_and_what_it_means() {
    let ran = Dir::with(FILE).run(&["explain", "robots.txt"]).ok();
    let out = ran.out();
    for (number, meaning) in [
        (1, "comment"),
        (2, "user-agent: MyBot"),
        (3, "rule, read as Disallow: /tmp"),
        (5, "user agent: all other crawlers"),
        (6, "disallows every path that begins with /a"),
        (7, "rule, read as Disallow: /b"),
        (8, "continues line 7"),
        (9, "belongs to the file, read as Sitemap: http://e.com/s"),
        (10, "left out"),
        (11, "left out"),
        (12, "belongs to the group"),
        (
            13,
            "disallows every path that contains a, then contains b, then contains c, then contains d, then contains e, then contains f, then contains g, then contains h, then contains i, then contains j, then contains k, then contains l",
        ),
        (14, "left out"),
        (15, "left out"),
    ] {
        assert!(line(out, number).ends_with(meaning), "{number}: {}", line(out, number));
    }
    for clause in ["[field.typo]", "[path.slash]", "[line.fold]", "[ext.unknown]", "[field.syntax]", "[agent.value]"] {
        assert!(out.contains(clause), "{clause}");
    }
    // `test` decides by it, so nothing is lost.
    assert!(!out.contains("[limit.wildcards]") && out.contains("2 records, 2 user-agent lines: nothing lost"), "{out}");
    let limited = Dir::with(FILE).run(&["explain", "--max-wildcards", "10", "robots.txt"]).ok();
    let out = limited.out();
    assert!(line(out, 13).ends_with("left out") && out.contains("(permits more) [limit.wildcards]"));
    assert!(
        out.contains("2 records, 2 user-agent lines: not exact: 1 Disallow rule dropped: result is more permissive"),
        "{out}"
    );
}

/// [cmd.explain]
#[test]
fn marks_the_lines_for_an_agent() {
    let dir = Dir::with(FILE);
    let marked = |agent: &str| {
        let ran = dir.run(&["explain", "-a", agent, "robots.txt"]).ok();
        let lines = ran.out().lines().take_while(|line| !line.is_empty());
        let numbers = lines.filter_map(|line| line.strip_prefix('>')?.split_whitespace().next());
        numbers.map(|number| number.parse().unwrap()).collect::<Vec<u32>>()
    };
    assert_eq!(marked("mybot"), [2, 3]);
    assert_eq!(marked("other"), [5, 6, 7, 8, 10, 11, 12, 13]);
    let ran = dir.run(&["explain", "-a", "mybot", "robots.txt"]).ok();
    assert!(ran.out().contains("> group mybot applies: 1 rule"), "{}", ran.out());
}

/// [cmd.explain]
#[test]
fn prints_json() {
    let page = Dir::with(FILE).run(&["explain", "--json", "-a", "mybot", "robots.txt"]).ok().one_json();
    assert_eq!((&page["v"], &page["file"]), (&1.into(), &"robots.txt".into()));
    let lines = page["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 15);
    assert_eq!(lines[2]["text"], "Disalow: tmp");
    assert_eq!(lines[2]["ours"], true);
    assert_eq!(lines[2]["meaning"]["is"], "rule");
    assert_eq!(lines[2]["meaning"]["pattern"], "/tmp");
    assert_eq!(lines[2]["findings"][0]["clause"], "field.typo");
    assert_eq!(lines[7]["meaning"], serde_json::json!({"is": "continued", "of": 7}));
    assert_eq!(page["answered_by"], "agent");
    assert_eq!(page["records"], 2);
    assert_eq!(page["exact"], true, "a loss of another agent does not count");
}

/// [cmd.explain]
#[test]
fn takes_several_files_and_continues_after_a_bad_one() {
    let dir = Dir::with(FILE);
    dir.write("b.txt", "Disallow: /\n");
    dir.write("bad.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xff");
    let ran = dir.run(&["explain", "robots.txt", "bad.gz", "b.txt"]).code(2);
    assert!(ran.out().starts_with("robots.txt\n"));
    assert!(ran.out().contains("\nb.txt\n"));
    assert!(ran.out().contains("[record.before-agent]"));
    assert!(ran.err().contains("bad.gz"));
    assert_eq!(dir.run(&["explain", "--json", "robots.txt", "b.txt"]).ok().json().len(), 2);
}

/// [cmd.explain]
#[test]
fn an_empty_file_is_no_error() {
    for input in [&b""[..], b"\n", b"\xEF\xBB\xBF"] {
        let ran = Dir::new().run_with(&["explain"], input).ok();
        assert!(ran.out().contains("0 records"), "{}", ran.out());
    }
}

/// [cmd.explain]
#[test]
fn a_record_that_disallows_all_has_no_other_rule() {
    let dir = Dir::with("User-agent: *\nDisallow: /a\nDisallow: /b\nDisallow:\n");
    let args = ["-a", "x", "--max-lines", "1", "--on-over-limit", "widen", "robots.txt"];
    let ran = dir.run(&[&["explain"], &args[..]].concat()).ok();
    for words in ["left out, because everything is disallowed\n", ": 1 rule, `Disallow: /` instead of the lost rules\n"]
    {
        assert!(ran.out().contains(words), "{}", ran.out());
    }
}

/// [cmd.explain] [cmd.exit]
#[test]
fn reports_what_filter_would_refuse() {
    let dir = Dir::with("User-agent: MyBot\nDisallow: /a*b*c*d\n\nUser-agent: *\nDisallow: /b\n");
    dir.write("fine.txt", "User-agent: *\nDisallow: /\n");
    let refuse = ["--max-wildcards", "2", "--on-over-limit", "refuse"];
    for agent in [&["-a", "mybot"][..], &[]] {
        let ran = dir.run(&[&["explain"], agent, &refuse, &["robots.txt", "fine.txt"]].concat()).code(3);
        assert!(ran.out().contains("user-agent lines: refused: line 2: a rule with more"), "{}", ran.out());
        assert!(ran.out().contains("1 record, 1 user-agent line: exact\n"), "{}", ran.out());
        let page = dir.run(&[&["explain", "--json"], agent, &refuse, &["robots.txt"]].concat()).code(3).one_json();
        assert_eq!((&page["refused"]["line"], &page["exact"]), (&2.into(), &false.into()));
        assert_eq!(page["refused"]["kind"], "too-many-wildcards");
    }
    // A loss of another agent does not count, as for `filter`.
    for command in ["explain", "filter"] {
        dir.run(&[&[command, "-a", "other"], &refuse[..], &["robots.txt"]].concat()).ok();
    }
    assert_eq!(dir.run(&[&["explain"], &refuse[..], &["robots.txt", "none.txt"]].concat()).code, Some(2));
}

/// [cmd.why]
#[test]
fn says_why_a_url_has_its_answer() {
    let dir = Dir::with("User-agent: *\nDisallow: tmp\nAllow: /\n");
    let ran = dir.run(&["explain", "-a", "MyBot", "--url", "/tmp/x", "--url", "/a", "robots.txt"]).ok();
    let expected = "\
disallowed /tmp/x
  robots.txt: no group names MyBot, so the group for `*` applies (line 1)
>     2  Disallow: /tmp  (every path that begins with /tmp)
      3  Allow: /  (every path)
  line 2 decides: of the 2 rules that match, its path is the longest
  dialect google: allowed: line 3: Allow: / (group * applies)
allowed /a
  robots.txt: no group names MyBot, so the group for `*` applies (line 1)
>     3  Allow: /  (every path)
  line 3 decides: no other rule matches
";
    assert_eq!(ran.out(), expected);
    let json = dir.run(&["explain", "-a", "MyBot", "--url", "/tmp/x", "--json", "robots.txt"]).ok().one_json();
    assert_eq!((&json["answer"]["line"], &json["rules"][0]["decides"]), (&2.into(), &true.into()));
    dir.run(&["explain", "--url", "/", "robots.txt"]).fails(2, &["name an agent"]);
    dir.run(&["explain", "-a", "MyBot", "--url", "example.com", "robots.txt"]).fails(2, &["cannot be tested as a URL"]);
}

/// Lines are wrapped in their column, and nothing is left out: [cmd.columns]
#[test]
fn columns_are_kept_at_each_width() {
    let dir = Dir::with(include_bytes!("../../../../examples/robots.txt"));
    let at = |columns: usize, args: &[&str]| dir.run_in(&[("COLUMNS", &columns.to_string())], args).out().to_owned();
    // A word that is longer than its column is cut.
    let letters = |text: &str| text.split_whitespace().collect::<String>();
    for args in
        [&["explain", "-a", "MyBot", "robots.txt"][..], &["explain", "-a", "MyBot", "--url", "/cart/1", "robots.txt"]]
    {
        let wide = at(1000, args);
        for columns in [40, 60, 80, 200] {
            let shown = at(columns, args);
            let longest = shown.lines().map(|line| line.trim_end().len()).max().unwrap();
            assert!(longest <= columns, "{args:?} at {columns}: {longest}");
            assert_eq!(letters(&shown), letters(&wide), "{args:?} at {columns}");
        }
    }
    let shown = at(80, &["explain", "-a", "MyBot", "robots.txt"]);
    assert!(shown.contains("\n>  3  Disalow: /cart # not for bots"), "{shown}");
    let meanings: Vec<_> = shown.lines().filter_map(|line| line.find("^ a ")).collect();
    assert!(meanings.len() > 3 && meanings.windows(2).all(|two| two[0] == two[1]), "{shown}");
}
