"""The questions for each file: agents and URLs. The file's name and bytes determine them, so runs are comparable."""
import random
import re
from dataclasses import dataclass
from pathlib import Path

SEED = 20240607
ORIGIN = "https://example.com"
GENERIC_PATHS = ["/", "/index.html", "/a/b/c.html", "/search?q=test&page=2", "/images/logo.png"]
MAX_URLS = 20
MAX_VALUE = 1500  # longer rule values make URLs that no server would take

# Both patterns look for what an owner may have meant; they do not parse.
RULE = re.compile(rb"(?im)^[ \t]*(?:allow|dis+al+[oa]w)[ \t]*:?[ \t]*([^\r\n#]*)")
AGENT = re.compile(rb"(?im)^[ \t\xef\xbb\xbf]*user[- ]?agent[ \t]*:?[ \t]*([^\r\n#]*)")
PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?[]@!$&'()*+,;=")


@dataclass(frozen=True)
class File:
    name: str
    robots: bytes
    agents: tuple
    urls: tuple


def path_for(value: bytes) -> str:
    """A path that the rule value should match, percent-encoded as a URL is."""
    value = re.sub(rb"(?i)^https?://[^/]*", b"", value)
    value = value.removesuffix(b"$").replace(b"*", b"abc")
    if not value.startswith(b"/"):
        value = b"/" + value
    path = ""
    for escape, byte in re.findall(rb"(%[0-9A-Fa-f]{2})|(.)", value, re.S):
        if escape:
            path += escape.decode().upper()
        else:
            path += byte.decode() if byte[0] in PLAIN else "%%%02X" % byte[0]
    return path


def urls_for(robots: bytes, rnd: random.Random) -> tuple:
    """Some generic paths, then for rules in random order: a match, a longer one, one below it."""
    values = sorted({value.strip() for value in RULE.findall(robots)} - {b""})
    rnd.shuffle(values)
    paths = list(GENERIC_PATHS)
    for value in values:
        if len(value) > MAX_VALUE:
            continue
        path = path_for(value)
        for candidate in (path, path + "x", path + "/x/y.html"):
            if candidate not in paths and len(paths) < MAX_URLS:
                paths.append(candidate)
        if len(paths) >= MAX_URLS:
            break
    return tuple(ORIGIN + path for path in paths)


def agents_for(robots: bytes, rnd: random.Random) -> tuple:
    """An agent that many files name, one that none names, and one that this file names.

    Names with a digit (MJ12bot) are left out: the peers disagree on where such a name ends, which says nothing
    about the text that a filter writes for one agent.
    """
    named = set()
    for value in AGENT.findall(robots):
        token = re.match(rb"[A-Za-z_-]+(?![0-9A-Za-z_-])", value.strip())
        if token and token.group().lower() not in (b"googlebot", b"foobot"):
            named.add(token.group().decode())
    return ("Googlebot", "FooBot", *([rnd.choice(sorted(named))] if named else []))


def load(folder: Path, limit=None) -> list:
    """All files below the folder, or a fixed sample of them."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    if limit and limit < len(paths):
        paths = random.Random(SEED).sample(paths, limit)
    files = []
    for path in paths:
        robots = path.read_bytes()
        rnd = random.Random(f"{SEED}:{path.name}")
        urls = urls_for(robots, rnd)
        files.append(File(str(path.relative_to(folder)), robots, agents_for(robots, rnd), urls))
    return files
