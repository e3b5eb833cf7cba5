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
    changes.same ? el("p", null, "Nothing changed: both files say the same.") : null,
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

function ofAgents(change) {
  const groups = { own: "its own group", everyone: "the group for *", nobody: "no group" };
  const moved = change.old_group !== change.new_group;
  const from = moved ? `: before ${groups[change.old_group] ?? change.old_group}, now ${groups[change.new_group] ?? change.new_group}` : "";
  return el("section.change", null, el("h3", null, change.agents.join(", "), rest(change.totals.agents, change.agents), from), ...body(change));
}

const ofOne = (change) => el("div.change", null, ...body(change));

function body(change) {
  return [
    el("ul.diff", null,
      ...change.rules_removed.map((rule) => rule_("-", "gone", rule, "old line")),
      ...change.rules_added.map((rule) => rule_("+", "added", rule, "line")),
      ...change.rules_moved.map((rule) => rule_("~", "moved", rule, "line")),
      ...change.lines_removed.map((line) => line_("-", "gone", line)),
      ...change.lines_added.map((line) => line_("+", "added", line))),
    change.flips.length === 0 ? el("p.note", null, change.answers === "same" ? "No answer changed." : null)
      : el("ul.diff", null, ...change.flips.map(flip)),
    change.without_witness > 0 ? el("p.note", null, `For ${count(change.without_witness, "changed rule")} no URL was found.`) : null,
    change.not_searched > 0 ? el("p.note", null, `${count(change.not_searched, "changed rule")} not searched for a URL.`) : null,
  ];
}

function rule_(mark, word, rule, line) {
  return el("li", null, el("b", { "aria-label": word }, mark), " ", el("code", null, ruleWords({ rule })), " ",
    el("span.why", null, rule.line ? `${line} ${number(rule.line)}` : "", rule.witness === "impossible" ? " changes no answer alone" : ""));
}

const line_ = (mark, word, { name, value }) =>
  el("li", null, el("b", { "aria-label": word }, mark), " ", el("code", null, `${name}: ${value}`));

function flip({ path, allowed }) {
  return el(`li.${allowed ? "yes" : "no"}`, null, sign(allowed), " ", el("code", null, path), ` now ${verdictWord(allowed)}`);
}

function fileLines(changes) {
  if (changes.lines_added.length + changes.lines_removed.length === 0) return null;
  return el("section.change", null, el("h3", null, "For all"), el("ul.diff", null,
    ...changes.lines_removed.map((line) => line_("-", "gone", line)),
    ...changes.lines_added.map((line) => line_("+", "added", line))));
}
