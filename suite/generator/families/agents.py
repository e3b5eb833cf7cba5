"""Product tokens: case, parts of names, versions, digits, stars, whole headers."""
import json

from ..vectors import ROOT, Family

CLOSED = "User-agent: {}\nDisallow: /\n"
BOTH = "User-agent: {}\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n"


def make():
    case()
    parts()
    odd()
    stars()
    digits()
    headers()
    glued()


def case():
    f = Family("agents.case", "agent.token", "2.2.1", "agent case")
    for line in ("MyBot", "mybot", "MYBOT", "mYbOT"):
        f.add(CLOSED.format(line), "/a", f"{line} names MyBot: case does not matter.", "must disallow")
    for asked in ("mybot", "MYBOT"):
        f.add(CLOSED.format("MyBot"), "/a", f"{asked} is named by MyBot: case does not matter.", "must disallow",
              agent=asked)
    for line in ("My-Bot", "My_Bot", "-mybot", "_", "mybot-"):
        f.add(CLOSED.format(line), "/a", f"{line} is a product token.", "must disallow", agent=line)


def parts():
    f = Family("agents.part", "agent.token", "2.2.1", "agent")
    for line in ("My", "MyBo", "Bot", "yBo", "M", "MyBots", "MyBotX", "MyBot-Image", "MyBot_Image", "XMyBot",
                 "Not-MyBot", "Image-MyBot"):
        f.add(BOTH.format(line), "/a", f"{line} does not name MyBot.", "must allow")
        f.add(BOTH.format(line), "/b", f"{line} does not name MyBot, so the group for all applies.", "must disallow")
    for asked in ("MyBot-Image", "MyBot-News"):
        f.add(BOTH.format("MyBot"), "/a", f"MyBot does not name {asked}.", "must allow", agent=asked)
        f.add(BOTH.format("MyBot"), "/b", f"{asked} has the rules for all.", "must disallow", agent=asked)
    f.add("User-agent: MyBot-Image\nDisallow: /a\n\nUser-agent: MyBot\nDisallow: /b\n", "/a",
          "The longer name is another agent's.", "must allow")
    f.add("User-agent: MyBot-Image\nDisallow: /a\n\nUser-agent: MyBot\nDisallow: /b\n", "/b",
          "The group of the name itself applies.", "must disallow")
    f.add("User-agent: MyBot\nDisallow: /a\n\nUser-agent: MyBot-Image\nDisallow: /b\n", "/a",
          "MyBot-Image has its own group, not MyBot's.", "must allow", agent="MyBot-Image")
    f.add("User-agent: MyBot\nDisallow: /a\n\nUser-agent: MyBot-Image\nDisallow: /b\n", "/b",
          "MyBot-Image has its own group.", "must disallow", agent="MyBot-Image")


def odd():
    f = Family("agents.odd", "agent.value", "2.2.1", "agent syntax")
    for value in ("MyBot/2.1", "MyBot/*", "MyBot (a crawler)", "MyBot crawler", "MyBot, other", "MyBot;", "MyBot*",
                  "MyBot.", "\"MyBot\"", "other, MyBot", "other MyBot", "Mozilla/5.0 (compatible; MyBot/1.0)",
                  "https://example.com/MyBot", "MyBot:", "MyBot!", "MyBot+"):
        f.add(CLOSED.format(value), "/a", "A value that is more than a product token is not in the grammar.")
    f.add(CLOSED.format("MyBot\u00e9"), "/a", "A letter outside ASCII is not in the grammar.", tags="encoding")
    f.add(CLOSED.format("MyBot%0d%0a"), "/a", "An agent has no escapes.", tags="encoding")
    f.add("User-agent: other/1.0\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n", "/b",
          "A version of another agent does not keep the group for all away.", "must disallow")
    f.add("User-agent:\nDisallow: /\n", "/a", "An empty agent is not in the grammar.", clause="agent.value",
          tags="empty")
    f.add("User-agent:\nDisallow: /a\n\nUser-agent: MyBot\nDisallow: /b\n", "/b",
          "An empty agent spoils no group below.", "must disallow", tags="empty")
    f.add("User-agent: MyBot\nUser-agent:\nDisallow: /\n", "/a", "An empty agent in a run.", "must disallow",
          tags="empty")
    f.add("User-agent: (none)\nUser-agent: MyBot\nDisallow: /\n", "/a", "A name in brackets in a run.",
          "must disallow")


