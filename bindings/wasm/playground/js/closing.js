// Closes a file to one crawler: the edit that an owner would make, tried before it is offered.
//
// The law is that of fixes: what is written was compared with the file as it was. Every other crawler has the answers
// that it had, the lines of the whole file stay, and the crawler may fetch nothing. Otherwise nothing is written.

import { linesOf, withEdits } from "./fixes.js";

const CLOSED = "User-agent: *\nDisallow: /\n";
/// A product token. Other names are not written into a file.
export const isToken = (name) => /^[A-Za-z0-9_-]{1,100}$/.test(name);

/// The text of a file that is closed to a crawler, what that drops, and which known crawlers use other lines now. Null
/// if there is no edit that obeys the law. `options` are those of all questions.
export function closed(robosieve, text, name, options) {
  const alone = { ...options, agents: [name], known: false };
  const { lines, answered_by: by } = robosieve.explain(text, alone);
  const edits = by === "agent" ? groupsOf(lines).map((group) => editsOf(group, name)) : [];
  const hasOwn = edits.some(({ closes }) => closes);
  const edited = withEdits(text, edits.flatMap((one) => one.edits));
  const result = hasOwn ? edited : withGroup(edited, name);
  const { changes, not_compared: left, ...ofFile } = robosieve.diff(text, result, { ...options, allAgents: true });
  const isOwn = ({ agents }) => agents.every((agent) => agent.toLowerCase() === name.toLowerCase());
  const others = [ofFile, ...changes.filter((change) => !isOwn(change))];
  const isSame = (change) => (change.answers ?? "same") === "same" && change.lines_added.length + change.lines_removed.length === 0;
  if (left.length > 0 || !others.every(isSame) || robosieve.diff(result, CLOSED, alone).answers !== "same") return null;
  const dropped = changes.filter(isOwn).flatMap((change) => [...change.rules_removed, ...change.lines_removed]);
  return { name, text: result, dropped, also: moved(robosieve, text, result, options).filter((other) => other.toLowerCase() !== name.toLowerCase()) };
}

// The lines of the crawler's groups, group by group. Each has its user-agent lines first.
function groupsOf(lines) {
  const groups = [];
  let isHead = false;
  for (const line of lines.filter(({ ours }) => ours)) {
    const isAgent = line.meaning.is === "user-agent";
    if (isAgent && !isHead) groups.push([]);
    isHead = isAgent || (isHead && line.meaning.is === "continued");
    groups.at(-1)?.push(line);
  }
  return groups;
}

// A group of its own keeps its place: its first rule becomes the one that closes, and the others go. From a group with
// other crawlers its name goes.
function editsOf(group, name) {
  const agents = group.filter(({ meaning }) => meaning.is === "user-agent");
  const mine = agents.filter(({ meaning }) => /^[\w-]*/.exec(meaning.name)[0].toLowerCase() === name.toLowerCase());
  const gone = (line) => ({ first: line.line, last: line.line, lines: [] });
  if (mine.length < agents.length) return { edits: mine.map(gone), closes: false };
  const rules = group.filter(({ meaning }) => meaning.is === "rule");
  if (rules.length === 0) return { edits: [], closes: false };
  const [first, ...others] = rules;
  return { edits: [{ first: first.line, last: first.line, lines: ["Disallow: /"] }, ...others.map(gone)], closes: true };
}

function withGroup(text, name) {
  const last = linesOf(text).at(-1) ?? "";
  const end = /(?:\r\n|\r|\n)$/.exec(linesOf(text)[0] ?? "")?.[0] ?? "\n";
  const between = text === "" ? "" : /[\r\n]$/.test(last) ? end : end + end;
  return `${text}${between}User-agent: ${name}${end}Disallow: /${end}`;
}

// The known crawlers that read other lines in one file than in the other.
function moved(robosieve, before, after, options) {
  const [old, now] = [before, after].map((file) => robosieve.matrix(file, { ...options, crawlers: "all", urls: ["/"] }).rows);
  return now.filter(({ answered_by: by, agent }, at) => by !== old[at].answered_by || agent !== old[at].agent).map(({ name }) => name);
}
