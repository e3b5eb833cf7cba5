"""The documents of corpus/, and how they and the examples of SPEC.md write bytes that no line of text can have."""
import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "corpus"
ESCAPE = re.compile(rb"\\(?:x([0-9A-Fa-f]{2})|\{(\d+):([^}\n]*)\}|([rt\\\n]))")
LETTERS = {b"r": b"\r", b"t": b"\t", b"\\": b"\\", b"\n": b""}
NAMES = {byte: b"\\" + letter for letter, byte in LETTERS.items() if byte}
CASE = re.compile(r"^======== (\S+)\n(.*)\n((?:check .*\n)*)((?:  \|.*\n)*)(made$)?", re.M)
RUN = re.compile(rb"(.{1,8}?)\1{15,}")
LONG = 100  # bytes: a run that is as long is written as its piece and a number


def unescape(text):
    """The bytes that `text` means."""
    def meant(found):
        byte, times, piece, letter = found.groups()
        if times:
            return unescape(piece) * int(times)
        return bytes([int(byte, 16)]) if byte else LETTERS[letter]
    return ESCAPE.sub(meant, text)


def escape(data):
    """The lines of a document that mean `data`."""
    *lines, last = data.split(b"\n")
    lines = [re.sub(rb" $", rb"\\x20", with_runs(line)) for line in lines]
    return [line.decode() for line in lines + ([with_runs(last) + b"\\"] if last else [])]


def with_runs(line):
    out, at = b"", 0
    for run in RUN.finditer(line):
        if len(run[0]) >= LONG:
            piece = byte_by_byte(run[1]).replace(b"}", b"\\x7d")
            out += byte_by_byte(line[at:run.start()]) + b"\\{%d:%s}" % (len(run[0]) // len(run[1]), piece)
            at = run.end()
    return out + byte_by_byte(line[at:])


def byte_by_byte(data):
    each = (data[at:at + 1] for at in range(len(data)))
    return b"".join(NAMES.get(byte) or (byte if b" " <= byte <= b"~" else b"\\x%02x" % byte[0]) for byte in each)


def load():
    """The cases that a document has whole: their names, titles and bytes, sorted by name."""
    cases = []
    for path in FOLDER.glob("*.snap"):
        for name, title, _, lines, made in CASE.findall(path.read_text(encoding="utf-8")):
            if not made:
                cases.append((name, title, unescape(re.sub(r"^  \|", "", lines, flags=re.M).encode())))
    return sorted(cases, key=lambda case: case[0].split("/"))
