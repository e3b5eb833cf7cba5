// What robosieve's data says, in words. They are those of `robosieve explain` and its pages.

import { el } from "./dom.js";

const SOURCE = "https://github.com/robosieve/robosieve/blob/main";

/** The clause of the specification that a sentence comes from. */
export function clauseLink(clause) {
  const file = clause.startsWith("lint.") ? "crates/explain/SPEC.md" : "SPEC.md";
  const href = `${SOURCE}/${file}#:~:text=${encodeURIComponent(`[${clause}]`)}`;
  return el("small", null, el("a", { href, rel: "noreferrer", title: `What the specification says: ${clause}` }, "Why?"));
}

export const verdictWord = (allowed) => (allowed ? "allowed" : "disallowed");

/** Which group applies. */
export function groupWords({ answered_by: by, agent }) {
  if (by === "agent") return `its own group applies (${agent})`;
  return by === "everyone" ? "the group for all others applies" : "no group applies";
}

/** Why a verdict is what it is, without the line. */
export function ruleWords({ rule, reason }) {
  if (rule) return `${rule.kind === "allow" ? "Allow" : "Disallow"}: ${rule.pattern}`;
  return { "no-rule": "no rule matches", "no-record": "no group applies", "robots-txt": "/robots.txt is always allowed" }[reason] ?? reason;
}
