"""Values next to the rules: crawl delays and sitemaps. RFC 9309 has neither; the usual meanings are measured."""
from ..vectors import Family

SITE = "https://example.com/"


def make():
    delays()
    sitemaps()
    no_rules()


def delays():
    f = Family("values.delay", "value.crawl-delay", "2.2.4", "values delay other-records")

    def delay(file, seconds, why, agent="MyBot", **more):
        f.add(file, "/a", why, "", agent, values={"crawl_delay": seconds}, **more)

    for text, seconds in (("1", 1), ("10", 10), ("0", 0), ("2.5", 2.5), ("0.5", 0.5), ("10.0", 10), ("010", 10),
                          ("3600", 3600)):
        delay(f"User-agent: *\nCrawl-delay: {text}\nDisallow: /b\n", seconds, f"A delay of {text}.")
    delay("User-agent: *\nDisallow: /b\nCrawl-delay: 10\n", 10, "A delay after a rule.")
    delay("User-agent: *\nDisallow: /b\nCrawl-delay:10 # slow\n", 10, "A delay before a comment.", tags="comment")
    delay("User-agent: *\ncrawl-DELAY: 10\nDisallow: /b\n", 10, "The name has no case.", tags="case")
    delay("User-agent: *\r\nCrawl-delay: 10\r\nDisallow: /b\r\n", 10, "A delay before CR LF.", tags="CR")
    delay("User-agent: *\rCrawl-delay: 10\rDisallow: /b\r", 10, "A delay before CR.", tags="CR")
    delay("User-agent: *\nDisallow: /b\n", None, "No delay.")
    for text in ("-1", "ten", "NaN", "Infinity", "1e309", "10s", "0x10", "1,5", ""):
        seconds = {"10s": 10, "1,5": 1.5}.get(text)
        why = f"Not a number of seconds: {text}." if seconds is None else f"A delay that is repaired: {text}."
        delay(f"User-agent: *\nCrawl-delay: {text}\nDisallow: /b\n", seconds, why[:160],
              clause="value.invalid" if seconds is None else "value.repaired")
    own = "User-agent: MyBot\nCrawl-delay: 5\nDisallow: /b\n\nUser-agent: *\nCrawl-delay: 10\nDisallow: /c\n"
    delay(own, 5, "The delay of the agent's own group.", clause="ext.record")
    delay(own, 10, "The delay for all others.", agent="OtherBot", clause="ext.record")
    delay("User-agent: MyBot\nDisallow: /b\n\nUser-agent: *\nCrawl-delay: 10\nDisallow: /c\n", None,
          "A named agent does not take the delay for all.", clause="value.agents")
    delay("User-agent: other\nCrawl-delay: 300\nDisallow: /\n\nUser-agent: *\nDisallow: /b\n", None,
          "The delay of another agent is not for all.", clause="ext.record")
    delay("User-agent: MyBot\nDisallow: /b\n\nUser-agent: MyBot\nCrawl-delay: 7\n", 7,
          "A delay in the second group of an agent.", clause="record.merge", tags="merging")
    delay("User-agent: MyBot\nUser-agent: other\nCrawl-delay: 7\nDisallow: /b\n", 7, "A delay of two agents.",
          clause="value.agents")
    delay("Crawl-delay: 7\nUser-agent: *\nDisallow: /b\n", 7, "A delay before the first group is everybody's.",
          clause="value.everybody")
    delay("User-agent: *\nDisallow: /b\n# Crawl-delay: 7\n", None, "A delay in a comment.", tags="comment",
          clause="line.comment")


def sitemaps():
    f = Family("values.sitemap", "value.sitemap", "2.2.4", "values sitemap other-records")

    def listed(file, urls, why, **more):
        f.add(file, "/a", why, values={"sitemaps": [SITE + url for url in urls]}, **more)

    rules = "User-agent: *\nDisallow: /b\n"
    listed(f"{rules}Sitemap: {SITE}s.xml\n", ["s.xml"], "A sitemap after a group.")
    listed(f"Sitemap: {SITE}s.xml\n{rules}", ["s.xml"], "A sitemap before the first group.")
    listed(f"Sitemap: {SITE}s.xml\n", ["s.xml"], "A sitemap and nothing else.")
    listed(f"User-agent: *\nSitemap: {SITE}s.xml\nDisallow: /b\n", ["s.xml"], "A sitemap within a group.")
    listed(f"User-agent: other\nDisallow: /\nSitemap: {SITE}s.xml\n", ["s.xml"],
           "A sitemap belongs to the file, not to the group of another agent.", clause="ext.scope")
    listed(f"{rules}Sitemap: {SITE}s.xml\nSitemap: {SITE}t.xml\n", ["s.xml", "t.xml"], "Two sitemaps, in order.")
    listed(f"{rules}\nSITEMAP: {SITE}s.xml\n", ["s.xml"], "The name has no case.", tags="case")
    listed(f"{rules}Sitemap:{SITE}s.xml\n", ["s.xml"], "No blank after the colon.", tags="blanks")
    listed(f"{rules}Sitemap: {SITE}s.xml # all\n", ["s.xml"], "A comment after a sitemap.", tags="comment")
    listed(f"{rules}Sitemap: {SITE}s.xml \t\n", ["s.xml"], "Blanks after a sitemap.", tags="blanks")
    listed(f"{rules}Sitemap: {SITE}s.xml?a=b&c=d\n", ["s.xml?a=b&c=d"], "A sitemap with a query.")
    listed(f"{rules}# Sitemap: {SITE}s.xml\n", [], "A sitemap in a comment.", tags="comment")
    listed(rules, [], "No sitemap.")
    listed(f"{rules}\r\nSitemap: {SITE}s.xml\r\n", ["s.xml"], "A sitemap before CR LF.", tags="CR")
    listed(f"{rules}Sitemap: {SITE}s.xml", ["s.xml"], "A sitemap on a last line without an end.", tags="syntax")
    listed(f"\ufeffSitemap: {SITE}s.xml\n", ["s.xml"], "A sitemap after a byte order mark.", tags="BOM",
           clause="input.bom")
    listed(f"{rules}Sitemap: {SITE}A.XML\n", ["A.XML"], "The case of a sitemap's path is kept.", tags="case")


def no_rules():
    f = Family("values.no-rule", "ext.scope", "2.2.4", "values other-records")
    for line in ("Request-rate: 1/10", "Visit-time: 0000-0001", "Host: other.example", "Content-Signal: search=no",
                 "Content-Usage: search=n", "Clean-param: a /", "Noindex: /", "License: https://example.com/l",
                 "Nofollow: /", "Crawl-delay: 86400"):
        f.group(f"{line} | Disallow: /b", "/a", f"{line.partition(':')[0]} forbids no fetch.", "must allow",
                clause="ext.unknown" if line[:4] in ("Noin", "Nofo") else "ext.scope")
    f.group("Disallow: / | Content-Signal: search=yes", "/a", "Content-Signal permits no fetch.", "must disallow")
    f.group("Disallow: / | Content-Usage: search=y", "/a", "Content-Usage permits no fetch.", "must disallow")
