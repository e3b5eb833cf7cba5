"""The gates for threads and for asyncio, with Python's client and with one of the caller's: sites on loopback."""

from __future__ import annotations

import asyncio
import errno
import gzip
import http.client
import os
import socket
import ssl
import threading
import time
import urllib.error
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from robosieve import GateCore
from robosieve import _client
from robosieve.gate import AsyncGate, Gate, Response
from sites import CLOSED, HTML, RULES, Site, always, in_turn, moved

DAY = 86_400.0


@pytest.fixture
def site():
    """Makes sites, and stops them."""
    made = []

    def make(answer):
        made.append(Site(answer))
        return made[-1]

    yield make
    for one in made:
        one.close()


def gate(**options):
    """A gate that may ask loopback, without a pace."""
    return Gate("MyBot/1.0", **{"allow_private": True, "delay": 0, "min_delay": 0, **options})


def test_each_answer_and_its_reason(site):
    packed = gzip.compress(RULES)
    cases = [
        (always(200, body=RULES), True, "rule"),
        (always(200, {"Content-Encoding": "gzip"}, packed), True, "rule"),
        (always(200, {"Content-Encoding": "gzip"}, packed[:-9]), False, "closed"),
        (always(404), True, "allowed"),
        (always(503, body=HTML), False, "closed"),
        (always(429, {"Retry-After": "600"}), False, "closed"),
        (always(None), False, "closed"),
        (moved, True, "rule"),
        (always(302, {"Location": "http://169.254.169.254/"}), False, "not-asked"),
    ]
    asker = gate()
    for number, (answer, page, reason) in enumerate(cases):
        base = site(answer).base
        assert bool(asker.permits(f"{base}/page")) is page, number
        step = asker.permits(f"{base}/private")
        assert step.reason in (reason, "unreachable"), (number, step)
    assert asker.permits("no url").reason == "not-a-url"
    # Loopback is not the public web, whatever the policy is.
    closed = site(always(404))
    for policy in ("rfc9309", "google", "strict"):
        for path in ("/page", "/robots.txt"):
            step = Gate("MyBot", policy=policy).permits(closed.base + path)
            refused = f"refused: {urlsplit(closed.base).hostname} is a loopback address; allow_private allows it"
            said = f"the site could not be asked: {refused}"
            assert (step.action, step.reason, step.why) == ("no", "not-asked", said)
    assert Gate("MyBot").permits("http://localhost:8080/").reason == "not-asked"
    assert closed.requests == []


def test_a_head_without_its_end_opens_nothing():
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            for _ in range(1):
                connection, _ = server.accept()
                connection.recv(4_096)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n")
                connection.close()

        threading.Thread(target=answer, daemon=True).start()
        step = gate().permits("http://127.0.0.1:{}/".format(server.getsockname()[1]))
        assert step.action == "no" and step.reason in ("closed", "unreachable"), step


