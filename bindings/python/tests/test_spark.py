"""Spark on this machine: each task runs in a process of Python's own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from archives import packed, record, write_all
from conftest import ROOT
from pyarrow import parquet
from robosieve import arrow, warc
from robosieve import spark as functions

BODY = b"User-agent: *\nDisallow: /x # no\nDisallow: /%d\n"


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    if not shutil.which("java"):
        pytest.fail("Spark needs Java 17: apt-get install openjdk-17-jre-headless")
    os.environ.update(PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    from pyspark.sql import SparkSession

    # The workers import robosieve from where this process does.
    conf = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": "2", "spark.driver.host": "127.0.0.1",
            "spark.driver.memory": "512m", "spark.log.level": "ERROR",
            "spark.local.dir": str(tmp_path_factory.mktemp("spark")), "spark.network.timeout": "60s",
            "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse"))}
    session = SparkSession.builder.master("local[2]").appName("robosieve").config(map=conf).getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def archives(tmp_path_factory) -> list[str]:
    return [str(path) for path in write_all(tmp_path_factory.mktemp("archives"))]


def rows_of(df) -> list[dict]:
    """The rows in the order of the archives."""
    return sorted(df.toArrow().to_pylist(), key=lambda row: (row["source"], row["record"] is None, row["record"] or 0))


def rows_without(archives: list[str], **options) -> list[dict]:
    """What is read without Spark: test_warc.py compares it with the command."""
    return [row for path in archives for part in warc.read(path, "MyBot", **options) for row in part.to_pylist()]


@pytest.mark.parametrize(("name", "kind"), [("policies", arrow.SIEVED), ("verdicts", arrow.VERDICT)])
def test_rows_are_those_of_columns(spark, corpus, name, kind):
    files = [None, b"", *(path.read_bytes() for path in corpus)]
    rows = [(n, file, url) for n, file in enumerate(files) for url in ("/", "/x/y", "https://example.com/a?b", None)]
    df = spark.createDataFrame(rows, "id long, body binary, url string")
    function, fields = getattr(functions, name), [field.name for field in kind]
    bodies, urls = pa.array([row[1] for row in rows]), pa.array([row[2] for row in rows])
    expected = arrow.sieve(bodies, "MyBot") if name == "policies" else arrow.verdicts(bodies, urls, "MyBot")
    found = function(df.repartition(3), "MyBot")
    assert found.columns == ["id", "url", *fields]
    found = {(row.pop("id"), row.pop("url")): row for row in found.toArrow().to_pylist()}
    assert [found[number, url] for number, _, url in rows] == [row or dict.fromkeys(fields) for row in expected.to_pylist()]
    named = function(df.withColumnRenamed("body", "file"), ["Other", "MyBot"], body="file", keep=[], dialect="google")
    assert named.columns == fields and named.count() == len(rows)


def test_wrong_arguments_are_errors_before_the_job(spark):
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


def test_archives_have_the_rows_that_are_read_without_spark(spark, archives):
    """Of all shapes, also broken ones; the archives are read in their order."""
    found = rows_of(functions.warc(spark, archives, "MyBot", max_findings=3))
    assert found == rows_without(archives, max_findings=3) and len(found) > 1_000


def test_names_of_files_and_uris(spark, tmp_path):
    (tmp_path / "a b.warc.gz").write_bytes(packed(record(n, BODY % n) for n in range(9)))
    whole = rows_of(functions.warc(spark, [str(tmp_path / "a b.warc.gz")], "MyBot"))
    for name in ((tmp_path / "a b.warc.gz").as_uri().replace("%20", " "), f"local://{tmp_path}/a b.warc.gz"):
        found = rows_of(functions.warc(spark, [name], "MyBot"))
        assert [{**row, "source": ""} for row in found] == [{**row, "source": ""} for row in whole]
        assert {row["source"] for row in found} == {name}
    missing = [str(tmp_path / "none.warc"), f"file://{tmp_path}/none.warc"]
    rows = rows_of(functions.warc(spark, missing, "MyBot", errors="record"))
    assert [(row["source"], row["error"]["kind"]) for row in rows] == [(name, "unreadable") for name in missing]
    for name in missing:
        with pytest.raises(Exception, match="No such file"):
            functions.warc(spark, [name], "MyBot").count()


def test_the_example_runs(archives, tmp_path):
    """The job in examples/, as spark-submit runs it."""
    submit = Path(sys.executable).with_name("spark-submit")
    out = tmp_path / "out"
    run = [submit, "--master", "local[1]", ROOT / "bindings/python/examples/job.py", out, archives[0], archives[1]]
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert parquet.read_table(out).num_rows == len(rows_without(archives[:2])) > 0
