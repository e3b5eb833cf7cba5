// A table of known crawlers: who may fetch what, and what they may use the content for.

import { el, lineLink, number, put, sign, spoken } from "../dom.js";
import { groupWords, signalWords } from "../words.js";
import { table } from "./verdicts.js";

export function showCrawlers(place, { urls, rows, left }) {
  const hasUses = rows.some(({ content_signals: signals, content_usage: usage }) => signals.length + usage.length > 0);
  const heads = ["Crawler", ...urls.map((url) => el("code", null, short(url))), ...(hasUses ? ["What it may use the content for"] : [])];
  put(place,
    left > 0 ? el("p.note", null, `The table has the first ${urls.length} URLs.`) : null,
    table("Crawlers and URLs", heads, rows.map((one) => row(one, hasUses))));
}

function row({ name, crawler, answers, content_signals: signals, content_usage: usage, totals, ...who }, hasUses) {
  const about = crawler === null ? null : `${crawler.owner}: ${crawler.purpose}`;
  return el("tr", null,
    el("th", { scope: "row" }, name, el("span.about", null, [about, groupWords(who)].filter(Boolean).join("; "))),
    ...answers.map((answer) => el(`td.${answer.allowed ? "yes" : "no"}`, null,
      sign(answer.allowed), spoken(answer.allowed ? "allowed" : "disallowed"), " ",
      answer.line ? lineLink(answer.line) : el("span.why", null, who.answered_by === "nobody" ? "no group" : "no rule"))),
    hasUses ? el("td.why", null, saying([...signals, ...usage], totals.content_signals + totals.content_usage) ?? "nothing is said") : null);
}

function saying(uses, total) {
  if (uses.length === 0) return null;
  return `${uses.map(signalWords).join("; ")}${total > uses.length ? `; and ${number(total - uses.length)} more` : ""}`;
}

const short = (url) => (url.length > 40 ? `${url.slice(0, 40)}…` : url);
