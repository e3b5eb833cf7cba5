"""Spark: filters and tests the rows of a DataFrame, and reads whole archives, in the workers.

It needs ``pyspark`` and ``pyarrow``, for URIs ``fsspec``, and this package in every worker. Rows go to the workers and back as Arrow columns.

``policies`` and ``verdicts`` are ``robosieve.arrow`` for DataFrames. ``warc`` reads archives, as ``robosieve batch`` does.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ._agents import Agents, listed
from ._columns import pa
from .arrow import SIEVED, VERDICT, sieve
from .arrow import verdicts as test_columns
from .warc import RECORD, Archive

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from typing_extensions import Unpack

    from ._values import Options

__all__ = ["policies", "verdicts", "warc"]

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
    return _with_found(df, sieve, {"array": body}, SIEVED, keep, {"agents": listed(agents), **options})


def verdicts(
    df: DataFrame, agents: Agents, *, body: str = "body", url: str = "url", keep: Iterable[str] | None = None,
    **options: Unpack[Options],
) -> DataFrame:
    """Tests the URL of each row by the file of that row. Rows with a null are null.

    A file is parsed once for rows that follow one another: sort by file within partitions if each has many URLs.

    Args:
        url: The column of the URLs: binary or string.

    The other arguments are those of ``policies``. Returns the columns that are kept, and the fields of
    ``robosieve.arrow.VERDICT``. Raises what ``policies`` raises.
    """
    columns = {"bodies": body, "urls": url}
    return _with_found(df, test_columns, columns, VERDICT, keep, {"agents": listed(agents), **options})


def warc(
    spark: SparkSession, paths: Iterable[str], agents: Agents | None, *, all_urls: bool = False,
    partitions: int | None = None, errors: str = "raise", **options: Unpack[Options],
) -> DataFrame:
    """The records of archives, as ``robosieve batch`` makes them, with the schema ``robosieve.warc.RECORD``.

    Each archive is read by one task, as a stream. A corrupt record is a row with an ``error``.

    Args:
        paths: Paths that every worker can open, or URIs that fsspec can open in the workers (https, s3, gs, abfs, hdfs).
        partitions: The number of tasks. If it is not given, one for each archive, up to a thousand.

    The other arguments are those of ``robosieve.warc.Archive``. Spark tries a task again that raises an error.

    Raises:
        TypeError, ValueError: As ``robosieve.sieve``, before any archive is read.
    """
    paths, agents = list(paths), listed(agents)
    Archive(b"", agents, all_urls=all_urls, errors=errors, **options)
    work = _Warc(paths, agents, {"all_urls": all_urls, "errors": errors, **options})
    from pyspark.sql.pandas.types import from_arrow_schema

    # A range is divided evenly, and again in the same way if a task is repeated.
    count = partitions or max(1, min(len(paths), 1_000))
    return spark.range(0, len(paths), 1, count).mapInArrow(work, from_arrow_schema(RECORD))


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
            found = self.find(**given, **self.others)
            kept = [batch.column(name) for name in self.kept]
            names = [*self.kept, *(field.name for field in found.type)]
            yield pa.RecordBatch.from_arrays([*kept, *found.flatten()], names=names)


@dataclasses.dataclass(frozen=True)
class _Warc:
    """Reads archives by their numbers."""

    paths: list[str]
    agents: Any
    options: Mapping[str, Any]

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            for number in batch.column("id").to_pylist():
                path = self.paths[number]
                with _opened(path, self.options["errors"]) as source:
                    yield from Archive(source, self.agents, name=path, **self.options)


@contextlib.contextmanager
def _opened(path: str, errors: str) -> Iterator[Any]:
    """A path as it is, or what fsspec opens."""
    if "://" not in path:
        yield path
        return
    import fsspec

    try:
        opened = fsspec.open(path, "rb").open()
    except OSError as error:
        if errors == "raise":
            raise
        opened = _Failing(error)
    with contextlib.closing(opened):
        yield opened


@dataclasses.dataclass
class _Failing:
    """An archive that could not be opened."""

    error: Exception

    def read(self, size: int) -> bytes:
        raise self.error

    def close(self) -> None:
        """Nothing is open."""


def _with_found(
    df: DataFrame, find: Any, columns: Mapping[str, str], result: Any, keep: Iterable[str] | None, others: Mapping[str, Any]
) -> DataFrame:
    """The columns that are kept, and what is found in those of the arguments, of which the first one has the files."""
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import StructType

    # Wrong arguments are errors before the job.
    find(**dict.fromkeys(columns, pa.array([], pa.binary())), **others)
    body, *_ = columns.values()
    kept = [name for name in df.columns if name != body] if keep is None else list(keep)
    for name in (*kept, *columns.values()):
        if name not in df.columns:
            raise ValueError(f"there is no column {name!r}: the columns are {', '.join(df.columns)}")
    fields = [field.name for field in result]
    for name in kept:
        if name in fields or kept.count(name) > 1 or df.columns.count(name) > 1:
            raise ValueError(f"two columns of the result would be named {name!r}: rename that of the input, or name the "
                             "columns to keep with keep=[…]")
    schema = StructType([df.schema[name] for name in kept] + from_arrow_schema(pa.schema(list(result))).fields)
    # A column that is kept may be an argument, too, but is needed once.
    needed = dict.fromkeys([*kept, *columns.values()])
    return df.select(*needed).mapInArrow(_Found(find, columns, kept, others), schema)
