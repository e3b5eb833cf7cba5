// A table of known crawlers: who may fetch what, and what they may use the content for. Those with the same answers are
// one row.

import { count, el, lineLink, number, put, sign, spoken } from "../dom.js";
import { signalWords } from "../words.js";
import { table } from "./verdicts.js";

// The names that are said of a row; the others are folded. Our choice.
const NAMES = 3;
const GROUPS = { agent: "a group of its own", everyone: "the group for all others", nobody: "no group" };

export function showCrawlers(place, { urls, rows, left }) {
  const hasUses = rows.some(({ content_signals: signals, content_usage: usage }) => signals.length + usage.length > 0);
  const heads = ["Crawlers", ...urls.map((url) => el("code", null, short(url))), ...(hasUses ? ["What they may use the content for"] : [])];
  put(place,
    left > 0 ? el("p.note", null, `The table has the first ${urls.length} URLs.`) : null,
    table("Crawlers and URLs", heads, rows.map((one) => row(one, hasUses))));
}

function row({ crawlers, answers, content_signals: signals, content_usage: usage, totals, ...who }, hasUses) {
  return el("tr", null,
    el("th", { scope: "row" }, ...names(crawlers), el("span.about", null, [crawlers.length === 1 ? about(crawlers[0]) : "", GROUPS[who.answered_by]].filter(Boolean).join("; "))),
    ...answers.map((answer) => el(`td.${answer.allowed ? "yes" : "no"}`, null,
      sign(answer.allowed), spoken(answer.allowed ? "allowed" : "disallowed"), " ",
      answer.line ? lineLink(answer.line) : el("span.why", null, who.answered_by === "nobody" ? "no group" : "no rule"))),
    hasUses ? el("td.why", null, saying([...signals, ...usage], totals.content_signals + totals.content_usage) ?? "nothing is said") : null);
}

const about = ({ crawler }) => (crawler === null ? "" : `${crawler.owner}: ${crawler.purpose}`);

function names(crawlers) {
  const first = crawlers.slice(0, NAMES).map(({ name }) => name).join(", ");
  if (crawlers.length <= NAMES) return [first];
  return [first, el("details", null,
    el("summary", null, `and ${count(crawlers.length - NAMES, "other")}`),
    el("span.about", null, ...crawlers.slice(NAMES).flatMap((one, at) => [at > 0 ? ", " : null, el("span", { title: about(one) }, one.name)])))];
}

function saying(uses, total) {
  if (uses.length === 0) return null;
  return `${uses.map(signalWords).join("; ")}${total > uses.length ? `; and ${number(total - uses.length)} more` : ""}`;
}

const short = (url) => (url.length > 40 ? `${url.slice(0, 40)}…` : url);