def test_heads_and_chunks_are_read_as_the_driver_reads_them(monkeypatch):
    """Python's own takes signs, `1_3`, NULs and more."""
    # Each gate would read all certificates.
    monkeypatch.setattr(_client.ssl, "create_default_context", lambda: None)
    body, chunks = b"User-agent: *\nDisallow: /x\n", b"Transfer-Encoding: chunked\r\n\r\n"
    ok = b"HTTP/1.1 200 OK\r\n"
    length = [b"27", b" 27 ", b"\t27", b"027", b"27, 27", b"27\r\nContent-Length: 27", b"27,27 "]
    no_length = [b"1_3", b"+27", b"-5", b"abc", b"", b"27,", b"27, 13", b"13\r\nContent-Length: 27", b"0x1b", b"2 7", b"27\xa0",
                 b"\xb2\xb7", "\u0662\u0667".encode(), b"27.0", b"9" * 30, b"9" * 5_000]
    size = [b"1b\r\n", b"01B\r\n", b"1b;a=b\r\n"]
    no_size = [b"1_b\r\n", b"+1b\r\n", b"-1b\r\n", b"0x1b\r\n", b" 1b\r\n", b"\r\n", b"1b;" + b"x" * 30 + b"\r\n", b"z\r\n"]
    cases = [(ok + b"Content-Length: " + one + b"\r\n\r\n" + body, True) for one in length]
    cases += [(ok + b"Content-Length: " + one + b"\r\n\r\n" + body, False) for one in no_length]
    cases += [(ok + chunks + one + body + b"\r\n0\r\n\r\n", True) for one in size]
    cases += [(ok + chunks + one + body + b"\r\n0\r\n\r\n", False) for one in no_size]
    cases += [(line + b"\r\n\r\n" + body, False) for line in (
        b"HTTP/1.1 2_00 OK", b"HTTP/1.1 +200 OK", b"HTTP/1.1 0200 OK", b"HTTP/1.1  200 OK", b"HTTP/1.9 200 OK",
        b"HTTP/1.1 20 OK", b"HTTP/1.1 200 O\0K", b"HTTP/1.1 200 OK\r\nno colon", b"HTTP/1.1 200 OK\r\nA: \0",
        b"HTTP/1.1 200 OK\r\nA: b\r\n c: d", b"HTTP/1.1 200 OK\r\n folded: x")]
    cases += [(b"HTTP/1.0 200\r\n\r\n" + body, True), (ok + b"Content-Length: 13\r\n\r\n" + body, None)]
    with socket.create_server(("127.0.0.1", 0), backlog=len(cases)) as server:

        def answer():
            for sent, _ in cases:
                connection, _ = server.accept()
                with connection, suppress(OSError):
                    connection.recv(4_096)
                    connection.sendall(sent)
                    connection.shutdown(socket.SHUT_WR)
                    connection.recv(1)

        threading.Thread(target=answer, daemon=True).start()
        base = "http://127.0.0.1:{}".format(server.getsockname()[1])
        for sent, is_read in cases:
            asker = gate()
            allowed = bool(asker.permits(f"{base}/y"))
            # Of the last one, only the part that its length says is read: no rule.
            assert allowed is (is_read is not False), sent[:80]
            assert bool(asker.permits(f"{base}/x")) is (is_read is None), sent[:80]


def test_what_a_server_sends_has_a_bound(monkeypatch):
    """Each of these has no end. None opens a site, or takes time of the processor."""
    monkeypatch.setattr(_client.ssl, "create_default_context", lambda: None)
    ok, chunked = b"HTTP/1.1 200 OK\r\n", b"Transfer-Encoding: chunked\r\n\r\n"
    endless = [
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
        (ok, b"A: b\r\n"),
        (ok + b"A: ", b"b"),
        (b"", b"H"),
        (ok + chunked + b"0\r\n", b"A: b\r\n"),
        (ok + chunked + b"0", b"0"),
        (ok + chunked + b"1;", b"a"),
        (ok + b"Content-Encoding: gzip\r\n\r\n", b"\0"),
        (ok + chunked, b"1\r\n#\r\n"),
    ]
    with socket.create_server(("127.0.0.1", 0), backlog=len(endless)) as server:
        sent = []

        def answer():
            for begin, more in endless:
                connection, _ = server.accept()
                with connection, suppress(OSError):
                    connection.recv(4_096)
                    sent.append(0)
                    connection.sendall(begin)
                    while sent[-1] < 50_000_000:
                        sent[-1] += connection.send(more * 1_000)

        threading.Thread(target=answer, daemon=True).start()
        base = "http://127.0.0.1:{}".format(server.getsockname()[1])
        began, used = time.monotonic(), time.process_time()
        for begin, more in endless[:-1]:
            step = gate().permits(f"{base}/y")
            assert step.action == "no", (begin, more)
        # Of chunks of one byte, the limit of files is read, or that of the wire.
        gate().permits(f"{base}/y")
        assert time.monotonic() - began < 30 and time.process_time() - used < 20
        # What the system holds in its buffers comes on top.
        assert max(sent) < _client.MAX_WIRE + 8_000_000, sent


