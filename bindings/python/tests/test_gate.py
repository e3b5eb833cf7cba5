"""The gates for threads and for asyncio, with the gate's client and with one of the caller's: sites on loopback."""

from __future__ import annotations

import asyncio
import errno
import http.client
import os
import signal
import socket
import ssl
import subprocess
import sys
import urllib.error
from concurrent.futures import ThreadPoolExecutor

import pytest
from robosieve import GateCore
from robosieve.gate import AsyncGate, Gate, Response
from sites import RULES, always, moved

DAY = 86_400.0
OPTIONS = {"allow_private": True, "delay": 0, "min_delay": 0}


@pytest.fixture
def mute():
    """A server that says nothing, and its URL."""
    with socket.create_server(("127.4.0.1", 0)) as server:
        server.settimeout(60)
        yield server, "http://{}:{}/".format(*server.getsockname())


def gate(**options):
    """A gate that may ask loopback, without a pace."""
    return Gate("MyBot/1.0", **{**OPTIONS, **options})


def done(asked):
    """What a gate of either kind answers."""
    return asyncio.run(asked) if asyncio.iscoroutine(asked) else asked


def test_an_answer_has_its_reason(site):
    asker, to = gate(), site(moved).base
    assert asker.permits(f"{to}/page") and asker.permits(f"{to}/private").reason == "rule"
    step = asker.permits(site(always(200, {"Content-Encoding": "br"}, b"x")).base)
    assert (bool(step), step.reason, step.attempts) == (False, "closed", 1)
    assert step.error == "status 200, then: content coding not understood: br"
    assert asker.permits("no url").reason == asker.permits(b"\xff").reason == "not-a-url"
    # Loopback is not the public web, under any policy.
    closed = site(always(404))
    for policy in ("rfc9309", "google", "strict"):
        step = Gate("MyBot", policy=policy).permits(closed.base)
        assert (step.action, step.reason) == ("no", "not-asked") and "allow_private allows it" in step.why
    assert closed.requests == []


def test_proxy_and_certificates_are_the_clients(site, tmp_path):
    proxy = site(always(200, body=RULES))
    asker = Gate("MyBot", proxy=proxy.base, delay=0, min_delay=0)
    # It has no CONNECT, so nothing is known of the site.
    assert asker.permits("http://shop.example/").reason == "not-asked" and proxy.requests == []
    (tmp_path / "none.pem").write_text("no certificate")
    for wrong in ({"proxy": "ftp://x"}, {"root_cert": tmp_path / "none.pem"}):
        with pytest.raises(ValueError):
            Gate("MyBot", **wrong)
    with pytest.raises(OSError):
        Gate("MyBot", root_cert=tmp_path / "nowhere")
    with pytest.raises(ValueError, match="header"):
        Gate("MyBot\r\nX: y")


def test_turns_are_paced_and_one_thread_retrieves(site):
    asker, busy = gate(delay=0.1), site(always(404))
    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(lambda n: asker.turn(f"{busy.base}/{n}"), range(6)))
    assert [path for path, _ in busy.requests] == ["/robots.txt"]
    # What would be longer than an hour is an answer.
    asker.observe(busy.base, 429, retry_after=DAY)
    step = asker.turn(busy.base)
    assert (step.action, bool(step)) == ("wait", False) and step.wait > DAY - 60


def test_asyncio_with_both_clients(site, tmp_path):
    known, asked = site(always(200, body=RULES)), []

    async def client(url, headers):
        asked.append((url, asyncio.current_task() is not None))
        await asyncio.sleep(0.05)
        return Response(200, {"ETag": '"1"'}, RULES)

    async def run():
        asker = AsyncGate("MyBot", store=tmp_path / "sites.sqlite", **OPTIONS)
        urls = [f"{known.base}/{n}" for n in range(20)] + [f"{known.base}/private"]
        steps = await asyncio.gather(*map(asker.turn, urls))
        assert [bool(step) for step in steps] == [True] * 20 + [False]
        assert [path for path, _ in known.requests] == ["/robots.txt"]
        await asker.observe(known.base, 429, retry_after=DAY)
        assert (await asker.turn(known.base)).action == "wait"
        asker = AsyncGate("MyBot", fetch=client, **OPTIONS)
        steps = await asyncio.gather(*map(asker.turn, ["https://a.example/", "https://a.example/private"] * 5))
        assert [bool(step) for step in steps] == [True, False] * 5
        assert asked == [("https://a.example/robots.txt", True)]

    asyncio.run(asyncio.wait_for(run(), 30))


