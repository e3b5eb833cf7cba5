"""robots.txt in SQL: three functions for DuckDB and for SQLite. Needs: pip install duckdb pyarrow

robots_allowed(file, agent, url)    whether the agent may fetch the URL; null without an answer: then fetch nothing
robots_text(file, agent)            the canonical text for the agent
robots_groups(file)                 the names that groups have, as in the canonical text; in SQLite with commas
"""

import sqlite3
from functools import lru_cache

import duckdb
import pyarrow as pa

import robosieve
from robosieve.arrow import sieve, verdicts


def groups(file: bytes) -> list[str]:
    name = "User-agent: "
    lines = robosieve.sieve(file, None).text.splitlines()
    return [line.removeprefix(name) for line in lines if line.startswith(name)]


def in_duckdb(connection: duckdb.DuckDBPyConnection) -> None:
    """Functions that get whole columns: SQL calls them for 2,048 rows at a time."""

    def field(name, column):
        chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        return pa.chunked_array([chunk.field(name) for chunk in chunks], chunks[0].type.field(name).type)

    def allowed(files, agents, urls):
        return field("allowed", verdicts(files, urls, agents))

    def text(files, agents):
        # A text is for one agent: rows are filtered agent by agent.
        column = [None] * len(files)
        for agent in set(agents.to_pylist()) - {None}:
            places = [place for place, name in enumerate(agents.to_pylist()) if name == agent]
            texts = field("text", sieve(files.take(pa.array(places)), agent)).to_pylist()
            for place, value in zip(places, texts, strict=True):
                column[place] = value
        return pa.array(column, pa.string())

    connection.create_function("robots_allowed", allowed, ["BLOB", "VARCHAR", "VARCHAR"], "BOOLEAN", type="arrow")
    connection.create_function("robots_text", text, ["BLOB", "VARCHAR"], "VARCHAR", type="arrow")
    connection.create_function("robots_groups", groups, ["BLOB"], "VARCHAR[]")


def in_sqlite(connection: sqlite3.Connection) -> None:
    parse = lru_cache(maxsize=1000)(robosieve.Robots.parse)
    for name, function in {
        "robots_allowed": lambda file, agent, url: parse(file).can_fetch(url, agent),
        "robots_text": lambda file, agent: robosieve.sieve(file, agent).text,
        "robots_groups": lambda file: ",".join(groups(file)),
    }.items():

        def or_null(*values, function=function):
            return None if None in values else function(*values)

        connection.create_function(name, -1, or_null, deterministic=True)


FILES = [b"User-agent: *\nDisallow: /cart # no\n", b"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n", None]
QUERY = "SELECT robots_allowed(file, 'GPTBot', '/cart/1'), robots_text(file, 'GPTBot'), robots_groups(file) FROM sites"


def main() -> None:
    duck = duckdb.connect()
    in_duckdb(duck)
    duck.register("sites", pa.table({"file": pa.array(FILES, pa.binary())}))
    lite = sqlite3.connect(":memory:")
    in_sqlite(lite)
    lite.execute("CREATE TABLE sites (file BLOB)")
    lite.executemany("INSERT INTO sites VALUES (?)", [(file,) for file in FILES])
    found = [(allowed, text, names and ",".join(names)) for allowed, text, names in duck.execute(QUERY).fetchall()]
    assert found == lite.execute(QUERY).fetchall(), found
    assert found[0] == (False, "User-agent: *\nDisallow: /cart\n", "*")
    assert found[1] == (False, "User-agent: *\nDisallow: /\n", "ccbot,gptbot")
    assert found[2] == (None, None, None)
    print(found)
    duck.close()


if __name__ == "__main__":
    main()
