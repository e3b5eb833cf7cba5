"""Filters and tests columns with Polars and pandas. Needs: pip install pyarrow polars pandas"""

import pandas as pd
import polars as pl
import pyarrow as pa

from robosieve.arrow import sieve, verdicts

FILES = [b"User-agent: *\nDisallow: /cart # not for bots\n", b"User-agent: MyBot\nDisallow: /\n", None]
URLS = ["https://a.example/cart/1", "https://b.example/", "https://c.example/"]

# Polars: a series has the Arrow interface, and takes the result back.
frame = pl.DataFrame({"robots": FILES, "url": URLS})
frame = frame.with_columns(pl.Series("policy", sieve(frame["robots"], "MyBot")))
frame = frame.with_columns(pl.Series("verdict", verdicts(frame["robots"], frame["url"], "MyBot")))
found = frame.select("url", pl.col("policy").struct.field("text"), pl.col("verdict").struct.field("allowed"))
assert found["allowed"].to_list() == [False, False, None]
assert found["text"][0] == "User-agent: *\nDisallow: /cart\n"

# Polars, as an expression that runs in a lazy query.
policy = frame["policy"].dtype
lazy = frame.lazy().select(pl.col("robots").map_batches(lambda it: pl.Series(sieve(it, "MyBot")), return_dtype=policy))
assert lazy.collect().unnest("robots")["exact"].to_list() == [True, True, None]

# pandas: columns of the result are the fields.
table = pd.DataFrame({"robots": FILES, "url": URLS})
answers = verdicts(pa.array(table["robots"]), pa.array(table["url"]), "MyBot")
table["allowed"] = pd.Series(answers.field("allowed").to_pandas(), index=table.index)
assert table["allowed"].tolist()[:2] == [False, False]

print(found)
