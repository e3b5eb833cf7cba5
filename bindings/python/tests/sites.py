"""Sites on loopback, each with an address of its own."""

from __future__ import annotations

import itertools
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

RULES = b"User-agent: *\nDisallow: /private\n"
CLOSED = b"User-agent: *\nDisallow: /\n"
HTML = b"<!doctype html><title>Just a moment</title><p>Checking your browser"

ADDRESSES = itertools.count(2)


class Site:
    """A server on a port of its own. `answer` makes the answer to the nth request for robots.txt, counted from 0."""

    def __init__(self, answer, address=None, page=(200, {}, b"a page")):
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                # A proxy gets the whole URL.
                path = urlsplit(self.path).path
                with site.lock:
                    number = sum(path == "/robots.txt" for path, _ in site.requests)
                    site.requests.append((path, time.monotonic()))
                robots = path.startswith(("/robots.txt", "/moved"))
                status, headers, body = answer(path, number) if robots else page(path) if callable(page) else page
                if status is None:
                    self.close_connection = True
                    return
                self.send_response(status)
                for name, value in {"Content-Length": len(body), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.requests, self.lock = [], threading.Lock()
        # An address of its own, since Scrapy keeps one pace for all ports of a host.
        self.server = ThreadingHTTPServer((address or f"127.0.0.{next(ADDRESSES)}", 0), Handler)
        self.base = "http://{}:{}".format(*self.server.server_address)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def pages(self):
        """The paths of the pages that were fetched, in order."""
        return [path for path, _ in self.requests if not path.startswith(("/robots.txt", "/moved"))]

    def gaps(self):
        """The seconds between two requests for pages."""
        times = [at for path, at in self.requests if not path.startswith(("/robots.txt", "/moved"))]
        return [later - earlier for earlier, later in zip(times, times[1:])]

    def close(self):
        """Stops it."""
        self.server.shutdown()
        self.server.server_close()


def always(status, headers=None, body=b""):
    """The same answer to each request for robots.txt."""
    return lambda path, number: (status, headers or {}, body)


def moved(path, number):
    """A redirect to another file of the site."""
    return (200, {}, RULES) if path == "/moved.txt" else (301, {"Location": "/moved.txt"}, b"")


def in_turn(*answers):
    """One answer after the other."""
    return lambda path, number: answers[min(number, len(answers) - 1)]
