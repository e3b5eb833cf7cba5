"""How the time of an answer grows with a hostile file. Each shape is asked at growing sizes, until it takes too long."""
import base64
import math

from .process import MEGABYTE, Failed

AGENT = "MyBot"
SITE = "https://example.com"
LIMIT = 2.0  # seconds for one answer
NOISE = 0.004  # seconds: below this a time says nothing about growth
CHEAP = 0.2  # seconds: who needs less for the largest size is not said to be worse than linear
LONGEST = 500_000  # bytes: the RFC demands that so much is read
BY_TWO = [250 * 2**step for step in range(12)]


def lines(line, n):
    return "User-agent: *\n" + "".join(line.format(i) for i in range(n))


# name: (what grows, sizes, function of the size that gives the file and the URL's path)
SHAPES = {
    "rules": ("rules of one group", BY_TWO, lambda n: (lines("Disallow: /a{}\n", n), "/b")),
    "rules with a star": ("rules with one star each", BY_TWO, lambda n: (lines("Disallow: /*a{}\n", n), "/" + "a" * 40)),
    "groups": ("groups of the agent", BY_TWO,
               lambda n: ("".join(f"User-agent: {AGENT}\nDisallow: /a{i}\n" for i in range(n)), "/b")),
    "agents": ("user-agent lines of one group, and as many rules", BY_TWO,
               lambda n: ("".join(f"User-agent: bot{i}\n" for i in range(n)) + "".join(f"Disallow: /{i}\n" for i in range(n)), "/b")),
    "comments": ("comment lines", BY_TWO, lambda n: (lines("# {}\n", n), "/b")),
    "unknown": ("lines with an unknown name", BY_TWO, lambda n: (lines("x{}: y\n", n), "/b")),
    "long line": ("bytes of one rule", BY_TWO, lambda n: ("User-agent: *\nDisallow: /" + "a" * n + "\n", "/" + "a" * n)),
    "blanks": ("blanks in a line", BY_TWO, lambda n: ("User-agent: *\nDisallow: /a" + " " * n + "x\n", "/b")),
    "line ends": ("CR line ends", BY_TWO, lambda n: ("User-agent: *" + "\r" * n + "Disallow: /a\n", "/b")),
    "escapes": ("percent-encoded bytes of one rule", BY_TWO,
                lambda n: ("User-agent: *\nDisallow: /" + "%c3%a4" * n + "\n", "/" + "%C3%A4" * min(n, 2000))),
    "stars": ("stars in one rule, URL of 60 bytes", [2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 48, 96, 500, 2000],
              lambda n: ("User-agent: *\nDisallow: /" + "*a" * n + "b\n", "/" + "a" * 59)),
    "stars and $": ("stars in one rule that ends with $, URL of 60 bytes", [2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 48, 96, 500, 2000],
                    lambda n: ("User-agent: *\nDisallow: /" + "*a" * n + "*b$\n", "/" + "a" * 59)),
    "long URL": ("bytes of the URL, a rule with six stars", [12, 16, 20, 24, 32, 40, 56, 80, 112, *(160 * 2**step for step in range(9))],
                 lambda n: ("User-agent: *\nDisallow: /*a*a*a*a*a*b\n", "/" + "a" * n)),
}


def question(name, n):
    text, path = SHAPES[name][2](n)
    file = text.encode()
    return {"id": f"{name}-{n}", "file_base64": base64.b64encode(file).decode(), "agent": AGENT, "url": SITE + path}, len(file)


def points(tester, name, limit):
    """[(size, seconds)] of answers, and how it ended: done, timeout, crash, memory, protocol, error."""
    found = []
    for n in SHAPES[name][1]:
        asked, length = question(name, n)
        if length > LONGEST:
            break
        try:
            answer, seconds = tester.ask(asked, limit)
        except Failed as failure:
            return found, failure.kind, n, str(failure)
        if "error" in answer:
            return found, "error", n, answer["error"]
        found.append((n, seconds))
        if seconds > limit / 2:
            break
    return found, "done", found[-1][0], ""


def slope(pairs):
    """Of the least squares line through (x, y)."""
    mean_x, mean_y = (sum(values) / len(pairs) for values in zip(*pairs))
    below = sum((x - mean_x) ** 2 for x, _ in pairs)
    return sum((x - mean_x) * (y - mean_y) for x, y in pairs) / below if below else 0.0


def misfit(pairs):
    """How far points are from their line, as a share of how far they are from their mean."""
    gradient = slope(pairs)
    mean_x, mean_y = (sum(values) / len(pairs) for values in zip(*pairs))
    off = sum((y - mean_y - gradient * (x - mean_x)) ** 2 for x, y in pairs)
    return off / (sum((y - mean_y) ** 2 for _, y in pairs) or 1.0)


def growth(found, base):
    """(word, exponent): how the time grows in the sizes whose time is above the noise."""
    known = [(n, seconds - base) for n, seconds in found if seconds - base > NOISE]
    if len(known) < 3:
        return "fast", None
    tail = known[-5:]
    power = [(math.log(n), math.log(seconds)) for n, seconds in tail]
    doubling = [(n, math.log(seconds)) for n, seconds in tail]
    exponent = slope(power)
    if exponent > 2.7 and misfit(doubling) < misfit(power):
        return "exponential", exponent
    for word, most in (("linear", 1.4), ("more than linear", 1.7), ("quadratic", 2.4), ("cubic", 3.4)):
        if exponent <= most:
            return word, exponent
    return "steep", exponent


def measure_one(tester, name, limit):
    # Memory is that of a fresh process, and its start does not count as time.
    tester.stop()
    warm = {**question("rules", 3)[0], "id": "warm"}
    base = min(tester.ask(warm)[1] for _ in range(3))
    before = tester.peak()
    found, end, n, message = points(tester, name, limit)
    # A size without an answer takes at least the limit: the growth is then at least this.
    word, exponent = growth(found + [(n, base + limit)] if end == "timeout" else found, base)
    used = max(tester.peak() - before, 0) if end in ("done", "error") else 0
    return {"shape": name, "what": SHAPES[name][0], "growth": word, "exponent": exponent and round(exponent, 2),
            "end": end, "largest": n, "seconds": round(found[-1][1] - base, 4) if found else None,
            "megabytes": round(used / MEGABYTE, 1), "message": message[:200],
            "points": [[n, round(seconds, 5)] for n, seconds in found]}


def measure(tester, slow=1.0):
    measured = []
    for name in SHAPES:
        try:
            measured.append(measure_one(tester, name, LIMIT * slow))
        except Failed as failure:  # not even a simple question is answered
            measured.append({"shape": name, "what": SHAPES[name][0], "growth": "none", "exponent": None, "end": failure.kind,
                             "largest": 0, "seconds": None, "megabytes": 0, "message": str(failure)[:200], "points": []})
    return measured


def verdict(cost):
    """One or two words for a table."""
    if cost["end"] in ("crash", "memory", "protocol", "error"):
        return cost["end"]
    if cost["end"] == "timeout" and cost["growth"] == "fast":
        return "too slow"
    if cost["growth"] == "fast" and cost["end"] == "done":
        return "fast"
    if cost["end"] == "done" and cost["seconds"] < CHEAP and cost["growth"] != "exponential":
        return "linear"  # the whole file was read in no time: what bends the line is the machine
    return cost["growth"]
