"""Each client next to the gate's own driver, the command: the raw answers of suite/answers.json."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from answers import PAGES, Sites, allowed_by, answers
from robosieve.gate import AsyncGate, Gate

OPTIONS = {"allow_private": True, "delay": 0, "min_delay": 0}


def by_gate(sites):
    gate = Gate("MyBot", **OPTIONS)
    with ThreadPoolExecutor(24) as threads:
        return list(threads.map(lambda base: {page for page in PAGES if gate.permits(base + page)}, sites.bases))


def by_async_gate(sites):
    async def run():
        gate = AsyncGate("MyBot", **OPTIONS)

        async def permitted(base):
            return {page for page in PAGES if await gate.permits(base + page)}

        return await asyncio.gather(*map(permitted, sites.bases))

    return asyncio.run(run())


def by_scrapy(sites):
    pytest.importorskip("scrapy")
    from test_scrapy import crawl

    crawl("robosieve", [(base, [PAGES]) for base in sites.bases])
    return sites.pages


@pytest.fixture(scope="module")
def made(command):
    """The answers, their sites, and the pages that the driver allows."""
    all_of_them = list(answers())
    assert len(all_of_them) > 300
    sites = Sites([answer.sent for answer in all_of_them])
    yield all_of_them, sites, allowed_by(command, sites.bases)
    sites.close()


@pytest.mark.parametrize("name, client", [("Python", by_gate), ("Python", by_async_gate), ("Scrapy", by_scrapy)])
def test_each_client_opens_what_the_driver_opens(made, name, client):
    """The rows of suite/answers.json name the clients that differ, and no other does."""
    all_of_them, sites, expected = made
    differ = {}
    for answer, got, right in zip(all_of_them, client(sites), expected, strict=True):
        if got != right:
            differ[answer.name] = name if got < right else f"+{name}"
    listed = {answer.name: one for answer in all_of_them for one in answer.differ if one.strip("+") == name}
    assert differ == listed
