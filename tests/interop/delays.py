#!/usr/bin/env python3
"""Compares crawl delays with two other readers, protego (PyPI) and robots-parser (npm), and explains each difference.

    suite/testers/setup.sh
    suite/testers/.venv/bin/python tests/interop/delays.py --robosieve target/release/robosieve DIR

DIR is a folder of robots.txt files. Each file that names a crawl delay is read for five agents by all three readers. Where
a reader differs from robosieve, the script looks for the cause: it changes the file in one way, or in two ways or more, so
that robosieve answers as before and the other reader answers the same as robosieve. The names of those changes are the
explanation: the fewest, and the first of CHANGES. A difference without an explanation is printed, and the exit code is 1.
"""
import argparse
import base64
import itertools
import json
import math
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

TESTERS = Path(__file__).resolve().parents[2] / "suite" / "testers"
AGENTS = ("MyBot", "Googlebot", "bingbot", "GPTBot", "YandexBot")
MOST_SECONDS = 86_400  # robosieve sets longer delays to a day
HAS_DELAY = re.compile(rb"(?i)crawl[-_ ]?delay")
PLAIN_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")

ROBOTS_PARSER = """
const parse = require('robots-parser');
const lines = require('readline').createInterface({ input: process.stdin, crlfDelay: Infinity });
lines.on('line', (line) => {
  const job = JSON.parse(line);
  const text = Buffer.from(job.robots_b64, 'base64').toString('utf8');
  const parsed = parse('https://example.com/robots.txt', text);
  const delay = parsed.getCrawlDelay(job.agent);
  process.stdout.write(JSON.stringify(Number.isFinite(delay) ? delay : null) + '\\n');
});
"""


# Readers: each gets the bytes of a file and an agent, and returns seconds, or None.


class Process:
    """A reader in a separate process: one JSON line in, one out."""

    def __init__(self, command, **kwargs):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **kwargs)

    def ask(self, robots, agent, **more):
        job = {"agent": agent, "robots_b64": base64.b64encode(robots).decode(), **more}
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.process.args[0]} ended")
        return json.loads(line)


class Robosieve(Process):
    def __init__(self, path):
        super().__init__([path, "inspect", "--ndjson"], stderr=subprocess.DEVNULL)

    def delay(self, robots, agent):
        # The other readers go by the name alone.
        answer = self.ask(robots, agent, options={"known": False})
        if "error" in answer:
            sys.exit(f"robosieve: {answer['error']}")
        return answer["crawl_delay"] and answer["crawl_delay"]["seconds"]


class RobotsParser(Process):
    def __init__(self):
        super().__init__(["node", "-e", ROBOTS_PARSER], cwd=TESTERS)

    delay = Process.ask


class Protego:
    def delay(self, robots, agent):
        from protego import Protego as Parser

        delay = Parser.parse(robots.decode("utf-8-sig", "ignore")).crawl_delay(agent)
        return delay if delay is None or math.isfinite(delay) else None


# Changes: each takes the lines of a file, as (name, value), and an agent, and returns other lines. A line without a name
# is kept as it is.


def lines_of(robots):
    for line in re.split(r"\r\n|\r|\n", robots.decode("utf-8-sig", "ignore")):
        name, colon, value = line.partition(":")
        yield (name, value) if colon else ("", line)


def written(lines):
    return "\n".join(f"{name}:{value}" if name else value for name, value in lines).encode() + b"\n"


KINDS = {"crawldelay": "delay", "allow": "rule", "disallow": "rule"}
# With the misspelled ones that robosieve reads.
KINDS |= dict.fromkeys(("useragent", "useragnet", "usersagent", "seragent", "useragents"), "agent")


def kind(name):
    """The kind of a line, for any spelling."""
    return KINDS.get(re.sub(r"[^a-z]", "", name.lower()), "other")


def bare(value):
    return value.split("#")[0].strip()


def runs(lines):
    """Each line with the names of the agents of its group, as RFC 9309 forms groups."""
    names, is_open = [], False
    for name, value in lines:
        what = kind(name)
        if what == "agent":
            names = [*names, bare(value).lower()] if is_open else [bare(value).lower()]
            is_open = True
        elif what == "rule":
            is_open = False
        yield what, name, value, names


def plain_lines(lines, _agent):
    """Removes blanks around names and values, comments, bytes outside ASCII and lines without a colon."""
    for name, value in lines:
        name, value = (re.sub(r"[^ -~]", "", part.split("#")[0]).strip() for part in (name, value))
        if name and "#" not in name:
            yield name, f" {value}"


