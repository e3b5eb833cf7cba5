"""The summary of records in a DataFrame, with the fields of that of ``robosieve batch``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_NO_OTHER = ("text", "empty")
"""What a robots.txt file looks like."""


def of_records(df: DataFrame) -> dict[str, Any]:
    """Counts records: one pass for all fields, and one for findings."""
    from pyspark.sql import functions as f

    def total(expression: str) -> Any:
        return f.expr(f"coalesce(sum({expression}), 0)")

    kinds = df.groupBy("outcome", f.col("error.kind").alias("failure"), f.col("input.kind").alias("looks"), "truncated")
    groups = kinds.agg(
        f.count("*").alias("records"),
        total("bytes").alias("bytes_in"),
        total("octet_length(text)").alias("bytes_out"),
        total("CAST(NOT exact AS BIGINT)").alias("inexact"),
        *(total(f"report.losses.{name}").alias(name) for name in ("more_permissive", "more_restrictive", "either")),
    ).collect()
    found = df.select(f.explode("report.counts").alias("kind", "count")).groupBy("kind").agg(f.sum("count").alias("count"))

    def by(field: str) -> dict[str, int]:
        counts: Counter[str] = Counter()
        for group in groups:
            if group[field] is not None:
                counts[group[field]] += group["records"]
        return dict(sorted(counts.items()))

    def sum_of(field: str) -> int:
        return sum(group[field] for group in groups)

    return {
        "records": sum_of("records"),
        "bytes_in": sum_of("bytes_in"),
        "bytes_out": sum_of("bytes_out"),
        "outcomes": by("outcome"),
        "failures": by("failure"),
        "skipped": {},
        "inputs": {kind: count for kind, count in by("looks").items() if kind not in _NO_OTHER},
        "truncated": by("truncated"),
        "inexact": sum_of("inexact"),
        "losses": {
            **{name: sum_of(name) for name in ("more_permissive", "more_restrictive", "either")},
            "counts": {row["kind"]: row["count"] for row in sorted(found.collect())},
        },
        "distinct": None,
    }


def words(summary: Mapping[str, Any], classes: Mapping[str, str]) -> list[str]:
    """The summary in lines, for people: those of the command."""

    def listed(name: str, counts: Mapping[str, int]) -> Iterable[str]:
        return [f"{name}: {', '.join(f'{count} {kind}' for kind, count in counts.items())}"] if counts else []

    def of_class(known: str) -> dict[str, int]:
        return {kind: count for kind, count in losses["counts"].items() if classes.get(kind) == known}

    losses = summary["losses"]
    lines = [
        f"{summary['records']} records in {summary['seconds']:.1f} s: {_bytes(summary['bytes_in'])} in, "
        f"{_bytes(summary['bytes_out'])} of text out"
    ]
    for name, field in [("outcomes", "outcomes"), ("failures", "failures"), ("skipped", "skipped"),
                        ("no robots.txt", "inputs"), ("incomplete", "truncated")]:
        lines += listed(name, summary[field])
    for name, known in [("suspects", "suspect"), ("repairs", "repair"), ("left out", "ignored"), ("losses", "loss")]:
        lines += listed(name, of_class(known))
    if summary["inexact"]:
        lines.append(f"not exact: {summary['inexact']} texts ({losses['more_permissive']} permit more, "
                     f"{losses['more_restrictive']} permit less, {losses['either']} either)")
    if summary["distinct"] is not None:
        lines.append(f"{summary['distinct']} distinct texts")
    return lines


def _bytes(count: int) -> str:
    for most, unit, name in [(9_999, 1, "bytes"), (9_999_999, 1e3, "kB"), (9_999_999_999, 1e6, "MB")]:
        if count <= most:
            return f"{count} {name}" if unit == 1 else f"{count / unit:.1f} {name}"
    return f"{count / 1e9:.1f} GB"
