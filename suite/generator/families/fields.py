"""Names of fields, other records, missing colons, misspellings, empty rules."""
from ..vectors import Family

TYPOS = {
    "Useragent": "field.typo", "User agent": "field.typo", "User_agent": "suspect.almost",
    "User-agents": "suspect.almost", "User--agent": "suspect.almost",
}
RULE_TYPOS = ["Dissallow", "Dissalow", "Disalow", "Diasllow", "Disallaw", "Disallowed", "Disallows", "Disallo"]


def make():
    names()
    other_records()
    misspelled()
    not_fields()
    empty()


def names():
    f = Family("fields.name", "field.name", "2.2", "syntax case")
    for name in ("disallow", "DISALLOW", "dISaLLow"):
        f.group(f"{name}: /a", "/a", "Names have no case.", "must disallow")
    for name in ("allow", "ALLOW", "aLLow"):
        f.group(f"Disallow: /a | {name}: /a/b", "/a/b", "Names have no case.", "must allow")
    for name in ("user-agent", "USER-AGENT", "uSeR-aGeNt", "User-Agent"):
        f.add(f"{name}: MyBot\nDisallow: /\n", "/a", "Names have no case.", "must disallow")
    f.group("Disallow: /a:b", "/a:b", "Only the first colon is the separator.", "must disallow")
    f.group("Disallow: /a:b", "/a", "A colon in a value is part of it.", "must allow")
    f.group("Disallow:: /a", "/a", "Two colons: the value begins with one.")
    f.group("Dis allow: /a", "/a", "A blank in a name makes another record.")
    f.group("xDisallow: /a", "/a", "A name is whole: this is another record.")
    f.group("Disallowx: /a", "/a", "A name is whole, also at its end.", clause="google.name")
    f.group("Allow-x: /a | Disallow: /a", "/a", "A name that begins with Allow is another record.",
            clause="google.name")
    f.add("User-agent-x: MyBot\nDisallow: /\n", "/a", "A name that begins with User-agent is another record.",
          clause="google.name")
    f.group("-Disallow: /a", "/a", "A dash before the name makes another record.", clause="suspect.almost")
    f.group("\"Disallow: /a\"", "/a", "A quote before the name makes another record.", clause="suspect.almost")


def other_records():
    f = Family("fields.other", "record.other-lines", "2.2.4", "other-records group")
    others = {
        "Sitemap: https://example.com/s.xml": "A Sitemap", "Crawl-delay: 10": "A Crawl-delay",
        "Host: example.com": "A Host", "Noindex: /n": "A Noindex", "Clean-param: a /b": "A Clean-param",
        "Request-rate: 1/5": "A Request-rate", "Visit-time: 0600-0845": "A Visit-time",
        "Content-Signal: ai-train=no": "A Content-Signal", "X-Unknown: value": "An unknown record",
        "License: https://example.com/l": "A License",
    }
    for line, name in others.items():
        # Testers know some of these names, and no others: three of those show the same as all.
        many = line[:5] not in ("Sitem", "Crawl", "Host:", "Conte", "X-Unk")
        rare = line[:5] not in ("Sitem", "Crawl", "X-Unk")
        f.add(f"User-agent: MyBot\n{line}\nUser-agent: other\nDisallow: /\n", "/a",
              f"{name} between agents does not end their run.", "must disallow", retired=many)
        f.add(f"User-agent: MyBot\n{line}\nDisallow: /\n", "/a", f"{name} between agent and rule.", "must disallow",
              retired=rare)
        f.add(f"User-agent: MyBot\nDisallow: /a\n{line}\nDisallow: /b\n", "/b",
              f"{name} between rules does not end the group.", "must disallow", retired=rare)
    for line in list(others)[:4]:
        name, more = others[line], {"retired": line[:5] in ("Host:", "Noind")}
        f.add(f"{line}\nUser-agent: MyBot\nDisallow: /\n", "/a", f"{name} before the first group.", "must disallow",
              **more)
        f.add(f"User-agent: other\n{line}\nUser-agent: bad\nDisallow: /\nUser-agent: *\nDisallow: /b\n", "/a",
              f"{name} gives no rule to agents that the run does not name.", "must allow", **more)
        f.add(f"User-agent: MyBot\n{line}\n\nUser-agent: *\nDisallow: /\n", "/a",
              f"{name} is no rule, so MyBot shares the rules for all.", "must disallow", **more)
    f.group("Sitemap: /a | Disallow: /b", "/a", "The value of a Sitemap is no rule.", "must allow")
    f.group("Noindex: /a | Disallow: /b", "/a", "Noindex forbids no fetch.", "must allow", clause="ext.unknown")
    f.group("Crawl-delay: 86400", "/a", "A long delay forbids nothing.", "must allow", clause="value.crawl-delay")
    f.group("Unknown: Disallow: /a", "/a", "A rule within another record is no rule.", "must allow",
            clause="suspect.glued")
    f.add("User-agent: *\nSitemap: https://example.com/s.xml Disallow: /a\n", "/a",
          "A rule after a Sitemap on its line is no rule.", "must allow", clause="suspect.glued")