def spelling(lines, _agent):
    """Spells names as the standard does, and adds missing colons."""
    for name, value in lines:
        if not name:
            found = re.match(r"(?i)\s*(user-?agent|crawl-?delay|disallow|allow)[ \t]+(\S+)\s*$", value)
            name, value = found.groups() if found else ("", value)
        yield {"agent": "User-agent", "delay": "Crawl-delay"}.get(kind(name), name), value


def values(lines, _agent):
    """Removes a delay that is not a plain number."""
    for name, value in lines:
        if kind(name) == "delay" and not PLAIN_NUMBER.fullmatch(bare(value)):
            continue
        yield name, value


def folded(lines, _agent):
    """Gives a delay without a value the value of the line below, if that is indented and has no colon."""
    lines = list(lines)
    for (name, value), (next_name, next_value) in zip(lines, [*lines[1:], ("", "")]):
        if kind(name) == "delay" and not bare(value) and not next_name and next_value[:1] in (" ", "\t"):
            value = next_value
        yield name, value


def clamped(lines, _agent):
    for name, value in lines:
        if kind(name) == "delay" and PLAIN_NUMBER.fullmatch(bare(value)) and float(bare(value)) > MOST_SECONDS:
            value = f" {MOST_SECONDS}"
        yield name, value


def between_agents(lines, _agent):
    """Removes a delay before a user-agent line of the same group: a reader may end the group's agents there."""
    lines = list(lines)
    following = [kind(name) for name, _ in lines if name]
    for name, value in lines:
        if name:
            following.pop(0)
        if kind(name) == "delay" and next((what for what in following if what != "delay"), "") == "agent":
            continue
        yield name, value


def above_groups(lines, _agent):
    """Writes a delay that stands above all groups into each of them, and into one for `*` if there is none."""
    lines = list(lines)
    first = next((at for at, (name, _) in enumerate(lines) if kind(name) == "agent"), len(lines))
    delays = [line for line in lines[:first] if kind(line[0]) == "delay"]
    lines = [line for at, line in enumerate(lines) if at >= first or kind(line[0]) != "delay"]
    if first == len(lines) + len(delays):
        lines.append(("User-agent", " *"))
    for (name, value), (next_name, _) in zip(lines, [*lines[1:], ("", "")]):
        yield name, value
        if kind(name) == "agent" and kind(next_name) != "agent":
            yield from delays


def token(value):
    return re.match(r"[a-z0-9._-]*", value)[0]


def own_group_first(lines, agent):
    """Removes a delay for `*` if the file names the agent."""
    lines = list(lines)
    is_named = any(what == "agent" and token(bare(value).lower()) == agent.lower() for what, _, value, _ in runs(lines))
    for what, name, value, names in runs(lines):
        if what == "delay" and is_named and names == ["*"]:
            continue
        yield name, value


def longest(lines, agent):
    """Keeps only the longest delay of the groups that name the agent or `*`."""
    lines = list(lines)

    def applies(names):
        return agent.lower() in map(token, names) or "*" in names

    def seconds(value):
        return float(bare(value)) if PLAIN_NUMBER.fullmatch(bare(value)) else -1

    most = {}
    for what, _, value, names in runs(lines):
        if what == "delay" and applies(names):
            key = agent.lower() in map(token, names)
            most[key] = max(most.get(key, -1), seconds(value))
    for what, name, value, names in runs(lines):
        if what == "delay" and applies(names) and seconds(value) < most[agent.lower() in map(token, names)]:
            continue
        yield name, value


def agent_names(lines, agent):
    """Renames agents of lines that name neither the agent nor `*`, and spells the others plainly."""
    for name, value in lines:
        if kind(name) == "agent":
            named = bare(value).lower()
            if named == "*" or named.startswith("* "):
                value = " *"
            else:
                value = f" {agent}" if token(named) == agent.lower() else " some-other-agent"
        yield name, value


def misspelled(lines, _agent):
    """Removes a delay with a misspelled name."""
    for name, value in lines:
        if kind(name) == "delay" and name.strip().lower() != "crawl-delay":
            continue
        yield name, value


CHANGES = (
    ("other names taken for the agent's, or its own not", agent_names),
    ("delay for everyone, though the agent has a group", own_group_first),
    ("delay above all groups: everybody's", above_groups),
    ("delay between user-agent lines", between_agents),
    ("several delays: the longest", longest),
    ("clamped to a day", clamped),
    ("continued line", folded),
    ("value form: not read here", values),
    ("misspelled name: read here", spelling),
    ("misspelled name: not read here", misspelled),
    ("bytes, comments and lines that are none", plain_lines),
)