def test_a_task_that_is_cancelled_gives_up_its_request(mute):
    server, url = mute
    begun, cancelled = [], []

    async def client(url, headers):
        begun.append(url)
        try:
            await asyncio.sleep(60 if len(begun) == 1 else 0)
        except asyncio.CancelledError:
            cancelled.append(url)
            raise
        return Response(200, {}, RULES)

    async def run():
        task = asyncio.ensure_future(AsyncGate("MyBot", **OPTIONS).permits(url))
        connection, _ = await asyncio.to_thread(server.accept)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # The server sees that the connection is over.
        with connection:
            await asyncio.to_thread(lambda: [None for part in iter(lambda: connection.recv(4_096), b"")])
        asker = AsyncGate("MyBot", fetch=client, **OPTIONS)
        task = asyncio.ensure_future(asker.turn("https://b.example/"))
        while not begun:
            await asyncio.sleep(0.01)
        task.cancel()
        # The next one gets the retrieval.
        assert await asker.turn("https://b.example/") and len(begun) == 2
        assert cancelled == begun[:1]

    asyncio.run(asyncio.wait_for(run(), 30))


def test_ctrl_c_ends_a_wait(mute):
    """A program that waits for a mute server."""
    server, url = mute
    program = f"from robosieve.gate import Gate\nGate('MyBot', allow_private=True).permits({url!r})"
    with subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True) as running, server.accept()[0]:
        running.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in running.communicate(timeout=60)[1]


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_forked_process_asks_new_sites(site):
    """The child has no thread of its parent's."""
    asker, known, new = gate(), site(always(404)), site(always(200, body=RULES))

    async def later(url):
        return await AsyncGate("MyBot", **OPTIONS).permits(url)

    assert asker.permits(known.base)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        found = [asker.permits(known.base), asker.permits(f"{new.base}/private"), asyncio.run(later(new.base))]
        os._exit(0 if [bool(one) for one in found] == [True, False, True] else 1)
    assert os.waitpid(child, 0)[1] == 0


def named(module, name, *bases):
    """A class of another package."""
    return type(name, bases or (Exception,), {"__module__": module})


def test_bugs_of_a_client_go_through():
    """Errors of the network close the site, trouble of ours is no answer; all others are the caller's."""
    base = named("aiohttp.client_exceptions", "ClientError")
    network = [
        OSError("reset"), TimeoutError(), EOFError(), http.client.BadStatusLine("x"), ssl.SSLCertVerificationError("bad"),
        asyncio.TimeoutError(), UnicodeError("label too long"), urllib.error.URLError("no"), socket.gaierror(socket.EAI_NONAME, "no"),
        named("aiohttp.client_exceptions", "ServerDisconnectedError", base)(),
        named("httpx", "ConnectError", named("httpx", "HTTPError"))(), named("urllib3.exceptions", "HTTPError")(),
    ]
    ours = [OSError(errno.EMFILE, "too many open files"), socket.gaierror(socket.EAI_AGAIN, "no answer")]
    bugs = [
        NameError("x"), TypeError(), KeyError(1), ValueError(), RuntimeError(), named("mine", "Odd")(), KeyboardInterrupt(),
        named("httpx", "StreamConsumed")(), named("mine", "HTTPError")(),
    ]
    raised = None

    def client(url, headers):
        if raised is not None:
            raise raised
        return Response(200, {}, RULES)

    async def later(url, headers):
        return client(url, headers)

    def asked(asker):
        return done(asker.permits("https://a.example/"))

    for make, fetch in ((Gate, client), (AsyncGate, later)):
        for raised in network:
            step = asked(make("MyBot", fetch=fetch))
            assert step.reason in ("closed", "unreachable"), step
            assert step.attempts == 1 and type(raised).__name__ in step.error, step.error
        for raised in ours:
            assert asked(make("MyBot", fetch=fetch)).reason == "not-asked"
        asker = make("MyBot", fetch=fetch, delay=0, min_delay=0)
        for raised in bugs[: None if make is Gate else 6]:
            with pytest.raises(type(raised)) as got:
                asked(asker)
            assert got.value is raised
        raised = None
        step = asked(asker)
        assert step and (step.error, step.attempts) == (None, 0), "nothing was learnt of the bugs"
    # What comes back is no response, or one that cannot be read.
    for wrong, error in ((None, AttributeError), (Response(200, 5, b""), TypeError), (Response(200, {}, b"", "nowhere"), ValueError)):
        with pytest.raises(error):
            Gate("MyBot", fetch=lambda url, headers: wrong).permits("https://a.example/")


