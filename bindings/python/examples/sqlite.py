"""Functions of SQL in SQLite: filter files, and test URLs."""

import sqlite3
from functools import lru_cache

import robosieve

parse = lru_cache(maxsize=1000)(robosieve.Robots.parse)

connection = sqlite3.connect(":memory:")
connection.create_function("robots_text", 2, lambda body, agent: robosieve.sieve(body, agent).text, deterministic=True)
connection.create_function(
    "may_fetch", 3, lambda body, url, agent: parse(body).can_fetch(url, agent), deterministic=True
)
connection.execute("CREATE TABLE sites (robots BLOB, url TEXT)")
connection.executemany(
    "INSERT INTO sites VALUES (?, ?)",
    [(b"User-agent: *\nDisallow: /cart # no\n", "/cart/1"), (b"User-agent: *\nDisallow: /cart # no\n", "/")],
)
rows = connection.execute("SELECT robots_text(robots, 'MyBot'), may_fetch(robots, url, 'MyBot') FROM sites").fetchall()
assert rows == [("User-agent: *\nDisallow: /cart\n", 0), ("User-agent: *\nDisallow: /cart\n", 1)]
print(rows)
