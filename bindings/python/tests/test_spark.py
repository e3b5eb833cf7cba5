"""Spark: a cluster of two executors on this machine, each a process of its own."""

from __future__ import annotations

import contextlib
import datetime
import gzip
import http.server
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pandas
import pyarrow as pa
import pyarrow.parquet
import pytest
from archives import batch, lines_of, packed, record, write_all
from conftest import ROOT

import robosieve
from robosieve import arrow, warc
from robosieve._spark_command import main

MEGABYTES = int(os.environ.get("ROBOSIEVE_ARCHIVE_MB", "100"))
"""The unpacked size of the archive that a worker reads in bounded memory. The figure in spark.md is for 1000."""
BODY = b"User-agent: *\nDisallow: /x # no\nDisallow: /%d\n"


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    if not shutil.which("java"):
        pytest.fail("Spark needs Java 17: apt-get install openjdk-17-jre-headless")
    os.environ.update(PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    from pyspark.sql import SparkSession

    # The workers import robosieve from where this process does.
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("robosieve")
    conf = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": "2", "spark.driver.host": "127.0.0.1",
            "spark.driver.memory": "512m", "spark.log.level": "ERROR",
            "spark.local.dir": str(tmp_path_factory.mktemp("spark")), "spark.network.timeout": "60s",
            "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse"))}
    for name, value in conf.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def functions(spark):
    from robosieve import spark as functions

    return functions


@pytest.fixture(scope="module")
def archives(tmp_path_factory) -> list[str]:
    return [str(path) for path in write_all(tmp_path_factory.mktemp("archives"))]


def place(row) -> tuple:
    return row["source"], row["record"] is None, row["record"] or 0


def rows_of(df) -> list[dict]:
    """The rows in the order of the command."""
    return sorted(df.toArrow().to_pylist(), key=place)


def sorted_lines(lines: list[bytes]) -> list[bytes]:
    return sorted(lines, key=lambda line: place(json.loads(line)))


def test_policies_are_those_of_columns(spark, functions, corpus):
    """[spark.policies]"""
    bodies = [None, b"", *(path.read_bytes() for path in corpus)]
    df = spark.createDataFrame([(number, body) for number, body in enumerate(bodies)], "id long, body binary")
    found = functions.policies(df.repartition(3), "MyBot").orderBy("id").toArrow()
    expected = arrow.sieve(pa.array(bodies), "MyBot").flatten()
    assert found.column_names == ["id", *(field.name for field in arrow.SIEVED)]
    assert [found.column(at + 1).to_pylist() for at in range(len(expected))] == [part.to_pylist() for part in expected]
    named = functions.policies(df.withColumnRenamed("body", "file"), ["Other", "MyBot"], body="file", keep=[], dialect="google")
    assert named.columns == [field.name for field in arrow.SIEVED] and named.count() == len(bodies)


def test_verdicts_are_those_of_columns(spark, functions, corpus):
    """[spark.verdicts]"""
    rows = [(n, path.read_bytes(), url) for n, path in enumerate(corpus) for url in ("/", "/x/y", "https://example.com/a?b")]
    df = spark.createDataFrame([*rows, (-1, None, "/"), (-1, b"", None)], "id long, body binary, url string")
    found = functions.verdicts(df.repartition(3), "MyBot")
    assert found.columns == ["id", "url", "allowed", "line", "rule", "reason", "error"]
    answers = {(row["id"], row["url"]): row for row in found.toArrow().to_pylist()}
    for number, body, url in rows:
        verdict, row = robosieve.Robots.parse(body).test(url, "MyBot"), answers[number, url]
        assert (row["allowed"], row["line"], row["rule"]) == (verdict.allowed, verdict.line, verdict.rule)
    assert answers[-1, "/"]["allowed"] is None and answers[-1, None]["allowed"] is None
    assert functions.verdicts(df, "MyBot", keep=["id"]).where("NOT allowed").count() > 0


