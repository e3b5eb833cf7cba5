"""The middleware for Scrapy, next to Scrapy's own: a real spider, and sites on loopback."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from robosieve import GateCore
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


CRAWL_DELAY = always(200, body=b"User-agent: *\nCrawl-delay: 30\n")


@pytest.mark.parametrize("with_store", [False, True])
@pytest.mark.parametrize(
    "robots, page",
    [
        (CRAWL_DELAY, (200, {}, b"a page")),
        (always(404), (429, {"Retry-After": "30"}, b"")),
        (lambda path, number: time.sleep(15) or (404, {}, b""), (200, {}, b"a page")),
    ],
    ids=["Crawl-delay", "Retry-After", "mute"],
)
def test_a_host_that_waits_holds_no_places(robots, page, with_store, tmp_path):
    """40 URLs of 8 slow hosts come first, with 16 places; and the spider closes in time."""
    slow = [Site(robots, page=page) for _ in range(8)]
    good = Site(always(404))
    try:
        sites = [(site.base, [[f"/{n}"]]) for site in slow for n in range(5)]
        sites += [(good.base, [[f"/{n}"]]) for n in range(5)]
        began = time.monotonic()
        store = tmp_path / "sites" if with_store else ""
        crawl("robosieve", sites, store, {"CLOSESPIDER_TIMEOUT": 10, "RETRY_ENABLED": False})
        assert time.monotonic() - began < 25
        assert sorted(good.pages()) == [f"/{n}" for n in range(5)]
        first = min(at for site in slow for _, at in site.requests)
        assert max(at for _, at in good.requests) - first < 8
        assert robots is not CRAWL_DELAY or max(len(site.pages()) for site in slow) <= 1
    finally:
        for site in [*slow, good]:
            site.close()


@pytest.mark.parametrize("delay, pages, seconds", [(0.5, 12, 25), (30, 0, 20)], ids=["to the end", "closed"])
def test_more_than_may_wait_keep_nobody_out(delay, pages, seconds):
    """With 4 places, of 12 URLs of a host 5 may wait without one; all come in turn."""
    site = Site(always(200, body=f"User-agent: *\nCrawl-delay: {delay}\n".encode()), page=lambda path: (200, {}, b"a"))
    try:
        began = time.monotonic()
        settings = {"CONCURRENT_REQUESTS": 4, "CLOSESPIDER_TIMEOUT": 15 if pages else 5}
        crawl("robosieve", [(site.base, [[f"/{n}"]]) for n in range(12)], "", settings, {"ROBOSIEVE_TEST_WAITING": "5"})
        assert time.monotonic() - began < seconds
        assert len(site.pages()) == pages
    finally:
        site.close()


def test_waits_are_in_order_and_scrapys_limit_holds():
    """The higher priority first; never more than two pages at once, of 12 hosts."""
    now, most, lock = [0], [0], threading.Lock()

    def page(path):
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.2)
        with lock:
            now[0] -= 1
        return 200, {}, b"a page"

    sites = [Site(always(200, body=b"User-agent: *\nCrawl-delay: 1\n"), page=page) for _ in range(12)]
    try:
        wanted = [(site.base, [[f"/{n}?priority={n}"]]) for site in sites for n in range(4)]
        crawl("robosieve", wanted, settings={"CONCURRENT_REQUESTS": 2})
        assert most[0] <= 2
        for site in sites:
            # Which one comes first is Scrapy's choice; the others wait together.
            assert site.pages()[1:] == sorted(site.pages()[1:], reverse=True) and len(site.pages()) == 4, site.pages()
            assert min(site.gaps()) > 0.7, site.gaps()
    finally:
        for site in sites:
            site.close()


@pytest.mark.parametrize("with_store", [False, True])
def test_what_waits_when_the_spider_closes_is_scheduled_again(with_store, tmp_path):
    """The second run is given no URL, and fetches the rest."""
    site = Site(always(200, body=b"User-agent: *\nCrawl-delay: 1\n"))
    try:
        settings = {"JOBDIR": str(tmp_path / "job")}
        store = tmp_path / "sites" if with_store else ""
        sites = [(site.base, [[f"/{n}"]]) for n in range(10)]
        crawl("robosieve", sites, store, {**settings, "CLOSESPIDER_TIMEOUT": 4})
        assert 0 < len(site.pages()) < 8
        crawl("robosieve", [], store, settings)
        assert sorted(site.pages()) == [f"/{n}" for n in range(10)]
    finally:
        site.close()


@pytest.fixture(params=["file", "redis"])
def store(request, tmp_path):
    """A store that spiders share."""
    if request.param == "file":
        yield tmp_path / "sites"
        return
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("no redis-server is installed")
    url = f"unix://{tmp_path}/redis"
    options = ["--port", "0", "--unixsocket", f"{tmp_path}/redis", "--save", "", "--dir", str(tmp_path)]
    server = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
    try:
        for _ in range(100):
            if (tmp_path / "redis").exists():
                break
            time.sleep(0.05)
        try:
            GateCore("MyBot", store=url)
        except OSError as error:
            if "no stores by" in str(error):
                pytest.skip("this wheel was built without Redis")
            raise
        yield url
    finally:
        server.terminate()
        server.wait()


def test_spiders_with_a_store_share_their_pace(store):
    """Two spiders, one site: its server gets their pages one second apart, whoever asks."""
    site = Site(always(200, body=b"User-agent: *\nCrawl-delay: 1\n"))
    try:
        spiders = [
            threading.Thread(target=crawl, args=("robosieve", [(site.base, [["/1", "/2", "/3"]])], store))
            for _ in range(2)
        ]
        for spider in spiders:
            spider.start()
        for spider in spiders:
            spider.join()
        assert len(site.pages()) == 6
        assert min(site.gaps()) > 0.8, site.gaps()
        assert [path for path, _ in site.requests].count("/robots.txt") <= 2
    finally:
        site.close()
