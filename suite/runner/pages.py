"""The public pages: a table of all testers, defects by cause, and a text for each project."""
import json
import re
import textwrap
from collections import defaultdict

from .causes import CAUSES
from .costs import SHAPES, verdict
from .vectors import visible

TROUBLE = ("error", "timeout", "memory", "crash", "protocol")
MOST_CAUSES = 25
LONGEST_FILE = 400  # characters of a file in a table


def pair(counts):
    return f"{counts[0]}/{counts[1]}" if counts[1] else "–"


def size(failure):
    """Small and plain ones first: those of the corpus are about more than one thing."""
    return failure["id"].startswith("corpus."), len(failure["file"]) + len(failure["url"]), failure["id"]


def message(text, most=80):
    """What a tester said, in one short line."""
    line = visible(" ".join(text.split()).encode("utf-8", "replace"), 10 * most)
    return line if len(line) <= most else line[:most] + "…"


def demanded(result):
    """Failures that the RFC's text shows to be wrong."""
    return [f for f in result["failures"] if f["verdict"] == "fail" and f["level"] in ("must", "bound")]


def causes(failures):
    """[(clause, failures, smallest first)], most failures first."""
    by_clause = defaultdict(list)
    for failure in failures:
        by_clause[failure["clause"]].append(failure)
    found = [(clause, sorted(group, key=size)) for clause, group in by_clause.items()]
    return sorted(found, key=lambda cause: (-len(cause[1]), cause[0]))


