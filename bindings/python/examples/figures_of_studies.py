# %% [markdown]
# # Who closes whom, over a year
# The three usual figures of studies of robots.txt, from the normal form of a census. It is a script in cells: Jupyter
# and VS Code open it as a notebook. Needs: `pip install robosieve pyarrow duckdb pandas matplotlib`.
#
# | variable | |
# |---|---|
# | `CRAWLS` | the folder of tables that `robosieve census -o crawls/` wrote, or `python -m robosieve.spark census --rows normal`. Without it, the crawls are simulated: 12 of 400 sites, of which more and more close themselves to crawlers that train models |
# | `RANKS` | a CSV file of ranks and registered domains, as Tranco's. Without it, sites are grouped by the last part of their domain |
# | `FIGURES` | the folder of the pictures, or else this one |

# %%
import os
import random
import tempfile
from pathlib import Path

import duckdb
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pyarrow as pa
import pyarrow.parquet as pq

from robosieve.arrow import census, tables

FOLDER = Path(os.environ.get("FIGURES", "."))
AGENTS = ["GPTBot", "CCBot", "ClaudeBot", "Google-Extended", "Googlebot"]
RESTRICTIONS = {"all": ("everything", "#b2182b"), "some": ("some paths", "#f4a582"), "none": ("nothing", "#92c5de")}
SIMULATED, SITES = [f"CC-MAIN-2026-{week:02}" for week in range(4, 52, 4)], 400

# %%
def file_of(site: int, month: int) -> bytes:
    """The file of a site: from some month on, it closes itself to some crawlers; sites of a high rank earlier."""
    draw = random.Random(site)
    groups = [b"User-agent: *\nDisallow: /cart\n" if draw.random() < 0.6 else b"User-agent: *\nDisallow:\n"]
    since = draw.randrange(24) + site // 16
    if since <= month + 6:
        names = [name for name, chance in zip(AGENTS, [0.9, 0.7, 0.6, 0.4, 0.02], strict=True) if draw.random() < chance]
        rule = b"Disallow: /\n" if draw.random() < 0.7 else b"Disallow: /archive\n"
        groups.append(b"".join(b"User-agent: %s\n" % name.encode() for name in names) + rule if names else b"")
    elif draw.random() < 0.15:
        groups.append(b"User-agent: GPTBot\nAllow: /\n")
    return b"\n".join(groups)


def simulate(folder: Path) -> None:
    """Writes the tables of simulated crawls, as the command has them, and ranks."""
    urls = pa.array([f"https://s{site}.example/robots.txt" for site in range(SITES)])
    for month, crawl in enumerate(SIMULATED):
        files = pa.array([file_of(site, month) for site in range(SITES)])
        for name, table in tables(census(files, urls=urls, source=crawl, rows="normal"))._asdict().items():
            path = folder / name / f"crawl={crawl}" / "00000.parquet"
            path.parent.mkdir(parents=True)
            pq.write_table(table, path, compression="zstd")
    (folder / "ranks.csv").write_text("".join(f"{site + 1},s{site}.example\n" for site in range(SITES)))


crawls, ranks = os.environ.get("CRAWLS"), os.environ.get("RANKS")
if crawls is None:
    crawls = tempfile.mkdtemp()
    simulate(Path(crawls))
    ranks = f"{crawls}/ranks.csv"

# %% [markdown]
# ## The tables
# A site counts once in a crawl, as it was seen last. The policy of a crawler is that of its name, or else of `*`, whose
# policy is number 0. (Crawlers with fallbacks, as Googlebot-Image, need `robosieve census expand`.) Where there are no
# rules, `root` says whether the site is open or closed; what is not known counts for nothing. In a file with more than
# 2,000 names, not all are listed: it is left out.

# %%
database = duckdb.connect()
for name in ("files", "policies", "names"):
    database.read_parquet(f"{crawls}/{name}/*/*.parquet", hive_partitioning=True).create_view(name)
restriction = """CASE WHEN {0}.status IN ('none', 'some', 'all') THEN {0}.status
  WHEN {0}.root THEN 'none' WHEN NOT {0}.root THEN 'all' END"""
database.execute(f"""
CREATE TABLE sites AS SELECT crawl, file, domain, {restriction.format("files")} AS everyone FROM files
  WHERE everyone IS NOT NULL AND coalesce(agents_count, 0) <= 2000 AND url IS NOT NULL
  QUALIFY row_number() OVER (PARTITION BY crawl, url ORDER BY time DESC NULLS LAST, file DESC) = 1;
CREATE TABLE named AS SELECT n.crawl, n.file, lower(n.agent) AS agent, n.agent AS name, n.listed,
  {restriction.format("p")} AS restriction FROM names n JOIN policies p USING (crawl, file, policy)
""")
seen = [crawl for (crawl,) in database.execute("SELECT DISTINCT crawl FROM sites ORDER BY 1").fetchall()]
shorter = [crawl.removeprefix("CC-MAIN-") for crawl in seen]


