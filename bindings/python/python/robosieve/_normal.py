"""The normal form of a census as columns: its lines, its tables, and questions to them.

Invariant: the columns are those of ``_core``, and questions are read and answered there. Of a folder of tables, only
the rows of sites that are asked about are held, and those of one group of files at a time.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ._columns import array_of, buffers_of, column_of, pa, pc, whole
from ._core import _Asking, _census_columns, _census_parts, _census_running

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._values import Options

_TYPES = {
    "text": pa.string(),
    "count": pa.int64(),
    "seconds": pa.float64(),
    "flag": pa.bool_(),
    "list": pa.list_(pa.string()),
    "counts": pa.map_(pa.string(), pa.int64()),
}


def _schema_of(rows: str, table: str | None = None) -> pa.Schema:
    columns = _census_columns(rows, table)
    return pa.schema([pa.field(name, _TYPES[holds], nullable) for name, holds, nullable in columns])


TABLES = {name: _schema_of("normal", name) for name in ("files", "policies", "names", "texts")}
"""The schemas of ``tables``: the columns of the tables that the command's ``census`` writes. ``file``, the number of
the file, joins the first three."""


def _struct_of(table: str) -> pa.DataType:
    """A row of a table in a line. The reader of lines has no fields that cannot be null."""
    return pa.struct([(field.name, field.type) for field in TABLES[table] if field.name != "file"])


CENSUS = {
    "agents": _schema_of("agents"),
    "files": _schema_of("files"),
    "normal": pa.schema(
        [pa.field("v", pa.int64(), False), pa.field("file", _struct_of("files"), False)]
        + [pa.field(name, pa.list_(_struct_of(name)), False) for name in ("policies", "names", "texts")]
    ),
}
"""The schemas of ``census``, for each of its ``rows``: the columns of the command's ``census``."""

ANSWER = pa.struct(
    {
        "allowed": pa.bool_(),
        "line": pa.int32(),
        "status": pa.string(),
        "hash": pa.string(),
        "crawl": pa.string(),
        "seen": pa.string(),
        "error": pa.string(),
    }
)
"""The fields that ``ask`` adds. ``error`` is the reason of a question that cannot be answered."""

MAX_PARTS = 1 << 22
"""The number of a part is less than this: that of the command."""

_ROUND = 1 << 22
"""Questions for which a census is read once: those of the command."""

_ROWS = 1 << 16
"""Answers that are handed over at once: their texts are far below 2 GiB."""


class Tables(NamedTuple):
    """The tables of the normal form."""

    files: Any
    """What is known of each file."""
    policies: Any
    """What it says to all crawlers that have the same answer."""
    names: Any
    """Which policy each name has: ``*`` first."""
    texts: Any
    """The canonical texts, each once."""


def tables(normal: Any, part: int = 0) -> Tables:
    """The tables of the normal form, as the command's ``census -o FOLDER`` writes them.

    Args:
        normal: What ``census(…, rows="normal")`` returned, or anything with its columns and the Arrow interface.
        part: The number of the part, from 0: that of the command's ``--part``. It makes the numbers of files differ.

    Returns:
        ``pyarrow.Table`` with the schemas ``TABLES``: the named tuple ``Tables``.

    Raises:
        ValueError: If a column is missing, or there is no such part.

    >>> import pyarrow as pa
    >>> from robosieve.arrow import census, tables
    >>> made = tables(census(pa.array([b"User-agent: GPTBot\\nDisallow: /"]), rows="normal"))
    >>> [(row["agent"], row["policy"]) for row in made.names.to_pylist()]
    [('*', 0), ('GPTBot', 1)]
    >>> made.policies["status"].to_pylist()
    ['none', 'all']
    """
    if not 0 <= part < MAX_PARTS:
        raise ValueError(f"part must be 0 to {MAX_PARTS - 1}, not {part}")
    made: dict[str, list[pa.Table]] = {name: [] for name in TABLES}
    known: set[str] = set()
    first = part << 40
    for batch in _lines(normal).to_batches():
        numbers = pa.array(range(first, first + batch.num_rows), pa.int64())
        first += batch.num_rows
        for name, schema in TABLES.items():
            rows = batch.column("file" if name == "files" else name)
            columns = [numbers] if name == "files" else []
            if name in ("policies", "names"):
                columns = [numbers.take(pc.list_parent_indices(rows))]
            rows = rows if name == "files" else pc.list_flatten(rows)
            table = pa.Table.from_arrays([*columns, *rows.flatten()], schema=schema)
            if name == "texts":
                is_new = [not (text in known or known.add(text)) for text in table["hash"].to_pylist()]
                table = table.filter(pa.array(is_new, pa.bool_()))
            made[name].append(table)
    return Tables(**{name: pa.concat_tables([TABLES[name].empty_table(), *held]) for name, held in made.items()})


