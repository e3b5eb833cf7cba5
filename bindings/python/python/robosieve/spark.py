"""Spark: filters and tests the rows of a DataFrame, and reads whole archives, in the workers.

It needs ``pyspark`` and ``pyarrow``, and this package in every worker. Rows go to the workers and back as Arrow columns.

``policies``, ``verdicts`` and ``signals`` are ``robosieve.arrow`` for DataFrames. ``warc`` reads archives, as ``robosieve batch`` does.
``python -m robosieve.spark warc PATHS -o OUT --agent MyBot`` does so from a shell. ``census`` makes a row for each file
and crawler, or the normal form, as ``robosieve census`` does, and ``ask`` answers questions by it. ``commoncrawl`` counts
lines, as Common Crawl's statistics do.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import sys
import time as clock
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._storage import open_archive
from ._core import _Census, _census_parts, _expect_finished, _question_hosts, _Statistics
from ._agents import joined, listed
from ._columns import array_of, buffers_of, column_of, pa, pc
from ._normal import MAX_PARTS, _expect_columns
from .arrow import ANSWER, CENSUS, SIEVED, SIGNALS, TABLES, VERDICT, Agents, Tables, _table
from .arrow import ask as answers_of
from .arrow import sieve
from .arrow import signals as signals_of
from .arrow import verdicts as test_columns
from .warc import RECORD, Archive

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from typing_extensions import Unpack

    from ._values import Options

__all__ = [
    "STATISTICS", "Tables", "archives", "ask", "census", "commoncrawl", "policies", "signals", "skipped_counter", "tables",
    "verdicts", "warc",
]

Batches = Iterator[Any]

STATISTICS = pa.schema({"key": pa.struct({"directive": pa.string(), "value": pa.string()}), "cnt": pa.int64()})
"""The fields of ``commoncrawl``: those of Common Crawl's statistics."""


def policies(
    df: DataFrame, agents: Agents | None, *, body: str = "body", keep: Iterable[str] | None = None, **options: Unpack[Options]
) -> DataFrame:
    """Filters the file of each row. A null stays a null.

    Args:
        df: Rows with a file each.
        agents: As for ``robosieve.sieve``. None keeps all groups.
        body: The column of the files: binary or string.
        keep: Columns that are kept in front of the result; all but ``body`` if it is not given.
        **options: See ``robosieve.Options``.

    Returns:
        The columns that are kept, and the fields of ``robosieve.arrow.SIEVED``.

    Raises:
        ValueError: If a column does not exist, or a column that is kept has the name of a field of the result; or as
            ``robosieve.sieve``, before any row is read.
    """
    agents = listed(agents)
    sieve(pa.array([], pa.binary()), agents, **options)
    kept = _kept(df, SIEVED, keep, but=[body])
    work = _Found(sieve, {"array": body}, kept, {"agents": agents, **options})
    return df.select(*kept, body).mapInArrow(work, _schema(df, kept, SIEVED))


def verdicts(
    df: DataFrame, agents: Agents, *, body: str = "body", url: str = "url", keep: Iterable[str] | None = None,
    **options: Unpack[Options],
) -> DataFrame:
    """Tests the URL of each row by the file of that row. Rows with a null are null.

    A file is parsed once for rows that follow one another: sort by file within partitions if each has many URLs.

    Args:
        url: The column of the URLs: binary or string.
        keep: Columns that are kept in front of the result; all but ``body`` if it is not given.

    The other arguments are those of ``policies``. Returns the columns that are kept, and the fields of
    ``robosieve.arrow.VERDICT``. Raises what ``policies`` raises.
    """
    agents, none = listed(agents), pa.array([], pa.binary())
    test_columns(none, none, agents, **options)
    kept = _kept(df, VERDICT, keep, but=[body])
    # The URL may be kept, too, but is needed once.
    needed = [*kept, *(name for name in (body, url) if name not in kept)]
    _expect(df, [body, url])
    work = _Found(test_columns, {"bodies": body, "urls": url}, kept, {"agents": agents, **options})
    return df.select(*needed).mapInArrow(work, _schema(df, kept, VERDICT))


