"""The reader of RFC 9309 in Python, the second reader of the suite: `readings.STANDARD` is SPEC.md's reading."""
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "suite"))

from reader import files, judge, paths, readings  # noqa: E402,F401
