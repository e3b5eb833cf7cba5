"""Clauses that meet: each vector needs two or three of them at once."""
from itertools import permutations

from ..vectors import Family

# Rules that all match PATH, no two alike for a reader without stars, anchors or lengths.
PATH = "/shop/item.html"
PATTERNS = ["/", "/shop", "/shop/", "/shop/item", "/shop/item.html$", "/*.html$", "/*item", "/shop/*.html",
            "/*/item.html$"]
GROUPS = {"own": "User-agent: MyBot\nDisallow: /a\n", "more": "User-agent: mybot\nDisallow: /b\n",
          "other": "User-agent: OtherBot\nDisallow: /c\n", "all": "User-agent: *\nDisallow: /d\n"}
BETWEEN = {"nothing": "", "an empty line": "\n", "a comment": "# note\n",
           "a sitemap": "Sitemap: https://example.com/s\n"}


def make():
    pairs_of_rules()
    orders_of_groups()
    spelled()


def pairs_of_rules():
    f = Family("neighbours.rules", "rule.longest", "2.2.2", "rank wildcard anchor")
    for allow, disallow in permutations(PATTERNS, 2):
        f.group(f"Disallow: {disallow} | Allow: {allow}", PATH, "Two rules that both match: which one is longer?")


def orders_of_groups():
    f = Family("neighbours.groups", "record.merge", "2.2.1", "merging group")
    for at, names in enumerate(permutations(GROUPS, 3)):
        name, between = list(BETWEEN.items())[at % len(BETWEEN)]
        file = between.join(GROUPS[part] for part in names)
        url = {"own": "/a", "more": "/b", "other": "/c", "all": "/d"}[names[at % 3]]
        f.add(file, url, f"Groups in the order {', '.join(names)}, with {name} between them.")


