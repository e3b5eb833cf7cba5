"""Tables of the normal form, and questions to them, are those of the command."""

from __future__ import annotations

import base64
import datetime
import gzip
import json
import random
import subprocess
import warnings
from pathlib import Path

import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from robosieve import _normal  # noqa: E402
from robosieve.arrow import ANSWER, CENSUS, TABLES, Tables, ask, census, tables  # noqa: E402

AGENTS = ["*", "GPTBot", "gptbot", "CCBot", "Googlebot-Image", "AdsBot-Google", "MJ12bot", "foo", "foo123", "nobody"]
FIELDS = [field.name for field in ANSWER if field.name != "error"]


def run(command: str, *arguments: object, given: str | None = None) -> tuple[str, str]:
    done = subprocess.run([command, "census", *map(str, arguments)], input=given, capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stderr
    return done.stdout, done.stderr


def simulated(folder: Path, crawls: int = 3, sites: int = 40) -> list[Path]:
    """Archives of some crawls: rules, redirects, errors, several observations, files without a time, with ports."""
    draw, paths = random.Random(7), []
    lines = ["User-agent: *", "User-agent: GPTBot", "User-agent: gptbot/1.0", "User-agent: foo123", "User-agent: MJ12bot",
             "User-agent: Googlebot", "Disallow: /", "Disallow:", "Disallow: /a", "Allow: /a$", "Allow: /", "Disallow: /*?q",
             "Crawl-delay: 2.5", "Disallow: /\u00fc", "Content-Signal: ai-train=no", "", "Disalow: /b"]
    for crawl in range(crawls):
        records = []
        for site in range(sites):
            scheme, port = draw.choice([("https", ""), ("http", ""), ("https", ":443"), ("https", ":8443")])
            for _ in range(draw.choice([0, 1, 1, 1, 2])):
                status = draw.choices([200, 404, 503, 429, 301], [14, 2, 2, 1, 2])[0]
                head = f"HTTP/1.1 {status} X\r\nContent-Type: text/plain\r\n"
                if status == 301:
                    head += f"Location: https://s{(site + 1) % sites}.example/robots.txt\r\n"
                body = "\n".join(draw.choice(lines) for _ in range(draw.randrange(1, 12))) if status == 200 else ""
                url = f"{scheme}://S{site}.example{port}{draw.choice(['/robots.txt'] * 9 + ['/robots.txt?x'])}"
                when = f"2026-0{2 * crawl + 1}-{draw.randrange(1, 29):02}T0{draw.randrange(9)}:00:00Z"
                date = draw.choice([f"WARC-Date: {when}\r\n"] * 8 + ["", "WARC-Date: 2026-0x\r\n"])
                payload = (head + "\r\n" + body).encode()
                top = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n{date}"
                kind = "Content-Type: application/http; msgtype=response\r\n"
                records.append(f"{top}{kind}Content-Length: {len(payload)}\r\n\r\n".encode() + payload + b"\r\n\r\n")
        paths.append(folder / f"CC-MAIN-2026-{4 * crawl + 10}.warc.gz")
        paths[-1].write_bytes(b"".join(gzip.compress(one) for one in records))
    return paths


def questions(sites: int = 40, count: int = 400) -> list[dict]:
    """Good ones and bad ones."""
    draw = random.Random(11)
    urls = ["", "/", "/a", "/a/b", "/a?q", "?q", "/\u00fc", "/%C3%BC", "/a#x", "//b", "/robots.txt", "/b"]
    times = [None, None, "2026", "2025", "2026-01", "2026-01-15", "2026-03-10T05:00:00Z", "20260510120000", "2026-05"]
    found = []
    for _ in range(count):
        scheme, port = draw.choice([("https", ""), ("http", ""), ("https", ":443"), ("https", ":8443")])
        url = f"{scheme}://s{draw.randrange(sites + 2)}.example{port}{draw.choice(urls)}"
        found.append({"url": url, "agent": draw.choice(AGENTS), "time": draw.choice(times)})
    page = "https://s1.example/"
    bad = [("", "*", None), ("/a", "GPTBot", None), ("s1.example/a", "*", None), ("ftp://s1.example/", "*", None),
           (page, "", None), (page, "GPTBot,CCBot", None), (page, "Mozilla/5.0", None), (page, "known:ai", None),
           (page, "GPTBot", "2026-13"), (page, "GPTBot", ""), (page, "*", "yesterday"), (page + "x" * 20_000, "*", None),
           (page, "a" * 2_049, None), (page, "\x1b[31m", None), (page, "G\u00fc", None)]
    found += [{"url": url, "agent": agent, "time": time} for url, agent, time in bad]
    draw.shuffle(found)
    return found


@pytest.fixture(scope="module")
def crawls(command, tmp_path_factory) -> dict[str, Path]:
    """The same censuses in all forms."""
    folder = tmp_path_factory.mktemp("crawls")
    archives = simulated(folder)
    made = {"tables": folder / "tables", "lines": folder / "all.ndjson.zst", "archives": folder}
    run(command, "-q", *archives, "-o", made["lines"])
    for part in (0, 1):
        # Of two parts the second has other files.
        more = [folder / "more.warc.gz"] if part else archives
        if part:
            (folder / "later").mkdir()
            more[0].write_bytes(simulated(folder / "later", 1, 60)[0].read_bytes())
        run(command, "-q", *more, "-o", made["tables"], "--part", part, *(["--crawl", "CC-MAIN-2026-10"] if part else []))
    return made


def answered(command: str, asked: list[dict], *stored: Path) -> list[dict]:
    """What the command answers."""
    given = "".join(json.dumps({name: held for name, held in one.items() if held is not None}) + "\n" for one in asked)
    return [json.loads(line) for line in run(command, "ask", *stored, given=given)[0].splitlines()]


def compare(found: pa.Table, expected: list[dict]) -> None:
    assert found.num_rows == len(expected)
    for row, line in zip(found.to_pylist(), expected, strict=True):
        if "error" in line:
            assert row["error"] == f"{line['error']['kind']}: {line['error']['message']}", row
            assert all(row[name] is None for name in FIELDS)
        else:
            assert row["error"] is None and {name: row[name] for name in FIELDS} == {name: line[name] for name in FIELDS}, row


@pytest.mark.parametrize("form", ["tables", "lines", "both"])
def test_answers_are_those_of_the_command(command, crawls, form):
    """[arrow.ask]"""
    stored = [crawls["tables"], crawls["lines"]] if form == "both" else [crawls[form]]
    asked = questions()
    expected = answered(command, asked, *stored)
    with pytest.warns(UserWarning, match="files of these sites: no time that can be read"):
        found = ask(pa.Table.from_pylist(asked), stored if form == "both" else str(stored[0]))
    compare(found, expected)
    kinds = {row["allowed"] for row in found.to_pylist()}, {row["status"] for row in found.to_pylist()}
    assert kinds[0] == {True, False, None} and kinds[1] > {"none", "some", "all", "no-file", "unknown"}
    assert sum("error" in line for line in expected) > 12
    # The columns of the questions are kept, in their order.
    assert found.column_names == ["url", "agent", "time", *FIELDS, "error"]


@pytest.mark.filterwarnings("ignore:.*could be the last")
def test_tables_of_any_kind_are_asked(command, crawls):
    """[arrow.ask] Frames of Polars, lines in memory, other columns, rounds, times of each type."""
    pl = pytest.importorskip("polars")
    asked = [one for one in questions() if one["time"] is None and len(one["url"]) < 10_000]
    expected = answered(command, asked, crawls["lines"])
    names = [(one["url"], one["agent"]) for one in asked]
    frame = pl.DataFrame({"id": range(len(names)), "url": [url for url, _ in names], "agent": [agent for _, agent in names]})
    found = ask(frame, crawls["lines"])
    compare(found, expected)
    assert pl.DataFrame(found)["id"].to_list() == list(range(len(names)))
    lines = [json.loads(line) for line in run(command, "-q", *sorted(crawls["archives"].glob("CC-*.gz")))[0].splitlines()]
    compare(ask(frame, pa.Table.from_pylist(lines, CENSUS["normal"])), expected)
    halves = [pa.Table.from_pylist(part, CENSUS["normal"]) for part in (lines[:50], lines[50:])]
    compare(ask(frame, halves), expected)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_normal, "_ROUND", 7)
        patch.setattr(_normal, "_ROWS", 3)
        compare(ask(frame, crawls["lines"]), expected)
        compare(ask(frame, crawls["tables"]), answered(command, asked, crawls["tables"]))
    none = ask(frame.head(0), crawls["tables"])
    assert none.num_rows == 0 and none.schema.field("line").type == pa.int32()
    day = datetime.date(2026, 3, 15)
    at = datetime.datetime(2026, 3, 15, 23, 59, 59, 999_999, datetime.timezone.utc)
    one = {"url": ["https://s3.example/a"], "agent": ["GPTBot"]}
    texts = ask({**one, "time": ["2026-03-15"]}, crawls["tables"]).drop_columns("time")
    for times in (pa.array([day]), pa.array([at]), pa.array([at]).cast(pa.timestamp("ms", "Asia/Tokyo"), safe=False)):
        assert ask({**one, "time": times}, crawls["tables"]).drop_columns("time") == texts
    with pytest.raises(ValueError, match="no time zone"):
        ask({**one, "time": pa.array([at.replace(tzinfo=None)])}, crawls["tables"])


