"""Reports for a terminal: a summary, TAP, and JSON."""
import json
from collections import defaultdict

SCHEMA = 1
MOST_SHOWN = 20


def part(pair):
    return f"{pair[0]}/{pair[1]}"


def summary(result):
    counts = result.counts()
    held = "RFC 9309" if result.expect == "rfc" else result.expect
    lines = [f"{result.name}: {len(result.outcomes)} vectors, held to {held}",
             f"  must      {part(counts['must'])} right"]
    if counts["may"][1]:
        lines.append(f"  may       {part(counts['may'])} as recommended")
    if counts["open"]:
        lines.append(f"  silent    {counts['open']} where nothing is demanded")
    if counts["values"][1]:
        lines.append(f"  values    {part(counts['values'])} right (crawl delay, sitemaps)")
    if result.expect != "google":
        lines.append(f"  as Google {part(counts['google'])}")
    trouble = [f"{counts[kind]} {kind}" for kind in ("error", "timeout", "memory", "crash", "protocol") if counts[kind]]
    if trouble:
        lines.append(f"  no answer {', '.join(trouble)}")
    if result.gave_up:
        lines.append(f"  {result.gave_up}")
    return "\n".join(lines)


def indented(text):
    return "\n".join("    | " + line for line in text.split("\n"))


def explained(outcome):
    """A failure for people: the file, what was asked, expected, by which section, what came."""
    vector = outcome.vector
    came = f"{outcome.came} ({outcome.message})" if outcome.message else outcome.came
    source = f"RFC 9309, section {vector.section}, {outcome.level}" if outcome.expected == vector.answer else "held to"
    lines = [f"  {vector.id}: {vector.why}"]
    if outcome.verdict == "fail":
        lines.append(f"    expected {outcome.expected} ({source}; {vector.clause}), came {came}")
    for name, (expected, got) in outcome.wrong_values.items():
        lines.append(f"    {name}: expected {json.dumps(expected)}, came {json.dumps(got)[:300]}")
    lines.append(f"    agent {vector.agent}, URL {vector.url[:300]}")
    return "\n".join(lines) + "\n" + indented(vector.shown_file(600).rstrip("\n"))


def causes(result):
    """[(clause, failures, smallest first)]: the failures of a clause have one cause; most failures first."""
    failed = result.failures() + [o for o in result.wrong_values() if o.verdict != "fail"]
    by_clause = defaultdict(list)
    for outcome in failed:
        by_clause[outcome.vector.clause].append(outcome)
    # The corpus is about more than one thing.
    size = lambda o: (o.vector.id.startswith("corpus."), len(o.vector.shown_file()) + len(o.vector.url), o.vector.id)  # noqa: E731
    found = [(clause, sorted(group, key=size)) for clause, group in by_clause.items()]
    return sorted(found, key=lambda cause: (-len(cause[1]), cause[0]))


def plural(count, one):
    return f"{count:,} {one}{'' if count == 1 else 's'}"


def failures(result, most=MOST_SHOWN):
    """Causes, each with the smallest vector that shows it."""
    found = causes(result)
    if not found:
        return "  nothing failed"
    lines = [f"{plural(sum(len(group) for _, group in found), 'failure')} of {plural(len(found), 'cause')}, with the smallest file of each:"]
    for clause, group in found[:most]:
        lines.append(f"{clause}: {plural(len(group), 'vector')}\n{explained(group[0])}")
    if len(found) > most:
        lines.append(f"and {plural(len(found) - most, 'cause')} more (--show N, --json, --html have them)")
    return "\n".join(lines)


def baseline(result, before):
    """What changed since the JSON of an earlier run: ids that fail now and did not, and the other way round."""
    old = {f["id"] for f in before["failures"]}
    asked = set(before["answers"])
    now = {o.vector.id for o in result.outcomes if o.verdict == "fail" or o.wrong_values}
    both = {o.vector.id for o in result.outcomes} & asked
    return sorted((now - old) & both), sorted((old - now) & both)


def quoted(text):
    return json.dumps(text, ensure_ascii=True)


def tap(result):
    """TAP version 14. A SHOULD that is not followed is a TODO: it does not fail the run."""
    lines = ["TAP version 14", f"1..{len(result.outcomes)}"]
    for number, outcome in enumerate(result.outcomes, 1):
        vector = outcome.vector
        # A "#" begins a directive in TAP.
        title = f"{number} - {vector.id} {vector.why}".replace("\\", "\\\\").replace("#", "\\#").replace("\n", " ")
        if outcome.verdict == "open":
            lines.append(f"ok {title} # SKIP nothing is demanded; came {outcome.came}")
        elif outcome.verdict == "pass":
            lines.append(f"ok {title}")
        else:
            lines.append(f"not ok {title}" + (" # TODO recommended only" if outcome.level == "may" else ""))
            facts = {"expected": outcome.expected, "came": outcome.came, "message": outcome.message, "level": outcome.level,
                     "section": vector.section, "clause": vector.clause, "agent": vector.agent, "url": vector.url,
                     "file": vector.shown_file(600)}
            lines += ["  ---", *(f"  {name}: {quoted(value)}" for name, value in facts.items()), "  ..."]
    if result.gave_up:
        lines.append(f"Bail out! {result.gave_up}")
    return "\n".join(lines) + "\n"


def failure_data(outcome):
    vector = outcome.vector
    data = {"id": vector.id, "verdict": outcome.verdict, "level": outcome.level, "expected": outcome.expected,
            "came": outcome.came, "section": vector.section, "clause": vector.clause, "tags": vector.tags,
            "agent": vector.agent, "url": vector.url, "file": vector.shown_file(600), "why": vector.why}
    if outcome.message:
        data["message"] = outcome.message
    if outcome.wrong_values:
        data["wrong_values"] = {name: {"expected": e, "came": c} for name, (e, c) in outcome.wrong_values.items()}
    return data


def data(result):
    """A result as JSON. Answers are given for each vector, the whole question only for failures."""
    return {"tester": result.name, **result.facts, "expect": result.expect, "vectors": len(result.outcomes),
            "counts": result.counts(), "tags": result.by_tag(), "gave_up": result.gave_up,
            "failures": [failure_data(o) for o in result.outcomes if o.verdict == "fail" or o.wrong_values],
            "answers": {o.vector.id: o.came for o in result.outcomes}, "costs": result.costs}


def as_json(results):
    return json.dumps({"schema": SCHEMA, "results": [data(result) for result in results]}, indent=1, ensure_ascii=True) + "\n"