def signals(
    df: DataFrame, agents: Agents, *, url: str = "url", headers: str | None = None, html: str | None = None,
    robots: str | None = None, tdmrep: str | None = None, time: str | None = None, keep: Iterable[str] | None = None,
    **options: Unpack[Options],
) -> DataFrame:
    """What may be done with the page of each row, as ``robosieve.arrow.signals`` says. A page without a URL has nulls.

    Args:
        url: The column of the URLs: binary or string.
        headers: That of the heads, as WARC has them. None: nothing is known of the headers.
        html: That of the pages that are HTML.
        robots: That of the robots.txt of their hosts.
        tdmrep: That of the ``tdmrep.json`` of their hosts.
        time: That of the times at which they were fetched: timestamps, or whole seconds since 1970. None is now.
        keep: Columns that are kept in front of the result; all but the sources if it is not given.

    The other arguments are those of ``policies``. Returns the columns that are kept, and the fields of
    ``robosieve.arrow.SIGNALS``. Raises what ``policies`` raises.
    """
    agents = listed(agents)
    signals_of(pa.array([], pa.string()), agents, **options)
    given = {"urls": url, "headers": headers, "html": html, "robots": robots, "tdmrep": tdmrep, "time": time}
    columns = {name: column for name, column in given.items() if column is not None}
    but = [column for name, column in columns.items() if name not in ("urls", "time")]
    kept = _kept(df, SIGNALS, keep, but=but)
    needed = list(dict.fromkeys([*kept, *columns.values()]))
    _expect(df, needed)
    # One time for all rows, whichever worker has them.
    at = {} if time is not None else {"time": int(clock.time())}
    work = _Found(signals_of, columns, kept, {**at, "agents": agents, **options})
    return df.select(*needed).mapInArrow(work, _schema(df, kept, SIGNALS))


def warc(
    spark: SparkSession, paths: Iterable[str], agents: Agents | None, *, all_urls: bool = False,
    partitions: int | None = None, skipped: Any = None, **options: Unpack[Options],
) -> DataFrame:
    """The records of archives, as ``robosieve batch`` makes them, with the schema ``robosieve.warc.RECORD``.

    Each archive is read by one task, as a stream. A corrupt record is a row with an ``error``. If the storage fails, the
    task fails, and Spark tries it again. In the last try the archive gets a row with the error. An archive that does not
    exist has one at once.

    Args:
        paths: Paths that every worker can open, or URIs: http, https, and what ``pyarrow.fs`` or fsspec can open in the
            workers (s3, s3a, gs, abfs, hdfs).
        agents: As for ``robosieve.sieve``. None keeps all groups.
        all_urls: Read all responses, not only those of ``/robots.txt``.
        partitions: The number of tasks. If it is not given, one for each archive, up to a thousand or four for each core.
        skipped: An accumulator of ``skipped_counter``, for what gives no record.
        **options: See ``robosieve.Options``. ``max_findings`` is 0, and at most 16 MiB of a file are read.

    Raises:
        TypeError, ValueError: As ``robosieve.sieve``, before any archive is read.
    """
    paths, agents = list(paths), listed(agents)
    Archive(b"", agents, all_urls=all_urls, **options)
    work = _Warc(paths, agents, {"all_urls": all_urls, **options}, _cluster(spark)[1], skipped)
    return _of_archives(spark, work, partitions, _ddl_of(RECORD))


