"""The middleware for Scrapy, next to Scrapy's own: a real spider, and sites on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sites import CLOSED, HTML, RULES, Site, always, in_turn, moved

pytest.importorskip("scrapy")

HERE = Path(__file__).resolve().parent
#: What a site answers for robots.txt, in the README's words; the answer; and the pages that the spider wants. Those of
#: a second list are wanted 24 hours later.
TWO = [["/page", "/private"]]
CASES = {
    "`Disallow: /private`": (always(200, body=RULES), TWO),
    "404": (always(404), TWO),
    "403": (always(403), TWO),
    "503": (always(503, body=HTML), TWO),
    "429 with `Retry-After`": (always(429, {"Retry-After": "600"}, HTML), TWO),
    "no response": (always(None), TWO),
    "a page of HTML, with status 200": (always(200, {"Content-Type": "text/html"}, HTML), TWO),
    "a page of HTML, with status 202": (always(202, {"Content-Type": "text/html"}, HTML), TWO),
    "301 to a file with `Disallow: /private`": (moved, TWO),
    "301 to a server that answers 503": (
        lambda path, number: (503, {}, b"") if path == "/moved" else (301, {"Location": "/moved"}, b""),
        TWO,
    ),
}
LATER = {
    "24 hours later: `Disallow: /` instead of no rules": (
        in_turn((200, {}, b""), (200, {}, CLOSED)),
        [["/page"], ["/private"]],
    ),
    "24 hours later: no rules instead of `Disallow: /private`": (
        in_turn((200, {}, RULES), (200, {}, b"")),
        [["/page"], ["/private"]],
    ),
}
LATER_503 = {
    "24 hours later: 503 instead of `Disallow: /private`": (
        in_turn((200, {}, RULES), (503, {}, b"")),
        [["/page"], ["/page", "/private"]],
    ),
}
PACE = {"`Crawl-delay: 1`": (always(200, body=b"User-agent: *\nCrawl-delay: 1\n"), [["/1", "/2", "/3"]])}


def crawl(which, sites, store="", settings=None, env=None):
    """Crawls sites with this middleware, and returns its stats."""
    command = [sys.executable, str(HERE / "spider.py"), which, str(store), json.dumps(sites), json.dumps(settings or {})]
    done = subprocess.run(command, capture_output=True, timeout=400, check=False, env={**os.environ, **(env or {})})
    assert done.returncode == 0, done.stderr.decode()
    assert which != "robosieve" or b"Traceback" not in done.stderr, done.stderr.decode()
    return json.loads(done.stdout)


def fetched(which, cases):
    """The sites of these cases after a crawl, and its stats."""
    sites = {case: Site(answer) for case, (answer, _) in cases.items()}
    try:
        stats = crawl(which, [(sites[case].base, parts) for case, (_, parts) in cases.items()])
    finally:
        for site in sites.values():
            site.close()
    return sites, stats


def words(site, which):
    """What a site's log says, in the README's words."""
    pages = ", ".join(f"`{path}`" for path in site.pages()) or "nothing"
    if site.gaps() and all(gap >= 0.95 for gap in site.gaps()) and len(site.gaps()) == 2:
        return f"{pages}: 1 s between them"
    return f"{pages}: at once" if len(site.gaps()) == 2 else pages


@pytest.fixture(scope="module")
def table():
    """Each case, with the words of Scrapy's own and of ours; and the sites and stats of ours."""
    rows, of_ours = {}, {}
    for cases in (CASES | PACE, LATER, LATER_503):
        for which in ("scrapy", "robosieve"):
            sites, stats = fetched(which, cases)
            for case, site in sites.items():
                rows.setdefault(case, []).append(words(site, which))
                if which == "robosieve":
                    of_ours[case] = site, stats
    return rows, of_ours


def test_the_readme_has_what_each_fetched(table):
    readme = (HERE.parent / "README.md").read_text()
    made = "\n".join(f"| {case} | {scrapys} | {ours} |" for case, (scrapys, ours) in table[0].items())
    assert made in readme, f"the README should have\n{made}"


def test_one_download_a_site(table):
    for case in ("`Disallow: /private`", "404", "`Crawl-delay: 1`"):
        site, _ = table[1][case]
        assert [path for path, _ in site.requests].count("/robots.txt") == 1, case


def test_each_reason_is_counted(table):
    _, stats = table[1]["503"]
    assert stats["robotstxt/forbidden"] == sum(
        count for name, count in stats.items() if name.startswith("robotstxt/forbidden/")
    )
    assert stats["robotstxt/forbidden/rule"] == 2
    assert stats["robotstxt/forbidden/closed"] >= 2
    assert stats["robotstxt/response_status_count/404"] == 1


PUBLIC = {"ROBOSIEVE_ALLOW_PRIVATE": False}


def test_a_name_that_leads_inside_gets_no_request():
    """The resolver of Scrapy knows where `localhost` leads; another policy opens nothing."""
    site = Site(always(404), "127.0.0.1")
    try:
        url = site.base.replace("127.0.0.1", "localhost")
        for policy in ("rfc9309", "google"):
            stats = crawl("robosieve", [(url, TWO)], settings={**PUBLIC, "ROBOSIEVE_POLICY": policy})
            assert site.requests == [] and stats["robotstxt/forbidden/not-asked"] == 2, stats
        crawl("robosieve", [(url, TWO)])
        assert site.pages() == ["/page", "/private"]
    finally:
        site.close()


def test_behind_a_proxy_its_address_is_not_the_sites():
    """A name of the web, through a proxy on loopback; a redirect to `localhost` is not followed."""
    inside = Site(always(404), "127.0.0.1")
    to = inside.base.replace("127.0.0.1", "localhost")
    proxies = [Site(always(200, body=RULES)), Site(always(302, {"Location": f"{to}/x"}))]
    try:
        for proxy in proxies:
            env = {"http_proxy": proxy.base, "no_proxy": ""}
            crawl("robosieve", [("http://shop.example", TWO)], settings=PUBLIC, env=env)
        assert [proxy.pages() for proxy in proxies] == [["/page"], []]
        assert proxies[1].requests and not inside.requests
    finally:
        for site in [inside, *proxies]:
            site.close()


def test_spiders_with_a_store_share_what_they_know(tmp_path):
    """The second one retrieves no robots.txt; Scrapy's slots keep the pace of each."""
    site = Site(always(200, body=b"User-agent: *\nCrawl-delay: 1\nDisallow: /private\n"))
    try:
        for _ in range(2):
            crawl("robosieve", [(site.base, [["/1", "/private", "/2"]])], tmp_path / "sites")
        assert site.pages() == ["/1", "/2"] * 2
        assert site.gaps()[0] > 0.8 and site.gaps()[2] > 0.8, site.gaps()
        assert [path for path, _ in site.requests].count("/robots.txt") == 1
    finally:
        site.close()


def test_a_slow_robots_txt_keeps_no_other_site_out():
    """The pages of 4 mute sites come first; those of another one do not wait for them."""
    mute = [Site(lambda path, number: time.sleep(6) or (404, {}, b"")) for _ in range(4)]
    good = Site(always(404))
    try:
        crawl("robosieve", [*((site.base, [["/1"]]) for site in mute), (good.base, [["/1", "/2"]])])
        assert good.pages() == ["/1", "/2"] and all(site.pages() == ["/1"] for site in mute)
        assert max(at for _, at in good.requests) < min(at for site in mute for path, at in site.requests if path == "/1")
    finally:
        for site in [*mute, good]:
            site.close()
