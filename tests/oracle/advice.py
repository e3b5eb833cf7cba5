"""Follows the edits of `robosieve lint`, and asks Google's parser what they change.

Each edit of a file is applied alone, all safe ones together, and all together. A safe edit changes no answer. Any other
one changes the answer for `/` only for agents that its line names."""
import json
import re
import subprocess
import sys
from pathlib import Path

from google import File

AGENT_LINE = re.compile(rb"(?im)^[^\r\n:#]*agent[^\r\n:#]*:?([^\r\n#]*)")
NAME = re.compile(rb"[A-Za-z_-]+")
RULE = re.compile(rb"(?im)^[ \t]*(?:dis)?allow[^\r\n:]*:[ \t]*([^\r\n#\s]+)")
LINE_END = re.compile(rb"\r\n|\r|\n")
KNOWN = [b"Googlebot", b"Googlebot-Image", b"AdsBot-Google", b"Bingbot", b"GPTBot", b"Nobody"]
# Of an edit, the names and paths of its own lines come first.
MOST_NAMES, MOST_URLS = 10, 8


def edited(data, edits):
    """The file with these edits, as an editor would apply them."""
    lines = re.findall(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z", data)
    end_of = lambda line: line[len(line.rstrip(b"\r\n")):]
    by_line = {edit["first"]: edit for edit in edits}
    out, number = [], 1
    while number <= len(lines):
        edit = by_line.get(number)
        if not edit:
            out.append(lines[number - 1])
            number += 1
            continue
        end = end_of(lines[edit["last"] - 1])
        between = end or end_of(lines[0]) or b"\n"
        if edit["lines"]:
            out.append(between.join(line.encode() for line in edit["lines"]) + end)
        number = edit["last"] + 1
    return b"".join(out)


def names_in(*parts):
    found = [name for data in parts for line in AGENT_LINE.findall(data) for name in NAME.findall(line)]
    return list(dict.fromkeys([*found[:MOST_NAMES - len(KNOWN)], *KNOWN]))


def urls_in(*parts):
    urls = {b"/": None, b"/x": None}
    for data in parts:
        for path in RULE.findall(data):
            path = path.replace(b"*", b"x").rstrip(b"$")
            if path.startswith(b"/"):
                urls[path] = urls[path + b"x"] = None
    return list(urls)[:MOST_URLS]


class Answers:
    """What Google's parser answers for a file. Each question is asked once."""

    def __init__(self, data):
        self.data, self.files, self.known = data, {}, {}

    def allows(self, name, url):
        if (name, url) not in self.known:
            file = self.files.setdefault(name, None) or File(self.data, [name])
            self.files[name] = file
            self.known[name, url] = file.allows(b"https://e.com" + url)
        return self.known[name, url]


def changes(old, edits):
    """(agent, url) pairs that Google's parser answers otherwise."""
    data = old.data
    new = Answers(edited(data, edits))
    lines = LINE_END.split(data)
    own = b"\n".join(line for edit in edits for line in lines[edit["first"] - 1 : edit["last"]])
    others = b"\n".join(line.encode() for edit in edits for line in edit["lines"])
    urls = urls_in(own, others, data)
    for name in names_in(own, others, data):
        for url in urls:
            if old.allows(name, url) != new.allows(name, url):
                yield name, url


def breaks(old, edits, is_safe):
    """The first change that the law does not allow."""
    lines = LINE_END.split(old.data)
    named = b"\n".join(line for edit in edits for line in lines[edit["first"] - 1 : edit["last"]] if b"agent" in line.lower())
    words = {word.lower() for word in NAME.findall(named)}
    everyone = re.search(rb"(?<![\w*])\*(?![\w*])", named)
    for name, url in changes(old, edits):
        if is_safe or url == b"/" and name.lower() not in words and not everyone:
            return name, url
    return None


def main(command, folder):
    paths = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    tried, together, broken, answers = {True: 0, False: 0}, 0, [], 0
    for start in range(0, len(paths), 200):
        names = [str(path) for path in paths[start : start + 200]]
        found = subprocess.run([command, "lint", "--format", "json", *names], stdout=subprocess.PIPE, check=False).stdout
        for path, line in zip(names, found.splitlines(), strict=True):
            old = Answers(Path(path).read_bytes())
            edits = [lint["fix"] for lint in json.loads(line)["lints"] if lint["fix"]]
            for edit in edits:
                tried[edit["safe"]] += 1
                if why := breaks(old, [edit], edit["safe"]):
                    broken.append((path, edit, why))
            for is_safe in (True, False):
                chosen = [edit for edit in edits if edit["safe"] or not is_safe]
                if len(chosen) > 1:
                    together += 1
                    if why := breaks(old, chosen, is_safe):
                        broken.append((path, "all safe" if is_safe else "all", why))
            if edits and next(changes(old, [edit for edit in edits if edit["safe"]]), None):
                answers += 1
    print(f"{len(paths)} files, {tried[True]} safe edits, {tried[False]} others, {together} times together")
    print(f"files with another answer after all safe edits: {answers}; edits that break the law: {len(broken)}")
    for path, edit, why in broken[:20]:
        print(f"  {path}: {edit}: {why}")
    return 1 if broken or not sum(tried.values()) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