def misspelled():
    f = Family("fields.typo", "field.typo", "2.2.4", "typo syntax")
    for name, clause in TYPOS.items():
        f.add(f"{name}: MyBot\nDisallow: /\n", "/a", f"{name}: a reader may understand a misspelled name.",
              clause=clause)
    for name in RULE_TYPOS:
        f.group(f"{name}: /a", "/a", f"{name}: a reader may understand a misspelled name.")
    for name in ("Allows", "Alow", "Allowed"):
        f.group(f"Disallow: / | {name}: /a", "/a", f"{name}: a reader may understand a misspelled name.")
    f.group("Disalow: /a | Disallow: /b", "/b", "A misspelled rule does not spoil the next line.", "must disallow")
    f.add("User-agent: MyBot\nDisalow: /a\nUser-agent: other\nDisallow: /\n", "/b",
          "Whether a misspelled rule ends the run depends on its reading.")


def not_fields():
    f = Family("fields.colon", "field.missing-colon", "2.2", "syntax")
    f.group("Disallow /a", "/a", "A rule without a colon is not in the grammar.")
    f.add("User-agent *\nDisallow: /\n", "/a", "A user-agent line without a colon is not in the grammar.")
    f.group("Disallow /a b", "/a", "Three words without a colon are nothing.", "must allow", clause="field.syntax")
    f.group("Disallow", "/a", "A name alone is nothing.", "must allow", clause="field.syntax")
    f.group("/a", "/a", "A path alone is nothing.", "must allow", clause="field.syntax")
    f.group(": /a", "/a", "A value without a name is nothing.", "must allow", clause="field.syntax")
    f.group("Disallow; /a", "/a", "A semicolon is no colon.", clause="suspect.almost")
    f.group("Disallow= /a", "/a", "An equals sign is no colon.", clause="suspect.almost")
    f.group("Disallow\uff1a /a", "/a", "A wide colon is no colon.", tags="encoding", clause="suspect.almost")
    f.group("nonsense | Disallow: /a", "/a", "A line that is nothing does not spoil the next.", "must disallow",
            clause="field.syntax")
    f.add("User-agent: MyBot\nnonsense\nUser-agent: other\nDisallow: /\n", "/a",
          "A line that is nothing does not end a run of agents.", clause="field.syntax")
    f.add("<html>\n<p>Not found</p>\n</html>\n", "/a", "A page has no group.", "must allow", clause="input.not-robots",
          tags="not-robots")
    f.add("<html>\nUser-agent: *\nDisallow: /a\n</html>\n", "/a",
          "Rules within a page: may it be read as no robots.txt?", clause="input.not-robots", tags="not-robots")
    f.add("{\"error\": \"not found\"}\n", "/a", "JSON has no group.", "must allow", clause="input.not-robots",
          tags="not-robots")
    f.add("<!-- note -->\nUser-agent: *\nDisallow: /a\n", "/a", "A comment of HTML before a group.",
          clause="input.not-robots", tags="not-robots")


def empty():
    f = Family("fields.empty", "path.empty", "2.2.2", "empty")
    f.group("Disallow:", "/a", "An empty Disallow: the RFC does not say what it matches.")
    f.group("Allow:", "/a", "An empty Allow alone closes nothing.", "must allow")
    f.group("Disallow: /a | Disallow:", "/a", "An empty Disallow after a rule.")
    f.group("Disallow: | Disallow: /a", "/a", "An empty Disallow before a rule.", "must disallow")
    f.group("Disallow: / | Allow:", "/a", "An empty Allow opens nothing.", "must disallow")
    f.group("Allow: | Disallow: /", "/a", "An empty Allow before a rule opens nothing.", "must disallow")
    f.group("Disallow: | Allow: /a", "/b", "Next to an empty Disallow and an Allow, no rule matches.")
    f.add("User-agent: MyBot\nDisallow:\n\nUser-agent: *\nDisallow: /\n", "/a",
          "A group with an empty Disallow applies, and the group for all does not.", tags="group")
    f.add("User-agent: MyBot\nAllow:\n\nUser-agent: *\nDisallow: /\n", "/a",
          "A group with an empty Allow applies, and the group for all does not.", "must allow", tags="group")
    f.add("User-agent: MyBot\nDisallow:\nUser-agent: other\nDisallow: /\n", "/a",
          "An empty Disallow is a rule: it ends the run of agents.", tags="group", clause="record.run")
    f.add("User-agent: MyBot\nAllow:\nUser-agent: other\nDisallow: /\n", "/a",
          "An empty Allow is a rule: it ends the run of agents.", "must allow", tags="group", clause="record.run")
