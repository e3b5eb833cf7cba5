"""``python -m robosieve`` next to the command."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
from pathlib import Path


def run(*arguments, **options):
    done = subprocess.run([*arguments], capture_output=True, **options)
    return done.stdout, done.stderr, done.returncode


def test_it_prints_what_the_command_prints(command, corpus, tmp_path):
    """[python.command]"""
    packed = tmp_path / "robots.txt.gz"
    packed.write_bytes(gzip.compress(b"User-agent: *\nDisallow: /x\n"))
    plain = tmp_path / "two.txt"
    plain.write_bytes(b"User-agent: *\nDisallow: /*1*2*3*4*5*6*7*8*9*10*11\nDisallow: /a Disallow: /b\n")
    files = [packed, plain, *corpus[::12]]
    options = [[], ["--dialect", "google"], ["--form", "portable"], ["--on-over-limit", "refuse"], ["--report", "text"], ["--quiet"]]
    for place, file in enumerate(files):
        for more in options if place < 2 else options[place % 6 :][:1]:
            expected = run(command, "filter", "--agent", "MyBot", file, *more)
            assert run(sys.executable, "-m", "robosieve", file, "--agent", "MyBot", *more) == expected, (file, more)
            if more[:1] in (["--form"], ["--report"]):
                continue
            urls = ["/x", "https://example.com/?a", "/robots.txt", "/\x1b"]
            expected = run(command, "test", "--agent", "A", "--agent", "MyBot", *more, file, *urls)
            found = run(sys.executable, "-m", "robosieve", file, "--agent", "A", "--agent", "MyBot", *more, *urls)
            assert found == expected, (file, more)


def test_the_script_is_the_module(tmp_path):
    """[python.command]"""
    file = tmp_path / "robots.txt"
    file.write_bytes(b"User-agent: *\nDisallow: /x\n")
    script = shutil.which("robosieve-py", path=str(Path(sys.executable).parent))
    assert script, "the package is not installed with its script"
    assert run(script, file, "--agent", "A", "/x") == run(sys.executable, "-m", "robosieve", file, "--agent", "A", "/x")


def test_failures_say_what_to_do(command, tmp_path):
    """[python.command]"""
    me = [sys.executable, "-m", "robosieve"]
    file = tmp_path / "robots.txt"
    file.write_bytes(b"User-agent: *\nDisallow: /x\n")
    for wrong in ([file], [tmp_path / "none", "--agent", "A"], [tmp_path, "--agent", "A"], [file, "--agent", ""],
                  [file, "--agent", "A", "example.com/x"], [file, "--agent", "A", "--max-findings", "x"]):
        out, told, code = run(*me, *wrong)
        assert (out, code) == (b"", 2) and told.startswith(b"robosieve: ") and b"Traceback" not in told, wrong
    assert b": FILE, --agent; try " in run(*me)[1]
    for wrong, words in (
        ([file, "--agnt", "A"], b"no option --agnt"),
        ([file, "-a", "A"], b"no option -a"),
        (["--agnt"], b"no option --agnt"),
        (["--agent", "A"], b"name a robots.txt file"),
        ([file, "/x"], b"name an agent"),
        ([file, "--agent", "A", "--max-bytes", "5k"], b"5k: write a whole number"),
        ([file, "--agent", "A", "--max-findings", "x"], b"x: write a whole number"),
        (["/x", file.name, "--agent", "A"], b"is a file, not a URL"),
    ):
        assert words in run(*me, *wrong, cwd=tmp_path)[1], wrong
    for asked, theirs in ((["-", "--agent", "A"], ["filter", "-", "--agent", "A"]),
                          (["-", "--agent", "A", "-q"], ["filter", "-q", "-", "--agent", "A"]),
                          (["-", "--agent", "A", "/x"], ["test", "--agent", "A", "-", "/x"])):
        assert run(*me, *asked, input=b"") == run(command, *theirs, input=b""), asked
    most = [file, "--agent", "A", "--max-bytes", "9" * 18]
    assert run(*me, *most) == run(command, "filter", *most)
    assert run(*me, *most[:-1], "9" * 99, "--max-findings", "9" * 99)[2] == 0
    assert b"this is a URL, not a file" in run(*me, "https://example.com/robots.txt", "--agent", "A")[1]
    odd = [file, "--agent", "My Bot"]
    assert run(*me, *odd) == run(command, "filter", *odd) and b"read as `My`, `Bot`" in run(*me, *odd)[1]
    packed = gzip.compress(b"User-agent: *\nDisallow: /x\n" * 100)
    broken = tmp_path / "broken.gz"
    for damaged in (packed[:30], packed[:2], packed[:-1], packed[:-6] + b"x" + packed[-5:], packed + b"x", packed + bytes(600),
                    gzip.compress(b"User-agent: *\nDisallow: /x\n" * 100_000)):
        broken.write_bytes(damaged)
        for asked in ([], ["/", "/x"], ["/", "--max-bytes", "40"]):
            theirs = run(command, "test" if asked else "filter", broken, "--agent", "A", *asked)
            assert run(*me, broken, "--agent", "A", *asked) == theirs, (damaged[:40], asked)
    out, told, code = run(*me, "-", "--agent", "A", "/x", input=b"User-agent: *\nDisallow: /x\n")
    assert (out, code) == (b"disallowed\t/x\tline 2: Disallow: /x (group * applies)\n", 1)
    assert b"--agent" in run(*me, "--help")[0]
