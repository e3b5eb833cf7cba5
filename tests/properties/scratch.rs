//! Filtering with memory that was used before.

use robosieve::{Sieve, scratch::Scratch};

use super::Choices;

/// A file that uses all of a scratch: groups, rules, values, lines of the file, and findings of each kind of report.
const BEFORE: &[u8] = b"\xEF\xBB\xBFDisallow: /nobody
User-agent: MyBot, Googlebot
Crawl-delay: 5
Disalow: /a b%
Disallow: /\xFF*
Allow: /a**b
Allow
user-agent: *
x-throttle: 1
disallow: /a
User-agent googlebot\x01
Clean-param: a&b /c
disallow: /c # d
Host: example.com
Host: example.org
Sitemap: http://example.com/%7e
Sitemap: /s
";

/// `[scratch.same]`: a scratch that was used before, for other files and by other sieves, changes no result.
pub fn same(input: &[u8], choices: &Choices) {
    let mut scratch = Scratch::new();
    let (few, all) = (choices.sieve(), choices.sieve_all());
    for sieve in [&few, &all, &Sieve::new(["MyBot"])] {
        let _ = sieve.run_with(&mut scratch, BEFORE);
        for _ in 0..2 {
            match (sieve.run(input), sieve.run_with(&mut scratch, input)) {
                (Err(refused), Err(again)) => assert_eq!(refused, again, "refused otherwise"),
                (Ok(sieved), Ok(again)) => {
                    assert_eq!(sieved.text(), again.text(), "texts differ");
                    assert_eq!(sieved.report(), again.report(), "reports differ");
                    assert_eq!(sieved.records(), again.records(), "records differ");
                    assert_eq!(sieved.answered_by(), again.answered_by(), "answered by others");
                }
                (sieved, again) => panic!("one is refused: {:?}, {:?}", sieved.err(), again.err()),
            }
        }
    }
}
