"""One page with all results: no scripts, nothing from elsewhere, light and dark, also on a phone."""
from collections import defaultdict
from html import escape as quote
from pathlib import Path

from .costs import SHAPES, verdict
from .report_text import causes, plural

# The face of all pages of the project. The package of the suite has a copy of it here.
FACES = [Path(__file__).with_name("face.css"), Path(__file__).parents[2] / "crates/explain/src/html/face.css"]
FACE = next(face for face in FACES if face.exists()).read_text(encoding="utf-8")
STYLE = FACE + """
:root{--g0:#fbd5d5;--g1:#fde3c8;--g2:#fdf3c4;--g3:#dff3d8;--g4:#c3e8c0}
@media(prefers-color-scheme:dark){:root{--g0:#5a2226;--g1:#5a3a1c;--g2:#544b18;--g3:#274a2a;--g4:#1c5a2c}}
body{margin:0 auto;max-width:90rem;padding:0 1rem}p,li{max-width:46rem}
.wide{overflow-x:auto;border:1px solid var(--edge);border-radius:.375rem}table{font-size:.875rem;width:auto}
th,td{padding:.25rem .5rem;text-align:right;white-space:nowrap}
th:first-child,td:first-child{text-align:left;position:sticky;left:0;background:var(--page)}
thead th{background:var(--tint)!important}td.l,th.l{text-align:left}
.turn th{writing-mode:vertical-rl;transform:rotate(180deg);text-align:left;padding:.5rem .25rem}
.turn th:first-child{writing-mode:initial;transform:none}details{border-top:1px solid var(--edge);padding:.25rem 0}
summary{padding:.25rem 0}.dim{color:var(--soft)}.bad{color:var(--no)}.headline{font-size:1.5rem;font-weight:650;margin:0}
.g0{background:var(--g0)}.g1{background:var(--g1)}.g2{background:var(--g2)}.g3{background:var(--g3)}.g4{background:var(--g4)}
"""
GOOD = {"fast": "g4", "linear": "g4", "more than linear": "g2", "quadratic": "g1", "cubic": "g0", "steep": "g0"}


def shade(passed, of):
    share = passed / of
    return "g4" if share == 1 else "g3" if share >= 0.95 else "g2" if share >= 0.8 else "g1" if share >= 0.5 else "g0"


def cell(pair):
    passed, of = pair
    return f'<td class="{shade(passed, of)}">{passed}/{of}</td>' if of else '<td class="dim">–</td>'


def number(count):
    return f'<td class="bad">{count}</td>' if count else '<td class="dim">0</td>'


def anchor(text):
    return "".join(char if char.isalnum() else f"_{ord(char):x}_" for char in text)


def table(head, rows, turn=False):
    """head and rows are HTML of cells."""
    return (f'<div class="wide"><table><thead><tr{" class=turn" if turn else ""}>{head}</tr></thead>'
            f'<tbody>{"".join(f"<tr>{row}</tr>" for row in rows)}</tbody></table></div>')


def overview(results):
    names = ("tester", "must", "may", "values", "as Google", "no answer", "time out", "memory", "crash", "protocol")
    head = "".join(f"<th>{name}</th>" for name in names) + '<th class="l">version</th>'
    rows = []
    for result in results:
        counts = result.counts()
        rows.append(f'<td><a href="#{anchor(result.name)}">{quote(result.name)}</a></td>' + cell(counts["must"])
                    + cell(counts["may"]) + cell(counts["values"]) + cell(counts["google"])
                    + "".join(number(counts[kind]) for kind in ("error", "timeout", "memory", "crash", "protocol"))
                    + f'<td class="l">{quote(result.facts.get("package", ""))}</td>')
    return table(head, rows)


def matrix(results):
    tags = sorted({tag for result in results for outcome in result.outcomes for tag in outcome.vector.tags})
    head = "<th>tester</th>" + "".join(f"<th>{quote(tag)}</th>" for tag in tags)
    rows = []
    for result in results:
        by_tag = result.by_tag()
        rows.append(f"<td>{quote(result.name)}</td>" + "".join(
            cell([sum(by_tag[tag][level][i] for level in ("must", "bound")) for i in (0, 1)]) if tag in by_tag
            else '<td class="dim">–</td>' for tag in tags))
    return table(head, rows, turn=True)


def cost_table(results):
    measured = [result for result in results if result.costs]
    if not measured:
        return ""
    head = "<th>tester</th>" + "".join(f"<th>{quote(name)}</th>" for name in SHAPES)
    rows = []
    for result in measured:
        cells = []
        for cost in result.costs:
            word = verdict(cost)
            seconds = "" if cost["seconds"] is None else f'{cost["seconds"]:.3f} s'
            title = f'{cost["what"]}: {cost["largest"]}, {seconds} {cost["megabytes"]} MB {cost["message"]}'
            cells.append(f'<td class="{GOOD.get(word, "g0")}" title="{quote(title)}">{quote(word)}'
                         f'<br><span class="dim">{cost["largest"]}: {seconds or cost["end"]}</span></td>')
        rows.append(f"<td>{quote(result.name)}</td>" + "".join(cells))
    shapes = "".join(f"<li><b>{quote(name)}</b>: {quote(what)}</li>" for name, (what, _, _) in SHAPES.items())
    return ("<h2>Costs</h2><p>How the time of one answer grows with a hostile file of up to 500,000 bytes. Below the word: the "
            "largest size that was asked, and its time. An answer may take 2 seconds.</p>" + table(head, rows)
            + f"<details><summary>What grows</summary><ul>{shapes}</ul></details>")


