"""``python -m robosieve.spark``: reads whole sets of archives with Spark, and writes Parquet."""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import sys
import time
import urllib.parse
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from . import __version__
from ._core import _finding_classes, _harmless
from ._storage import local_path, scheme_of
from ._summary import of_records, words

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FINE, FAILED, HAS_FAILURES = 0, 2, 3


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        tell(f"{message}; try `python -m robosieve.spark --help`")
        sys.exit(FAILED)


def _arguments() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m robosieve.spark",
        description="Reads the robots.txt files of WARC archives with Spark, and writes a record and a canonical text of "
        "each to Parquet. The fields are those of `robosieve batch`.",
        epilog="Exit codes: 0 success; 2 wrong arguments, or Spark failed; 3 some records are failed or refused. "
        "Spark is configured as usual: by spark-defaults.conf, PYSPARK_SUBMIT_ARGS, or spark-submit.",
    )
    parser.add_argument("--version", action="version", version=f"robosieve {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    warc = commands.add_parser("warc", help="read WARC archives", description=parser.description, epilog=parser.epilog)
    _add_archives(warc)
    who = warc.add_mutually_exclusive_group(required=True)
    who.add_argument("--agent", "-a", metavar="NAME", action="append",
                     help="your crawler's product token; several, the preferred first")
    who.add_argument("--all-agents", action="store_true", help="keep the groups of all agents")
    warc.add_argument("--form", choices=["faithful", "portable"], help="whom the text is for [default: faithful]")
    warc.add_argument("--on-over-limit", dest="over_limit", choices=["drop", "widen", "refuse"],
                         help="what happens to a rule over a limit [default: drop]")
    warc.add_argument("--max-findings", metavar="N", type=int, help="findings that a report shows [default: 0]")
    warc.add_argument("--through-spark", action="store_true",
                         help="let Spark open the archives, on any of its file systems: each in memory, of 2 GB at most")
    warc.add_argument("--dedup", action="store_true",
                         help="store each text once: OUT/records without texts, and OUT/texts by hash")
    _add_run(warc)
    census = commands.add_parser(
        "census", help="make a table of files and crawlers",
        description="Makes a row for each robots.txt file of WARC archives and crawler: how much of the site is closed to it, by "
        "which group, crawl delay, uses of content. The columns are those of `robosieve census`. Parquet in OUT is partitioned "
        "by `crawl`, the name as CC-MAIN-2026-05 in the path of an archive, or none. With `--rows normal`, OUT has the four tables "
        "files, policies, names and texts, which `robosieve census ask` and `robosieve.spark.ask` read.",
        epilog=parser.epilog,
    )
    _add_archives(census)
    census.add_argument("--agents", metavar="LIST", default="*,known:ai",
                        help="crawlers, separated by commas: names, `*`, known, known:KIND, named, or files of names "
                        "[default: *,known:ai]")
    census.add_argument("--rows", choices=["agents", "files", "normal"], default="agents",
                        help="what has a row; normal: the tables of the normal form [default: agents]")
    _add_run(census)
    counts = commands.add_parser(
        "commoncrawl", help="count lines by directive and value",
        description="Writes what Common Crawl's robotstxt_statistics.py writes: key {directive, value} and cnt, as Parquet. "
        "SPEC.md says where it differs, under [spark.commoncrawl].",
        epilog=parser.epilog,
    )
    _add_archives(counts)
    counts.add_argument("--extract-rulesets", "--extract_rulesets", action="store_true",
                        help="add the ruleset of each file as JSON: its URL, and the rules of each crawler")
    _add_run(counts)
    return parser


def _add_archives(command: argparse.ArgumentParser) -> None:
    command.add_argument("paths", metavar="PATH", nargs="*",
                         help="an archive: .warc, .warc.gz or .warc.zst; a path that all workers can open, or a URI "
                         "(https, s3, s3a, gs, hdfs …)")
    command.add_argument("--files-from", metavar="LIST", help="a file with more of them, one a line; it may be packed with gzip")
    command.add_argument("--prefix", metavar="URI", default="",
                         help="is put before each name of the list, as https://data.commoncrawl.org/")
    command.add_argument("-o", "--output", metavar="OUT", required=True, help="the directory to write; it must not exist yet")


def _add_run(command: argparse.ArgumentParser) -> None:
    command.add_argument("--dialect", choices=["standard", "google", "processor"], help="whose reading [default: standard]")
    command.add_argument("--max-bytes", metavar="N", type=int, help="bytes that are read of a file [default: 512000]")
    command.add_argument("--all-urls", action="store_true", help="read all responses, not only those of /robots.txt")
    command.add_argument("--partitions", metavar="N", type=_count, help="the number of tasks, and of files in OUT")
    command.add_argument("--summary", choices=["json"], help="print the summary as JSON on the standard output")
    command.add_argument("--quiet", "-q", action="store_true", help="print no summary")


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return count


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command. Returns its exit code."""
    given = _arguments().parse_args(arguments)
    try:
        import pyspark.errors as spark_errors
        from pyspark.sql import SparkSession

        from . import spark as functions
    except ImportError as error:
        tell(f"{error}; this needs: pip install pyspark pyarrow")
        return FAILED
    try:
        paths = [*given.paths, *_listed(given)]
        if not paths:
            raise ValueError("name an archive, or a list with --files-from")
        session = SparkSession.builder.appName("robosieve").getOrCreate()
        _choose_python(session)
        _expect_there(session, given.paths)
        _expect_free(session, given.output)
        started = time.monotonic()
        if given.command == "census":
            return _census(session, functions, paths, given)
        if given.command == "commoncrawl":
            return _counts(session, functions, paths, given)
        skipped = functions.skipped_counter(session)
        frame = _records(session, functions, paths, given, skipped)
        summary = _write(session, frame, given)
        summary["skipped"] = _total(skipped.value)
        summary["seconds"] = round(time.monotonic() - started, 3)
    except (ValueError, OSError) as error:
        tell(str(error))
        return FAILED
    except spark_errors.PySparkException as error:
        tell(f"Spark failed: {_cause(error)}; {given.output} is not complete")
        return FAILED
    _report(given, summary)
    return HAS_FAILURES if summary["failures"] else FINE


def _choose_python(session: SparkSession) -> None:
    """Workers on this machine run this interpreter, which has this package, and not the `python3` of PATH."""
    if session.sparkContext.master.startswith("local") and "PYSPARK_PYTHON" not in os.environ:
        session.sparkContext.pythonExec = sys.executable


def _cause(error: Exception) -> str:
    """The first line of an error of Spark, and the last one of a Python error in a worker."""
    text = str(error).strip()
    first = text.partition("\n")[0].strip() or type(error).__name__
    raised = re.findall(r"Traceback \(most recent call last\):\n(?:[ \t].*\n)*(\S.*)", text)
    return f"{first.rstrip(':.')}: {raised[-1].strip()}" if raised else first


def _census(session: SparkSession, functions: Any, paths: list[str], given: argparse.Namespace) -> int:
    """Writes the table of files and crawlers."""
    from pyspark.sql.functions import coalesce, lit, nullif, regexp_extract

    started = time.monotonic()
    rows = functions.census(session, paths, given.agents, rows=given.rows, all_urls=given.all_urls,
                            partitions=given.partitions, **_reading(given))
    if given.rows == "normal":
        return _tables(session, functions, rows, given, started)
    crawl = regexp_extract("source", r"CC-MAIN-\d{4}-\d\d", 0)
    # A null would be a partition that pandas and pyarrow cannot read.
    crawl = coalesce(nullif(crawl, lit("")), lit("none"))
    rows.withColumn("crawl", crawl).write.partitionBy("crawl").parquet(given.output)
    written = session.read.parquet(given.output)
    counts = {name: {row[0]: row["count"] for row in written.groupBy(name).count().collect()} for name in ("status", "outcome")}
    summary = {"rows": sum(counts["status"].values()), "statuses": dict(sorted(counts["status"].items())),
               "outcomes": dict(sorted(counts["outcome"].items())), "seconds": round(time.monotonic() - started, 3)}
    if given.summary == "json":
        print(json.dumps({"v": 1, "summary": summary}))
    elif not given.quiet:
        listed = ", ".join(f"{count} {status}" for status, count in summary["statuses"].items())
        tell(f"{summary['rows']} rows in {summary['seconds']} s: {listed}")
    return HAS_FAILURES if counts["outcome"].get("failed") else FINE


def _tables(session: SparkSession, functions: Any, rows: DataFrame, given: argparse.Namespace, started: float) -> int:
    """Writes the tables of the normal form: `files` last, which readers follow."""
    from pyspark import StorageLevel

    held = rows.persist(StorageLevel.DISK_ONLY)
    try:
        for name, table in reversed([*functions.tables(held)._asdict().items()]):
            table.write.option("compression", "zstd").partitionBy("crawl").parquet(f"{given.output}/{name}")
    finally:
        held.unpersist()
    written = {name: session.read.parquet(f"{given.output}/{name}") for name in functions.Tables._fields}
    counts: dict[str, Any] = {name: table.count() for name, table in written.items()}
    counts["outcomes"] = dict(sorted((row[0], row["count"]) for row in written["files"].groupBy("outcome").count().collect()))
    summary = {**counts, "seconds": round(time.monotonic() - started, 3)}
    if given.summary == "json":
        print(json.dumps({"v": 1, "summary": summary}))
    elif not given.quiet:
        listed = ", ".join(f"{counts[name]} {name}" for name in written)
        tell(f"{listed} in {summary['seconds']} s")
    return HAS_FAILURES if counts["outcomes"].get("failed") else FINE


def _counts(session: SparkSession, functions: Any, paths: list[str], given: argparse.Namespace) -> int:
    """Writes the counts of lines."""
    from pyspark.sql.functions import sum as total

    started = time.monotonic()
    rows = functions.commoncrawl(session, paths, rulesets=given.extract_rulesets, all_urls=given.all_urls,
                                 partitions=given.partitions, **_reading(given))
    rows.write.parquet(given.output)
    written = session.read.parquet(given.output).groupBy("key.directive").agg(total("cnt"))
    counts = dict(sorted((row[0], row[1]) for row in written.collect()))
    summary = {"counts": counts, "seconds": round(time.monotonic() - started, 3)}
    if given.summary == "json":
        print(json.dumps({"v": 1, "summary": summary}))
    elif not given.quiet:
        listed = ", ".join(f"{count} {directive}" for directive, count in counts.items())
        tell(f"counted in {summary['seconds']} s: {listed}")
    return HAS_FAILURES if counts.get("(failed record)") else FINE


def _records(session: SparkSession, functions: Any, paths: list[str], given: argparse.Namespace, skipped: Any) -> DataFrame:
    agents, options = None if given.all_agents else given.agent, _options(given)
    if not given.through_spark:
        return functions.warc(session, paths, agents, all_urls=given.all_urls, partitions=given.partitions,
                              skipped=skipped, **options)
    # One archive at a time goes to a worker.
    session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1")
    files = session.read.format("binaryFile").load(paths)
    files = files if given.partitions is None else files.repartition(given.partitions)
    return functions.archives(files, agents, all_urls=given.all_urls, skipped=skipped, **options)


def _listed(given: argparse.Namespace) -> list[str]:
    """The names in a list."""
    if given.files_from is None:
        return []
    try:
        held = Path(given.files_from).read_bytes()
    except OSError as error:
        raise ValueError(f"{given.files_from}: {error.strerror or error}; check the path") from error
    if held.startswith(b"\x1f\x8b"):
        try:
            held = gzip.decompress(held)
        except (EOFError, OSError, zlib.error) as error:
            raise ValueError(f"{given.files_from}: {error}") from error
    return [given.prefix + os.fsdecode(line.strip()) for line in held.splitlines() if line.strip()]


def _expect_there(session: SparkSession, paths: list[str]) -> None:
    """Whether the archives that the command line names are there, as far as this machine can say. What a list names is a
    row when it is read."""
    if not session.sparkContext.master.startswith("local"):
        return
    absent = [path for path in paths if scheme_of(path) in ("", "file") and not os.path.exists(local_path(path))]
    if absent:
        more = f" ({len(absent) - 1} more)" if absent[1:] else ""
        raise ValueError(f"{absent[0]}: there is no such file{more}; nothing was written")


def _expect_free(session: SparkSession, output: str) -> None:
    """Whether there is nothing at the place of the output yet, on any file system of Spark."""
    java = session._jvm
    path = java.org.apache.hadoop.fs.Path(output)
    if path.getFileSystem(session._jsc.hadoopConfiguration()).exists(path):
        raise ValueError(f"{output}: exists already: name another directory, or remove it")


def _options(given: argparse.Namespace) -> dict[str, Any]:
    options = {name: getattr(given, name) for name in ("form", "over_limit", "max_findings")}
    return {**_reading(given), **{name: value for name, value in options.items() if value is not None}}


def _reading(given: argparse.Namespace) -> dict[str, Any]:
    """The options that all commands have."""
    options = {"dialect": given.dialect, "limits": None if given.max_bytes is None else {"max_bytes": given.max_bytes}}
    return {name: value for name, value in options.items() if value is not None}


def _write(session: SparkSession, frame: DataFrame, given: argparse.Namespace) -> dict[str, Any]:
    """Writes the output, and counts what was written."""
    if not given.dedup:
        frame.write.parquet(given.output)
        return of_records(session.read.parquet(given.output))
    from pyspark import StorageLevel

    held = frame.persist(StorageLevel.DISK_ONLY)
    try:
        held.drop("text").write.parquet(f"{given.output}/records")
        texts = held.where("hash IS NOT NULL").select("hash", "text").dropDuplicates(["hash"])
        texts.write.parquet(f"{given.output}/texts")
        distinct = session.read.parquet(f"{given.output}/texts").count()
        return {**of_records(held), "distinct": distinct}
    finally:
        held.unpersist()


def _total(counts: dict[str, dict[str, int]]) -> dict[str, int]:
    """The sums over archives."""
    total: dict[str, int] = {}
    for one in counts.values():
        for kind, count in one.items():
            total[kind] = total.get(kind, 0) + count
    return dict(sorted(total.items()))


def _report(given: argparse.Namespace, summary: dict[str, Any]) -> None:
    if given.summary == "json":
        print(json.dumps({"v": 1, "summary": summary}))
    elif not given.quiet:
        tell("\n  ".join(words(summary, _finding_classes())))


def tell(message: str) -> None:
    """Writes a message to the standard error."""
    lines = message.split("\n")
    print("robosieve: " + "\n".join(_harmless(os.fsencode(line)) for line in lines), file=sys.stderr)
