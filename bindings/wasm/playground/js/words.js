// What robosieve's data says, in words. They are those of `robosieve explain` and its pages.

import { count, el, number } from "./dom.js";

const SOURCE = "https://github.com/robosieve/robosieve/blob/main";

/// The clause of the specification that a sentence comes from.
export function clauseLink(clause) {
  const file = clause.startsWith("lint.") ? "crates/explain/SPEC.md" : "SPEC.md";
  const href = `${SOURCE}/${file}#:~:text=${encodeURIComponent(`[${clause}]`)}`;
  return el("small", null, el("a", { href, rel: "noreferrer", title: `What the specification says: ${clause}` }, "Why?"));
}

export const verdictWord = (allowed) => (allowed ? "allowed" : "disallowed");

/// Which group applies.
export function groupWords({ answered_by: by, agent }) {
  if (by === "agent") return `its own group applies (${agent})`;
  if (by === "everyone") return "the group for all others applies";
  return "no group applies";
}

/// Why a verdict is what it is, without the line.
export function ruleWords({ rule, reason }) {
  if (rule) return `${rule.kind === "allow" ? "Allow" : "Disallow"}: ${rule.pattern}`;
  return { "no-rule": "no rule matches", "no-record": "no group applies", "robots-txt": "/robots.txt is always allowed" }[reason] ?? reason;
}

/// What a line means.
export function meaningWords({ meaning }) {
  const valued = (what, name, value) => (meaning.as_written ? what : `${what}, read as ${name}: ${value}`);
  switch (meaning.is) {
    case "user-agent": return meaning.name === "*" ? "user agent: all other crawlers" : `user agent: ${meaning.name}`;
    case "rule": return ruleMeaning(meaning, valued);
    case "extension": return valued(`belongs to the ${meaning.shared ? "group" : "agents above"}`, meaning.name, meaning.value);
    case "file-line": return valued("belongs to the file", meaning.name, meaning.value);
    case "comment": return "comment";
    case "blank": return "";
    case "continued": return `continues line ${number(meaning.of)}`;
    case "left-out": return "left out";
    case "not-read": return "not read";
    default: return meaning.is;
  }
}

function ruleMeaning({ kind, pattern, as_written: asWritten, words }, valued) {
  if (pattern === "") return `empty ${kind}: no rule`;
  if (!asWritten) return valued("rule", kind === "allow" ? "Allow" : "Disallow", pattern);
  return `${kind}s ${words ?? patternWords(pattern)}`;
}

/// What a pattern matches, in words: as `pattern_in_words` of robosieve-explain.
export function patternWords(pattern) {
  const isAnchored = pattern.endsWith("$");
  const body = isAnchored ? pattern.slice(0, -1) : pattern;
  const parts = body.split("*");
  if (parts.length === 1) {
    if (!isAnchored && (body === "/" || body === "")) return "every path";
    return isAnchored ? `only the path ${body}` : `every path that begins with ${body}`;
  }
  const last = parts.pop();
  const words = [];
  parts.forEach((part, place) => {
    if (part === "" || (place === 0 && part === "/")) return;
    const what = place === 0 ? "begins with" : words.length === 0 ? "contains" : "then contains";
    words.push(`${what} ${part}`);
  });
  const end = last === "" ? null : isAnchored ? `ends in ${last}` : `${words.length === 0 ? "" : "then "}contains ${last}`;
  if (words.length === 0) return end === null ? "every path" : `every path that ${end}`;
  if (end === null) return `every path that ${words.join(", ")}`;
  return `every path that ${words.join(", ")}${isAnchored ? " and " : ", "}${end}`;
}

/// Whether a canonical text has lost anything, from its report.
export function exactWords({ exact, losses, suspects, input, refused }) {
  if (refused) return "The file is refused.";
  const lost = losses ?? {};
  const parts = [
    lost.more_permissive > 0 ? `${count(lost.more_permissive, "Disallow rule")} dropped: the text permits more` : null,
    lost.either > 0 ? `${count(lost.either, "other loss", "other losses")}: the text may permit more or less` : null,
    lost.more_restrictive > 0 ? `${count(lost.more_restrictive, "Allow rule")} dropped or widened: the text permits less` : null,
  ].filter(Boolean);
  const suspect = suspects > 0 ? ` ${count(suspects, "suspect")}: see the findings.` : "";
  const looks = input && input.kind !== "text" && input.kind !== "empty" ? ` The file looks like ${input.kind}, not like a robots.txt file.` : "";
  return `${exact ? "Exact: nothing was lost." : `Not exact. ${parts.join("; ")}.`}${suspect}${looks}`;
}

/// What is allowed for a use: by Content-Signal and Content-Usage.
export const USES = { "ai-training": "training of AI models", "ai-use": "input of AI models", search: "search", extent: "extent of use" };

/// One line of Content-Signal or Content-Usage.
export function signalWords({ path, uses }) {
  return `${path ? `${path} ` : ""}${uses.map(({ name, value }) => `${name}=${value}`).join(", ")}`;
}
