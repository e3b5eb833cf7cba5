"""Scrapy's downloader next to the gate's own client: the table of raw responses in crates/gate/tests/responses, on loopback."""

from __future__ import annotations

import json
import subprocess
from urllib.parse import urlsplit

import pytest
from conftest import ROOT

pytest.importorskip("scrapy")
from test_scrapy import crawl  # noqa: E402

PAGES = ["/secret", "/page"]
#: With the features of the project's own tests, so that no crate is compiled twice.
SERVER = "cargo test -q --locked --workspace --all-features --test responses -- --ignored --nocapture --exact served::each_response"


@pytest.fixture
def sites():
    """Serves the table: its sites, each with the pages that the gate allows, and the clients that may differ."""
    with subprocess.Popen(SERVER.split(), cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        yield [json.loads(line) for line in iter(server.stdout.readline, "{}\n") if line.startswith("{")]
        server.communicate()


def test_scrapy_opens_no_more_than_the_gate(sites):
    """The server stands in for a proxy, which knows the names. Responses of others.tsv are those that may differ."""
    assert len(sites) > 400
    settings = {"ROBOSIEVE_ALLOW_PRIVATE": False, "CONCURRENT_REQUESTS": 64, "DOWNLOAD_TIMEOUT": 3, "RETRY_ENABLED": False, "COOKIES_ENABLED": False}
    proxy = f"http://127.0.0.1:{urlsplit(sites[0]['url']).port}"
    came = crawl("robosieve", [(site["url"], [PAGES]) for site in sites], settings=settings, env={"http_proxy": proxy, "no_proxy": ""})["pages"]
    wrong = {}
    for site in sites:
        opened = {page for page in PAGES if site["url"] + page in came}
        differs = "reads" if opened - set(site["pages"]) else "closes" if opened != set(site["pages"]) else None
        if differs and f"Scrapy {differs}" not in site["others"]:
            wrong.setdefault(differs, []).append(site["name"])
    assert not wrong, json.dumps(wrong)
