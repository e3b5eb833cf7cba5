// The answer in one sentence, and the number of lines that do not do what they seem to.

import { capital, count, el, lineLink, number, put, sign } from "../dom.js";
import { ruleWords } from "../words.js";
import { retrievedHeadline, retrievedWords } from "./retrieved.js";

const KINDS = {
  html: "a web page", xml: "XML", php: "PHP", json: "JSON", "http-response": "an HTTP response with its head", image: "an image",
  document: "a document, such as a PDF", archive: "an archive", program: "a program", compressed: "packed", gzip: "packed",
  zstd: "packed (zstd)", "utf-16": "text in UTF-16", "utf-32": "text in UTF-32", binary: "no text",
};
const short = (text) => (text.length > 48 ? `${text.slice(0, 48)}…` : text);
const isForeign = (found) => found !== null && found.input.kind in KINDS;

/// Shows what is known so far: `standing` and `found` come after the verdicts. `choose(name)` asks for another crawler.
export function showHeadline({ head, below }, { question, verdicts, standing, found }, choose) {
  const usual = headline(question, verdicts, standing);
  const { words, allowed } = special(question, found) ?? usual;
  const said = question.isExample ? `Example: ${words}` : words;
  head.className = `headline ${allowed === null ? "odd" : allowed ? "yes" : "no"}`;
  put(head, allowed === null ? el("b.sign", { "aria-hidden": "true" }, "\u25d0") : sign(allowed), said);
  put(below, ...belowOf(question, { verdicts, standing, found, usual }, choose));
  return `${said}. ${below.textContent}`;
}

// What comes before the answer of a file: there is none, it is none, or nobody has this name.
function special({ agent, meant, retrieved }, found) {
  const live = retrieved === null ? null : retrievedHeadline(retrieved);
  if (live !== null) return live;
  if (isForeign(found)) return { words: "This is not a robots.txt file", allowed: false };
  return meant.length > 0 ? { words: `${short(agent)} is no crawler\u2019s name`, allowed: null } : null;
}

function belowOf(question, { verdicts, standing, found, usual }, choose) {
  const { retrieved } = question;
  const source = retrieved === null ? [] : retrievedWords(retrieved);
  if (retrieved !== null && retrievedHeadline(retrieved) !== null) return source;
  if (isForeign(found)) return [`It looks like ${KINDS[found.input.kind]}. What crawlers make of it: ${usual.words}. `, ...source];
  if (question.meant.length > 0) return [...whom(question, standing, choose), ...source];
  return [...decides(verdicts), ...findings(question, found), ...source.flatMap((part, at) => (at === 0 ? [" ", part] : [part]))];
}

// The crawlers that are meant, each with its answer.
function whom({ meant }, standing, choose) {
  const rows = new Map(standing?.rows.map((row) => [row.name, row]));
  const buttons = meant.map((name) => {
    const word = { open: "open", partly: "partly open", closed: "closed" }[rows.get(name)?.standing];
    return el("button.chip", { type: "button", click: () => choose(name) }, name, word === undefined ? null : `: ${word}`);
  });
  return [meant.length === 1 ? "Did you mean this crawler? " : "These crawlers may be meant: ", ...buttons.flatMap((button) => [button, " "])];
}

function headline({ agent, isEmpty }, verdicts, standing) {
  if (isEmpty) return { words: "Everybody may fetch everything", allowed: true };
  if (standing?.all === "closed") return { words: "Nobody may fetch anything", allowed: false };
  const who = agent === "" ? "Crawlers that no group names" : short(agent);
  const answers = verdicts.filter(({ error }) => error === undefined);
  const allowed = answers.filter((answer) => answer.allowed).length;
  if (answers.length === 0) return whole(who, standing);
  if (answers.length === 1) {
    return { words: `${who} may ${allowed === 1 ? "" : "not "}fetch ${short(answers[0].url)}`, allowed: allowed === 1 };
  }
  if (allowed === answers.length) return { words: `${who} may fetch all ${number(allowed)} URLs`, allowed: true };
  if (allowed === 0) return { words: `${who} may fetch none of the ${number(answers.length)} URLs`, allowed: false };
  return { words: `${who} may fetch ${number(allowed)} of ${number(answers.length)} URLs`, allowed: null };
}

function whole(who, standing) {
  if (standing?.all === "open") return { words: "Everybody may fetch everything", allowed: true };
  const words = { open: "everything", closed: "nothing", partly: "a part of the site" }[standing?.own];
  return { words: words === undefined ? `${who}: no answer yet` : `${who} may fetch ${words}`, allowed: { open: true, closed: false }[standing?.own] ?? null };
}

// Of a single URL, the line that decides.
function decides(verdicts) {
  const [first, ...others] = verdicts;
  if (first === undefined || others.length > 0 || first.error !== undefined) return [];
  return first.line ? [lineLink(first.line), " decides: ", el("code", null, short(ruleWords(first))), ". "] : [`${capital(ruleWords(first))}. `];
}

function findings({ isEmpty }, found) {
  if (isEmpty) return ["The file is empty."];
  if (found === null) return [];
  const { wrong } = found;
  if (wrong === 0) return ["Every line does what it seems to."];
  const words = found.counted ? count(wrong, "finding") : `${count(wrong, "line")} ${wrong === 1 ? "does not do what it seems" : "do not do what they seem"} to`;
  return [el("a", { href: "#findings" }, words), "."];
}