def census(
    spark: SparkSession, paths: Iterable[str], agents: str | Sequence[str] | Iterator[str] = "*,known:ai", *, rows: str = "agents",
    all_urls: bool = False, partitions: int | None = None, **options: Unpack[Options],
) -> DataFrame:
    """The rows of archives, as ``robosieve census`` makes them, with the schema ``robosieve.arrow.CENSUS[rows]``.

    With ``rows="normal"`` there is a row for each file, and one more column, ``number``: that of the file, which is the
    number of the archive times 2^40, and the place in it. ``tables`` makes four tables of these rows.

    Args:
        paths, all_urls, partitions: As for ``warc``, which also says what becomes of archives that cannot be read.
        agents, rows: As for ``robosieve.arrow.census``. Files of names are read by the driver and by the workers.
        **options: See ``robosieve.Options``.

    Raises:
        TypeError, ValueError: As ``robosieve.arrow.census``, before any archive is read.
    """
    paths, agents = list(paths), joined(agents)
    options = {"all_urls": all_urls, **options}
    _Census(agents, rows, **options)
    if rows == "normal" and len(paths) > MAX_PARTS:
        raise ValueError(f"more than {MAX_PARTS} archives: the numbers of files end there, so make several runs")
    work = _Rows(paths, agents, options, _cluster(spark)[1], None, rows)
    front = "number bigint, " if rows == "normal" else ""
    return _of_archives(spark, work, partitions, front + _ddl_of(CENSUS[rows]))


def tables(normal: DataFrame) -> Tables:
    """The tables of the normal form, as ``robosieve.arrow.tables`` makes them, with one more column, ``crawl``.

    Each table reads the rows again: persist them if more than one is used.

    Args:
        normal: What ``census(…, rows="normal")`` returned.

    Returns:
        DataFrames, each in the order of the files, with the fields of ``robosieve.arrow.TABLES`` and ``crawl``: the
        ``CC-MAIN-2026-04`` in the name of the archive, or ``none``. A text is there once in each crawl.

    Raises:
        ValueError: If a column is missing.
    """
    from pyspark.sql.functions import coalesce, col, lit, nullif, posexplode, regexp_extract

    _expect(normal, ["number", *CENSUS["normal"].names])
    crawl = nullif(regexp_extract("file.source", r"CC-MAIN-\d{4}-\d\d", 0), lit(""))
    # A null would be a partition that pandas and pyarrow cannot read.
    rows = normal.withColumn("crawl", coalesce(crawl, lit("none"))).withColumnRenamed("number", "of")
    made = {"files": rows.select("of", "crawl", col("file").alias("row"), lit(0).alias("place"))}
    for name in ("policies", "names", "texts"):
        made[name] = rows.select("of", "crawl", posexplode(name).alias("place", "row"))
    made["texts"] = made["texts"].withColumn("hash", col("row.hash")).dropDuplicates(["crawl", "hash"])
    found = {}
    for name, schema in TABLES.items():
        # Writing with partitions would sort the rows by crawl alone, in no order of their own.
        frame = made[name].sortWithinPartitions("crawl", "of", "place")
        columns = [col("of") if field == "file" else col(f"row.{field}") for field in schema.names]
        found[name] = frame.select(*(one.alias(field) for one, field in zip(columns, schema.names, strict=True)), "crawl")
    return Tables(**found)