def test_signals_are_those_of_the_command(spark, functions, command):
    """[spark.signals] Byte for byte, for the vectors of one agent."""
    vectors = map(json.loads, (ROOT / "crates/signals/data/vectors.ndjson").read_text().splitlines())
    names = ("id", "url", "agent", "time", "headers", "html", "robots", "tdmrep")
    asked = [{name: one[name] for name in names if name in one} for one in vectors if one["agent"] == "MyBot" and "html_b64" not in one]
    # A head cannot have every name and value that a pair can.
    is_plain = lambda name, value: name.replace("-", "").isalnum() and value and value.strip() == value  # noqa: E731
    asked = [one for one in asked if all(is_plain(*line) for line in one.get("headers", []))]
    done = subprocess.run([command, "signals", "--ndjson"], input="".join(json.dumps(one) + "\n" for one in asked), capture_output=True, text=True, check=True)
    rows = []
    for one in asked:
        head = "".join(f"{name}: {value}\n" for name, value in one["headers"]) if "headers" in one else None
        at = datetime.datetime.fromisoformat(one["time"].replace("Z", "+00:00"))
        rows.append((one["id"], one["url"], head, one.get("html"), one.get("robots"), one.get("tdmrep"), at))
    df = spark.createDataFrame(rows, "id long, page string, head string, html string, robots string, tdm string, at timestamp")
    found = functions.signals(df.repartition(2), "MyBot", url="page", headers="head", html="html", robots="robots", tdmrep="tdm", time="at", keep=["id"])
    assert found.columns == ["id", *(field.name for field in arrow.SIGNALS)]
    lines = [f'{{"v":1,"id":{row["id"]},{row["answer"][1:]}' for row in found.orderBy("id").toArrow().to_pylist()]
    assert len(lines) > 150 and lines == done.stdout.splitlines()
    with pytest.raises(ValueError, match="there is no column 'body'"):
        functions.signals(df, "MyBot", url="page", html="body")
    one = functions.signals(df.where("id = 1"), ["MyBot"], url="page", headers="head", keep=[])
    assert one.toArrow().to_pylist()[0]["index"] == "yes"


def test_wrong_arguments_are_errors_before_the_job(spark, functions):
    """[spark.arguments]"""
    df = spark.createDataFrame([(b"", "/", "t")], "body binary, url string, text string")
    with pytest.raises(ValueError, match="there is no column 'file'"):
        functions.policies(df, "MyBot", body="file")
    with pytest.raises(ValueError, match="would be named 'text'"):
        functions.policies(df, "MyBot")
    for call in (functions.policies, functions.verdicts):
        with pytest.raises(ValueError, match="agent is empty"):
            call(df, "", keep=[])
        with pytest.raises(TypeError, match="no option"):
            call(df, "MyBot", keep=[], nonsense=1)
    with pytest.raises(TypeError, match="no option"):
        functions.warc(spark, ["x.warc"], "MyBot", nonsense=1)


def test_rows_are_the_records_of_the_command(spark, functions, archives, command):
    """[spark.warc] Byte for byte, for archives of all shapes, also broken ones."""
    frame = functions.warc(spark, archives, "MyBot", max_findings=3)
    expected = sorted_lines(batch(command, archives, "--max-findings", "3"))
    # A name that is not printable is escaped in records, and so it is here.
    assert list(lines_of(rows_of(frame))) == expected and len(expected) > 1_000


@pytest.mark.parametrize("dedup", [False, True])
def test_the_command_writes_parquet_and_counts(spark, archives, command, tmp_path, capsys, dedup):
    """[spark.command] [spark.dedup] [spark.summary]"""
    listed, out = tmp_path / "list.gz", tmp_path / "out"
    listed.write_bytes(gzip.compress("".join(f"{Path(path).name}\n" for path in archives[2:] if "\n" not in path).encode()))
    prefix = f"{Path(archives[0]).parent}/"
    run = ["warc", *archives[:2], "--files-from", str(listed), "--prefix", prefix, "-o", str(out), "--agent", "MyBot"]
    flags = ["--dedup"] if dedup else []
    assert main([*run, *flags, "--summary", "json", "--partitions", "3"]) == 3
    summary = json.loads(capsys.readouterr().out)["summary"]
    named = [path for path in archives if "\n" not in path]
    told = tmp_path / "summary.json"
    lines = batch(command, named, *flags, "--summary", "json", "--summary-to", str(told))
    expected = json.loads(told.read_text())["summary"]
    for one in (summary, expected):
        one.pop("seconds"), one.pop("slowest", None)
    if dedup:
        # The command writes a text once, and counts what it writes.
        table = spark.read.parquet(f"{out}/records").toArrow()
        texts = {row["hash"]: row["text"] for row in spark.read.parquet(f"{out}/texts").collect()}
        assert "text" not in table.column_names and len(texts) == summary["distinct"] < table.num_rows
        rows = [{**row, "text": texts.get(row["hash"])} for row in table.to_pylist()]
    else:
        rows = spark.read.parquet(str(out)).toArrow().to_pylist()
    assert summary == expected
    whole = batch(command, named)
    assert list(lines_of(sorted(rows, key=place))) == sorted_lines(whole) and len(whole) == len(lines)
    # For people, and where something is already.
    capsys.readouterr()
    assert main([*run, *flags]) == 2 and "exists already" in capsys.readouterr().err
    shutil.rmtree(out)
    assert main([*run, *flags]) == 3
    words = capsys.readouterr().err
    assert f"robosieve: {summary['records']} records in " in words and "failures: " in words
    assert ("distinct texts" in words) == dedup