@pytest.mark.parametrize(("make", "begin", "end"), [(Gate, "__enter__", "__exit__"), (AsyncGate, "__aenter__", "__aexit__")])
def test_a_gate_that_is_closed_lets_the_store_go(make, begin, end, site, tmp_path):
    """Another gate knows what it knew; each question to an asyncio gate is of another loop."""
    known, store = site(always(200, body=RULES)), tmp_path / "sites.sqlite"

    def opened():
        links = [os.path.realpath(f"/proc/self/fd/{one}") for one in os.listdir("/proc/self/fd")]
        return [one for one in links if one.startswith(str(store))]

    for _ in range(2):
        asker = make("MyBot", store=store, **OPTIONS)
        assert done(getattr(asker, begin)()) is asker
        assert done(asker.turn(f"{known.base}/page")) and not done(asker.turn(f"{known.base}/private"))
        assert asker.core.counts() and opened()
        done(getattr(asker, end)(None, None, None))
        assert opened() == []
        for use in (asker.turn, asker.permits, asker.observe, lambda _: asker.core, lambda _: getattr(asker, begin)()):
            with pytest.raises(RuntimeError, match="the gate is closed"):
                done(use(known.base))
        done(asker.close())
    assert [path for path, _ in known.requests] == ["/robots.txt"]
    with pytest.raises(OSError):
        make("MyBot", store=tmp_path / "no folder" / "sites.sqlite" / "x")


def test_the_core_takes_what_came_and_nothing_else():
    now = [1e9]
    core = GateCore(["MyBot-News", "MyBot"], clock=lambda: now[0])
    step = core.permits("https://a.example/x")
    assert (step.action, step.url, bool(step)) == ("fetch", "https://a.example/robots.txt", False)
    assert core.permits("https://a.example/x").reason == "retrieving"
    with pytest.raises(TypeError):
        core.learn(step)
    with pytest.raises(ValueError):
        core.learn(step, 200, address="nowhere")
    target = core.learn(step, 308, {b"Location": [b"/other.txt"]})
    # It has its slot a second later.
    assert (target.action, target.url, target.wait) == ("fetch", "https://a.example/other.txt", 1.0)
    now[0] += 1
    assert core.learn(target, 200, [("ETag", '"1"')], b"User-agent: mybot\nDisallow: /x").reason == "learnt"
    with pytest.raises(ValueError):
        core.learn(target, 200)
    denied = core.start("https://u:p@A.example:443/y/../x#z")
    assert (denied.action, denied.rule, denied.line) == ("no", "Disallow: /x", 2)
    assert denied.target == "https://a.example/x", "the URL that was tested"
    now[0] += DAY + 60
    assert core.permits("https://a.example/x").action == "fetch", "a day later"
    lost = core.start("https://b.example/")
    del lost
    assert core.start("https://b.example/").action == "fetch", "a lost step leaves the right to the next"
    for wrong in ({"policy": "none"}, {"per": "cat"}, {"delay": -1.0}, {"clock": lambda: float("nan")}):
        with pytest.raises(ValueError):
            GateCore("MyBot", **wrong).permits("https://a.example/")
    with pytest.raises(TypeError, match="clock"):
        Gate("MyBot", clock=lambda: 1e9)
    assert core.counts()["retrievals"] and core.admits("93.184.215.14") and not core.admits("10.0.0.1") and not core.admits("x")