def ask(
    df: DataFrame, crawls: DataFrame | str | os.PathLike[str], *, partitions: int | None = None, **options: Unpack[Options]
) -> DataFrame:
    """Answers whether crawlers might fetch pages at some time, by a census: what ``robosieve.arrow.ask`` answers.

    Questions and files are joined by host. Those of some hosts are in one partition, where each text is parsed once, and
    which is in memory: choose so many partitions that each is far below the memory of a worker.

    Args:
        df: Questions, with the columns ``url``, ``agent`` and perhaps ``time``, as for ``robosieve.arrow.ask``.
        crawls: The census: a folder of tables as Parquet, that the command or ``tables`` wrote, on any file system of
            Spark; or what ``census(…, rows="normal")`` returned.
        partitions: The number of partitions. If it is not given, four for each core.
        **options: See ``robosieve.Options``: those that the census was made with.

    Returns:
        The columns of the questions, and the fields of ``robosieve.arrow.ANSWER``, in no order. An observation without a
        time has no ``seen``: it could be the last of its site.

    Raises:
        ValueError: If a column is missing, or has the name of a field of the answer.
    """
    from pyspark.sql.functions import col, lit, pmod, xxhash64
    from pyspark.sql.types import StringType, StructField, StructType

    kept = _kept(df, ANSWER, None, but=[])
    _expect(df, ["url", "agent"])
    answers_of(pa.table({name: pa.array([], pa.string()) for name in ("url", "agent")}), [], **options)
    cores, _ = _cluster(df.sparkSession)
    count = partitions or 4 * cores
    schema = StructType([*df.schema.fields, StructField(_HOST, StringType())])
    asked = df.mapInArrow(_Hosts(), schema)
    hosts = asked.select(_HOST).where(col(_HOST).isNotNull()).distinct()
    if isinstance(crawls, str | os.PathLike):
        lines = _lines_of(df.sparkSession, os.fspath(crawls), hosts)
    else:
        _expect(crawls, ["number", *CENSUS["normal"].names])
        of_asked = col("file.host") == hosts[_HOST]
        lines = crawls.withColumn("crawl", lit(None).cast("string")).join(hosts, of_asked, "left_semi")
    bucket = lambda host: pmod(xxhash64(host), lit(count)).alias("bucket")  # noqa: E731
    sides = asked.groupBy(bucket(col(_HOST))), lines.groupBy(bucket(col("file.host")))
    work = _Ask(kept, options)
    # Spark counts the parameters of a function.
    return sides[0].cogroup(sides[1]).applyInArrow(lambda asked, held: work(asked, held), _schema(df, kept, ANSWER))


_HOST = "_host_of_url"
"""The column of the hosts of questions, which has a name that nobody else chooses."""


def _lines_of(spark: SparkSession, folder: str, hosts: DataFrame) -> DataFrame:
    """The rows of ``census(…, rows="normal")`` for some hosts, from tables."""
    from pyspark.sql.functions import array, coalesce, col, collect_list, collect_set, lit, sort_array, struct, transform
    from pyspark.sql.types import StringType, StructField, StructType

    def read(name: str) -> DataFrame:
        path, fields = f"{folder}/{name}", _ddl_of(TABLES[name])
        _expect_columns(path, name, spark.read.parquet(path).columns)
        frame = spark.read.schema(f"{fields}, crawl string").parquet(path)
        for file in frame.inputFiles():
            parts[file.rsplit("/", 2)[1]][name].append(file)
        return frame

    if os.path.isdir(local := folder.removeprefix("file://")):
        # It also sees what a run says of itself.
        _census_parts(local)
    parts: dict[str, dict[str, list[str]]] = defaultdict(lambda: {name: [] for name in TABLES})
    tables = {name: read(name) for name in TABLES}
    for crawl in parts.values():
        _expect_finished(list(crawl.values()))
    own = {name: [column for column in schema.names if column != "file"] for name, schema in TABLES.items()}
    # A row without a host has that of its URL.
    urls = tables["files"].where(col("host").isNull() & col("url").isNotNull())
    urls = urls.mapInArrow(_Hosts(), StructType([*urls.schema.fields, StructField(_HOST, StringType())]))
    files = tables["files"].where(col("host").isNotNull()).unionByName(urls.withColumn("host", col(_HOST)).drop(_HOST))
    files = files.join(hosts, col("host") == col(_HOST), "left_semi")
    key = ["crawl", "file"]
    lines = files.select("crawl", "file", struct(*own["files"]).alias("row"))
    texts = tables["texts"].dropDuplicates(["hash"]).select("hash", "text")
    policies = tables["policies"].join(files.select(*key), key, "left_semi").join(texts, "hash", "left")
    policies = policies.groupBy(*key).agg(
        # The first column is the number of the policy.
        sort_array(collect_list(struct(*own["policies"]))).alias("policies"),
        collect_set(struct("hash", "text")).alias("texts"),
    )
    names = tables["names"].withColumn("place", col("_metadata.row_index")).join(files.select(*key), key, "left_semi")
    names = names.groupBy(*key).agg(sort_array(collect_list(struct("place", *own["names"]))).alias("names"))
    without_place = transform("names", lambda row: struct(*(row[name].alias(name) for name in own["names"])))
    lines = lines.join(policies, key, "left").join(names.withColumn("names", without_place), key, "left")
    columns = [coalesce(name, array()).alias(name) for name in ("policies", "names", "texts")]
    return lines.select("crawl", col("file").alias("number"), lit(2).cast("bigint").alias("v"), col("row").alias("file"), *columns)


