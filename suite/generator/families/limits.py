"""Sizes that a reader has to take: 500 KiB, long lines, many groups, agents, rules and stars."""
from ..vectors import Family

LEAST = 500 * 1024


def make():
    whole_file()
    lines()
    counts()


def padded(f, size, tail, url, why, want="", **more):
    """A file of the given size in bytes: a group, comments, and a last line."""
    head, body = "User-agent: *\nDisallow: /first\n", "#" + "-" * 998 + "\n"
    times, rest = divmod(size - len(head) - len(tail), len(body))
    if rest == 1:
        times, rest = times - 1, rest + len(body)
    head = f"#{'-' * (rest - 2)}\n{head}" if rest else head
    f.long(head, body, times, tail, url, why, want, whole=True, **more)


def whole_file():
    f = Family("limits.bytes", "limit.bytes", "2.5", "limits")
    bound = {"milliseconds": 1000, "megabytes": 200}
    for size in (64 * 1024, 256 * 1024, LEAST - 1, LEAST):
        padded(f, size, "Disallow: /last\n", "/last", f"The last line of a file of {size} bytes counts.",
               "must disallow", bound=bound)
    for size in (LEAST + 1, LEAST + 12, LEAST + 2000, 2 * LEAST):
        padded(f, size, "Disallow: /last\n", "/last", f"The last line of {size} bytes: a reader may stop at 512000.",
               bound=bound)
    padded(f, 2 * LEAST, "Disallow: /last\n", "/first", "A file that is too long is still read at its start.",
           "must disallow", bound=bound)
    padded(f, LEAST + 12, "Allow: /last/open\nDisallow: /last\n", "/last/open", "The limit cuts between two rules.",
           bound=bound, tags="rank")
    padded(f, LEAST, "User-agent: MyBot\nDisallow: /own\n", "/own", "The agent's own group is at the end.",
           "must disallow", bound=bound, tags="group")
    padded(f, LEAST, "User-agent: MyBot\nDisallow: /own\n", "/first",
           "A group at the end takes the rules for all away.", "must allow", bound=bound, tags="group")


def lines():
    f = Family("limits.line", "limit.value-length", "2.5", "limits")
    for length in (100, 255, 1000, 2000, 4000):
        f.long("User-agent: *\nDisallow: /", "a", length - 1, "\n", "/" + "a" * length,
               f"A path of {length} bytes matches.", "must disallow", whole=True)
        f.long("User-agent: *\nDisallow: /", "a", length - 1, "b\n", "/" + "a" * length,
               f"A path of {length + 1} bytes differs in its last byte.", "must allow", whole=True)
    f.long("User-agent: *\nDisallow: /a #", "-", 20000, "\nDisallow: /b\n", "/b",
           "A long comment spoils no other line.", "must disallow", tags="comment")
    f.long("User-agent: *\nDisallow: /a", " ", 20000, "\nDisallow: /b\n", "/a", "Many blanks after a value.",
           tags="blanks", whole=True)
    f.long("User-agent: *\nDisallow:", " ", 20000, "/a\nDisallow: /b\n", "/b", "Many blanks before a value.",
           tags="blanks", want="must disallow")
    f.clause = "limit.name-length"
    for length in (100, 200, 201, 1000):
        f.long("User-agent: MyBot", "x", length - 5, "\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n", "/b",
               f"A name of {length} bytes is not its start.", "must disallow", tags="agent")
    f.long("User-agent: MyBot\nUser-agent: ", "x", 20000, "\nDisallow: /a\n", "/a", "A long name in a run.",
           "must disallow", tags="agent")
    f.clause = "limit.directive-length"
    f.long("User-agent: *\n", "x", 20000, ": y\nDisallow: /b\n", "/b", "A long name of a field spoils no other line.",
           "must disallow")


def counts():
    f = Family("limits.count", "limit.counts", "2.5", "limits")
    for times in (100, 1000, 1001, 5000):
        f.long("", "User-agent: other\nDisallow: /a\n\n", times, "User-agent: MyBot\nDisallow: /b\n", "/b",
               f"The agent's group is after {times} others.", "must disallow", tags="group")
        f.long("User-agent: *\n", "Disallow: /a\n", times, "Disallow: /b\n", "/b",
               f"The rule is after {times} others.", "must disallow")
        f.long("", "User-agent: other\n", times, "User-agent: MyBot\nDisallow: /\n", "/a",
               f"The agent is after {times} others of a run.", "must disallow", tags="agent group")
        f.long("User-agent: MyBot\nDisallow: /a\n\n", "User-agent: MyBot\nDisallow: /c\n\n", times,
               "User-agent: MyBot\nDisallow: /b\n", "/b", f"The last of {times} groups of one agent.", "must disallow",
               tags="merging")
    f.clause, f.section = "limit.wildcards", "2.2.3"
    for stars in (5, 10, 11, 20, 50, 100):
        f.long("User-agent: *\nDisallow: /", "*a", stars, "*b\n", "/" + "a" * stars + "b",
               f"A rule of {stars + 1} stars matches.", "must disallow", tags="wildcard", whole=True)
        f.long("User-agent: *\nDisallow: /", "*a", stars, "*b\nDisallow: /z\n", "/z",
               f"A rule of {stars + 1} stars spoils no other rule.", "must disallow", tags="wildcard", whole=True)
