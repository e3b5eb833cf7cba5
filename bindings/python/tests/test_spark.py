"""Spark: a cluster of two executors on this machine, each a process of its own."""

from __future__ import annotations

import contextlib
import datetime
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

import pyarrow as pa
import pytest
from archives import batch, lines_of, packed, record, write_all
from conftest import ROOT

import robosieve
from robosieve import arrow, warc

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


def test_a_killed_executor_changes_nothing(spark, functions, tmp_path):
    """[spark.retry]"""
    some = packed(record(n, BODY % n) for n in range(1_000)) * 20
    for name in range(8):
        (tmp_path / f"{name}.warc.gz").write_bytes(some)
    paths = [str(tmp_path / f"{name}.warc.gz") for name in range(8)]
    counter = functions.skipped_counter(spark)
    work = functions.warc(spark, paths, "MyBot", partitions=8, skipped=counter)
    total = work.selectExpr("count(*)", "count(DISTINCT source, record)", "count(DISTINCT hash)", "sum(bytes)")
    expected = total.first()
    assert expected[:3] == (160_000, 160_000, 1_000)
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


def test_a_worker_has_bounded_memory(spark, functions, tmp_path):
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
        rows = functions.warc(spark, paths, "MyBot").selectExpr("count(*)", "sum(bytes)").first()
    finally:
        done.set()
        watcher.join()
    seconds = time.monotonic() - started
    print(f"\n{rows[0]:,} files, {rows[1] / 1e6:,.0f} MB in {seconds:.1f} s; peak of a worker {max(peaks.values()) / 1000:.0f} MB")
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