def vector_block(vector, failed):
    """A vector that some testers fail: its file, the question, what is expected and why, and what came."""
    came = defaultdict(list)
    for name, outcome in failed:
        values = "; ".join(f"{value}: {got!r}, not {expected!r}" for value, (expected, got) in outcome.wrong_values.items())
        what = outcome.came if outcome.verdict == "fail" else "right"
        text = what + (f" ({outcome.message})" if outcome.message else "") + (f"; {values}" if values else "")
        came[text[:300]].append(name)
    expected = failed[0][1].expected
    rows = "".join(f"<li><b>{quote(text)}</b>: {quote(', '.join(names))}</li>" for text, names in sorted(came.items()))
    return (f'<details id="{anchor(vector.id)}"><summary><code>{quote(vector.id)}</code> {quote(vector.why)} '
            f'<span class="dim">({len(failed)} testers)</span></summary><pre>{quote(vector.shown_file())}</pre>'
            f"<p>Agent <code>{quote(vector.agent[:300])}</code>, URL <code>{quote(vector.url[:300])}</code></p>"
            f"<p>Expected: <b>{quote(expected)}</b> ({quote(failed[0][1].level)}; RFC 9309, section {quote(vector.section)}; "
            f"<code>{quote(vector.clause)}</code>). Google's parser: {quote(vector.google)}.</p><ul>{rows}</ul></details>")


def failed_vectors(results):
    failed = defaultdict(list)
    for result in results:
        for outcome in result.outcomes:
            if outcome.verdict == "fail" or outcome.wrong_values:
                failed[outcome.vector.id].append((result.name, outcome))
    return failed


def tester_block(result):
    facts = result.facts
    failures = result.failures()
    listed = " ".join(f'<a href="#{anchor(o.vector.id)}"><code>{quote(o.vector.id)}</code></a>' for o in failures) or "none"
    about = " · ".join(quote(fact) for fact in (facts.get("package"), facts.get("language"), facts.get("note")) if fact)
    gave_up = f'<p class="bad">{quote(result.gave_up)}</p>' if result.gave_up else ""
    return (f'<h3 id="{anchor(result.name)}">{quote(result.name)}</h3><p class="dim">{about}</p>{gave_up}'
            f"<details><summary>{len(failures)} vectors failed</summary><p>{listed}</p></details>")


def cause_block(clause, group):
    """What fails for one reason, with the smallest file that shows it."""
    first = group[0]
    vector = first.vector
    came = first.came + (f" ({first.message})" if first.message else "")
    others = " ".join(f'<a href="#{anchor(o.vector.id)}"><code>{quote(o.vector.id)}</code></a>' for o in group[1:])
    more = f"<details><summary>{plural(len(group) - 1, 'other vector')}</summary><p>{others}</p></details>" if others else ""
    return (f'<div class="lint error"><p><strong>{plural(len(group), "vector")}</strong>: {quote(vector.why)} '
            f"<small>{quote(clause)}</small></p><pre>{quote(vector.shown_file())}</pre>"
            f"<p>Agent <code>{quote(vector.agent[:300])}</code>, URL <code>{quote(vector.url[:300])}</code>: "
            f"expected <b>{quote(first.expected)}</b>, came <b>{quote(came[:300])}</b>.</p>{more}</div>")


def one_tester(result):
    """The page of one tester begins with what is wrong, by cause."""
    found = causes(result)
    right = sum(o.verdict == "pass" for o in result.outcomes)
    words = (f"{quote(result.name)}: {right:,} of {plural(len(result.outcomes), 'answer')} right" if found
             else f"{quote(result.name)}: nothing failed")
    of_causes = f"<p>{plural(sum(len(group) for _, group in found), 'failure')} of {plural(len(found), 'cause')}.</p>" if found else ""
    blocks = "".join(cause_block(clause, group) for clause, group in found)
    return f'<p class="headline">{words}</p>{of_causes}<h2>Causes</h2>{blocks or "<p>None.</p>"}'


def page(results, questions):
    failed = failed_vectors(results)
    blocks = "".join(vector_block(vector, failed[vector.id]) for vector in questions if vector.id in failed)
    testers = "".join(tester_block(result) for result in results)
    nobody = "" if blocks else "<p>None.</p>"
    expect = results[0].expect if results else "rfc"
    by_tag = ("<h2>By tag</h2><p>What is demanded (must, and the bounds of hostile files).</p>" + matrix(results)) if len(results) > 1 else ""
    held = "RFC 9309" if expect == "rfc" else f"the column {expect}"
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>robots.txt testers against the suite</title><style>{STYLE}</style></head><body>
<h1>robots.txt testers against the suite</h1>
{one_tester(results[0]) if len(results) == 1 else ""}
<p>{plural(len(results), "tester")}, {plural(len(questions), "vector")}, held to {quote(held)}. <b>must</b>: the text of the RFC demands the
answer. <b>may</b>: it recommends it. Where it is silent, nobody fails. <b>values</b> (crawl delay, sitemaps) count only for
testers that give them. <b>as Google</b> is information: how often the answer is that of Google's parser.</p>
<h2>Testers</h2>{overview(results)}
{by_tag}
{cost_table(results)}
<h2>Vectors that a tester fails</h2><p>With the file, the question, what is expected by which section, and what came.
Controls and bytes that are not UTF-8 are shown as escapes.</p>{blocks}{nobody}
<h2>What each tester fails</h2>{testers}
</body></html>
"""