def stars():
    f = Family("agents.star", "agent.everyone", "2.2.1", "agent syntax")
    f.add(CLOSED.format("*"), "/a", "The star is for all agents.", "must disallow")
    for value in ("**", "*Bot", "My*", "*,MyBot", "*/1.0", "* all", "* MyBot", "*.*", "*;"):
        f.add(CLOSED.format(value), "/a", "A star with more is not in the grammar.")
    f.add(BOTH.format("other*"), "/b", "A star after another name is not MyBot's.", "must disallow")
    f.add("User-agent: *\nDisallow: /a\nUser-agent: MyBot\nAllow: /\n", "/a", "A star in another group is no default.",
          "must allow", clause="agent.select")


def digits():
    f = Family("agents.digit", "agent.token", "2.2.1", "agent")
    for line, asked in (("MyBot2", "MyBot"), ("MyBot", "MyBot2"), ("MyBot2", "MyBot2"), ("My2Bot", "My2Bot"),
                        ("360Bot", "360Bot"), ("MyBot.x", "MyBot.x"), ("MyBot.x", "MyBot"), ("MyBot2", "MyBot3"),
                        ("2", "2"), ("MJ12bot", "MJ")):
        f.add(CLOSED.format(line), "/a", f"A product token has no digits and no dots: {line}, asked as {asked}.",
              agent=asked)
    f.add(CLOSED.format("MyBot"), "/a", "An agent without a token.", agent="(none)", clause="agent.any")
    f.add(CLOSED.format("*"), "/a", "An agent without a token has the rules for all.", "must disallow",
          agent="(none)", clause="agent.any")
    f.add(CLOSED.format("MyBot"), "/a", "An agent with a version.", agent="MyBot/1.0", clause="agent.any",
          tags="header")


def headers():
    f = Family("agents.header", "agent.header", "2.2.1", "agent header")
    for header in ("MyBot/1.0 (+https://example.com/bot)", "Mozilla/5.0 (compatible; MyBot/1.0; +https://example.com/)",
                   "MyBot"):
        f.add(BOTH.format("MyBot"), "/a", "The RFC does not say how a header is read.", header=header)
    for header in ("Mozilla/5.0 (X11; Linux) MyBot/1.0", "Mozilla/5.0 (compatible; MyBot/1.0)"):
        f.add(BOTH.format("Mozilla"), "/a", "A header that begins as a browser's.", header=header)
    for header, token in real_headers():
        f.add(CLOSED.format(token), "/a", "A real header, on which the RFC is silent. suite/headers.ndjson has its source.", header=header,
              agent=token)
    f = Family("agents.unnamed", "agent.unnamed", "2.2.1", "agent header")
    browser = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36"
    f.add(CLOSED.format("*"), "/a", "The header of a browser names no crawler.", header=browser)
    f = Family("agents.doubt", "agent.doubt", "2.2.1", "agent header")
    both = "MyBot/1.0 (compatible; OtherBot/2.0; +https://example.com/)"
    for rules, other in (("Disallow: /", "Allow: /"), ("Allow: /", "Disallow: /"), ("Disallow: /b", "Disallow: /a"),
                         ("Allow: /a/long\nDisallow: /b", "Disallow: /a")):
        closed = "MyBot" if rules == "Disallow: /" else "OtherBot"
        f.add(f"User-agent: MyBot\n{rules}\n\nUser-agent: OtherBot\n{other}\n", "/a/long",
              "A header names two crawlers that have groups.", header=both, agent=closed)
    f.add("User-agent: *\nDisallow: /\n\nUser-agent: Other\nAllow: /\n", "/a",
          "A name in a comment opens nothing that is closed to all.", header="MyBot/1.0 (Other/2.0)")


def real_headers():
    """The headers of suite/headers.ndjson, each with the name that its owner documents."""
    rows = (json.loads(line) for line in (ROOT / "suite/headers.ndjson").read_text().splitlines())
    return [(row["header"], row["token"]) for row in rows]


def glued():
    f = Family("agents.glued", "agent.glued", "2.2", "agent syntax")
    f.add("User-agent: * Disallow: /\n", "/a", "A rule on a user-agent line is not in the grammar.")
    f.add("User-agent: MyBot Disallow: /\n", "/a", "A rule after a name on its line is no rule.")
    f.add("User-agent: * Disallow: /\nAllow: /x\nDisallow: /a\n", "/a", "The rules below such a line.")