# Files with one cause each: the cause, the reader that differs for MyBot, and the lines.
EXAMPLES = (
    ("other names taken for the agent's, or its own not", "protego", "User-agent: MyB|Crawl-delay: 5|Disallow: /x"),
    ("other names taken for the agent's, or its own not", "protego", "User-agent: *|Crawl-delay: 5|User-agent: MyBot/2"),
    ("delay for everyone, though the agent has a group", "robots-parser", "User-agent: *|Crawl-delay: 5|User-agent: MyBot"),
    ("delay between user-agent lines", "protego", "User-agent: MyBot|Crawl-delay: 5|User-agent: b|Allow: /|Crawl-delay: 7"),
    ("delay above all groups: everybody's", "protego", "Crawl-delay: 5|User-agent: *|Disallow: /x"),
    ("several delays: the longest", "protego", "User-agent: MyBot|Crawl-delay: 7|Crawl-delay: 5"),
    ("clamped to a day", "protego", "User-agent: MyBot|Crawl-delay: 100000"),
    ("continued line", "protego", "User-agent: MyBot|Crawl-delay:|  5"),
    ("value form: not read here", "protego", "User-agent: MyBot|Crawl-delay: 1e2"),
    ("misspelled name: read here", "robots-parser", "User-agent: MyBot|Crawldelay: 5"),
    ("misspelled name: not read here", "protego", "User-agent: MyBot|Crawl delay: 5"),
    ("bytes, comments and lines that are none", "protego", "User-agent: MyBot|X\vCrawl-delay: 5"),
)


def same(one, other):
    """Delays are rounded up to a millisecond here."""
    return one is other is None or None not in (one, other) and abs(one - other) <= 0.001


def explained(robots, agent, ours, robosieve, reader):
    """The names of the fewest changes that keep our answer and make the other reader agree."""
    lines = list(lines_of(robots))
    for count in range(4):
        for changes in itertools.combinations(CHANGES, count):
            changed = lines
            for _, change in changes:
                changed = list(change(changed, agent))
            changed = written(changed)
            if same(reader.delay(changed, agent), ours) and same(robosieve.delay(changed, agent), ours):
                return " + ".join(name for name, _ in changes) or "bytes outside UTF-8, line ends"
    return None


def check_examples(robosieve, readers):
    """Fails if the script no longer distinguishes a cause from others."""
    for cause, name, lines in EXAMPLES:
        robots = lines.replace("|", "\n").encode()
        ours, theirs = (reader.delay(robots, "MyBot") for reader in (robosieve, readers[name]))
        found = None if same(ours, theirs) else explained(robots, "MyBot", ours, robosieve, readers[name])
        if found != cause:
            sys.exit(f"{lines}: robosieve {ours}, {name} {theirs}: {found}, not {cause}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--robosieve", default="robosieve", help="the command (default: robosieve in PATH)")
    arguments.add_argument("--show", type=int, default=0, metavar="N", help="print N differences of each explanation")
    arguments.add_argument("folder", type=Path)
    arguments = arguments.parse_args()
    robosieve = Robosieve(arguments.robosieve)
    readers = {"protego": Protego(), "robots-parser": RobotsParser()}
    check_examples(robosieve, readers)
    files, alike = 0, Counter()
    causes, shown = defaultdict(Counter), defaultdict(list)
    unexplained = []
    for path in sorted(arguments.folder.iterdir()):
        robots = path.read_bytes() if path.is_file() else b""
        if not HAS_DELAY.search(robots):
            continue
        files += 1
        for agent in AGENTS:
            ours = robosieve.delay(robots, agent)
            for name, reader in readers.items():
                theirs = reader.delay(robots, agent)
                if same(ours, theirs):
                    alike[name] += 1
                    continue
                cause = explained(robots, agent, ours, robosieve, reader)
                difference = f"{path.name}, {agent}: robosieve {ours}, {name} {theirs}"
                if cause is None:
                    unexplained.append(difference)
                else:
                    causes[cause][name] += 1
                    shown[cause].append(difference)
    print(f"{files} files with a crawl delay, {len(AGENTS)} agents\n")
    print("| | " + " | ".join(readers) + " |\n|---|" + "---|" * len(readers))
    print("| the same | " + " | ".join(str(alike[name]) for name in readers) + " |")
    for cause, counts in sorted(causes.items(), key=lambda item: -sum(item[1].values())):
        print(f"| {cause} | " + " | ".join(str(counts[name]) for name in readers) + " |")
        for difference in shown[cause][: arguments.show]:
            print(f"    {difference}")
    print(f"| unexplained | {len(unexplained)} in all |" + " |" * (len(readers) - 1))
    for difference in unexplained:
        print(difference)
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