def test_wrong_arguments_are_errors(crawls, tmp_path):
    """[arrow.ask]"""
    one = {"url": ["https://s3.example/a"], "agent": ["GPTBot"]}
    for given, words in [({"url": ["/"]}, "there is no column 'agent'"), ({**one, "status": [1]}, "would be named 'status'")]:
        with pytest.raises(ValueError, match=words):
            ask(given, crawls["lines"])
    with pytest.raises(TypeError, match="binary or string"):
        ask({"url": [1], "agent": ["*"]}, crawls["lines"])
    with pytest.raises(TypeError, match="there is no option"):
        ask(one, crawls["lines"], unknown=True)
    with pytest.raises(FileNotFoundError):
        ask(one, tmp_path / "none.ndjson")
    with pytest.raises(ValueError, match="has no tables of a census"):
        ask(one, tmp_path)
    with pytest.raises(ValueError, match="there is no column 'file'"):
        ask(one, {"v": [2]})
    (tmp_path / "x.ndjson").write_text('{"v":2}\nhello\n')
    with pytest.raises(ValueError, match=r"x\.ndjson:1, .*x\.ndjson:2: are not lines"):
        ask(one, tmp_path / "x.ndjson")
    null = ask({"url": pa.array([None, "https://s3.example/"]), "agent": pa.array(["*", None])}, crawls["tables"])
    missing = [f"bad-request: {name}: is missing" for name in ("url", "agent")]
    assert null["error"].to_pylist() == missing
    assert ask({"url": [b"\xff"], "agent": ["*"]}, crawls["lines"])["error"][0].as_py() == "bad-request: url: is no UTF-8"


