"""Paths: where a match begins and ends, case, stars, anchors, slashes."""
from ..vectors import Family


def make():
    prefix()
    case()
    stars()
    anchors()
    slashes()


def pairs(f, rule, disallowed, allowed, want="must", **more):
    """Vectors for URLs that a Disallow matches, and that it just does not match."""
    for url in disallowed:
        f.group(f"Disallow: {rule}", url, f"{rule} matches {url}."[:160], want and f"{want} disallow", **more)
    for url in allowed:
        f.group(f"Disallow: {rule}", url, f"{rule} does not match {url}."[:160], want and f"{want} allow", **more)


def prefix():
    f = Family("paths.match", "path.match", "2.2.2", "path")
    pairs(f, "/", ["/", "/a", "/a/b?c"], [])
    pairs(f, "/a", ["/a", "/a/", "/ab", "/a.html", "/a?b", "/a/b/c"], ["/", "/b", "/b/a", "/b?/a"])
    pairs(f, "/a/", ["/a/", "/a/b"], ["/a", "/ab", "/b/a/", "/a?/"])
    pairs(f, "/a/b", ["/a/b", "/a/b/", "/a/bc"], ["/a", "/a/", "/a/c", "/ab"])
    pairs(f, "/a?", ["/a?", "/a?b"], ["/a", "/a/?b"], tags="url")
    pairs(f, "/a?b=c", ["/a?b=c", "/a?b=cd", "/a?b=c&d"], ["/a?b", "/a?d&b=c", "/a"], tags="url")
    pairs(f, "/?", ["/?a", "/?"], ["/", "/a?b"], tags="url")
    pairs(f, "//", ["//", "//a"], ["/", "/a//"], tags="url")
    pairs(f, "/a//b", ["/a//b"], ["/a/b"], tags="url")
    pairs(f, "/a.b", ["/a.b"], ["/axb"])
    pairs(f, "/a+b", ["/a+b"], ["/aab", "/ab", "/a%20b"])
    pairs(f, "/(a|b)", ["/(a|b)"], ["/a"], want="")
    pairs(f, "/[ab]", ["/[ab]"], [], want="")
    pairs(f, "/[ab]", [], ["/a", "/b"])
    pairs(f, "/a{2}", [], ["/aa"])
    pairs(f, "/a.*b", ["/a.xb", "/a.b"], ["/ab"], tags="wildcard")
    pairs(f, "/^a", [], ["/a"])
    pairs(f, "/a\\", [], ["/a"])


def case():
    f = Family("paths.case", "path.match", "2.2.2", "path case")
    pairs(f, "/a", [], ["/A"], want="may")
    pairs(f, "/A/b", [], ["/a/b", "/A/B"], want="may")
    pairs(f, "/A/b", ["/A/b"], [])
    pairs(f, "/*.PDF$", [], ["/a.pdf"], want="may", tags="wildcard anchor")
    f.group("Disallow: /a | Allow: /A", "/a", "An Allow in the other case is another path.", "may disallow",
            tags="rank")


def stars():
    f = Family("paths.star", "path.stars", "2.2.3", "wildcard path")
    pairs(f, "/*", ["/", "/a", "/a/b?c"], [])
    pairs(f, "/a*", ["/a", "/ab", "/a/b"], ["/", "/b", "/ba"])
    pairs(f, "/*a", ["/a", "/ba", "/b/a", "/b/ac", "/?a"], ["/", "/b"])
    pairs(f, "/a*b", ["/ab", "/axb", "/a/x/b", "/axbx", "/abb", "/aab", "/a?b"], ["/a", "/ba", "/b", "/xab"])
    pairs(f, "/a*b*c", ["/abc", "/axbxc", "/abbcc", "/ab/bc"], ["/acb", "/ab", "/ac", "/abx"])
    pairs(f, "/a**b", ["/ab", "/axb"], ["/a", "/b"])
    pairs(f, "/a***", ["/a", "/ab"], ["/b"])
    pairs(f, "/*/*", ["/a/b", "//", "/a/"], ["/", "/a"])
    pairs(f, "/*/b/*/d", ["/a/b/c/d", "/a/b/b/c/d"], ["/a/b/d", "/b/c/d"])
    pairs(f, "/*ab", ["/aab", "/aaab", "/abab"], ["/aa", "/ba"])
    pairs(f, "/*aab", ["/aaab", "/aabaab", "/abaab"], ["/abab", "/aba"])
    pairs(f, "/*abac", ["/ababac", "/abaabac"], ["/ababa", "/abaab"])
    pairs(f, "/*?", ["/?", "/a?b"], ["/", "/a"], tags="url")
    pairs(f, "/*?*b=", ["/a?b=", "/a?c&b=1"], ["/a?c", "/b="], tags="url")
    pairs(f, "/*.php", ["/a.php", "/a.phpx", "/.php", "/a.php?b"], ["/php", "/aphp"])
    pairs(f, "/a*/", ["/a/", "/ab/", "/a/b/"], ["/a", "/ab"])
    pairs(f, "/*//", ["/a//", "//"[:1] + "a/b//c"], ["/a/b/"])
    pairs(f, "/a*%3F", [], ["/a?"], want="", tags="encoding")