def _lines(normal: Any) -> pa.Table:
    """Lines of the normal form, with its columns."""
    normal, schema = pa.table(normal), CENSUS["normal"]
    for name in schema.names:
        if name not in normal.column_names:
            raise ValueError(f"there is no column {name!r} of a census: make it with rows=\"normal\"")
    return normal.select(schema.names).cast(schema)


def ask(questions: Any, crawls: Any, **options: Unpack[Options]) -> Any:
    """Answers whether crawlers might fetch pages at some time, by a census: what the command's ``census ask`` answers.

    Args:
        questions: A table: a ``pyarrow.Table``, a frame of Polars, or anything with the Arrow interface. ``url`` is the
            page and ``agent`` a product token or ``*``. ``time`` is optional: texts such as ``2026-01``, dates, or
            timestamps with a time zone. Without one, the last observation answers.
        crawls: The census: a folder of tables as Parquet, that the command or Spark wrote, or a file with lines of the
            normal form (.ndjson, also packed); or what ``census(…, rows="normal")`` returned; or a list of these.
        **options: See ``robosieve.Options``: those that the census was made with.

    Returns:
        A ``pyarrow.Table`` with the columns of the questions and the fields of ``ANSWER``: whether the page may be
        fetched, which is null if it is not known, the line of the policy's text that decides, how much of the site is
        closed, the hash of the text, and the crawl and the time of the observation. A question that cannot be answered
        has an ``error``.

    Raises:
        OSError: If the census cannot be read.
        TypeError: If a column of the questions has another type.
        ValueError: If it is none or lacks rows, a line is none of it, it was made with other options, or a column of the
            questions is missing or has the name of a field of ``ANSWER``.

    A warning names the number of observations without a time: each of them could be the last, and the strictest
    answers. Another names a run that has not written its tables yet. For each 4,194,304 questions the census is read
    once, and each text is parsed once.

    >>> import pyarrow as pa
    >>> from robosieve.arrow import ask, census
    >>> body = pa.array([b"User-agent: GPTBot\\nDisallow: /private"])
    >>> seen = census(body, urls=pa.array(["https://e.com/robots.txt"]), rows="normal")
    >>> answers = ask({"url": ["https://e.com/private", "/"], "agent": ["GPTBot", "GPTBot"]}, seen)
    >>> answers.select(["allowed", "line", "status", "error"]).to_pylist()[0]
    {'allowed': False, 'line': 2, 'status': 'some', 'error': None}
    >>> answers["error"][1].as_py()
    'bad-url: /: is no http or https URL: write it as a whole'
    """
    asked = pa.table(questions)
    for name in ("url", "agent"):
        if name not in asked.column_names:
            raise ValueError(f"there is no column {name!r}: the columns are {', '.join(asked.column_names)}")
    taken = [field.name for field in ANSWER if field.name in asked.column_names]
    if taken:
        raise ValueError(f"two columns of the result would be named {taken[0]!r}: rename that of the questions")
    columns = [column_of(asked["url"]), column_of(asked["agent"])]
    columns.append(_times(asked["time"]) if "time" in asked.column_names else None)
    stored = list(crawls) if isinstance(crawls, list | tuple) else [crawls]
    for running in (_census_running(os.fspath(one)) for one in stored if _is_folder(one)):
        if running:
            warnings.warn(f"{running}: its run has not ended, and nothing that it reads is in the answers", stacklevel=2)
    answers: list[pa.Array] = []
    undated = 0
    for at in range(0, max(asked.num_rows, 1), _ROUND):
        count = min(_ROUND, asked.num_rows - at)
        given = [None if column is None else buffers_of(whole(column.slice(at, _ROUND))) for column in columns]
        asking = _Asking(count, *given, **options)
        texts = [_read(asking, one) for one in stored]
        for crawls in texts:
            _read_texts(asking, crawls)
        found, unread, first = asking.finish()
        undated = max(undated, found)
        if unread:
            more = [f"{unread - len(first)} more"] if unread > len(first) else []
            what = "is not a line" if len(first) + len(more) == 1 else "are not lines"
            raise ValueError(f"{', '.join([*first, *more])}: {what} that `robosieve census` writes for a file")
        parts = range(0, count, _ROWS)
        answers += [array_of(ANSWER, asking.answers(part, min(_ROWS, count - part))) for part in parts]
    if undated:
        files = "1 file" if undated == 1 else f"{undated} files"
        warnings.warn(f"{files} of these sites: no time that can be read, so each could be the last", stacklevel=2)
    made = pa.Table.from_struct_array(pa.chunked_array(answers, ANSWER))
    for name in made.column_names:
        asked = asked.append_column(name, made[name])
    return asked


def _times(times: pa.ChunkedArray) -> pa.ChunkedArray:
    """Times in the words of questions."""
    if pa.types.is_timestamp(times.type):
        if times.type.tz is None:
            raise ValueError("a column of times has no time zone, so nobody knows when they are")
        # Not rounded towards 1970.
        seconds = pc.floor_temporal(times, unit="second").cast(pa.timestamp("s", "UTC"))
        return pc.strftime(seconds, format="%Y-%m-%dT%H:%M:%SZ")
    return times.cast(pa.string()) if pa.types.is_date(times.type) else column_of(times)


