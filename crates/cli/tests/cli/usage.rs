//! `robosieve usage`

use crate::common::Dir;

const FILE: &str = "User-agent: *\nDisallow: /never/\nContent-Usage: train-ai=n, tdm\nContent-Usage: /ok/ train-ai=y;p=1\n\
    Content-Signal: search=yes\n";

/// [cmd.usage] [usage.answer]
#[test]
fn says_what_content_may_be_used_for() {
    let dir = Dir::with(FILE);
    let ran = dir.run(&["usage", "-a", "MyBot", "robots.txt", "/", "https://e.com/ok/a", "/never/"]).ok();
    let expected = "\
allowed /
  no rule matches (group * applies)
  training of AI models: disallowed (line 3: Content-Usage: train-ai=n)
  input of AI models: nothing is said
  search: allowed (line 5: Content-Signal: search=yes)
  extent of use: nothing is said
  ignored, it has no meaning: line 3: Content-Usage: tdm
allowed https://e.com/ok/a
  no rule matches (group * applies)
  training of AI models: allowed (line 4: Content-Usage: /ok/ train-ai=y;p=1)
  input of AI models: nothing is said
  search: allowed (line 5: Content-Signal: search=yes)
  extent of use: nothing is said
disallowed /never/
  line 2: Disallow: /never/ (group * applies)
  it may not be fetched, so no line says what its content may be used for
";
    assert_eq!((ran.out(), ran.err()), (expected, ""));
    let found = dir.run(&["usage", "-a", "MyBot", "--json", "robots.txt", "/"]).ok().one_json();
    assert_eq!((&found["v"], &found["file"], &found["url"]), (&1.into(), &"robots.txt".into(), &"/".into()));
    assert_eq!((&found["answer"]["allowed"], &found["uses"][0]["use"]), (&true.into(), &"ai-training".into()));
    assert_eq!((&found["uses"][0]["allowed"], &found["uses"][1]["allowed"]), (&false.into(), &().into()));
    assert_eq!(found["uses"][0]["lines"][0]["line"], 3);
}

/// [cmd.usage]
#[test]
fn what_is_missing_is_said() {
    let dir = Dir::with(FILE);
    dir.run(&["usage", "robots.txt", "/"]).fails(2, &["name an agent"]);
    dir.run(&["usage", "-a", "MyBot"]).fails(2, &["name the robots.txt file first"]);
    dir.run(&["usage", "-a", "MyBot", "robots.txt"]).fails(2, &["then the URLs"]);
    dir.run(&["usage", "-a", "MyBot", "robots.txt", "e.com"]).fails(2, &["cannot be tested as a URL"]);
    dir.run(&["usage", "-a", "MyBot", "robots.txt", "robots.txt"]).fails(2, &["is a file, not a URL"]);
    dir.run(&["usage", "-a", "MyBot", "none.txt", "/"]).fails(2, &["none.txt"]);
    dir.write("page.html", "<html><body>\n");
    dir.run(&["usage", "-a", "MyBot", "--fail-on", "suspect", "page.html", "/"]).fails(3, &["refused"]);
}