def test_spark_can_open_the_archives(spark, command, tmp_path, capsys):
    """[spark.through] By the file system of Hadoop, which has other names for files."""
    for name in range(3):
        (tmp_path / f"{name}.warc.gz").write_bytes(packed(record(n, BODY % n) for n in range(50)) + b"broken")
    paths = sorted(tmp_path.iterdir())
    run = ["warc", *map(str, paths), "-o", str(tmp_path / "out"), "--agent", "MyBot", "--through-spark", "--summary", "json"]
    try:
        assert main(run) == 3
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    assert json.loads(capsys.readouterr().out)["summary"]["failures"] == {"bad-record": 3}
    rows = spark.read.parquet(str(tmp_path / "out")).toArrow().to_pylist()
    rows = [{**row, "source": row["source"].removeprefix("file:")} for row in rows]
    assert list(lines_of(sorted(rows, key=place))) == sorted_lines(batch(command, paths)) and len(rows) == 153


@pytest.mark.parametrize("wrong", [[], ["--nonsense"], ["--agent", ""], ["--files-from", "/none"], ["--partitions", "0"],
                                   ["/none.warc.gz"], ["file:///none.warc.gz"]])
def test_a_wrong_command_says_so(spark, wrong, tmp_path, capsys):
    """[spark.command]"""
    run = ["warc", "-o", str(tmp_path / "out"), *(wrong if "--agent" in wrong else ["--agent", "MyBot", *wrong])]
    run += ["x.warc"] if "--agent" in wrong else []
    try:
        code = main(run)
    except SystemExit as error:
        code = error.code
    assert code == 2 and capsys.readouterr().err.startswith("robosieve: ") and not (tmp_path / "out").exists()


def test_a_list_that_is_damaged_is_named(spark, tmp_path, capsys):
    """[spark.command]"""
    packed = gzip.compress(b"a.warc.gz\n" * 99)
    for damaged in (packed[:20], packed[:-5] + b"x" + packed[-4:], packed[:12] + b"\xff" * 9):
        (tmp_path / "list.gz").write_bytes(damaged)
        assert main(["warc", "--files-from", str(tmp_path / "list.gz"), "-o", str(tmp_path / "out"), "--agent", "A"]) == 2
        assert capsys.readouterr().err.startswith(f"robosieve: {tmp_path}/list.gz: "), damaged