def _is_folder(stored: Any) -> bool:
    """Whether it is a folder with tables."""
    is_path = isinstance(stored, str | os.PathLike)
    return is_path and all(Path(stored, name).is_dir() for name in ("files", "policies", "names"))


def _read(asking: _Asking, stored: Any) -> list[list[Path]]:
    """Reads what is stored of the sites that are asked about. Of a folder of tables, the files with texts of each crawl
    are left to be read."""
    if _is_folder(stored):
        crawls = _census_parts(os.fspath(stored))
        for crawl, *rows in _groups(crawls, pa.array(asking.hosts(), pa.string())):
            asking.add(crawl, *map(_texts_of, rows))
        return [texts for _, (*_, texts) in crawls]
    if isinstance(stored, str | os.PathLike):
        asking.read(os.fspath(stored))
        return []
    lines = pa.table(stored)
    named = lines["crawl"] if "crawl" in lines.column_names else pa.nulls(lines.num_rows, pa.string())
    host = _host_of(lines)
    is_asked = pc.or_(pc.is_in(host, pa.array(asking.hosts(), pa.string())), pc.is_null(host))
    for crawl in pc.unique(named).to_pylist():
        is_it = pc.is_null(named) if crawl is None else pc.equal(named, crawl)
        made = tables(lines.filter(pc.and_(is_asked, pc.fill_null(is_it, False))))
        asking.add(crawl, *map(_texts_of, made[:3]))
        asking.add_texts(_texts_of(made.texts))
    return []


def _host_of(lines: pa.Table) -> Any:
    if "file" not in lines.column_names:
        _lines(lines)
    return pc.struct_field(lines["file"], "host")


def _groups(crawls: list[tuple[str, list[list[Path]]]], hosts: pa.Array) -> Iterator[tuple[str, pa.Table, pa.Table, pa.Table]]:
    """The rows of these hosts: the name of the crawl, and those of some files, of their policies and of their names."""
    from pyarrow.parquet import ParquetFile

    for crawl, (parts, *others, _) in crawls:
        policies, names = (_dataset(paths, name) for paths, name in zip(others, ("policies", "names"), strict=True))
        for path in parts:
            with ParquetFile(path) as held:
                _expect_columns(path, "files", held.schema_arrow.names)
                for group in range(held.num_row_groups):
                    host = held.read_row_group(group, ["host"])["host"].cast(pa.string())
                    # A row without a host is read: its URL may have one.
                    asked = pc.or_(pc.is_in(host, hosts), pc.is_null(host))
                    if not pc.any(asked).as_py():
                        continue
                    files = _in_order(held.read_row_group(group, TABLES["files"].names).filter(asked))
                    yield crawl, files, _of_files(policies, files["file"]), _of_files(names, files["file"])


def _of_files(dataset: Any, numbers: pa.ChunkedArray) -> pa.Table:
    """The rows of these files, in the order of the files. Groups of other files are not read."""
    import pyarrow.dataset as ds

    file, ends = ds.field("file"), pc.min_max(numbers).as_py()
    is_near = (file >= ends["min"]) & (file <= ends["max"])
    return _in_order(dataset.to_table(filter=is_near & file.isin(whole(numbers))))


def _in_order(table: pa.Table) -> pa.Table:
    """By file. Rows of one keep their order."""
    return table.take(pc.sort_indices(table, sort_keys=[("file", "ascending")]))


def _dataset(paths: list[Path], name: str) -> Any:
    """A table of these files."""
    import pyarrow.dataset as ds
    from pyarrow.parquet import read_schema

    for path in paths:
        _expect_columns(path, name, read_schema(path).names)
    # What a file says of nulls is its own affair: `_core` looks at each cell.
    schema = pa.schema([field.with_nullable(True) for field in TABLES[name]])
    return ds.dataset(list(map(str, paths)), schema, "parquet") if paths else ds.dataset(schema.empty_table())


def _expect_columns(path: Path | str, name: str, held: list[str]) -> None:
    for column in TABLES[name].names:
        if column not in held:
            raise ValueError(f"{path}: has no column `{column}` of a census of version 2")


def _read_texts(asking: _Asking, crawls: list[list[Path]]) -> None:
    """Reads the texts of crawls that are needed, and were not read yet."""
    import pyarrow.dataset as ds

    wanted = asking.wanted() if crawls else []
    if wanted:
        for texts in crawls:
            for batch in _dataset(texts, "texts").to_batches(filter=ds.field("hash").isin(wanted)):
                asking.add_texts(_texts_of(pa.table(batch)))


def _texts_of(table: pa.Table) -> tuple[int, list[Any]]:
    """The rows of a table for ``_core``: each column as text."""
    return table.num_rows, [buffers_of(whole(column.cast(pa.large_string()))) for column in table.columns]
