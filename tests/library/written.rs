//! Files that the library writes, and the values that a tester has.

use std::time::Duration;

use robosieve::path::{PathForm, PathPattern};
use robosieve::value::HttpUrl;
use robosieve::write::{Group, RobotsTxt};
use robosieve::{Parser, Sieve, tester};

/// What is written is read back: [write.file]
#[test]
fn a_written_file_is_read_back() {
    let patterns = [
        "/",
        "/cart",
        "/*.pdf$",
        "*",
        "/a b",
        "/caf\u{e9}",
        "/a#b",
        "/%7Ea",
        "/$",
        "/a$b",
        "/\u{1b}",
        "/a?b=c&d",
        "/%",
    ];
    for pattern in patterns {
        let group = |names: &[&str]| Group::of(names).unwrap().disallow(pattern).unwrap().allow("/open").unwrap();
        let delay = Duration::from_millis(2500);
        let sitemap: HttpUrl = "https://shop.example/s.xml".parse().unwrap();
        let file =
            RobotsTxt::new().group(group(&["A", "b-2"]).crawl_delay(delay)).group(group(&[])).sitemap(sitemap.clone());
        let text = file.to_string();
        let set = Parser::default().parse(text.as_bytes());
        let names: Vec<_> = set.records().map(|record| record.agents().len()).collect();
        assert_eq!(names, [2, 1], "{text:?}");
        assert!(set.report().total() == 0, "{text:?} {:?}", set.report());
        for record in set.records() {
            let rules: Vec<_> = record.rules().iter().map(ToString::to_string).collect();
            let wanted =
                PathPattern::new(pattern.replace('#', "%23").as_bytes(), PathForm::default()).as_bstr().to_string();
            assert_eq!(rules, [format!("Disallow: {wanted}"), "Allow: /open".into()], "{text:?}");
        }
        let tester = tester(text.as_bytes(), &["B-2"]);
        assert_eq!((tester.crawl_delay(), tester.sitemaps()), (Some(delay), vec![sitemap]));
        assert!(Sieve::all_agents().run(text.as_bytes()).unwrap().report().is_exact());
    }
    for pattern in ["", "cart", "https://e.com/a", "$", " /a", "/a\nAllow: /"] {
        let made = Group::everyone().disallow(pattern);
        assert!(made.is_err() || !made.unwrap().to_string().contains("\nAllow"), "{pattern:?}");
    }
    for name in ["", "*", "My Bot", "a\nDisallow: /"] {
        assert!(Group::of([name]).is_err(), "{name:?}");
    }
    assert_eq!(RobotsTxt::new().group(Group::everyone()).to_string(), "User-agent: *\nDisallow:\n");
    assert_eq!(RobotsTxt::new().to_string(), "");
}

/// [value.agents] [value.everybody] [value.sitemap]
#[test]
fn a_tester_has_the_values_for_its_agents() {
    let file = b"Crawl-delay: 3\nUser-agent: a\nCrawl-delay: 9\nUser-agent: *\nDisallow: /x\nSitemap: https://e.com/s\nSitemap: https://e.com/s\n";
    let delay = |agent: &str| tester(file, &[agent]).into_owned().crawl_delay().map(|delay| delay.as_secs());
    assert_eq!((delay("a"), delay("b")), (Some(9), Some(3)));
    assert_eq!(tester(file, &["b"]).into_owned().sitemaps().len(), 1);
    let page: HttpUrl = "http://u:p@E.com:81/a?b".try_into().unwrap();
    assert_eq!(page.robots_txt().as_str(), "http://e.com:81/robots.txt");
    assert_eq!(HttpUrl::try_from("https://[::1]?a").unwrap().robots_txt().as_str(), "https://[::1]/robots.txt");
    assert!(HttpUrl::try_from("e.com").is_err());
}

/// A reader is read as far as its bytes can matter: [limit.bytes]
#[test]
fn an_endless_reader_is_read_to_the_limit() {
    let sieve = Sieve::new(["MyBot"]);
    assert_eq!(sieve.read(std::io::repeat(b'a')).unwrap().len(), 512_016);
    let sieved = sieve.run_reader(&b"User-agent: *\nDisallow: /a\n"[..]).unwrap().unwrap();
    assert_eq!(*sieved.text(), "User-agent: *\nDisallow: /a\n");
}