def children(pid: int) -> list[int]:
    """All processes below one."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            name, _, rest = path.read_text().rpartition(")")
            parents[int(name.split(" ")[0])] = int(rest.split()[1])
    found, known = [], {pid}
    while more := {child for child, parent in parents.items() if parent in known} - known:
        known |= more
        found += more
    return found


def words_of(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    return ""


def executors() -> list[int]:
    """The processes of the executors: they are below the driver, which is below this process."""
    return [pid for pid in children(os.getpid()) if "CoarseGrainedExecutorBackend" in words_of(pid)]


def workers() -> list[int]:
    return [pid for pid in children(os.getpid()) if "pyspark.daemon" in words_of(pid)]


@pytest.mark.parametrize("made", ["records", "census"])
def test_a_killed_executor_changes_nothing(spark, functions, tmp_path, made):
    """[spark.retry]"""
    some = packed(record(n, BODY % n) for n in range(1_000)) * 20
    for name in range(8):
        (tmp_path / f"{name}.warc.gz").write_bytes(some)
    paths = [str(tmp_path / f"{name}.warc.gz") for name in range(8)]
    if made == "records":
        counter = functions.skipped_counter(spark)
        work = functions.warc(spark, paths, "MyBot", partitions=8, skipped=counter)
        counted, sizes = "hash", (160_000, 160_000, 1_000)
    else:
        work = functions.census(spark, paths, "*,GPTBot", partitions=8)
        counted, sizes = "agent", (320_000, 160_000, 2)
    total = work.selectExpr("count(*)", "count(DISTINCT source, record)", f"count(DISTINCT {counted})", "sum(bytes)")
    expected = total.first()
    assert expected[:3] == sizes
    found = []
    job = threading.Thread(target=lambda: found.append(total.first()))
    before = set(executors())
    assert len(before) == 2
    job.start()
    tracker = spark.sparkContext.statusTracker()
    until = time.monotonic() + 60
    while not any(info and info.numCompletedTasks and info.numActiveTasks for stage in tracker.getActiveStageIds()
                  for info in [tracker.getStageInfo(stage)]):
        assert job.is_alive() and time.monotonic() < until, "the job was over before an executor could be killed"
        time.sleep(0.005)
    victim = next(pid for pid in before if any("pyspark.daemon" in words_of(child) for child in children(pid)))
    os.kill(victim, signal.SIGKILL)
    assert job.is_alive()
    job.join(120)
    assert found == [expected] and victim not in executors()


@pytest.mark.parametrize("made", ["records", "census"])
def test_a_worker_has_bounded_memory(spark, functions, tmp_path, made):
    """[spark.bounds] The peak of every process that reads, by the system."""
    some = packed(record(n, BODY % n + b"#" * 9_000) for n in range(100))
    size, count = 0, 0
    with open(tmp_path / "big.warc.gz", "wb") as file:
        while size < MEGABYTES * 1_000_000:
            file.write(some)
            size += 100 * 9_200
            count += 100
    done = threading.Event()
    peaks: dict[int, int] = {}

    def watch() -> None:
        while not done.wait(0.02):
            for pid in workers():
                with contextlib.suppress(OSError, IndexError):
                    status = Path(f"/proc/{pid}/status").read_text()
                    peaks[pid] = max(peaks.get(pid, 0), int(status.split("VmHWM:")[1].split()[0]))

    watcher = threading.Thread(target=watch)
    watcher.start()
    started = time.monotonic()
    try:
        paths = [str(tmp_path / "big.warc.gz")]
        frame = functions.warc(spark, paths, "MyBot") if made == "records" else functions.census(spark, paths, "*,GPTBot,named")
        per_file = frame if made == "records" else frame.where("agent = '*'")
        rows = per_file.selectExpr("count(*)", "sum(bytes)").first()
    finally:
        done.set()
        watcher.join()
    seconds = time.monotonic() - started
    print(f"\n{made}: {rows[0]:,} files, {rows[1] / 1e6:,.0f} MB in {seconds:.1f} s; peak of a worker {max(peaks.values()) / 1000:.0f} MB")
    assert rows[0] == count and rows[1] > MEGABYTES * 950_000
    assert len(peaks) >= 1 and max(peaks.values()) < 200_000, peaks


@contextlib.contextmanager
def server(answer) -> Iterator[str]:
    """A server on this machine."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):  # noqa: N802
            answer(self)

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{running.server_port}"
        finally:
            running.shutdown()
            thread.join()