def test_a_server_that_drips_ends_in_time(monkeypatch):
    monkeypatch.setattr(_client, "BUDGET", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            connection, _ = server.accept()
            connection.recv(4_096)
            try:
                for _ in range(100):
                    connection.sendall(b"H")
                    time.sleep(0.1)
            except OSError:
                pass

        threading.Thread(target=answer, daemon=True).start()
        began = time.monotonic()
        step = gate().permits("http://127.0.0.1:{}/".format(server.getsockname()[1]))
        assert step.action == "no" and time.monotonic() - began < 8


def test_a_day_later_the_file_is_retrieved_again(site):
    """By the caller's clock; after a failure the copy still counts."""
    ahead = 0.0
    asker = gate(clock=lambda: time.time() + ahead)
    changed = site(in_turn((200, {}, b""), (200, {}, CLOSED)))
    fails = site(in_turn((200, {}, RULES), (503, {}, b"")))
    assert asker.permits(f"{changed.base}/page") and asker.permits(f"{fails.base}/page")
    ahead = DAY - 60
    assert asker.permits(f"{changed.base}/page")
    ahead = DAY + 60
    assert not asker.permits(f"{changed.base}/page")
    assert asker.permits(f"{fails.base}/page") and not asker.permits(f"{fails.base}/private")


def test_turns_are_paced_and_one_thread_retrieves(site):
    asker, busy = gate(delay=0.2), site(always(404))
    with ThreadPoolExecutor(8) as threads:
        times = sorted(threads.map(lambda n: (asker.turn(f"{busy.base}/{n}"), time.monotonic())[1], range(6)))
    assert [path for path, _ in busy.requests] == ["/robots.txt"]
    assert min(later - earlier for earlier, later in zip(times, times[1:])) > 0.15
    assert asker.turn(f"{busy.base}/x", max_wait=0.01).action == "wait"
    asker.observe(f"{busy.base}/x", 429, retry_after=60.0)
    assert asker.turn(f"{busy.base}/x", max_wait=1.0).wait > 50


def test_a_turn_ends_at_the_longest_wait(site, tmp_path):
    """A day is no turn, with any kind of gate; what is shorter is waited for."""
    busy = site(always(404))
    url = f"{busy.base}/x"
    asker = gate()
    assert asker.turn(url), "what was never asked for has no pace to slow down"
    asker.observe(url, 429, retry_after=DAY)
    began = time.monotonic()
    step = asker.turn(url)
    assert (step.action, bool(step)) == ("wait", False) and step.wait > DAY - 60
    assert gate(max_wait=0.2, delay=0.5).turn(url).action == "wait" and gate(delay=0.3).turn(url)

    async def run():
        asker = AsyncGate("MyBot", allow_private=True, store=tmp_path / "sites.sqlite")
        assert await asker.turn(url)
        await asker.observe(url, 429, retry_after=DAY)
        return await asker.turn(url)

    assert asyncio.run(run()).action == "wait" and time.monotonic() - began < 8


def test_mute_hosts_do_not_delay_a_known_site(site, tmp_path, monkeypatch):
    """40 hosts that say nothing hold all threads that retrieve, and none of the store's."""
    monkeypatch.setattr(_client, "SILENCE", 4.0)
    known, servers = site(always(200, body=RULES)), []
    for number in range(40):
        servers.append(socket.create_server((f"127.3.0.{number + 1}", 0)))
    mute = ["http://{}:{}/".format(*server.getsockname()) for server in servers]

    async def run():
        asker = AsyncGate("MyBot", allow_private=True, store=tmp_path / "sites.sqlite", delay=0.1, min_delay=0.1)
        assert await asker.permits(f"{known.base}/page")
        waiting = [asyncio.ensure_future(asker.permits(url)) for url in mute]
        await asyncio.sleep(0.5)
        began = time.monotonic()
        assert await asker.turn(f"{known.base}/page")
        took = time.monotonic() - began
        assert not any(task.done() for task in waiting)
        for task in waiting:
            task.cancel()
        return took

    try:
        assert asyncio.run(run()) < 2
    finally:
        for server in servers:
            server.close()


def test_programs_share_a_store(site, tmp_path):
    known = site(always(200, body=RULES))
    for _ in range(2):
        asker = gate(store=tmp_path / "sites.sqlite")
        assert asker.turn(f"{known.base}/page") and not asker.turn(f"{known.base}/private")
    assert [path for path, _ in known.requests] == ["/robots.txt"]
    with pytest.raises(OSError):
        gate(store=tmp_path / "no folder" / "sites.sqlite" / "x")


def test_asyncio_with_both_clients(site):
    known, asked = site(always(200, body=RULES)), []

    async def client(url, headers):
        asked.append(url)
        await asyncio.sleep(0.05)
        return Response(200, {}, RULES)

    async def fails(url, headers):
        raise OSError(errno.EMFILE, "too many open files")

    async def run():
        options = {"allow_private": True, "delay": 0, "min_delay": 0}
        asker = AsyncGate("MyBot", **options)
        urls = [f"{known.base}/{n}" for n in range(20)] + [f"{known.base}/private"]
        steps = await asyncio.gather(*map(asker.turn, urls))
        assert [bool(step) for step in steps] == [True] * 20 + [False]
        assert [path for path, _ in known.requests] == ["/robots.txt"]
        asker = AsyncGate("MyBot", fetch=client, **options)
        steps = await asyncio.gather(*map(asker.turn, ["https://a.example/", "https://a.example/private"] * 5))
        assert [bool(step) for step in steps] == [True, False] * 5
        assert asked == ["https://a.example/robots.txt"]
        await asker.observe("https://a.example/", 200)
        asker = AsyncGate("MyBot", fetch=fails, **options)
        assert (await asker.turn("https://a.example/")).reason == "not-asked"
        # A task that is cancelled leaves the retrieval to the next one.
        asker = AsyncGate("MyBot", fetch=client, **options)
        task = asyncio.ensure_future(asker.turn("https://b.example/"))
        await asyncio.sleep(0.01)
        task.cancel()
        assert await asker.turn("https://b.example/")

    asyncio.run(asyncio.wait_for(run(), 30))


class Odd(Exception):
    """An error of a client's own."""


def named(module, name, *bases):
    """A class of another package."""
    return type(name, bases or (Exception,), {"__module__": module})


def test_bugs_of_a_client_go_through():
    """Errors of the network close the site; all others are the caller's, and nothing is learnt."""
    base = named("aiohttp.client_exceptions", "ClientError")
    network = [
        OSError("reset"), TimeoutError(), ConnectionResetError(), EOFError(), http.client.BadStatusLine("x"),
        ssl.SSLCertVerificationError("bad"), asyncio.TimeoutError(), UnicodeError("label too long"),
        urllib.error.URLError("no"), named("aiohttp.client_exceptions", "ServerDisconnectedError", base)(),
        named("httpx", "ConnectError", named("httpx", "HTTPError"))(), named("urllib3.exceptions", "HTTPError")(),
    ]
    bugs = [
        NameError("x"), TypeError(), AttributeError(), AssertionError(), KeyError(1), ValueError(), ZeroDivisionError(),
        RuntimeError(), Odd(), named("httpx", "StreamConsumed")(), named("mine", "HTTPError")(),
    ]
    raised = None

    def client(url, headers):
        if raised is not None:
            raise raised
        return Response(200, {}, RULES)

    async def later(url, headers):
        return client(url, headers)

    def asked(asker, url):
        step = asker.permits(url)
        return asyncio.run(step) if asyncio.iscoroutine(step) else step

    for make, fetch in ((Gate, client), (AsyncGate, later)):
        for raised in network:
            step = asked(make("MyBot", fetch=fetch), "https://a.example/")
            assert step.reason in ("closed", "unreachable"), step
            assert step.attempts == 1 and type(raised).__name__ in step.error, step.error
        asker = make("MyBot", fetch=fetch, delay=0, min_delay=0)
        for raised in bugs:
            with pytest.raises(type(raised)) as got:
                asked(asker, "https://a.example/")
            assert got.value is raised
        raised = None
        step = asked(asker, "https://a.example/")
        assert step and (step.error, step.attempts) == (None, 0)
    # What comes back is no response.
    with pytest.raises(AttributeError):
        Gate("MyBot", fetch=lambda url, headers: None).permits("https://a.example/")
    # Python's own client is not the caller's: a name that cannot be looked up is no answer.
    assert not Gate("MyBot").permits("http://{}.example/".format("a" * 70))


def test_a_step_has_the_last_error(site):
    for answer, error, attempts in [
        (always(503), "status 503", 1),
        (in_turn((302, {"Location": "/robots.txt"}, b""), (500, {}, b"")), "status 500", 2),
        (always(200, {"Content-Encoding": "br"}, b"x"), "status 200, then: content coding not understood: br", 1),
        (always(404), None, 0),
    ]:
        step = gate().permits(site(answer).base)
        assert (step.error, step.attempts) == (error, attempts), step
    refused = Gate("MyBot").permits(site(always(404)).base)
    assert refused.error.startswith("refused: ") and refused.attempts == 0


def test_a_gate_that_is_closed_says_so(site, tmp_path):
    """With both kinds, and for a task that waits; the store is let go."""
    known, mute = site(always(200, body=RULES)), socket.create_server(("127.4.0.1", 0))
    url, store = f"{known.base}/page", tmp_path / "sites.sqlite"
    waits = "http://{}:{}/".format(*mute.getsockname())

    def opened():
        folder = Path("/proc/self/fd")
        links = [os.path.realpath(one) for one in folder.iterdir()] if folder.exists() else []
        return [one for one in links if one.startswith(str(store))]

    with gate(store=store) as asker:
        assert asker.turn(url) and asker.core.counts()
    assert opened() == []
    for use in (asker.turn, asker.permits, asker.observe, lambda _: asker.core, lambda _: asker.__enter__()):
        with pytest.raises(RuntimeError, match="the gate is closed"):
            use(url)
    asker.close()

    async def run():
        async with AsyncGate("MyBot", allow_private=True, store=store, delay=0.3) as asker:
            assert await asker.turn(url)
            waiting = [asyncio.ensure_future(asker.turn(one)) for one in (url, waits)]
            await asyncio.sleep(0.1)
        for use in (asker.turn(url), asker.permits(url), asker.observe(url), waiting[0], asker.__aenter__()):
            with pytest.raises(RuntimeError, match="the gate is closed"):
                await use
        mute.close()
        with pytest.raises(RuntimeError, match="the gate is closed"):
            await waiting[1]
        await asker.close()

    asyncio.run(run())
    assert opened() == []


def test_a_redirect_has_its_slot():
    """A redirect to the same host has its slot a second later; the retrieval is not begun again."""
    now = [1e9]
    core = GateCore("MyBot", clock=lambda: now[0])
    step = core.learn(core.permits("http://shop.example/a"), 301, {"Location": "https://shop.example/robots.txt"}, b"")
    assert (step.action, step.url, step.wait) == ("fetch", "https://shop.example/robots.txt", 1.0)
    assert not step and core.permits("http://shop.example/a").reason == "retrieving"
    now[0] += 1
    assert core.learn(step, 200, {}, b"User-agent: *\nDisallow: /a\n").reason == "learnt"
    assert core.permits("http://shop.example/a").reason == "rule"


def test_the_core_takes_what_came_and_nothing_else():
    core = GateCore(["MyBot-News", "MyBot"], delay=0, min_delay=0)
    step = core.ask("https://a.example/x")
    assert (step.action, step.url, bool(step)) == ("fetch", "https://a.example/robots.txt", False)
    assert core.ask("https://a.example/x").reason == "retrieving"
    with pytest.raises(TypeError):
        core.learn(step)
    with pytest.raises(ValueError):
        core.learn(step, 200, address="nowhere")
    target = core.learn(step, 308, {b"Location": [b"/other.txt"]})
    assert target.url == "https://a.example/other.txt"
    assert core.learn(target, 200, [("ETag", '"1"')], b"User-agent: mybot\nDisallow: /x").reason == "learnt"
    with pytest.raises(ValueError):
        core.learn(target, 200)
    denied = core.ask("https://a.example/x")
    assert (denied.action, denied.rule, denied.line) == ("no", "Disallow: /x", 2)
    lost = core.ask("https://b.example/")
    del lost
    assert core.ask("https://b.example/").action == "fetch", "a lost step leaves the right to the next"
    for wrong in ({"policy": "none"}, {"per": "cat"}, {"delay": -1.0}, {"clock": lambda: float("nan")}):
        with pytest.raises(ValueError):
            GateCore("MyBot", **wrong).ask("https://a.example/")
    assert core.counts()["retrievals"]
    assert core.admits("93.184.215.14") and not core.admits("10.0.0.1") and not core.admits("x")
