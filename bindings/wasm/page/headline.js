// The answer in one sentence: is the site open or closed, and for whom. Below it, what decides and what to fix.

import { capital, count, el, lineLink, listed, number, put, short, sign, spoken } from "./dom.js";
import { retrievedHeadline, retrievedWords } from "./retrieved.js";
import { ruleWords } from "./words.js";

const KINDS = {
  html: "a web page", xml: "XML", php: "PHP", json: "JSON", "http-response": "an HTTP response with its head", image: "an image",
  document: "a document, such as a PDF", archive: "an archive", program: "a program", compressed: "packed", gzip: "packed",
  zstd: "packed (zstd)", "utf-16": "text in UTF-16", "utf-32": "text in UTF-32", binary: "no text",
};
const isForeign = (found) => found !== null && found.input.kind in KINDS;

/** Shows what is known so far: `standing` and `found` come after the verdicts. */
export function showHeadline({ head, below }, { question, verdicts, standing, found }) {
  const { retrieved } = question;
  const site = retrieved === null ? null : retrievedHeadline(retrieved);
  const usual = headline(question, verdicts, standing);
  const foreign = isForeign(found) ? { words: "This is not a robots.txt file", allowed: false } : null;
  const { words, allowed } = site ?? foreign ?? usual;
  const said = question.isExample ? `Example: ${words}` : words;
  head.className = `headline ${allowed === null ? "odd" : allowed ? "yes" : "no"}`;
  put(head, sign(allowed), said);
  const source = retrieved === null ? [] : retrievedWords(retrieved);
  const about = foreign === null ? decides(verdicts) : [`It looks like ${KINDS[found.input.kind]}. What crawlers make of it: ${usual.words}. `];
  put(below, ...(site === null ? [...about, ...toFix(question, found)] : []), source.length > 0 ? " " : null, ...source);
  return `${said}. ${below.textContent}`;
}

function headline({ agent, isEmpty }, verdicts, standing) {
  if (isEmpty) return { words: "Open: an empty file lets every crawler fetch everything", allowed: true };
  const answers = verdicts.filter(({ error }) => error === undefined);
  if (answers.length === 0) return agent === "" ? site(standing) : own(agent, standing);
  const who = agent === "" ? "A crawler without rules of its own" : short(agent);
  const allowed = answers.filter((answer) => answer.allowed).length;
  if (answers.length === 1) return { words: `${who} may ${allowed === 1 ? "" : "not "}fetch ${short(answers[0].url)}`, allowed: allowed === 1 };
  if (allowed === answers.length) return { words: `${who} may fetch all ${number(allowed)} URLs`, allowed: true };
  if (allowed === 0) return { words: `${who} may fetch none of the ${number(answers.length)} URLs`, allowed: false };
  return { words: `${who} may fetch ${number(allowed)} of ${number(answers.length)} URLs`, allowed: null };
}

// The site, for every crawler. Those with another answer than all others are named.
function site(standing) {
  if (standing === null) return { words: "No answer yet", allowed: null };
  if (standing.all === "open") return { words: "Open: every crawler may fetch everything", allowed: true };
  if (standing.all === "closed") return { words: "Closed: no crawler may fetch anything", allowed: false };
  const [everyone, ...rows] = standing.rows;
  const those = (kind) => rows.filter((row) => !row.isAsAll && row.standing === kind).map(({ name }) => name);
  const [closed, open] = [those("closed"), [...those("open"), ...those("partly")]];
  if (everyone.standing === "closed") {
    return { words: open.length > 0 ? `Closed, but not to ${listed(open)}` : "Closed to nearly every crawler", allowed: false };
  }
  const word = everyone.standing === "open" ? "Open" : capital(part(everyone));
  if (closed.length > 0) return { words: `${word}, and closed to ${listed(closed)}`.replace("Open, and", "Open, but"), allowed: null };
  return { words: everyone.standing === "open" ? "Open to nearly every crawler" : `${word} for every crawler`, allowed: everyone.standing === "open" ? true : null };
}

function own(agent, standing) {
  const row = standing?.rows.find(({ name }) => name.toLowerCase() === agent.toLowerCase());
  if (row === undefined) return { words: `${short(agent)}: no answer yet`, allowed: null };
  const words = { open: "open", closed: "closed", partly: part(row) }[row.standing];
  return { words: `${capital(words)} to ${short(agent)}`, allowed: { open: true, closed: false }[row.standing] ?? null };
}

// Of a site that is open but for some paths, these count; otherwise the paths that are open.
const part = ({ isOpen, opened, closed }) => (isOpen ? `open except for ${count(closed, "path")}` : `closed except for ${count(opened, "path")}`);

// Of a single URL, the line that decides.
function decides(verdicts) {
  const [first, ...others] = verdicts;
  if (first === undefined || others.length > 0 || first.error !== undefined) return [];
  return first.line ? [lineLink(first.line), " decides: ", el("code", null, short(ruleWords(first))), ". "] : [`${capital(ruleWords(first))}. `];
}

function toFix({ isEmpty }, found) {
  if (isEmpty || found === null) return [];
  if (found.wrong > 0) return ["To fix: ", el("a", { href: "#findings" }, count(found.wrong, "finding")), "."];
  return found.notes > 0 ? ["Nothing to fix; ", el("a", { href: "#findings" }, count(found.notes, "note")), "."] : ["Nothing to fix."];
}

const WORDS = { closed: "closed", partly: "open in part", open: "open" };
const ALLOWED = { closed: false, partly: null, open: true };

/** Shows crawlers, those that are closed first. Who goes by the same lines as any other is named in a line of its own.
 *  `choose(name)` makes a crawler the one that is asked for. */
export function showStanding(place, { rows }, chosen, choose) {
  const button = (row) => el(`button.chip.${row.standing}`, {
    type: "button", title: row.crawler === null ? null : `${row.crawler.owner}: ${row.crawler.purpose}`, "data-name": row.name,
    "data-standing": row.standing, click: () => choose(row.name === "*" ? "" : row.name),
    "aria-pressed": String(row.name.toLowerCase() === (chosen === "" ? "*" : chosen.toLowerCase())),
  }, sign(ALLOWED[row.standing]), row.name === "*" ? "any other" : row.name, spoken(`, ${WORDS[row.standing]}`));
  const [own, same] = [rows.filter((row) => !row.isAsAll), rows.filter((row) => row.isAsAll)];
  const groups = Object.keys(WORDS).map((kind) => [kind, own.filter((row) => row.standing === kind)]).filter(([, those]) => those.length > 0);
  put(place, el("dl.standing", null,
    ...groups.flatMap(([kind, those]) => [el("dt", null, capital(WORDS[kind])), el("dd", null, ...those.map(button))]),
    ...(same.length === 0 ? [] : [el("dt", null, "As any other"), el("dd", null, ...same.map(button))])));
}