def test_a_failing_storage_is_tried_again(spark, functions):
    """[spark.storage]"""
    whole = packed(record(n, BODY % n) for n in range(2_000))
    asked = {}

    def answer(handler) -> None:
        name = handler.path
        asked[name] = asked.get(name, 0) + 1
        if name == "/none.warc.gz":
            return handler.send_error(404)
        if name == "/busy.warc.gz" and asked[name] == 1:
            return handler.send_error(503)
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(whole)))
        handler.end_headers()
        is_cut = name == "/always-cut.warc.gz" or name == "/cut.warc.gz" and asked[name] < 3
        handler.wfile.write(whole[: len(whole) // 2] if is_cut else whole)

    with server(answer) as base:
        paths = [f"{base}/{name}.warc.gz" for name in ("good", "busy", "cut", "always-cut", "none")] + ["/none.warc"]
        rows = rows_of(functions.warc(spark, paths, "MyBot"))
    expected = list(lines_of(row for part in warc.read(whole, "MyBot", name="x") for row in part.to_pylist()))
    for name in ("good", "busy", "cut"):
        own = [{**row, "source": "x"} for row in rows if f"/{name}." in row["source"]]
        assert list(lines_of(own)) == expected, name
    failed = {row["source"].removeprefix(base): row["error"]["message"] for row in rows if row["error"]}
    assert asked == {"/good.warc.gz": 1, "/busy.warc.gz": 2, "/cut.warc.gz": 3, "/always-cut.warc.gz": 4, "/none.warc.gz": 1}
    assert set(failed) == {"/always-cut.warc.gz", "/none.warc.gz", "/none.warc"}
    assert "too early" in failed["/always-cut.warc.gz"] and "404" in failed["/none.warc.gz"]
    assert {row["error"]["kind"] for row in rows if row["error"]} == {"unreadable"}


def test_names_of_files_and_uris(tmp_path):
    """[spark.names]"""
    from robosieve._storage import open_archive, scheme_of

    path = tmp_path / "a b.warc"
    path.write_bytes(b"x")
    assert open_archive(str(path)) == str(path) and open_archive(path.as_uri()) == str(path)
    assert [scheme_of(name) for name in ("/a://b", "S3A://b/c", "file:///x", "a.warc", "C:x")] == ["", "s3a", "file", "", ""]
    with pytest.raises(ValueError, match="nothing here reads such names"):
        open_archive("nonsense://a/b")


def test_a_census_has_the_rows_of_the_command(spark, functions, command, tmp_path):
    """[spark.census]"""
    body = b"User-agent: *\nDisallow: /%d\nUser-agent: GPTBot\nUser-agent: b%d\nDisallow: /\n"
    paths = []
    for place, crawl in enumerate(["CC-MAIN-2026-05", "CC-MAIN-2026-09", "CC-MAIN-2026-09"]):
        path = tmp_path / f"{crawl}-{place}.warc.gz"
        path.write_bytes(packed(record(number, body % (number % 7, number % 5)) for number in range(4_000)))
        paths.append(str(path))
    agents = "*,GPTBot,Googlebot-Image"
    told = subprocess.run([command, "census", "-q", "--expand", "--agents", agents, *paths], capture_output=True, check=True).stdout
    told = [json.loads(line) for line in told.splitlines()]
    assert len(told) == 36_000
    found = functions.census(spark, paths, agents).orderBy("source", "record").toArrow().to_pylist()

    def key(row: dict) -> tuple:
        return row["source"], row["record"], row["agent"]

    assert sorted(found, key=key) == sorted(told, key=key)
    files = functions.census(spark, [*paths, str(tmp_path / "none.warc.gz")], rows="files").groupBy("outcome").count()
    assert {row[0]: row[1] for row in files.collect()} == {"rules": 12_000, "failed": 1}

    from robosieve import _spark_command

    out = tmp_path / "out"
    assert _spark_command.main(["census", *paths, "-o", str(out), "--agents", agents, "-q"]) == 0
    assert sorted(part.name for part in out.iterdir() if part.is_dir()) == ["crawl=CC-MAIN-2026-05", "crawl=CC-MAIN-2026-09"]
    counts = spark.read.parquet(str(out)).groupBy("crawl", "status").count().collect()
    assert sum(row[2] for row in counts) == 36_000
    assert _spark_command.main(["census", *paths, "-o", str(out), "-q"]) == 2
    # Without the name of a crawl, for readers that need a value in each partition.
    unnamed, out = tmp_path / "a.warc.gz", tmp_path / "unnamed"
    shutil.copy(paths[0], unnamed)
    assert _spark_command.main(["census", str(unnamed), paths[0], "-o", str(out), "--agents", agents, "-q"]) == 0
    for table in (pandas.read_parquet(out), pyarrow.parquet.read_table(out).to_pandas()):
        assert table["crawl"].value_counts().to_dict() == {"none": 12_000, "CC-MAIN-2026-05": 12_000}


def test_the_normal_form_is_that_of_the_command(spark, functions, command, tmp_path):
    """[spark.normal] [spark.ask] Rows and tables, and answers by these."""
    from test_ask import FIELDS, answered, compare, questions, simulated

    paths = simulated(tmp_path)
    (tmp_path / "broken.warc.gz").write_bytes(paths[0].read_bytes()[:2_000])
    paths = list(map(str, [*paths, tmp_path / "broken.warc.gz"]))
    rows = functions.census(spark, paths, rows="normal").persist()
    found = rows.orderBy("number").toArrow().to_pylist()
    told = subprocess.run([command, "census", "-q", *paths], capture_output=True).stdout.splitlines()
    assert [{name: held for name, held in row.items() if name != "number"} for row in found] == list(map(json.loads, told))
    # Each archive is a part of its own.
    own = tmp_path / "own"
    for part, path in enumerate(paths):
        code = subprocess.run([command, "census", "-q", path, "-o", str(own), "--part", str(part)]).returncode
        assert code in (0, 3)
    out = tmp_path / "out"
    assert main(["census", *paths, "--rows", "normal", "-o", str(out), "--summary", "json"]) == 3
    for name, schema in arrow.TABLES.items():
        made, expected = (pyarrow.parquet.read_table(folder / name).to_pylist() for folder in (out, own))
        if name == "texts":
            made, expected = ({(row["crawl"], row["hash"], row["text"]) for row in rows} for rows in (made, expected))
        else:
            # Rows of one file keep their order.
            made, expected = (sorted(rows, key=lambda row: (row["crawl"], row["file"])) for rows in (made, expected))
        assert made == expected and len(made) > 20, name
        frame = getattr(functions.tables(rows), name)
        assert frame.columns == [*schema.names, "crawl"] and frame.count() == len(made)
    assert pyarrow.parquet.read_table(out / "texts").num_rows == len(made)

    asked = questions()
    expected = answered(command, asked, own)
    assert answered(command, asked, out) == expected
    df = spark.createDataFrame([(n, *one.values()) for n, one in enumerate(asked)], "id long, url string, agent string, time string")
    for crawls in (str(own), str(out), f"file://{out}"):
        answers = functions.ask(df.repartition(3), crawls, partitions=3).orderBy("id").toArrow()
        assert answers.column_names == ["id", "url", "agent", "time", *FIELDS, "error"]
        compare(answers, expected)
    # In Python, and of lines.
    with pytest.warns(UserWarning, match="could be the last"):
        compare(arrow.ask(pa.Table.from_pylist(asked), out), expected)
    (tmp_path / "all.ndjson").write_bytes(b"\n".join(told))
    answers = functions.ask(df, rows, partitions=1).orderBy("id").toArrow()
    compare(answers, answered(command, asked, tmp_path / "all.ndjson"))
    rows.unpersist()


def test_an_older_crawl_does_not_answer_for_one_that_is_not_whole(spark, functions, command, tmp_path):
    """[spark.ask] [census.listed]"""
    from test_ask import closed_later, without_hosts

    asked, folder = closed_later(command, tmp_path / "out")
    df = spark.createDataFrame([(one["url"], one["agent"]) for one in asked], "url string, agent string")
    assert [row.allowed for row in functions.ask(df, folder).collect()] == [False]
    without_hosts(folder)
    assert [row.allowed for row in functions.ask(df, folder).collect()] == [False]
    late = folder / "files" / "crawl=2026-05"
    (late / "00002.parquet").rename(tmp_path / "2.parquet")
    with pytest.raises(ValueError, match=r"00002\.parquet: `files` has no such part: its run was interrupted"):
        functions.ask(df, folder)
    late.rename(tmp_path / "late")
    with pytest.raises(ValueError, match="`files` has no such part"):
        functions.ask(df, folder)


def test_wrong_questions_are_errors_before_the_job(spark, functions, tmp_path):
    """[spark.ask]"""
    df = spark.createDataFrame([("https://e.com/", "*")], "url string, agent string")
    with pytest.raises(ValueError, match="there is no column 'agent'"):
        functions.ask(df.select("url"), tmp_path)
    with pytest.raises(ValueError, match="would be named 'seen'"):
        functions.ask(df.withColumn("seen", df.url), str(tmp_path))
    with pytest.raises(ValueError, match="there is no column 'number'"):
        functions.ask(df, df)
    with pytest.raises(TypeError, match="no option"):
        functions.ask(df, str(tmp_path), nonsense=1)
    for more in (-1, 0, 1):
        with pytest.raises(ValueError, match="more than 4194304 archives") if more > 0 else contextlib.nullcontext():
            functions.census(spark, ["a"] * (4_194_304 + more), rows="normal")
    for name in ("files", "policies", "names", "texts"):
        path = tmp_path / name / "crawl=c"
        path.mkdir(parents=True)
        pyarrow.parquet.write_table(arrow.TABLES[name].empty_table().drop_columns(arrow.TABLES[name].names[-1]), path / "0.parquet")
    with pytest.raises(ValueError, match=f"has no column `{arrow.TABLES['files'].names[-1]}` of a census"):
        functions.ask(df, tmp_path)


def test_the_command_brings_its_own_interpreter(spark, archives, tmp_path):
    """[spark.python] With a `python3` in PATH, and then in the variable, that does not have this package."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    bare = tmp_path / "bare/bin"
    env = {**os.environ, "PATH": f"{bare}:{os.environ['PATH']}", "PYSPARK_SUBMIT_ARGS": "--master local[1] pyspark-shell"}
    env.pop("PYSPARK_PYTHON")
    env.pop("PYSPARK_DRIVER_PYTHON")
    env.pop("PYTHONPATH", None)

    def run(out: str, **variables: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "robosieve.spark", "warc", archives[0], "-o", tmp_path / out, "--agent", "MyBot"]
        return subprocess.run(command, env={**env, **variables}, capture_output=True, text=True, timeout=200)

    done = run("out")
    assert done.returncode in (0, 3) and (tmp_path / "out/_SUCCESS").exists(), done.stderr
    failed = run("failed", PYSPARK_PYTHON=str(bare / "python3"))
    last = failed.stderr.splitlines()[-1]
    assert failed.returncode == 2 and last.startswith("robosieve: Spark failed: "), failed.stderr
    assert "ModuleNotFoundError: No module named '" in last and last.endswith("failed is not complete"), last


def test_lines_are_counted_over_all_archives(spark, functions, tmp_path, capsys):
    """[spark.commoncrawl]"""
    from robosieve._core import _Statistics

    paths = []
    for place in range(3):
        path = tmp_path / f"{place}.warc.gz"
        path.write_bytes(packed(record(number, BODY % (number % 9)) for number in range(place, place + 4_000)))
        paths.append(str(path))
    expected: dict[tuple, int] = {}
    for path in paths:
        for lines in _Statistics(rulesets=True).archive(path, path):
            for line in map(json.loads, lines.splitlines()):
                key = tuple(line["key"].values())
                expected[key] = expected.get(key, 0) + line["cnt"]
    assert expected["user-agent", "*"] == 12_000 and len(expected) == 11 + 4_002
    frame = functions.commoncrawl(spark, paths, rulesets=True)
    schema = "struct<key:struct<directive:string,value:string>,cnt:bigint>"
    assert frame.schema.simpleString() == schema
    assert {tuple(row["key"]): row["cnt"] for row in frame.collect()} == expected
    out = tmp_path / "out"
    run = ["commoncrawl", *paths, "-o", str(out), "--summary", "json"]
    assert main([*run, "--extract_rulesets"]) == 0
    written = spark.read.parquet(str(out))
    assert written.schema.simpleString() == schema
    assert {tuple(row["key"]): row["cnt"] for row in written.collect()} == expected
    summary = json.loads(capsys.readouterr().out)["summary"]
    assert summary["counts"] == {"(ruleset)": 12_000, "disallow": 24_000, "user-agent": 12_000}
    # Without rulesets, and with an archive of a list that is not there.
    run[run.index(str(out))] = str(tmp_path / "other")
    (tmp_path / "list").write_text(f"{tmp_path}/none.warc\n")
    assert main([*run, "--files-from", str(tmp_path / "list")]) == 3
    counts = json.loads(capsys.readouterr().out)["summary"]["counts"]
    assert counts == {"(failed record)": 1, "disallow": 24_000, "user-agent": 12_000}
    assert main(run) == 2 and "exists already" in capsys.readouterr().err