def commoncrawl(
    spark: SparkSession, paths: Iterable[str], *, rulesets: bool = False, all_urls: bool = False,
    partitions: int | None = None, **options: Unpack[Options],
) -> DataFrame:
    """What Common Crawl's ``robotstxt_statistics.py`` makes of archives: lines by directive and value, and how many there are.

    A key is a directive in small letters and its value, or one of ``(empty line)``, ``(comment line)``, ``(bom stripped)``,
    ``(unknown line)``, ``(unknown directive)`` with its name, ``(ruleset)``, ``(ruleset too large)`` with the URL and
    ``(failed record)`` with the kind of error.

    Args:
        paths, all_urls, partitions: As for ``warc``, which also says what becomes of archives that cannot be read.
        rulesets: Add a key for each file: its URL, and the rules of each crawler that has some, as JSON.
        **options: See ``robosieve.Options``.

    Returns:
        The fields of ``STATISTICS``, each key once, in no order.

    Raises:
        TypeError, ValueError: As ``robosieve.sieve``, before any archive is read.
    """
    from pyspark.sql.functions import sum as total

    paths, options = list(paths), {"rulesets": rulesets, "all_urls": all_urls, **options}
    _Statistics(**options)
    work = _Counts(paths, None, options, _cluster(spark)[1], None)
    counts = _of_archives(spark, work, partitions, _ddl_of(STATISTICS))
    return counts.groupBy("key").agg(total("cnt").alias("cnt"))


def archives(
    df: DataFrame, agents: Agents | None, *, path: str = "path", content: str = "content", all_urls: bool = False,
    skipped: Any = None, **options: Unpack[Options],
) -> DataFrame:
    """The same as ``warc`` for archives that are in rows, as ``spark.read.format("binaryFile")`` has them.

    So Spark opens them, on any of its file systems. Each is in memory as a whole, and has at most 2 GB. Set
    ``spark.sql.execution.arrow.maxRecordsPerBatch`` to 1, or a worker gets many at once.

    Args:
        path: The column of the names: ``source`` in the records.
        content: The column of the archives.

    The other arguments are those of ``warc``.
    """
    agents = listed(agents)
    Archive(b"", agents, all_urls=all_urls, **options)
    _expect(df, [path, content])
    work = _Archives(path, content, agents, {"all_urls": all_urls, **options}, skipped)
    return df.select(path, content).mapInArrow(work, _ddl_of(RECORD))


def skipped_counter(spark: SparkSession) -> Any:
    """An accumulator for ``warc``: for each archive, the numbers of what gives no record.

    An archive that is read twice, because a worker was lost, counts once.
    """
    from pyspark.accumulators import AccumulatorParam

    class Latest(AccumulatorParam):  # type: ignore[type-arg]
        def zero(self, value: Any) -> dict[str, dict[str, int]]:
            return {}

        def addInPlace(self, value1: Any, value2: Any) -> Any:  # noqa: N802
            value1.update(value2)
            return value1

    return spark.sparkContext.accumulator({}, Latest())


