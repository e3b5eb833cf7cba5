"""The middleware for Scrapy, next to Scrapy's own: a real spider, and sites on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from conftest import ROOT
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
ONE = [["/page"], ["/private"]]
LATER = {
    "24 hours later: `Disallow: /` instead of no rules": (in_turn((200, {}, b""), (200, {}, CLOSED)), ONE),
    "24 hours later: no rules instead of `Disallow: /private`": (in_turn((200, {}, RULES), (200, {}, b"")), ONE),
}
LATER_503 = {
    "24 hours later: 503 instead of `Disallow: /private`": (in_turn((200, {}, RULES), (503, {}, b"")), [["/page"], ["/page", "/private"]]),
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
    with ExitStack() as stack:
        sites = {case: stack.enter_context(closing(Site(answer))) for case, (answer, _) in cases.items()}
        return sites, crawl(which, [(sites[case].base, parts) for case, (_, parts) in cases.items()])


#: The least gap of two requests that are a second apart: a busy machine notes the first one late.
A_SECOND = 0.8


def words(site):
    """What a site's log says, in the README's words."""
    pages = ", ".join(f"`{path}`" for path in site.pages()) or "nothing"
    if site.gaps() and all(gap > A_SECOND for gap in site.gaps()) and len(site.gaps()) == 2:
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
                rows.setdefault(case, []).append(words(site))
                if which == "robosieve":
                    of_ours[case] = site, stats
    return rows, of_ours


def test_the_readme_has_what_each_fetched(table):
    readme = (HERE.parent / "README.md").read_text()
    made = "\n".join(f"| {case} | {scrapys} | {ours} |" for case, (scrapys, ours) in table[0].items())
    assert made in readme, f"the README should have\n{made}"


def test_one_download_a_site_and_each_reason_is_counted(table):
    for case in ("`Disallow: /private`", "404", "`Crawl-delay: 1`"):
        site, stats = table[1][case]
        assert [path for path, _ in site.requests].count("/robots.txt") == 1, case
    assert stats["robotstxt/forbidden"] == sum(
        count for name, count in stats.items() if name.startswith("robotstxt/forbidden/")
    )
    assert stats["robotstxt/forbidden/rule"] == 2
    assert stats["robotstxt/forbidden/closed"] >= 2
    assert stats["robotstxt/response_status_count/404"] == 1


PUBLIC = {"ROBOSIEVE_ALLOW_PRIVATE": False}


def test_a_name_that_leads_inside_gets_no_request(site):
    """The resolver of Scrapy knows where `localhost` leads; another policy opens nothing."""
    inside = site(always(404), "127.0.0.1")
    url = inside.base.replace("127.0.0.1", "localhost")
    for policy in ("rfc9309", "google"):
        stats = crawl("robosieve", [(url, TWO)], settings={**PUBLIC, "ROBOSIEVE_POLICY": policy})
        assert inside.requests == [] and stats["robotstxt/forbidden/not-asked"] == 2, stats
    crawl("robosieve", [(url, TWO)])
    assert inside.pages() == ["/page", "/private"]


def test_behind_a_proxy_its_address_is_not_the_sites(site):
    """A name of the web, through a proxy on loopback; a redirect to `localhost` is not followed."""
    inside = site(always(404), "127.0.0.1")
    to = inside.base.replace("127.0.0.1", "localhost")
    proxies = [site(always(200, body=RULES)), site(always(302, {"Location": f"{to}/x"}))]
    for proxy in proxies:
        crawl("robosieve", [("http://shop.example", TWO)], settings=PUBLIC, env={"http_proxy": proxy.base, "no_proxy": ""})
    assert [proxy.pages() for proxy in proxies] == [["/page"], []]
    assert proxies[1].requests and not inside.requests


def test_spiders_with_a_store_share_what_they_know(site, tmp_path):
    """The second one retrieves no robots.txt; Scrapy's slots keep the pace of each."""
    slow = site(always(200, body=b"User-agent: *\nCrawl-delay: 1\nDisallow: /private\n"))
    for _ in range(2):
        crawl("robosieve", [(slow.base, [["/1", "/private", "/2"]])], tmp_path / "sites")
    assert slow.pages() == ["/1", "/2"] * 2
    assert slow.gaps()[0] > A_SECOND and slow.gaps()[2] > A_SECOND, slow.gaps()
    assert [path for path, _ in slow.requests].count("/robots.txt") == 1


def test_a_slow_robots_txt_keeps_no_other_site_out(site):
    """The pages of 4 mute sites come first; those of another one do not wait for them."""
    mute = [site(lambda path, number: time.sleep(6) or (404, {}, b"")) for _ in range(4)]
    good = site(always(404))
    crawl("robosieve", [*((one.base, [["/1"]]) for one in mute), (good.base, [["/1", "/2"]])])
    assert good.pages() == ["/1", "/2"] and all(one.pages() == ["/1"] for one in mute)
    assert max(at for _, at in good.requests) < min(at for one in mute for path, at in one.requests if path == "/1")


PAGES = ["/secret", "/page"]
#: With the features of the project's own tests, so that no crate is compiled twice.
SERVER = "cargo test -q --locked --all-features --test responses -- --ignored --nocapture --exact served::each_response"


@pytest.fixture
def responses():
    """Serves the table in crates/gate/tests/responses: its sites, the pages that the gate allows, and who may differ."""
    with subprocess.Popen(SERVER.split(), cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        yield [json.loads(line) for line in iter(server.stdout.readline, "{}\n") if line.startswith("{")]
        server.communicate()


def differing(sites, seconds):
    """Those of which Scrapy allows other pages than the gate, and is not one that may: each with what it does."""
    settings = {"ROBOSIEVE_ALLOW_PRIVATE": False, "CONCURRENT_REQUESTS": 64, "DOWNLOAD_TIMEOUT": seconds, "RETRY_ENABLED": False, "COOKIES_ENABLED": False}
    proxy = f"http://127.0.0.1:{urlsplit(sites[0]['url']).port}"
    came = crawl("robosieve", [(site["url"], [PAGES]) for site in sites], settings=settings, env={"http_proxy": proxy, "no_proxy": ""})["pages"]
    for site in sites:
        opened = {page for page in PAGES if site["url"] + page in came}
        differs = "reads" if opened - set(site["pages"]) else "closes" if opened != set(site["pages"]) else None
        if differs and f"Scrapy {differs}" not in site["others"]:
            yield site, differs


def test_scrapy_opens_no_more_than_the_gates_own_client(responses):
    """The server stands in for a proxy, which knows the names. Responses of others.tsv are those that may differ."""
    assert len(responses) > 400
    first = list(differing(responses, 3))
    assert not [site["name"] for site, differs in first if differs == "reads"]
    # On a busy machine a good response can take longer than that, which closes a site.
    wrong = list(differing([site for site, _ in first], 40)) if first else []
    assert not wrong, json.dumps([site["name"] for site, _ in wrong])
