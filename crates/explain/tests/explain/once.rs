//! A file that is asked one URL.

use robosieve::settings::{Dialect, OverLimit};
use robosieve::verdict::SiteAccess;
use robosieve_explain::{Asked, Names};

use crate::families::corpus;

/// The answer, the report and the summary are those of a file that is asked more: [verdict.once]
#[test]
fn one_url_has_the_answer_that_it_has_among_others() {
    let (mut decided, mut refused) = (0, 0);
    for (number, (path, bytes)) in corpus::files().iter().enumerate() {
        let dialect = [Dialect::Standard, Dialect::Google, Dialect::Processor][number % 3];
        let agents = [&["MyBot"][..], &["Googlebot"], &["x (compatible; MyBot; Googlebot)"]][number / 3 % 3];
        let groups = Names::Known.groups(agents);
        for over_limit in [OverLimit::Drop, OverLimit::Widen, OverLimit::Refuse] {
            let mut options = groups.options(dialect.options().for_verdicts());
            (options.over_limit, options.complete) = (over_limit, !number.is_multiple_of(5));
            for access in [SiteAccess::Rules, SiteAccess::AllowAll, SiteAccess::DisallowAll] {
                let asked = Asked::read(bytes, &options, &groups, access);
                for url in ["/", "https://e.com/a/b?c=%2A", "/robots.txt", "/tmp/x.pdf", "e.com", ""] {
                    let once = Asked::once(bytes, &options, &groups, access, url.as_bytes());
                    match (&asked, once) {
                        (Ok(asked), Ok((tested, found, report))) => {
                            assert_eq!(tested, asked.tested(url.as_bytes()), "{}: {url}", path.display());
                            assert_eq!((&report, found), (asked.report(), asked.found()));
                            decided += 1;
                        }
                        (Err(expected), once) => {
                            assert_eq!(once.unwrap_err(), *expected, "{}", path.display());
                            refused += 1;
                        }
                        (Ok(_), Err(why)) => panic!("{}: {why}", path.display()),
                    }
                }
            }
        }
    }
    assert!(decided > 10_000 && refused > 10, "{decided}, {refused}");
}