@dataclasses.dataclass(frozen=True)
class _Found:
    """Adds what a function of ``robosieve.arrow`` finds in columns, by the names of its arguments."""

    find: Any
    columns: Mapping[str, str]
    kept: list[str]
    others: Mapping[str, Any]

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            given = {name: batch.column(column) for name, column in self.columns.items()}
            yield _joined(batch, self.kept, self.find(**given, **self.others))


@dataclasses.dataclass(frozen=True)
class _Warc:
    paths: list[str]
    agents: Any
    options: Mapping[str, Any]
    tries: int
    skipped: Any

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            for number in batch.column("id").to_pylist():
                yield from self._records(number)

    def _records(self, number: int) -> Batches:
        # In the last try, and if no further one can help, an error of the storage is a record.
        path, is_last = self.paths[number], self._is_last_try()
        try:
            source = open_archive(path)
            is_last |= isinstance(source, str) and not os.path.exists(source)
        except (FileNotFoundError, ValueError) as error:
            source, is_last = _Failing(error), True
        except Exception as error:
            if not is_last:
                raise
            source = _Failing(error)
        with contextlib.ExitStack() as stack:
            if not isinstance(source, str):
                stack.callback(source.close)
            yield from self._of(source, number, is_last)

    def _of(self, source: Any, number: int, is_last: bool) -> Batches:
        path = self.paths[number]
        errors = "record" if is_last else "raise"
        archive = Archive(source, self.agents, name=path, errors=errors, **self.options)
        yield from archive
        if self.skipped is not None and archive.skipped:
            self.skipped.add({path: archive.skipped})

    def _is_last_try(self) -> bool:
        from pyspark import TaskContext

        context = TaskContext.get()
        return context is not None and context.attemptNumber() + 1 >= self.tries


@dataclasses.dataclass(frozen=True)
class _Rows(_Warc):
    rows: str

    def _of(self, source: Any, number: int, is_last: bool) -> Batches:
        core, next_file = _Census(self.agents, self.rows, **self.options), number << 40
        for lines in core.archive(source, self.paths[number], raises=not is_last):
            table = _table(lines, self.rows)
            if self.rows == "normal":
                numbers = pa.array(range(next_file, next_file + table.num_rows), pa.int64())
                table, next_file = table.add_column(0, "number", numbers), next_file + table.num_rows
            yield from table.to_batches()


@dataclasses.dataclass(frozen=True)
class _Counts(_Warc):
    def _of(self, source: Any, number: int, is_last: bool) -> Batches:
        from pyarrow import json

        parsing = json.ParseOptions(STATISTICS)
        for lines in _Statistics(**self.options).archive(source, self.paths[number], raises=not is_last):
            reading = json.ReadOptions(block_size=len(lines) + 1)
            yield from json.read_json(pa.BufferReader(lines), reading, parsing).to_batches()


@dataclasses.dataclass(frozen=True)
class _Archives:
    path: str
    content: str
    agents: Any
    options: Mapping[str, Any]
    skipped: Any

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            for name, content in zip(batch.column(self.path), batch.column(self.content), strict=True):
                held = content.as_buffer()
                source = pa.BufferReader(held if held is not None else b"")
                archive = Archive(source, self.agents, name=name.as_py() or "-", **self.options)
                yield from archive
                if self.skipped is not None and archive.skipped:
                    self.skipped.add({name.as_py(): archive.skipped})


@dataclasses.dataclass(frozen=True)
class _Hosts:
    """Adds the hosts of questions."""

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            urls = column_of(batch.column("url"))
            [hosts] = array_of(pa.struct({_HOST: pa.string()}), _question_hosts(len(urls), buffers_of(urls))).flatten()
            yield pa.RecordBatch.from_arrays([*batch.columns, hosts], names=[*batch.schema.names, _HOST])


