"""Questions about a file that was not written for the suite: the agents that it names, and URLs made of its rules."""
import re

AGENT = re.compile(rb"(?im)^[ \t\xef\xbb\xbf]*user-?agent[ \t]*:[ \t]*([A-Za-z_-]+)[ \t]*(?:#.*)?\r?$")
RULE = re.compile(rb"(?im)^[ \t]*(?:dis)?allow[ \t]*:[ \t]*([^\s#]+)")
MOST = 24


def agents(data):
    """MyBot, and the first agents that the file names."""
    named = [name.decode() for name in AGENT.findall(data.replace(b"\r", b"\n"))]
    return list(dict.fromkeys(["MyBot", *named]))[:3]


def paths(data):
    """Paths that the rules of a file match, in the order of the rules."""
    found = []
    for value in RULE.findall(data.replace(b"\r", b"\n")):
        path = re.sub(rb"\*+", b"x", value)
        path = path[:-1] if path.endswith(b"$") else path
        path = "".join(chr(octet) if 0x20 < octet < 0x7F else f"%{octet:02X}" for octet in path)
        found += [path if path.startswith("/") else f"/{path}"]
        if value.endswith(b"$"):
            found.append(found[-1] + "x")
    return list(dict.fromkeys([path for path in found if len(path) < 200] + ["/a"]))[:MOST]
