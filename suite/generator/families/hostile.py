"""Hostile files: one shape a family, at several sizes, with what an answer may cost."""
from ..vectors import Family

BOUND = {"milliseconds": 1000, "megabytes": 200}
SIZES = (4000, 16000, 64000, 256000)
A_LONG_PATH = "/" + "a" * 300


def make():
    stars()
    lists()
    long_lines()


def stars():
    f = Family("hostile.stars", "bounds.time", "2.2.3", "time wildcard")

    def shape(name, head, body, tail, url, why, want, times=(4, 8, 16, 32, 64)):
        for number in times:
            f.long(head, body, number, tail, url, f"{why} {number} times.", want, grows=name, bound=BOUND)

    group = "User-agent: *\nDisallow: /"
    shape("stars-and-letters", group, "*a", "*b\n", A_LONG_PATH, "A star and a letter", "must allow")
    shape("stars-and-letters-anchored", group, "*a", "*b$\n", A_LONG_PATH, "Star, letter, at the end an anchor,",
          "must allow")
    shape("stars-and-words", group, "*aaab", "\n", A_LONG_PATH, "A star and a word that is almost there", "must allow")
    shape("star-run", group, "*", "b\n", A_LONG_PATH, "One star after another", "must allow")
    shape("star-run-anchored", group, "*", "b$\n", A_LONG_PATH, "One star after another, and an anchor,", "must allow")
    shape("stars-that-match", group, "*a", "$\n", A_LONG_PATH, "A rule of stars that matches", "must disallow")
    for length in (125, 250, 500, 1000, 2000):
        f.group("Disallow: /*a*a*a*a*b", "/" + "a" * length, f"Five stars and a path of {length} letters.",
                "must allow", grows="long-path", bound=BOUND)
    for number in (250, 1000, 4000, 16000):
        f.long("User-agent: *\n", "Disallow: /*a*a*b\n", number, "", A_LONG_PATH, f"{number} rules of three stars.",
               "must allow", grows="many-rules-of-stars", bound=BOUND)


def each_size(f, name, head, body, tail, url, why, want, **more):
    for size in SIZES:
        f.long(head, body, max(1, size // len(body.encode())), tail, url, f"{why}: {size} bytes.", want, grows=name,
               bound=BOUND, **more)


def lists():
    f = Family("hostile.lists", "bounds.time", "2.5", "time")
    rules = "User-agent: *\nDisallow: /b\n"
    each_size(f, "many-rules", "User-agent: *\n", "Disallow: /a\n", "Allow: /b\nDisallow: /b\n", "/c",
              "Many equal rules", "must allow")
    each_size(f, "rules-of-both-kinds", "User-agent: *\n", "Disallow: /a/b\nAllow: /a/bc\n", "", "/a/bd",
              "Rules of both kinds in turn", "must disallow", tags="rank")
    each_size(f, "many-groups", "", "User-agent: other\nDisallow: /\n", rules, "/b", "Many groups of another agent",
              "must disallow", tags="group")
    each_size(f, "groups-of-one-agent", "", "User-agent: MyBot\nDisallow: /a\n", "User-agent: MyBot\nDisallow: /b\n",
              "/b", "Many groups of one agent", "must disallow", tags="merging")
    each_size(f, "many-agents", "", "User-agent: other\n", "User-agent: MyBot\nDisallow: /\n", "/b",
              "A run of many agents", "must disallow", tags="agent")
    each_size(f, "agents-and-rules", "", "User-agent: other\nUser-agent: more\nAllow: /a\nDisallow: /\n", rules, "/b",
              "Many groups of two agents and two rules", "must disallow", tags="group")
    each_size(f, "empty-lines", "User-agent: *\n", "\n", "Disallow: /b\n", "/b", "Empty lines", "must disallow",
              tags="blanks")
    each_size(f, "cr-lines", "User-agent: *\n", "\r", "Disallow: /b\n", "/b", "Empty lines with CR", "must disallow",
              tags="CR")
    each_size(f, "many-sitemaps", "User-agent: *\n", "Sitemap: https://example.com/s.xml\n", "Disallow: /b\n", "/b",
              "Many sitemaps", "must disallow", tags="sitemap")
    each_size(f, "many-delays", "User-agent: *\n", "Crawl-delay: 1\n", "Disallow: /b\n", "/b", "Many delays",
              "must disallow", tags="delay")
    each_size(f, "many-comments", "User-agent: *\n", "# a\n", "Disallow: /b\n", "/b", "Many comments", "must disallow",
              tags="comment")
    each_size(f, "indented-lines", "User-agent: *\nDisallow:\n", "  Disallow:\n", "Disallow: /b\n", "/b",
              "Indented empty rules", "must disallow", tags="fold")
    each_size(f, "unknown-lines", "User-agent: *\n", "x: y\n", "Disallow: /b\n", "/b", "Many unknown records",
              "must disallow", tags="other-records")


def long_lines():
    f = Family("hostile.line", "bounds.time", "2.5", "time")
    after = "\nDisallow: /b\n"

    def line(name, start, body, why, end="", want="must disallow", **more):
        each_size(f, name, f"User-agent: *\n{start}", body, end + after, "/b", why, want, **more)

    line("long-comment", "#", "-", "A long comment", tags="comment")
    line("long-path", "Disallow: /", "a", "A long path")
    line("long-line-of-blanks", "", " ", "A long line of blanks", tags="blanks")
    line("blanks-before-value", "Disallow:", " ", "Blanks before a value", "/c", tags="blanks")
    line("blanks-within-value", "Disallow: /c", " ", "Blanks within a value", "x", tags="blanks")
    line("blanks-before-colon", "Disallow", " ", "Blanks before a colon", ": /c", tags="blanks")
    line("blanks-without-colon", "Disallow", " ", "Blanks, and then no colon", "x", tags="blanks")
    line("colons", "", ":", "A line of colons", tags="syntax")
    line("hashes", "", "#", "A line of #", tags="comment")
    line("long-name", "", "x", "A long name of a field", ": y", tags="syntax")
    line("long-word", "", "x", "A long word", tags="syntax")
    line("escapes", "Disallow: /", "%41", "A path of escapes", tags="encoding")
    line("broken-escapes", "Disallow: /", "%", "A path of percent signs", tags="encoding")
    line("characters-of-four-octets", "Disallow: /", "\U0001f916", "A path of long characters", tags="encoding")
    line("brackets", "Disallow: /", "(", "A path of brackets", tags="path")
    line("square-brackets", "Disallow: /", "[", "A path of square brackets", tags="path")
    line("groups-of-a-pattern", "Disallow: /", "(a+)+", "A path like a bad regular expression", "$", tags="path")
    line("dollars", "Disallow: /", "$", "A path of $", tags="anchor")
    line("dots", "Disallow: /", "../", "A path of dot segments", tags="url")
    line("queries", "Disallow: /", "?&", "A path of ? and &", tags="url")
    line("slashes", "Disallow: /", "/", "A path of slashes", tags="path")
    line("digits-of-a-delay", "Crawl-delay: ", "9", "A delay of many digits", tags="delay")
    line("marks", "", "\ufeff", "Byte order marks", tags="BOM")
    line("nul", "", "\x00", "A line of NUL", tags="controls", want="")
    each_size(f, "long-agent", "User-agent: ", "x", "\nUser-agent: *\nDisallow: /b\n", "/b", "A long agent",
              "must disallow", tags="agent")
    each_size(f, "words-of-an-agent", "User-agent: ", "x ", "\nDisallow: /\n\nUser-agent: *\nDisallow: /b\n", "/b",
              "An agent of many words", "", tags="agent")
