"""What Google's parser does beyond the RFC: its own names, spaces, lengths, agents, and index pages."""
from ..vectors import Family


def make():
    names()
    lines()
    agents()
    paths()
    index_pages()


def names():
    f = Family("google.name", "google.name", "2.2.4", "typo syntax")
    for name in ("Disallowance", "Disallow-all", "Disallow x", "Dissallowed"):
        f.group(f"{name}: /a", "/a", f"{name}: a name that begins with Disallow, or with a misspelling of it.")
    for name in ("Allowance", "Allow-all", "Allow x"):
        f.group(f"Disallow: / | {name}: /a", "/a", f"{name}: a name that begins with Allow.")
    f.add("User-agentx: MyBot\nDisallow: /\n", "/a", "A name that begins with User-agent.")
    f.add("Useragents: MyBot\nDisallow: /\n", "/a", "A name that begins with a misspelling of User-agent.")
    f.add("User  agent: MyBot\nDisallow: /\n", "/a", "User agent with two blanks.")
    f.add("User\tagent: MyBot\nDisallow: /\n", "/a", "User agent with a tab.")
    f.add("User-agent: other\nSitemapx: MyBot\nDisallow: /\n", "/a", "A name that begins with Sitemap is no agent.",
          "must allow", agent="MyBot")


def lines():
    f = Family("google.line", "google.line", "2.2", "syntax limits")
    for length in (16650, 16653, 16654, 17000):
        f.long("User-agent: *\nDisallow: /", "*", length - 1, "a\n", "/a",
               f"A rule of {length} stars and a letter: is the line cut?", whole=True, tags="wildcard")
    f.group("Disallow: /a\x0b", "/a", "Space characters of C are trimmed.", tags="controls")
    f.group("\x0cDisallow: /a", "/a", "A form feed before a name.", tags="controls")
    f.group("Disallow\x0b: /a", "/a", "A vertical tab before the colon.", tags="controls")
    f.group("Disallow:\x0c/a", "/a", "A form feed before a value.", tags="controls")
    f.group("Disallow: /a\x00 | Allow: /a/b", "/a/b", "A NUL at the end of a rule.", tags="controls")
    f.group("Disallow: /\x00", "/a", "A NUL after the slash.", tags="controls")
    f.add("User-agent: *\x00x\nDisallow: /\n", "/a", "A NUL after a star.", tags="controls agent")
    f.group("Disallow : : /a", "/a", "The second colon is part of the value.")


def agents():
    f = Family("google.agent", "google.agent", "2.2.1", "agent")
    f.add("User-agent: MyBot2\nDisallow: /a\n\nUser-agent: MyBot\nDisallow: /b\n", "/a",
          "A name with a digit, and the name without it, in two groups.")
    f.add("User-agent: MyBot/1\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n", "/b", "A name with a version.")
    f.add("User-agent: MyBot\x0bx\nDisallow: /a\n", "/a", "A vertical tab ends a name.", tags="controls")
    f.add("User-agent: *\x0bx\nDisallow: /a\n", "/a", "A vertical tab after a star.", tags="controls")
    f.add("User-agent: MyBot\nDisallow: /a\n", "/a", "An agent that is requested with a blank.", agent="MyBot crawler",
          tags="header")


def paths():
    f = Family("google.path", "google.path", "2.2.2", "encoding path")
    f.group("Disallow: /a{b}", "/a{b}", "A byte that no URI has, raw in both.")
    f.group("Disallow: /a b", "/a b", "A blank in both.")
    f.group("Disallow: /%", "/%", "A percent sign in both.")
    f.add("User-agent: *\nDisallow: /a\n", "https://example.com/b\x00/a", "A NUL in a URL.", clause="google.url-nul",
          section="2.2", tags="controls url")
    f.add("User-agent: *\nDisallow: /a$\n", "https://example.com/a\x00b", "A NUL in a URL after an anchored match.",
          clause="google.url-nul", section="2.2", tags="controls url")


def index_pages():
    f = Family("google.index", "google.index-html", "2.2.2", "rank path")
    f.group("Disallow: / | Allow: /d/index.html", "/d/", "An Allow of an index page does not open its folder.",
            "must disallow")
    f.group("Disallow: / | Allow: /d/index.html", "/d/index.html", "An Allow of an index page opens the page.",
            "must allow")
    f.group("Disallow: / | Allow: /d/index.htm", "/d/", "The same for index.htm.", "must disallow")
    f.group("Disallow: /d/ | Allow: /d/index.html", "/d/", "The Disallow of the folder is as long.", "must disallow")
    f.group("Disallow: / | Allow: /index.html", "/", "An Allow of the first page's file does not open /.",
            "must disallow")
    f.group("Disallow: / | Allow: /d/index.html", "/d/x", "Nothing else of the folder is opened.", "must disallow")
    f.group("Disallow: / | Allow: /d/index.php", "/d/", "Another index page opens no folder.", "must disallow")
    f.group("Allow: / | Disallow: /d/index.html", "/d/", "A Disallow of an index page closes no folder.", "must allow")