def test_a_census_is_asked_as_it_was_read(tmp_path):
    """[census.reading]"""
    body, urls = pa.array([b"User-agent: *\nDisallow: /p\nAllow: /p"]), pa.array(["https://e.com/robots.txt"])
    one = {"url": ["https://e.com/p"], "agent": ["*"]}
    made = census(body, urls=urls, rows="normal", order="file")
    for name, table in zip(Tables._fields, tables(made), strict=True):
        (tmp_path / name / "crawl=one").mkdir(parents=True)
        pq.write_table(table, tmp_path / name / "crawl=one" / "00000.parquet")
    for stored in (made, tmp_path):
        assert ask(one, stored, order="file")["allowed"].to_pylist() == [False]
        with pytest.raises(ValueError, match="order=file.*give the options that the census was made with"):
            ask(one, stored)
    assert ask(one, census(body, urls=urls, rows="normal"))["allowed"].to_pylist() == [True]


def test_tables_that_are_not_those_of_a_census_are_errors(crawls, tmp_path):
    """[arrow.ask] Nothing that is missing is read as a null."""
    asked = pa.Table.from_pylist(questions())
    crawl = "crawl=CC-MAIN-2026-14"
    of = {name: pq.read_table(crawls["tables"] / name / crawl, columns=TABLES[name].names) for name in TABLES}

    def write(name: str, table: pa.Table) -> None:
        path = tmp_path / "x" / name / "crawl=c" / "00000.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, path)

    (tmp_path / "lines").mkdir()
    for name in ("files", "policies", "names"):
        (tmp_path / "lines" / name).mkdir()
    with pytest.raises(ValueError, match="has no tables as Parquet"):
        ask(asked, tmp_path / "lines")
    lacks = "lacks rows of `policies` or `names`, or has those of others"
    broken = [("files", of["files"].drop_columns("root"), "has no column `root`"),
              ("policies", of["policies"].drop_columns("exact"), "has no column `exact`"),
              ("texts", of["texts"].drop_columns("text"), "has no column `text`"),
              ("policies", of["policies"].slice(1), lacks), ("policies", of["policies"].slice(0, 1), lacks),
              ("names", of["names"].slice(0, 0), lacks), ("names", of["names"].slice(1), lacks),
              ("names", of["names"].take(pa.array(range(of["names"].num_rows))[::-1]), lacks),
              ("names", of["names"].set_column(5, "policy", pa.array([9] * of["names"].num_rows)), lacks),
              # Two parts with the same numbers.
              ("policies", pa.concat_tables([of["policies"]] * 2), lacks)]
    for name, table, words in broken:
        for other in TABLES:
            write(other, of[other])
        write(name, table)
        with pytest.raises(ValueError, match=words):
            ask(asked, tmp_path / "x")
    # A text that is not there: nothing is allowed.
    for name in TABLES:
        write(name, of[name].slice(0, 0) if name == "texts" else of[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ask(asked, tmp_path / "x").to_pylist()
    assert all(row["line"] is None and row["status"] not in ("some", "all") or row["allowed"] is not True for row in found)


def closed_later(command: str, folder: Path) -> tuple[list[dict], Path]:
    """A site that the first of two crawls finds open, and the second closed. The second has two parts."""
    page, closed = "https://e.example/robots.txt", "User-agent: *\nDisallow: /"
    later = [{"robots": "", "url": "https://f.example/robots.txt"}, {"robots": closed, "url": page}]
    for part, (month, line) in enumerate([("2026-01", {"robots": "", "url": page}), *(("2026-05", line) for line in later)]):
        line["time"] = f"{month}-01T00:00:00Z"
        run(command, "-q", "-", "-o", folder, "--crawl", month, "--part", part, given=json.dumps(line))
    return [{"url": "https://e.example/", "agent": "*"}], folder


def without_hosts(folder: Path) -> None:
    """Makes the hosts of the files null."""
    for path in folder.glob("files/*/*.parquet"):
        table = pq.ParquetFile(path).read()
        at = table.schema.get_field_index("host")
        pq.write_table(table.set_column(at, "host", pa.nulls(table.num_rows, pa.string())), path)


def test_an_older_crawl_does_not_answer_for_one_that_is_not_whole(command, tmp_path):
    """[arrow.ask] [census.listed]"""
    asked, folder = closed_later(command, tmp_path / "out")
    asked = pa.Table.from_pylist(asked)
    assert ask(asked, folder)["allowed"].to_pylist() == [False]
    without_hosts(folder)
    assert ask(asked, folder)["allowed"].to_pylist() == [False]
    late = folder / "files" / "crawl=2026-05"
    (late / "notes.txt").write_text("")
    with pytest.raises(ValueError, match=r"notes\.txt: is no Parquet"):
        ask(asked, folder)
    (late / "notes.txt").rename(late / "_notes.txt")
    # A run that was killed before it gave its last table its name.
    (late / "00002.parquet").rename(tmp_path / "2.parquet")
    with pytest.raises(ValueError, match=r"00002\.parquet: `files` has no such part: its run was interrupted"):
        ask(asked, folder)
    late.rename(tmp_path / "late")
    with pytest.raises(ValueError, match="`files` has no such part: its run was interrupted"):
        ask(asked, folder)


def test_tables_are_those_of_the_command(command, corpus, tmp_path):
    """[arrow.tables]"""
    bodies = [path.read_bytes() for path in corpus] + [b"User-agent: *\nDisallow: /x"] * 2
    urls = [f"https://s{number}.example/robots.txt" for number in range(len(bodies))]
    lines = [json.dumps({"robots_b64": base64.b64encode(body).decode(), "url": url}) for body, url in zip(bodies, urls, strict=True)]
    (tmp_path / "CC-MAIN-2026-04.ndjson").write_text("\n".join(lines) + "\n")
    run(command, "-q", tmp_path / "CC-MAIN-2026-04.ndjson", "-o", tmp_path / "out", "--part", 3)
    whole = census(pa.array(bodies), urls=pa.array(urls), rows="normal", source=str(tmp_path / "CC-MAIN-2026-04.ndjson"))
    assert whole.schema == CENSUS["normal"] and whole.num_rows == len(bodies)
    made = tables(whole, part=3)
    sliced = tables(pa.concat_tables([whole.slice(0, 7), whole.slice(7)]), part=3)
    for name, table in made._asdict().items():
        assert table.schema == TABLES[name] and sliced._asdict()[name].equals(table)
        stored = pq.read_table(tmp_path / "out" / name / "crawl=CC-MAIN-2026-04" / "00003.parquet").to_pylist()
        for row, expected in zip(table.to_pylist(), stored, strict=True):
            expected.pop("crawl", None)
            # A line of requests has a status that a column has not.
            assert {**row, "http_status": None} == {**expected, "http_status": None} if name == "files" else row == expected
    assert made.files["file"][0].as_py() == 3 << 40
    for part in (-1, _normal.MAX_PARTS):
        with pytest.raises(ValueError, match="part must be 0 to 4194303"):
            tables(whole, part=part)
    assert tables(whole.slice(0, 1), part=_normal.MAX_PARTS - 1).files.num_rows == 1
    with pytest.raises(ValueError, match="there is no column 'v'"):
        tables(made.files)


def test_the_command_reads_tables_of_columns(command, tmp_path):
    """[arrow.tables]"""
    bodies = [b"User-agent: GPTBot\nDisallow: /private", b"", b"User-agent: *\nDisallow: /"]
    urls = [f"https://s{number}.example/robots.txt" for number in range(3)]
    made = tables(census(pa.array(bodies), urls=pa.array(urls), rows="normal"))
    for name, table in made._asdict().items():
        path = tmp_path / "own" / name / "crawl=mine" / "00000.parquet"
        path.parent.mkdir(parents=True)
        pq.write_table(table, path)
    asked = [{"url": url.replace("robots.txt", "private"), "agent": agent} for url in urls for agent in ("GPTBot", "*")]
    with pytest.warns(UserWarning, match="^3 files of these sites"):
        found = ask(pa.Table.from_pylist(asked), tmp_path / "own")
    compare(found, answered(command, asked, tmp_path / "own"))
    assert found["allowed"].to_pylist() == [False, True, True, True, False, False]
