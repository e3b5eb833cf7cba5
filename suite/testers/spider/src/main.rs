//! The robots.txt parser of spider, which needs the whole crawler.

#[allow(dead_code)] // some of it is for the other program only
#[path = "../../rust/src/adapter.rs"]
mod adapter;

use adapter::Found;
use spider::packages::robotparser::parser::RobotFileParser;

fn spider(robots: &[u8], agent: &str, urls: &[&str]) -> Found {
    let text = String::from_utf8_lossy(robots);
    let mut parser = RobotFileParser::new();
    parser.modified(); // else it forbids everything, as if nothing had been read
    parser.parse_str(&text);
    let delay = parser.get_crawl_delay(&Some(Box::new(agent.into())));
    Found {
        allowed: urls.iter().map(|url| Some(parser.can_fetch(agent, url))).collect(),
        delay: Some(delay.map(|delay| delay.as_secs_f64())),
        ..Found::default()
    }
}

fn main() -> std::io::Result<()> {
    adapter::run(spider)
}
