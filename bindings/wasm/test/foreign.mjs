// The tests of robots-parser 3.0.1 that `robotsParser` does not pass, each with the reason. README.md has this list.

export const DIFFERENCES = {
  "should parse the sitemap directive": "a relative sitemap is resolved against the site: RFC 9309 wants whole URLs",
  "should handle invalid robots.txt urls": "the same: without a site, a relative sitemap is left out",
  "should handle lone high / low surrogates": "half a character is U+FFFD in a rule as in a URL, so the rule matches",
};
