"""Spark: filters and tests the rows of a DataFrame, and reads whole archives, in the workers.

It needs ``pyspark`` and ``pyarrow``, and this package in every worker. Rows go to the workers and back as Arrow columns.

``policies``, ``verdicts`` and ``signals`` are ``robosieve.arrow`` for DataFrames. ``warc`` reads archives, as ``robosieve batch`` does.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import time as clock
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ._storage import open_archive
from ._agents import listed
from ._columns import pa
from .arrow import SIEVED, SIGNALS, VERDICT, Agents, sieve
from .arrow import signals as signals_of
from .arrow import verdicts as test_columns
from .warc import RECORD, Archive

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from typing_extensions import Unpack

    from ._values import Options

__all__ = ["policies", "signals", "skipped_counter", "verdicts", "warc"]

Batches = Iterator[Any]

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
