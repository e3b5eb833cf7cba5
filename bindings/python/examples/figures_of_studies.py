# %% [markdown]
# # Who closes whom, over a year
# The usual figures of studies of robots.txt, from the rows of a census. The files here are simulated: 12 crawls of 400
# sites, of which more and more close themselves to crawlers that train models. For real ones, replace `rows` by
# `pandas.read_parquet("closed")`, what `python -m robosieve.spark census … -o closed` wrote.
#
# Needs: `pip install robosieve pyarrow pandas matplotlib`. The pictures go to the folder `FIGURES`, or to this one.

# %%
import os
import random
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd
import pyarrow as pa

from robosieve.arrow import census
from robosieve.census import studies

FOLDER = Path(os.environ.get("FIGURES", "."))
AGENTS = ["GPTBot", "CCBot", "ClaudeBot", "Google-Extended", "Googlebot"]
CRAWLS = [f"CC-MAIN-2026-{week:02}" for week in range(4, 52, 4)]
SITES = 400

# %%
def file_of(site: int, month: int) -> bytes:
    """The file of a site: from some month on, it closes itself to some crawlers."""
    draw = random.Random(site)
    groups = [b"User-agent: *\nDisallow: /cart\n" if draw.random() < 0.6 else b"User-agent: *\nDisallow:\n"]
    since = draw.randrange(48)
    if since <= month + 6:
        names = [name for name, chance in zip(AGENTS, [0.9, 0.7, 0.6, 0.4, 0.02], strict=True) if draw.random() < chance]
        rule = b"Disallow: /\n" if draw.random() < 0.7 else b"Disallow: /archive\n"
        groups.append(b"".join(b"User-agent: %s\n" % name.encode() for name in names) + rule if names else b"")
    elif draw.random() < 0.15:
        groups.append(b"User-agent: GPTBot\nAllow: /\n")
    return b"\n".join(groups)


tables = []
for month, crawl in enumerate(CRAWLS):
    files = pa.array([file_of(site, month) for site in range(SITES)])
    urls = pa.array([f"https://s{site}.example/robots.txt" for site in range(SITES)])
    rows = studies.classes(census(files, ["*", *AGENTS], urls=urls, source=crawl))
    tables.append(rows.append_column("crawl", pa.array([crawl] * len(rows))))
rows = pa.concat_tables(tables).to_pandas()
assert len(rows) == len(CRAWLS) * SITES * (1 + len(AGENTS))

# %% [markdown]
# ## Sites that are closed as a whole, over time

# %%
closed = rows.assign(closed=rows["restriction"] == "full").groupby(["crawl", "agent"])["closed"].mean().unstack() * 100
figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
for agent in [*AGENTS, "*"]:
    axes.plot(range(len(CRAWLS)), closed[agent], marker="o", label="all others (*)" if agent == "*" else agent)
axes.set_xticks(range(len(CRAWLS)), [crawl.removeprefix("CC-MAIN-") for crawl in CRAWLS], rotation=45)
axes.set(xlabel="crawl", ylabel="% of sites", ylim=(0, None), title="Sites closed as a whole")
axes.legend()
figure.savefig(FOLDER / "closed-over-time.png", dpi=100)
assert closed["GPTBot"].is_monotonic_increasing and closed["GPTBot"].iloc[-1] > closed["Googlebot"].iloc[-1]

# %% [markdown]
# ## Full, partial and no restriction, in the last crawl

# %%
last = rows[rows["crawl"] == CRAWLS[-1]]
shares = pd.crosstab(last["agent"], last["restriction"], normalize="index")[["full", "partial", "none"]] * 100
shares = shares.sort_values(["full", "partial"])
figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
shares.plot.barh(stacked=True, ax=axes, color=["#b2182b", "#f4a582", "#92c5de"], xlabel="% of sites", ylabel="")
axes.set(title=f"Restrictions in {CRAWLS[-1]}", xlim=(0, 100))
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
figure.savefig(FOLDER / "restrictions.png", dpi=100)
assert shares.sum(axis=1).round(6).eq(100).all()

# %% [markdown]
# ## Named, closed, and explicitly allowed

# %%
of_gptbot = rows[rows["agent"] == "GPTBot"].groupby("crawl")[["named", "explicitly_allowed"]].mean() * 100
figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
axes.stackplot(range(len(CRAWLS)), of_gptbot["explicitly_allowed"], of_gptbot["named"] - of_gptbot["explicitly_allowed"],
               labels=["named, and everything is allowed", "named, and something is closed"], colors=["#4393c3", "#d6604d"])
axes.set_xticks(range(len(CRAWLS)), [crawl.removeprefix("CC-MAIN-") for crawl in CRAWLS], rotation=45)
axes.set(xlabel="crawl", ylabel="% of sites", title="Sites that name GPTBot", xlim=(0, len(CRAWLS) - 1))
axes.legend(loc="upper left")
figure.savefig(FOLDER / "named.png", dpi=100)
assert (of_gptbot["named"] >= of_gptbot["explicitly_allowed"]).all()