def anchors():
    f = Family("paths.anchor", "path.anchor", "2.2.3", "anchor path")
    pairs(f, "/$", ["/"], ["/a", "/?a"])
    pairs(f, "/a$", ["/a"], ["/ab", "/a/", "/a?b", "/", "/xa"])
    pairs(f, "/a/$", ["/a/"], ["/a", "/a/b"])
    pairs(f, "/*.pdf$", ["/a.pdf", "/a/b.pdf", "/.pdf", "/a.pdf.pdf"], ["/a.pdfx", "/a.pdf?b", "/a.pdf/"],
          tags="wildcard")
    pairs(f, "/a*b$", ["/ab", "/axb", "/abb", "/abxb"], ["/abx", "/a", "/axbc"], tags="wildcard")
    pairs(f, "/a*$", ["/a", "/ab"], ["/b"], tags="wildcard")
    pairs(f, "/*$", ["/", "/a"], [], tags="wildcard")
    pairs(f, "/*a*a$", ["/aa", "/aba", "/aaa", "/baba"], ["/a", "/ab", "/aab"], tags="wildcard")
    pairs(f, "/ab*ab$", ["/abab", "/abxab"], ["/ab", "/abaxb"], tags="wildcard")
    pairs(f, "/*?$", ["/?", "/a?"], ["/a?b", "/a"], tags="wildcard url")
    pairs(f, "/a$b", [], ["/a", "/axb"][1:], want="must")
    pairs(f, "/a$b", ["/a$b"], ["/a"], want="")
    pairs(f, "/a$$", ["/a$"], ["/a"], want="")
    pairs(f, "/$a", ["/$a"], ["/"], want="")
    pairs(f, "/a$*", ["/a$b"], ["/a", "/ab"], want="", tags="wildcard")


def slashes():
    f = Family("paths.slash", "path.slash", "2.2", "path syntax")
    pairs(f, "a", ["/a", "/ab"], [], want="")
    pairs(f, "a/b", ["/a/b"], [], want="")
    pairs(f, "a", [], ["/b", "/xa"])
    pairs(f, "a*b", ["/axb"], [], want="", tags="wildcard")
    pairs(f, ".", ["/."], [], want="")
    pairs(f, "?", ["/?"], [], want="", tags="url")
    pairs(f, "$", ["/"], ["/a"], want="", tags="anchor")
    pairs(f, "https://example.com/a", [], ["/a"], clause="suspect.path")
    pairs(f, "//example.com/a", [], ["/a"], clause="suspect.path")
    pairs(f, "example.com/a", [], ["/a"], clause="suspect.path")
    f.section = "5.1"
    pairs(f, "*", ["/", "/a"], [], tags="wildcard")
    pairs(f, "*.gif$", ["/a.gif", "/a/b.gif"], ["/a.gifx", "/gif"], tags="wildcard anchor")
    pairs(f, "*a", ["/a", "/ba"], ["/b"], tags="wildcard")
    pairs(f, "*/a", ["/a", "/b/a"], ["/ba"], tags="wildcard")
    pairs(f, "**/a", ["/a"], ["/ba"], tags="wildcard")