def spelled():
    f = Family("neighbours.spelled", "field.syntax", "2.2", "syntax")
    # The line ends with other clauses.
    f.add("User-agent: *\rDisallow: /a$ # x\rAllow: /b\r", "/ab", "CR, an anchor and a comment.", "must allow",
          tags="CR anchor comment", clause="path.anchor")
    f.add("User-agent: *\rDisallow: /a$ # x\rAllow: /b\r", "/a", "CR, an anchor and a comment: it matches.",
          "must disallow", tags="CR anchor comment", clause="path.anchor")
    f.add("\ufeff# x\rUser-agent: *\rDisallow: /\r", "/a", "A mark before a comment, with CR.", "must disallow",
          tags="BOM CR comment", clause="input.bom")
    f.add("\ufeff\r\nUser-agent: MyBot\r\nDisallow: /\r\n", "/a", "A mark on a line of its own, with CR LF.",
          "must disallow", tags="BOM CR", clause="input.bom")
    f.add("User-agent: MyBot\r\n\r\nUser-agent: other\r\nDisallow: /\r\n", "/a", "An empty CR LF line in a run.",
          "must disallow", tags="CR group", clause="record.run")
    f.add("User-agent: MyBot\r\rUser-agent: other\rDisallow: /\r", "/a", "An empty CR line in a run.", "must disallow",
          tags="CR group", clause="record.run")
    f.add("User-agent: MyBot\n\nSitemap: https://example.com/s\n\nUser-agent: other\n\nDisallow: /\n", "/a",
          "A Sitemap between empty lines in a run.", "must disallow", tags="other-records group",
          clause="record.other-lines")
    f.add("User-agent: MyBot\n# a\nCrawl-delay: 3\n# b\nUser-agent: other\nDisallow: /\n", "/a",
          "A delay between comments in a run.", "must disallow", tags="other-records comment group",
          clause="record.other-lines")
    # Groups with rank.
    f.add("User-agent: MyBot\nDisallow: /a\n\nUser-agent: *\nAllow: /a/b\n", "/a/b",
          "A longer Allow for all does not help a named agent.", "must disallow", tags="rank merging",
          clause="agent.select")
    f.add("User-agent: MyBot\nAllow: /a\n\nUser-agent: *\nDisallow: /a/b\n", "/a/b",
          "A longer Disallow for all does not bind a named agent.", "must allow", tags="rank merging",
          clause="agent.select")
    f.add("User-agent: MyBot\nDisallow: /*.html\n\nUser-agent: MYBOT\nAllow: /a/b.html\n", "/a/b.html",
          "Two groups in two cases, one rule with a star.", "must allow", tags="rank merging wildcard case",
          clause="record.merge")
    f.add("User-agent: MyBot\nDisallow: /\n\nSitemap: https://example.com/s\n\nUser-agent: MyBot\nAllow: /a\n", "/a",
          "Two groups of one agent around a Sitemap.", "must allow", tags="rank merging other-records",
          clause="record.merge")
    f.add("User-agent: *\nUser-agent: MyBot\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n", "/b",
          "A name in a run with the star does not have the next group for all.", "must allow", tags="merging",
          clause="agent.select")
    f.add("User-agent: MyBot-Image\nUser-agent: MyBot\nDisallow: /a\n\nUser-agent: MyBot-Image\nDisallow: /b\n", "/b",
          "A longer name in the same run.", "must allow", tags="merging agent", clause="record.merge")
    # Rank with encoding and special characters.
    for rules, url, why, want, tags in (
            ("Disallow: /a%2Fb | Allow: /a", "/a%2fb", "An escape in another case and a shorter Allow.",
             "must disallow", "encoding"),
            ("Disallow: /\u00e9* | Allow: /%C3%A9$", "/%C3%A9/a",
             "A star after a raw character, an anchor after an escape.", "must disallow", "encoding anchor wildcard"),
            ("Allow: /*?a=1$ | Disallow: /*?", "/x?a=1", "A query between star and anchor.", "must allow",
             "anchor wildcard url"),
            ("Allow: /*?a=1$ | Disallow: /*?", "/x?a=12", "The anchor fails after a query.", "must disallow",
             "anchor wildcard url"),
            ("Disallow: / | Allow: /$", "/", "The home page alone.", "", "anchor"),
            ("Disallow: / | Allow: /$", "/a", "Everything but the home page.", "must disallow", "anchor"),
            ("Disallow: /*.pdf$ | Allow: /a/*.pdf$", "/a/b.pdf", "Two anchored rules, one in a folder.", "",
             "anchor wildcard"),
            ("Disallow: / | Allow: /robots.txt.gz", "/robots.txt", "/robots.txt next to a rule for another file.",
             "must allow", "robots-txt"),
            ("Allow: / | Disallow: /robots.txt", "/robots.txt", "An Allow and a Disallow for /robots.txt.",
             "must allow", "robots-txt"),
            ("Disallow: /A | Allow: /a/b", "/a/b", "A rule in another case is another rule.", "must allow", "case"),
            ("Disallow: /a/ | Allow: /a/b%20c", "/a/b%20c", "An Allow with an escaped blank.", "must allow",
             "encoding blanks"),
            ("Disallow: /*%20 | Allow: /a", "/a%20b", "A star before an escaped blank.", "must disallow",
             "encoding wildcard"),
            ("Disallow: /a | Crawl-delay: 3 | Allow: /a/b", "/a/b", "A delay between two rules of one path.",
             "must allow", "other-records"),
            ("Disallow: /a | nonsense | Allow: /a/b", "/a/b", "A line that is nothing between two rules.",
             "must allow", "syntax"),
            ("Disallow: /a/*/c | Allow: /a/b/c$", "/a/b/c", "A star within, and an anchor.", "must allow",
             "anchor wildcard"),
            ("Disallow:/a | ALLOW:/a/b#c", "/a/b", "No blank, another case, a comment.", "must allow",
             "blanks case comment")):
        f.group(rules, url, why, want, tags="rank " + tags, clause="rule.longest", section="2.2.2")
