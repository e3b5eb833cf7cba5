"""The rows: one JSON object a line, as schema.json describes. A line that is no row stops the run before a question."""
import base64
import json
from pathlib import Path

HERE = Path(__file__).resolve().parent
# In a clone the rows are next to this folder; in the package they are in it.
DATA = HERE if (HERE / "vectors").is_dir() else HERE.parent
EXPECT = ("rfc", "google", "robosieve")


class BadVector(Exception):
    pass


class Vector:
    """One question with its answers."""

    def __init__(self, data, where):
        try:
            self.id, self.url, self.tags, self.why = data["id"], data["url"], data["tags"], data["why"]
            self.header = "header" in data
            self.agent = data["header"] if self.header else data["agent"]
            self.rfc, self.google, self.robosieve = data["rfc"], data["google"], data.get("robosieve")
            self.answer, self.level = self.rfc["answer"], self.rfc["level"]
            self.section, self.clause = self.rfc["section"], self.rfc["clause"]
        except (KeyError, TypeError) as error:
            raise BadVector(f"{where}: not a vector: {error!r} is missing or wrong") from None
        self.values, self.grows = data.get("values") or {}, data.get("grows")
        self.milliseconds = data.get("milliseconds")
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

    def question(self):
        """The line for a tester: no expected answer, no tags."""
        question = {"id": self.id, "file_base64": base64.b64encode(self.file()).decode(), "agent": self.agent, "url": self.url}
        return question | ({"header": True} if self.header else {})

    def demanded(self, expect="rfc"):
        """The answer that a tester is held to, or None where each is right; and the level."""
        if expect != "rfc":
            return getattr(self, expect), "must"
        return (None, "open") if self.answer == "either" else (self.answer, self.level)

    def shown_file(self, most=600):
        """The file for people. Controls and bytes that are not UTF-8 are shown as escapes."""
        if "file_repeat" in self._data:
            repeat = self._data["file_repeat"]
            return f"{repeat['head']!r}, then {repeat['times']} times {repeat['body']!r}, then {repeat['tail']!r}"[:most]
        text = self.file()[: 4 * most].decode("utf-8", "backslashreplace")
        shown = "".join(char if char == "\n" or char.isprintable() else ascii(char)[1:-1] for char in text)
        return shown if len(shown) <= most else shown[:most] + f"\n[{len(shown) - most} characters more]"


def load(paths=(), only=(), without=(), ids=(), level=None):
    """The vectors, in order: of some files (all by default), with one of the tags, of a level ("must", "may", "silent")."""
    files = [Path(path) for path in paths] or sorted((DATA / "vectors").glob("*.ndjson"))
    found, seen = [], set()
    for file in files:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            where = f"{file.name}:{number}"
            try:
                vector = Vector(json.loads(line), where)
            except ValueError as error:
                raise BadVector(f"{where}: not JSON: {error}") from None
            if vector.id in seen:
                raise BadVector(f"{where}: the id {vector.id} is there twice")
            seen.add(vector.id)
            wanted = (not only or set(only) & set(vector.tags)) and not set(without) & set(vector.tags)
            if wanted and (not ids or vector.id in ids) and level in (None, vector.level):
                found.append(vector)
    return found