def markdown_code(text):
    """Text in a code span or a table cell: its backticks, bars and line ends cannot end it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text[:1] in ("`", "") or text[-1:] == "`" else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def cell_code(text):
    short = text if len(text) <= LONGEST_FILE else text[:LONGEST_FILE] + "…"
    escaped = short.rstrip("\n").replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("|", "&#124;")
    return "<code>" + escaped.replace("\n", "<br>").replace("`", "&#96;").replace("*", "&#42;").replace("\\", "&#92;") + "</code>"


def fenced(text):
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text.rstrip(chr(10))}\n{fence}"


def wrapped(text, width=120):
    return "\n".join(textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False))


def heading(why, most=110):
    text = why.rstrip(".").split(": former defect: ")[-1]
    return text if len(text) <= most else text[:most].rsplit(" ", 1)[0] + " …"


def file_name(name):
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-") + ".md"


def is_ours(result):
    return result["tester"] == "robosieve"


# The table of all testers


def overview(results):
    lines = ["| tester | version | must | may | values | as Google | " + " | ".join(TROUBLE) + " |",
             "|---|---|---|---|---|---|" + "---|" * len(TROUBLE)]
    for result in results:
        counts = result["counts"]
        trouble = " | ".join(str(counts[kind] or "") for kind in TROUBLE)
        name = result["tester"] if is_ours(result) else f"[{result['tester']}](reports/{file_name(result['tester'])})"
        lines.append(f"| {name} | {result['package']} | {pair(counts['must'])} | "
                     f"{pair(counts['may'])} | {pair(counts['values'])} | {pair(counts['google'])} | {trouble} |")
    return "\n".join(lines)


def demanded_of(counts):
    return [counts["must"][i] + counts["bound"][i] for i in (0, 1)]


def matrix(results):
    tags = sorted({tag for result in results for tag, counts in result["tags"].items() if demanded_of(counts)[1]})
    lines = ["| tester | " + " | ".join(tags) + " |", "|---|" + "---|" * len(tags)]
    for result in results:
        cells = [pair(demanded_of(result["tags"][tag])) if tag in result["tags"] else "–" for tag in tags]
        lines.append(f"| {result['tester']} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def cost_cell(cost):
    word = verdict(cost)
    if word == "fast":
        return "fast"
    seconds = f", {max(cost['seconds'], 0):.2f} s" if cost["seconds"] is not None and word not in ("crash", "error") else ""
    return f"**{word}** ({cost['largest']}{seconds})" if word != "linear" else f"linear{seconds}"


def cost_table(results):
    measured = [result for result in results if result["costs"]]
    if not measured:
        return "Not measured in this run.\n"
    lines = ["| tester | " + " | ".join(SHAPES) + " |", "|---|" + "---|" * len(SHAPES)]
    for result in measured:
        by_shape = {cost["shape"]: cost for cost in result["costs"]}
        lines.append(f"| {result['tester']} | " + " | ".join(cost_cell(by_shape[name]) for name in SHAPES if name in by_shape) + " |")
    return "\n".join(lines)


# Defects by cause


def defects(results):
    """For each clause the smallest file that some tester gets wrong, and who fails how many of its vectors."""
    by_clause = defaultdict(lambda: defaultdict(list))
    for result in results:
        for failure in demanded(result):
            by_clause[failure["clause"]][result["tester"]].append(failure)
    lines = ["| clause | smallest file | agent, URL | expected | section | testers (vectors failed) |", "|---|---|---|---|---|---|"]
    for clause, by_tester in sorted(by_clause.items(), key=lambda item: -len(item[1])):
        # The file that most testers fail, and of those the smallest.
        failed = defaultdict(list)
        for name, failures in by_tester.items():
            for failure in failures:
                failed[failure["id"]].append((name, failure))
        shown = min(failed.values(), key=lambda group: (-len(group), size(group[0][1])))[0][1]
        who = ", ".join(f"{name} ({len(failures)})" for name, failures in
                        sorted(by_tester.items(), key=lambda item: (-len(item[1]), item[0])))
        lines.append(f"| {clause} | {cell_code(shown['file'])} | {cell_code(short(shown['agent']))}, {cell_code(short(shown['url']))} | "
                     f"{shown['expected']} | {shown['section']} | {who} |")
    return "\n".join(lines)


def read_by_hand(results):
    """The causes of causes.py, with the testers that have them in this run."""
    lines = ["| cause | file | URL | expected | section | testers |", "|---|---|---|---|---|---|"]
    for text, vector in CAUSES:
        failed = [(result["tester"], f) for result in results for f in demanded(result) if f["id"] == vector]
        if failed:
            shown = failed[0][1]
            lines.append(f"| {text} | {cell_code(shown['file'])} | {cell_code(short(shown['url']))} | {shown['expected']} | "
                         f"{shown['section']} | {', '.join(name for name, _ in failed)} |")
    return "\n".join(lines)


def short(url, most=60):
    return url if len(url) <= most else f"{url[:most]}… ({len(url)} bytes)"


# A text for each project


def letter(result, commands):
    counts, failures = result["counts"], demanded(result)
    package = result["package"]
    right = f"{counts['must'][0]} of {counts['must'][1]}"
    if not failures:
        return (f"# {package}\n\n" + wrapped(f"{package} gives all {counts['must'][1]} answers that RFC 9309 demands in the suite. "
                                              "There is nothing to report.") + "\n")
    claims = ("It claims what RFC 9309 describes." if result["claims_rfc"] else
              "We know that it does not claim to follow RFC 9309 in all of this; perhaps the list is of use nevertheless.")
    intro = (f"Hello, and thank you for {package}. We asked it the questions of a public suite for robots.txt testers. It gives "
             f"{right} of the answers that the text of RFC 9309 demands. {claims} Below are the differences, by cause, each with "
             "the smallest file that shows it. Where the RFC is silent, the suite demands nothing. If we use your library in a wrong "
             "way, or read the RFC wrongly, please tell us: the adapter is short, and we will correct it.")
    parts = [f"# robots.txt: {len(failures)} answers of {package} that differ from RFC 9309", wrapped(intro)]
    found = causes(failures)
    for number, (clause, group) in enumerate(found[:MOST_CAUSES], 1):
        first = group[0]
        came = f"**{first['came']}**" + (f" ({markdown_code(message(first['message']))})" if first.get("message") else "")
        parts += [f"## {number}. {heading(first['why'])}", fenced(first["file"]),
                  wrapped(f"Agent {markdown_code(first['agent'])}, URL {markdown_code(short(first['url'], 200))}: expected **{first['expected']}** "
                          f"(RFC 9309, section {first['section']}), came {came}. "
                          + (f"{len(group)} vectors of clause {clause} fail: " if len(group) > 1 else f"Vector of clause {clause}: ")
                          + ", ".join(markdown_code(f["id"]) for f in group[:8]) + (", …" if len(group) > 8 else "") + ".")]
    if len(found) > MOST_CAUSES:
        parts.append(f"And {len(found) - MOST_CAUSES} more causes; the command below prints them.")
    slow = [cost for cost in result["costs"] if verdict(cost) not in ("fast", "linear")]
    if slow:
        rows = "\n".join(f"- {cost['what']}: {verdict(cost)}; at {cost['largest']} "
                         + (f"{cost['seconds']:.2f} s" if cost["end"] == "done" else f"no answer ({markdown_code(message(cost['message'], 40) or cost['end'])})")
                         for cost in slow)
        parts += ["## Time and memory", wrapped("These files of at most 500,000 bytes take much time, or stop it. An answer was given "
                                                "2 seconds:"), rows]
    parts += ["## To repeat this", fenced(commands)]
    return "\n\n".join(parts) + "\n"


NAVIGATION = """# Results: {testers} robots.txt testers against the suite

