//! One URL of a file, answered in one pass: the same verdict, line and group as a tester's, or the file is read by the
//! parser.

use robosieve::settings::{Dialect, DirectiveScope, Leniency, Limits, OverLimit, Vocabulary};
use robosieve::{Options, Sieve};

/// Lines of each kind that the pass can tell apart, and lines that it cannot.
const LINES: [&str; 4] = [
    "User-agent: MyBot|user-AGENT:*|User-agent: * # all|User-agent: *x|User-agent:\tmybot/2.1|User-agent: MyBotNot",
    "User-agent: Other|Useragent: MyBot|user|Allow: /a|ALLOW:/a*|Allow: /%61|Disallow: /a # b|disallow:\t/a b|Disallow: /a$",
    "Disallow: a|Disallow:|Disallow: # none|Disallow|about_us \t# c|Disalow: /|Disallow /|Sitemap: /a|Crawl-delay: 1",
    "| \t|  # c|  /a|  Disallow: /a|  : /a",
];

/// All files of three of these lines, with each line end, and what one pass says of some paths: as a tester.
/// [verdict.pass] [record.run] [agent.select] [agent.fallback] [line.fold] [line.end] [rule.longest] [rule.tie]
#[test]
fn one_pass_answers_as_a_tester_does() {
    let sieves = [
        Sieve::new(["MyBot"]),
        Sieve::new(["Other", "MyBot"]),
        Sieve::new(["MyBot"]).fallback(false),
        Sieve::all_agents(),
    ];
    let lines: Vec<&str> = LINES.iter().flat_map(|row| row.split('|')).collect();
    let (mut asked, mut answered) = (0_u32, 0_u32);
    for (number, ends) in ["\n", "\r\n", "\r"].into_iter().enumerate() {
        for place in 0..lines.len().pow(3) {
            let at = |step: u32| lines[place / lines.len().pow(step) % lines.len()];
            let file = [at(0), ends, at(1), ends, at(2)].concat();
            let sieve = &sieves[(place + number) % sieves.len()];
            let tester = sieve.tester(file.as_bytes()).unwrap();
            for url in ["/", "/a", "/ab", "https://e.com/a%2fb"] {
                let found = sieve.test(file.as_bytes(), url).unwrap();
                let (verdict, answered_by) = (tester.test(url), tester.answered_by());
                assert_eq!((found.verdict(), found.answered_by()), (verdict, answered_by), "{url} of {file:?}");
                asked += 1;
                answered += u32::from(sieve.answers_in_one_pass(file.as_bytes(), url));
            }
        }
    }
    assert!(answered > asked / 2 && answered < asked, "{answered} of {asked} were answered in one pass");
}

/// [verdict.pass]
#[test]
fn what_is_not_usual_is_left_to_the_parser() {
    let passes = |sieve: &Sieve, file: &[u8], url: &str| sieve.answers_in_one_pass(file, url);
    let (mine, file) = (Sieve::new(["MyBot"]), b"User-agent: *\nDisallow: /a\n");
    assert!(passes(&mine, file, "/x") && passes(&Sieve::all_agents(), file, "/x"));
    assert!(passes(&mine, b"\xEF\xBB\xBFUser-agent: *\nDisallow: /a\nabout\nDisallow: /b\n", "/x"));
    for file in
        [&b"\xEFUser-agent: *\n"[..], b"\xFF\xFEU\0", b"\0\0\xFE\xFF", b"User-agent: a\n  Allow: /\n", b"ua: b\n"]
    {
        assert!(!passes(&mine, file, "/x"), "{file:?}");
    }
    for url in ["/a*", "/a$", "/a%2A", "a", ""] {
        assert!(!passes(&mine, file, url), "{url}");
    }
    assert!(!passes(&Sieve::new(["MyBot (compatible; Other)"]), file, "/x"), "several names could be meant");
    let own = Vocabulary::default().with_directive("X", DirectiveScope::Record).unwrap();
    for (number, options) in [
        Dialect::Google.options(),
        Dialect::Processor.options(),
        Options { vocabulary: own, ..Options::default() },
        Options { vocabulary: Vocabulary::new(Leniency::Generous), ..Options::default() },
        Options { complete: false, ..Options::default() },
        Options { over_limit: OverLimit::Widen, ..Options::default() },
        Options { union_of_agents: true, ..Options::default() },
        Options { index_html: true, ..Options::default() },
        Options { any_line_ends_run: true, ..Options::default() },
        Options { robots_txt_allowed: false, ..Options::default() },
    ]
    .into_iter()
    .enumerate()
    {
        assert!(!passes(&Sieve::new(["MyBot"]).options(options), file, "/x"), "options {number}");
    }
}

/// A file longer than `max_bytes`, a path of 1,000 bytes, and 64 rules with wildcards: [verdict.pass] [limit.bytes]
/// [bounds.index]
#[test]
fn one_pass_has_limits() {
    let sieve = Sieve::new(["MyBot"]);
    let file = b"User-agent: *\nDisallow: /a\n";
    for (max_bytes, is_read) in [(file.len() - 1, false), (file.len(), true), (file.len() + 1, true)] {
        let limited = sieve.clone().with(|options| options.limits = Limits { max_bytes, ..Limits::DEFAULT });
        assert_eq!(limited.answers_in_one_pass(file, "/x"), is_read, "{max_bytes}");
    }
    for length in [999, 1_000, 1_001] {
        let path = format!("/{}", "a".repeat(length - 1));
        assert_eq!(sieve.answers_in_one_pass(file, &path), length <= 1_000, "{length}");
    }
    for count in [63, 64, 65] {
        let file = format!("User-agent: *\n{}", "Disallow: /a*b\n".repeat(count));
        assert_eq!(sieve.answers_in_one_pass(file.as_bytes(), "/a"), count <= 64, "{count}");
    }
}
