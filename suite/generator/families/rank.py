"""Rank: the longest rule decides, ties, no match, /robots.txt."""
from ..vectors import Family


def make():
    longest()
    ties()
    with_stars()
    nothing()
    robots_txt()


def both_orders(f, allow, disallow, url, why, want, **more):
    """Two vectors: the order of the rules must not matter."""
    f.group(f"Allow: {allow} | Disallow: {disallow}", url, f"{why} The Allow is first.", want, **more)
    f.group(f"Disallow: {disallow} | Allow: {allow}", url, f"{why} The Disallow is first.", want, **more)


def longest():
    f = Family("rank.longest", "rule.longest", "2.2.2", "rank")
    both_orders(f, "/a/b", "/a", "/a/b", "The longer rule allows.", "must allow")
    both_orders(f, "/a/b", "/a", "/a/c", "The longer rule does not match.", "must disallow")
    both_orders(f, "/a", "/a/b", "/a/b", "The longer rule forbids.", "must disallow")
    both_orders(f, "/a", "/a/b", "/a/c", "Only the shorter rule matches, and allows.", "must allow")
    both_orders(f, "/", "/a", "/a", "One byte more decides.", "must disallow")
    both_orders(f, "/a", "/", "/a", "One byte more decides.", "must allow")
    both_orders(f, "/a", "/", "/b", "The short rule is left.", "must disallow")
    both_orders(f, "/a/", "/a", "/a/", "A slash more decides.", "must allow")
    both_orders(f, "/a/", "/a", "/a", "Without the slash the shorter rule is left.", "must disallow")
    both_orders(f, "/a?b", "/a", "/a?b", "A query counts for the length.", "must allow", tags="url")
    three = ["Disallow: /", "Allow: /a", "Disallow: /a/b"]
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1]):
        rules = " | ".join(three[at] for at in order)
        for url, want in (("/x", "disallow"), ("/a/x", "allow"), ("/a/b", "disallow")):
            f.group(rules, url, "Three rules, each longer than the last.", f"must {want}")
    f.group("Disallow: /a | Disallow: /a/b | Allow: /a/b/c", "/a/b/c", "Two shorter rules do not add up.",
            "must allow")
    f.group("Allow: /aa | Allow: /ab | Disallow: /abc", "/abc", "Rules that do not match do not count.",
            "must disallow")
    f.group("Disallow: /example/page/disallowed.gif | Allow: /example/page/", "/example/page/disallowed.gif",
            "The longest match of two paths.", "must disallow", section="5.2")
    f.group("Disallow: /example/page/disallowed.gif | Allow: /example/page/", "/example/page/", "The other of the two.",
            "must allow", section="5.2")


def ties():
    f = Family("rank.tie", "rule.tie", "2.2.2", "rank")
    both_orders(f, "/a", "/a", "/a", "Equal rules: the Allow should be used.", "may allow")
    both_orders(f, "/", "/", "/a", "Equal rules for all paths: the Allow should be used.", "may allow")
    both_orders(f, "/a*", "/a*", "/ab", "Equal rules with a star.", "may allow", tags="wildcard")
    both_orders(f, "/a$", "/a$", "/a", "Equal rules with an anchor.", "may allow", tags="anchor")
    both_orders(f, "/%7Ea", "/%7ea", "/~a", "Equal rules but for the case of an escape.", "", tags="encoding")
    f.group("Allow: /a | Disallow: /a | Disallow: /a", "/a", "Two against one are still equal.", "may allow")
    f.group("Allow: /a | Disallow: /a | Disallow: /a/b", "/a/b", "A longer rule beats two equal ones.",
            "must disallow")
    both_orders(f, "/*b", "/a*", "/ab", "Two rules of one length: equivalent or not?", "", tags="wildcard")
    both_orders(f, "/a*", "/a$", "/a", "A star and an anchor of one length.", "", tags="wildcard anchor")


def with_stars():
    f = Family("rank.star", "rule.longest", "2.2.2", "rank wildcard")
    both_orders(f, "/a/*", "/a", "/a/b", "More bytes in any count.", "must allow")
    both_orders(f, "/*/b", "/a", "/a/b", "More bytes in any count, with a star first.", "must allow")
    both_orders(f, "/a*", "/a", "/ab", "A star counts for the length, or not?", "")
    both_orders(f, "/a", "/*", "/a", "A byte and a star.", "")
    both_orders(f, "/a**", "/a*b", "/ab", "Each star of a run counts, or not?", "")
    both_orders(f, "/a$", "/a", "/a", "An anchor counts for the length, or not?", "", tags="anchor")
    both_orders(f, "/*.html", "/abc", "/abc.html", "A longer rule with a star.", "must allow")
    both_orders(f, "/*b", "/aaa", "/aaab", "The rule is shorter, but matches more of the path.", "")
    both_orders(f, "/aaaaaa", "/*a", "/aaaaaaa", "The rule is longer, but may match less of the path.", "")
    both_orders(f, "/*", "/a/b", "/a/b", "A star alone is the shortest rule.", "")
    both_orders(f, "/a/*/c", "/a/b", "/a/b/c", "A longer rule with a star within.", "must allow")
    both_orders(f, "/a/b", "/a/*/c", "/a/b/d", "The rule with a star does not match.", "must allow")
    f.group("Disallow: /*?* | Allow: /*?a=", "/x?a=1", "Of two rules with stars the longer decides.")
    f.group("Disallow: / | Allow: /*.css$ | Allow: /*.js$", "/a/b.css", "An Allow with star and anchor.",
            "must allow", tags="anchor")
    f.group("Disallow: / | Allow: /*.css$ | Allow: /*.js$", "/a/b.css?v", "The anchor fails, the Disallow is left.",
            "must disallow", tags="anchor")


def nothing():
    f = Family("rank.none", "rule.none", "2.2.2", "rank empty")
    f.group("Allow: /a", "/b", "No rule matches: allowed.", "must allow")
    f.group("Disallow: /a", "/b", "No Disallow matches: allowed.", "must allow")
    f.group("Allow: /a | Disallow: /b", "/c", "Neither matches: allowed.", "must allow")
    f.group("Allow: /a | Allow: /b", "/c", "Allow rules alone close nothing.", "must allow")


def robots_txt():
    f = Family("rank.robots-txt", "rule.robots-txt", "2.2.2", "robots-txt")
    f.group("Disallow: /", "/robots.txt", "/robots.txt is allowed by itself.", "must allow")
    f.group("Disallow: /robots.txt", "/robots.txt", "A rule for /robots.txt has no effect.", "must allow")
    f.group("Disallow: /robots.txt", "/robots.txt.bak", "Another file is not meant.", "must disallow")
    f.group("Disallow: /", "/robots.txt?a", "With a query: the RFC does not say.")
    f.group("Disallow: /", "/a/robots.txt", "In a folder it is another file.", "must disallow")
    f.group("Disallow: /", "/Robots.txt", "In another case it is another file.", "")
    f.group("Disallow: /", "/%72obots.txt", "Spelled with an escape.")
    f.add("User-agent: MyBot\nDisallow: /\n", "/robots.txt", "The same in a named group.", "must allow")