{introduction}

## All testers
{legend}

{overview}

## By tag
Answers that are demanded, right of all.

{matrix}

## Causes, read by hand
The failures were read one by one; these are the usual causes. Each has a small file that shows it. Each tester that is
named gives another answer, or none.

{read_by_hand}

## All defects, by clause
{cause_note}

{defects}

## Costs
{cost_note}

{costs}

## {notes}"""
INTRODUCTION = ("{testers} testers from PyPI, npm, crates.io, Debian and CPython, {vectors} vectors. The page is generated by "
                "`suite/publish`; only its last part is written by hand. Each tester has a [text](reports/) that can be sent to its project. "
                "[runner/README.md](../runner/README.md) says how to run the suite, how to add a tester, and how to use it in a "
                "continuous integration. We try to be fair: the versions are exact, adapters are short and use the documented "
                "calls, and where the standard is silent, nobody fails.")
LEGEND = ("**must**: the text of RFC 9309 demands the answer. **may**: it recommends it. **values**: crawl delay and sitemaps, "
          "only for testers that give them. **as Google**: how often the answer is that of Google's parser, for information. The "
          "other columns count questions without an answer: *error* is an answer that says so, *timeout* and *memory* a bound that was "
          "passed, *crash* a process that ended.")
CAUSE_NOTE = ("The clauses are those of [SPEC.md](../../SPEC.md). The file is the smallest of those that most testers of the row get wrong. A "
              "number in parentheses counts the vectors of the clause that the tester fails.")
COST_NOTE = ("How the time of an answer grows with a hostile file of up to 500,000 bytes; in parentheses the largest size that was answered "
             "and its time, or the size that was not answered within 2 seconds. *fast*: never above some milliseconds. "
             "[runner/costs.py](../runner/costs.py) has the files.")


def summary_data(results):
    keep = ("package", "language", "home", "claims_rfc", "counts", "gave_up")
    testers = {result["tester"]: {**{key: result.get(key) for key in keep},
                                  "tags": {tag: pair(demanded_of(counts)) for tag, counts in result["tags"].items()},
                                  "costs": {cost["shape"]: verdict(cost) for cost in result["costs"]}} for result in results}
    return {"schema": 1, "vectors": results[0]["vectors"], "testers": testers}


def write(results, suite, folder):
    """Each file is made whole before it is written."""
    results = sorted(results, key=lambda r: (-r["counts"]["must"][0], r["tester"].lower()))
    facts = {"testers": len(results), "vectors": results[0]["vectors"]}
    notes = (suite / "RESULTS.md").read_text(encoding="utf-8").partition("\n## ")[2].replace("](elsewhere/", "](../elsewhere/")
    page = NAVIGATION.format(introduction=wrapped(INTRODUCTION.format(**facts)), legend=wrapped(LEGEND), overview=overview(results),
                             matrix=matrix(results), cause_note=wrapped(CAUSE_NOTE), defects=defects(results), read_by_hand=read_by_hand(results),
                             cost_note=wrapped(COST_NOTE), costs=cost_table(results), notes=notes, **facts)
    files = {folder / "RESULTS.md": page,
             folder / "results.json": json.dumps(summary_data(results), indent=1, sort_keys=True) + "\n"}
    for result in results:
        if is_ours(result):
            continue
        commands = f"suite/testers/setup.sh --all\nsuite/run --tester '{result['tester']}' --show 1000"
        files[folder / "reports" / file_name(result["tester"])] = letter(result, commands)
    (folder / "reports").mkdir(parents=True, exist_ok=True)
    for old in (folder / "reports").glob("*.md"):
        if old not in files:
            old.unlink()
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