@dataclasses.dataclass(frozen=True)
class _Ask:
    """Answers the questions of some hosts."""

    kept: list[str]
    options: Mapping[str, Any]

    def __call__(self, questions: Any, lines: Any) -> Any:
        # The order of a folder, by crawl and file.
        lines = lines.take(pc.sort_indices(lines, sort_keys=[("crawl", "ascending"), ("number", "ascending")]))
        with warnings.catch_warnings():
            # A worker's warnings are read by nobody: `seen` says it.
            warnings.simplefilter("ignore")
            return answers_of(questions.select(self.kept), lines, **self.options)


class _Failing:
    """An archive that could not be opened."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def read(self, size: int) -> bytes:
        raise self._error

    def close(self) -> None:
        """Nothing is open."""


def _of_archives(spark: SparkSession, work: _Warc, partitions: int | None, fields: str) -> DataFrame:
    """The rows of archives. A range is divided evenly, and again in the same way if a task is repeated."""
    archives = len(work.paths)
    count = partitions or max(1, min(archives, max(1000, 4 * _cluster(spark)[0])))
    return spark.range(0, archives, 1, count).mapInArrow(work, fields)


def _joined(batch: Any, kept: list[str], found: Any) -> Any:
    """The columns that are kept, and the fields of a result."""
    fields = [found.type.field(at).name for at in range(found.type.num_fields)]
    return pa.RecordBatch.from_arrays([*(batch.column(name) for name in kept), *found.flatten()], names=[*kept, *fields])


def _expect(df: DataFrame, names: Iterable[str]) -> None:
    for name in names:
        if name not in df.columns:
            raise ValueError(f"there is no column {name!r}: the columns are {', '.join(df.columns)}")


def _kept(df: DataFrame, result: Any, keep: Iterable[str] | None, but: list[str]) -> list[str]:
    """The columns that are kept."""
    kept = [name for name in df.columns if name not in but] if keep is None else list(keep)
    _expect(df, [*kept, *but])
    fields = {result.field(at).name for at in range(result.num_fields)}
    twice = [name for name in kept if name in fields or kept.count(name) > 1 or df.columns.count(name) > 1]
    if twice:
        raise ValueError(f"two columns of the result would be named {twice[0]!r}: rename that of the input, or name the "
                         "columns to keep with keep=[…]")
    return kept


def _schema(df: DataFrame, kept: list[str], result: Any) -> Any:
    """The schema of the columns that are kept and of a result."""
    from pyspark.sql.types import StructType

    return StructType([df.schema[name] for name in kept] + StructType.fromDDL(_ddl_of(result)).fields)


def _ddl_of(fields: Any) -> str:
    """The columns of Arrow in the words of Spark."""
    return ", ".join(f"`{field.name}` {_type_of(field.type)}" for field in fields)


def _type_of(kind: Any) -> str:
    names = {pa.int32(): "int", pa.int64(): "bigint", pa.float64(): "double", pa.bool_(): "boolean", pa.string(): "string"}
    if pa.types.is_struct(kind):
        return f"struct<{', '.join(f'`{field.name}`: {_type_of(field.type)}' for field in kind)}>"
    if pa.types.is_map(kind):
        return f"map<{_type_of(kind.key_type)}, {_type_of(kind.item_type)}>"
    if pa.types.is_list(kind):
        return f"array<{_type_of(kind.value_type)}>"
    return names[kind]


def _cluster(spark: SparkSession) -> tuple[int, int]:
    """The number of cores, and how often a task is tried."""
    try:
        context = spark.sparkContext
        is_local = context.master == "local" or context.master.startswith("local[")
        tries = 1 if is_local else int(context.getConf().get("spark.task.maxFailures", "4"))
        return context.defaultParallelism, tries
    except Exception:
        # Spark Connect does not say.
        return 1, 4


if __name__ == "__main__":
    from robosieve._spark_command import main

    sys.exit(main())
