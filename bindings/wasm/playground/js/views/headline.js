// The answer in one sentence, and the number of lines that do not do what they seem to.

import { count, el, lineLink, number, put, sign } from "../dom.js";
import { ruleWords } from "../words.js";

const KINDS = { html: "a web page", json: "JSON", binary: "no text", pdf: "a PDF" };
const short = (text) => (text.length > 48 ? `${text.slice(0, 48)}…` : text);

/// Shows what is known so far: `standing` and `found` come after the verdicts.
export function showHeadline({ head, below }, { question, verdicts, standing, found }) {
  const { words, allowed } = headline(question, verdicts, standing);
  head.className = `headline ${allowed === null ? "odd" : allowed ? "yes" : "no"}`;
  put(head, allowed === null ? el("b.sign", { "aria-hidden": "true" }, "\u25d0") : sign(allowed), words);
  put(below, ...decides(verdicts), ...findings(question, found));
  return `${words}. ${below.textContent}`;
}

function headline({ agent, isEmpty }, verdicts, standing) {
  if (isEmpty) return { words: "Everybody may fetch everything", allowed: true };
  if (standing?.all === "closed") return { words: "Nobody may fetch anything", allowed: false };
  const who = agent === "" ? "An unnamed crawler" : short(agent);
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
  return first.line ? [lineLink(first.line), " decides: ", el("code", null, short(ruleWords(first))), ". "] : [`${ruleWords(first)}. `];
}

function findings({ isEmpty }, found) {
  if (isEmpty) return ["The file is empty."];
  if (found === null) return [];
  const looks = found.input.kind === "text" ? "" : `It looks like ${KINDS[found.input.kind] ?? found.input.kind}, not like a robots.txt file. `;
  const { wrong } = found;
  if (wrong === 0) return [looks, "Every line does what it seems to."];
  const words = found.counted ? count(wrong, "finding") : `${count(wrong, "line")} ${wrong === 1 ? "does not do what it seems" : "do not do what they seem"} to`;
  return [looks, el("a", { href: "#findings" }, words), "."];
}
