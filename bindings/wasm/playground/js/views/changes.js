// What changed since the older file: the policy, not the spelling. A URL shows each change.

import { RULES } from "../bounds.js";
import { count, el, moreButton, number, put, sign } from "../dom.js";
import { ruleWords, verdictWord } from "../words.js";

/// Shows changes. `ask(most)` asks for more of each list.
export function showChanges(place, changes, ask) {
  if (changes.without) {
    put(place, el("p.note", null, "What changed for crawlers, each change with a URL that shows it, and not what changed in spelling."));
    return;
  }
  const totals = longest(changes);
  put(place,
    changes.same ? el("p", null, el("b.sign", { "aria-hidden": "true" }, "="), "Nothing changed: both files say the same.") : null,
    names("Added", changes.agents_added, changes.totals.agents_added),
    names("Gone", changes.agents_removed, changes.totals.agents_removed),
    ...("changes" in changes ? changes.changes.map(ofAgents) : [ofOne(changes)]),
    "changes" in changes ? fileLines(changes) : null,
    changes.unchanged > 0 ? el("p.note", null, `Nothing changed for ${count(changes.unchanged, "other named crawler")}.`) : null,
    names("Not compared", changes.not_compared, changes.totals.not_compared),
    totals.most > totals.shown ? moreButton("Show more changes", () => ask(totals.shown + 8 * RULES)) : null);
}

// The longest list, and what is shown of it.
function longest(value) {
  let found = { most: 0, shown: 0 };
  for (const [key, most] of Object.entries(value.totals)) {
    if (most > found.most) found = { most, shown: value[key].length };
  }
  for (const change of value.changes ?? []) {
    const below = longest(change);
    if (below.most > found.most) found = below;
  }
  return found;
}

function names(what, agents, total) {
  if (!agents || agents.length === 0) return null;
  return el("p", null, `${what}: `, el("strong", null, agents.join(", ")), rest(total, agents));
}

const rest = (total, shown) => (total > shown.length ? ` and ${number(total - shown.length)} more` : "");

const GROUPS = { own: "a group of its own", everyone: "the group for all others", nobody: "no group" };

function ofAgents(change) {
  const { agents, old_group: before, new_group: now } = change;
  const names = agents.map((name) => (name === "*" ? "All others" : name)).join(", ");
  const moved = before === now ? null
    : el("p.note", null, `Before: ${GROUPS[before] ?? before}. Now: ${GROUPS[now] ?? now}.`);
  return el("section.change", null, el("h3", null, names, rest(change.totals.agents, agents)), moved, ...body(change));
}

const ofOne = (change) => el("div.change", null, ...body(change));

function body(change) {
  const [gone, added] = [[...change.rules_removed, ...change.lines_removed], [...change.rules_added, ...change.lines_added]];
  return [
    examples(change),
    gone.length + added.length === 0 ? null : el("div.sides", null, side("Before", "-", "gone", gone), side("Now", "+", "added", added)),
    change.rules_moved.length === 0 ? null : el("ul.diff", null, ...change.rules_moved.map((rule) => item("~", "moved", rule))),
    ...[["\u2212", change.removed_as], ["+", change.added_as]].filter(([, shared]) => shared)
      .map(([sign, { agent, rules }]) => el("p.note", null, `${sign} the ${rules} rules as for ${agent}, with their URLs.`)),
    change.without_witness > 0 ? el("p.note", null, `For ${count(change.without_witness, "changed rule")} no URL was found.`) : null,
    change.not_searched > 0 ? el("p.note", null, `${count(change.not_searched, "changed rule")} not searched for a URL.`) : null,
  ];
}

// URLs whose answer changed. They show a change, and need not exist.
function examples({ flips, answers }) {
  if (flips.length === 0) return answers === "same" ? el("p.note", null, "No answer changed.") : null;
  return el("ul.diff.flips", null, ...[true, false].map((allowed) => {
    const paths = flips.filter((flip) => flip.allowed === allowed).map(({ path }) => path).sort((one, other) => one.length - other.length);
    if (paths.length === 0) return null;
    return el(`li.${allowed ? "yes" : "no"}`, null, sign(allowed), ` now ${verdictWord(allowed)}, for example `,
      ...paths.flatMap((path, at) => [at > 0 ? ", " : null, el("code", null, path)]));
  }));
}

const side = (title, mark, word, items) => el("div", null, el("h4", null, title),
  items.length === 0 ? el("p.note", null, "nothing") : el("ul.diff", null, ...items.map((one) => item(mark, word, one))));

// A rule, or a line of the group.
function item(mark, word, one) {
  const isRule = "pattern" in one;
  const text = isRule ? ruleWords({ rule: one }) : `${one.name}: ${one.value}`;
  const why = isRule ? [one.line ? `line ${number(one.line)}` : "", one.witness === "impossible" ? "changes no answer alone" : ""].filter(Boolean).join("; ") : "";
  return el(`li.${word}`, null, el("b", { "aria-label": word }, mark), " ", el("code", null, text), " ", why === "" ? null : el("span.why", null, why));
}

function fileLines(changes) {
  if (changes.lines_added.length + changes.lines_removed.length === 0) return null;
  return el("section.change", null, el("h3", null, "The whole file"), el("div.sides", null,
    side("Before", "-", "gone", changes.lines_removed), side("Now", "+", "added", changes.lines_added)));
}
