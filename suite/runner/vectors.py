"""Reads vectors: one JSON object a line, as schema.json describes."""
import base64
import json
from pathlib import Path

SUITE = Path(__file__).resolve().parent.parent
EXPECT = ("rfc", "google", "robosieve")


class BadVector(Exception):
    pass


class Vector:
    """One question with its expected answers."""

    def __init__(self, data, where):
        try:
            self.id, self.url, self.tags, self.why = data["id"], data["url"], data["tags"], data["why"]
            self.header = "header" in data
            self.agent = data["header"] if self.header else data["agent"]
            self.rfc, self.google = data["rfc"], data["google"]
            self.robosieve = data.get("robosieve")
            self.answer, self.level = self.rfc["answer"], self.rfc["level"]
            self.section, self.clause = self.rfc["section"], self.rfc["clause"]
        except (KeyError, TypeError) as error:
            raise BadVector(f"{where}: not a vector: {error!r} is missing or wrong") from None
        self.values = data.get("values") or {}
        self.bound, self.grows = data.get("bound"), data.get("grows")
        self._data, self._where = data, where

    def file(self):
        """The bytes of the file. Not kept, since some files are long."""
        data = self._data
        if "file" in data:
            return data["file"].encode()
        if "file_base64" in data:
            return base64.b64decode(data["file_base64"], validate=True)
        if "file_repeat" in data:
            repeat = data["file_repeat"]
            return (repeat["head"] + repeat["body"] * repeat["times"] + repeat["tail"]).encode()
        raise BadVector(f"{self._where}: no file, file_base64 or file_repeat")

    def length(self):
        return len(self.file()) + len(self.url) + len(self.agent)

    def question(self):
        """The line for a tester. What is longer than the file is not sent: no expected answer, no tags."""
        question = {"id": self.id, "file_base64": base64.b64encode(self.file()).decode(), "agent": self.agent, "url": self.url}
        if self.header:
            question["header"] = True
        return question

    def shown_file(self, most=2000):
        """The file for people, with a note if it is not shown whole."""
        data = self._data
        if "file_repeat" in data:
            repeat = data["file_repeat"]
            return f"{repeat['head']!r}, then {repeat['times']} times {repeat['body']!r}, then {repeat['tail']!r}"[:most]
        return visible(self.file()[: 4 * most], most)


def visible(octets, most=2000):
    """Bytes as text in which each control and each byte that is not UTF-8 can be seen."""
    text = octets.decode("utf-8", "backslashreplace")
    shown = []
    for char in text:
        if char == "\n":
            shown.append("\n")
        elif char == "\r":
            shown.append("\\r")
        elif char == "\t":
            shown.append("\\t")
        elif char.isprintable():
            shown.append(char)
        else:
            shown.append(f"\\u{ord(char):04X}" if ord(char) > 0xFF else f"\\x{ord(char):02X}")
    text = "".join(shown)
    return text if len(text) <= most else text[:most] + f"\n[{len(text) - most} characters more]"


def load(paths=(), tags=(), ids=(), without=()):
    """The vectors of some files (all of the suite by default), only those with one of the tags or ids, if given."""
    files = [Path(path) for path in paths] or sorted((SUITE / "vectors").glob("*.ndjson"))
    if not files:
        raise BadVector(f"no vectors in {SUITE / 'vectors'}")
    found, seen = [], set()
    for file in files:
        with open(file, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                where = f"{file.name}:{number}"
                try:
                    vector = Vector(json.loads(line), where)
                except ValueError as error:
                    raise BadVector(f"{where}: not JSON: {error}") from None
                if vector.id in seen:
                    raise BadVector(f"{where}: the id {vector.id} is there twice")
                seen.add(vector.id)
                wanted = (not tags or set(tags) & set(vector.tags)) and not set(without) & set(vector.tags)
                if wanted and (not ids or vector.id in ids):
                    found.append(vector)
    return found
