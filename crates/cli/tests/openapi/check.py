"""Runs schemathesis against the service.

Invariant: nothing leaves this machine. The service asks for all sites through a proxy that is part of this program.
"""

import http.server
import subprocess
import sys
import tempfile
import threading
from pathlib import Path


class Sites(http.server.BaseHTTPRequestHandler):
    """All sites: a host's robots.txt has rules, is missing, or cannot be had, by the length of its URL."""

    def do_GET(self) -> None:
        body = b"User-agent: *\nDisallow: /private\nCrawl-delay: 2\n"
        self.send_response((200, 200, 404, 503)[len(self.path) % 4])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_CONNECT(self) -> None:
        self.send_error(502)

    def log_message(self, *_: object) -> None:
        pass


def main(robosieve: str, examples: str = "40") -> int:
    sites = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Sites)
    threading.Thread(target=sites.serve_forever, daemon=True).start()
    proxy = f"http://127.0.0.1:{sites.server_port}"
    line = [robosieve, "serve", "--listen", "127.0.0.1:0", "--agent", "MyBot", "--quiet", "--proxy", proxy]
    line += ["--delay", "0", "--min-delay", "0", "--address-gap", "0"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as service:
        try:
            address = service.stdout.readline().strip().rstrip("/")
            schemathesis = Path(sys.executable).with_name("schemathesis")
            with tempfile.TemporaryDirectory() as folder:
                settings = Path(__file__).with_name("schemathesis.toml").absolute()
                test = [schemathesis, "--config-file", settings, "run", f"{address}/openapi.json", "--url", address]
                test += ["--max-examples", examples, "--seed", "1", "--no-color"]
                test += ["--phases", "examples,coverage,fuzzing"]
                code = subprocess.run(test, cwd=folder, check=False).returncode
            if service.poll() is not None:
                print("the service has ended")
                return 1
            return code
        finally:
            service.terminate()
            sites.shutdown()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