def said_to(agent: str) -> str:
    """The sites of each crawl, and what is closed to a crawler."""
    return f"""SELECT s.crawl, s.domain, coalesce(n.restriction, s.everyone) AS restriction FROM sites s
      LEFT JOIN named n ON n.crawl = s.crawl AND n.file = s.file AND n.agent = '{agent.lower()}'"""


# %% [markdown]
# ## Sites that are closed as a whole, over time

# %%
figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
closed = {}
for place, agent in enumerate(["*", *AGENTS]):
    share = f"SELECT avg((restriction = 'all')::INT) * 100 FROM ({said_to(agent)}) GROUP BY crawl ORDER BY crawl"
    closed[agent] = [percent for (percent,) in database.execute(share).fetchall()]
    label, style = ("all others (*)", "--") if agent == "*" else (agent, "-")
    # Lines that are one can be seen by their points.
    axes.plot(range(len(seen)), closed[agent], style, marker="o", markersize=12 - 2 * place, label=label)
axes.set_xticks(range(len(seen)), shorter, rotation=45)
axes.set(xlabel="crawl", ylabel="% of sites", ylim=(0, None), title="Sites closed as a whole")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
figure.savefig(FOLDER / "closed-over-time.png", dpi=100)
assert all(len(shares) == len(seen) for shares in closed.values())
assert "CRAWLS" in os.environ or closed["GPTBot"] == sorted(closed["GPTBot"]) != closed["Googlebot"]

# %% [markdown]
# ## The crawlers that are closed most, in the last crawl
# Of those that sites name.

# %%
most = database.execute("""
SELECT any_value(name) AS name, count(*) FILTER (restriction = 'all') AS whole, count(*) FILTER (restriction = 'some') AS part
  FROM named JOIN sites USING (crawl, file) WHERE crawl = ? AND listed AND agent <> '*'
  GROUP BY agent ORDER BY whole DESC, part DESC, name LIMIT 20""", [seen[-1]]).df().iloc[::-1]
figure, axes = plt.subplots(figsize=(8, 1.5 + 0.25 * len(most)), layout="constrained")
left = 0
for column, kind in [("whole", "all"), ("part", "some")]:
    word, color = RESTRICTIONS[kind]
    axes.barh(most["name"], most[column], left=left, label=word, color=color)
    left = most[column] + left
axes.set(xlabel="sites", title=f"What is closed to the crawlers that sites name, {seen[-1]}")
axes.legend(loc="lower right")
figure.savefig(FOLDER / "most-closed.png", dpi=100)
assert most["whole"].is_monotonic_increasing

# %% [markdown]
# ## What is closed to GPTBot, by rank or domain, in the last crawl

# %%
if ranks:
    database.execute("CREATE TABLE ranks AS SELECT * FROM read_csv(?, header = false, names = ['rank', 'domain'])", [ranks])
    [largest] = database.execute("SELECT max(rank) FROM ranks JOIN sites USING (domain)").fetchone()
    # The last group is half of all ranks, the one before half of the rest, and so on.
    edges = [largest >> by for by in range(5, -1, -1)]
    words = [f"{low + 1:,} to {high:,}" for low, high in zip([0, *edges], edges, strict=False)]
    group = " ".join(f"WHEN rank <= {high} THEN {at}" for at, high in enumerate(edges))
    by = f"SELECT restriction, CASE {group} END AS place FROM ({said_to('GPTBot')}) JOIN ranks USING (domain) WHERE crawl = ?"
else:
    top = "SELECT regexp_extract(domain, '[^.]*$') AS word, count(*) FROM sites WHERE domain IS NOT NULL AND crawl = ? GROUP BY 1"
    words = [f".{word}" for word, _ in database.execute(f"{top} ORDER BY 2 DESC, 1 LIMIT 10", [seen[-1]]).fetchall()]
    group = " ".join(f"WHEN domain LIKE '%{word}' THEN {at}" for at, word in enumerate(words))
    by = f"SELECT restriction, CASE {group} END AS place FROM ({said_to('GPTBot')}) WHERE crawl = ?"
counts = database.execute(f"SELECT place, restriction, count(*) FROM ({by}) GROUP BY ALL", [seen[-1]]).fetchall()
counts = {(place, kind): count for place, kind, count in counts if place is not None}
totals = [sum(counts.get((place, kind), 0) for kind in RESTRICTIONS) for place in range(len(words))]
figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
below = [0.0] * len(words)
for kind, (word, color) in RESTRICTIONS.items():
    shares = [counts.get((place, kind), 0) / max(total, 1) * 100 for place, total in enumerate(totals)]
    axes.bar(range(len(words)), shares, bottom=below, label=word, color=color)
    below = [one + other for one, other in zip(below, shares, strict=True)]
axes.set_xticks(range(len(words)), [f"{word}\n({total:,})" for word, total in zip(words, totals, strict=True)])
axes.set(xlabel="rank (sites)" if ranks else "domain (sites)", ylabel="% of sites", ylim=(0, 100),
         title=f"What is closed to GPTBot, {seen[-1]}")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
figure.savefig(FOLDER / "restrictions.png", dpi=100)
assert sum(totals) > 0 and all(round(height, 6) in (0, 100) for height in below)
