// A verdict for each URL, with everything about it: the rules that match, the dialects, the uses of its content.

import { VERDICTS } from "../bounds.js";
import { capital, el, lineLink, moreButton, number, put, rich, sign } from "../dom.js";
import { groupWords, ruleWords, USES, verdictWord } from "../words.js";

const DIALECTS = { standard: "RFC 9309", google: "Google", processor: "robots-txt-processor" };

/// Shows verdicts. `ask(place)` asks for the reason of one; `reason` is that of the first.
export function showVerdicts(place, { verdicts, reason }, ask) {
  if (verdicts.length === 0) {
    put(place, el("p.note", null, "Write a URL or a path to have it tested."));
    return;
  }
  const items = verdicts.map((verdict, at) => {
    const details = el("details", {
      toggle: () => {
        if (details.open && !details.dataset.filled) ask(at);
      },
    }, summary(verdict), el("div.reason", { "data-place": at }));
    return el(`li.${verdict.error ? "odd" : verdict.allowed ? "yes" : "no"}`, null, details);
  });
  const list = el("ol.verdicts", null, ...items.slice(0, VERDICTS));
  const rest = items.slice(VERDICTS);
  const more = rest.length === 0 ? null : moreButton(`Show the other ${number(rest.length)}`, () => {
    list.append(...rest);
    more.remove();
    rest[0].querySelector("summary").focus();
  });
  put(place, list, more);
  if (reason !== null) showReason(place, reason);
}

function summary(verdict) {
  if (verdict.error) {
    return el("summary", null, sign(null), " ", el("code", null, verdict.url), " ", el("span.why", null, errorWords(verdict.error)));
  }
  return el("summary", null,
    sign(verdict.allowed), " ",
    el("strong", null, verdictWord(verdict.allowed)), " ",
    el("code", null, verdict.url), " ",
    el("span.why", null, verdict.line ? [`line ${number(verdict.line)}: `] : null, ruleWords(verdict)));
}

const errorWords = (error) => (typeof error === "string" ? error : error.message ?? "cannot be tested");

/// Shows the reason below its verdict.
export function showReason(place, { place: at, why, usage }) {
  const holder = place.querySelector(`[data-place="${Number(at)}"]`);
  if (holder === null || why === undefined) return;
  const details = holder.parentElement;
  details.dataset.filled = "true";
  // A question about one URL is about its reason.
  if (place.querySelectorAll(".verdicts > li").length === 1) details.open = true;
  put(holder,
    el("p", null, rich(`${capital(why.group ?? groupWords(why.answer))}; ${why.reason}.`)),
    rules(why.rules),
    dialects(why.dialects, why.url),
    uses(usage));
}

function rules({ total, shown }) {
  if (total === 0) return null;
  const items = shown.map((rule) => el(`li${rule.decides ? ".decides" : ""}`, null,
    rule.line ? lineLink(rule.line) : "a rule in place of lost ones", ": ",
    el("code", null, ruleWords({ rule })), " ",
    el("span.why", null, `${rule.words}; length ${number(rule.length)}${rule.decides ? "; it decides" : ""}`)));
  const more = total > shown.length ? el("p.note", null, `And ${number(total - shown.length)} more that match.`) : null;
  return [el("h3", null, "Rules that match"), el("ul.rules", null, ...items), more];
}

// Other readings are shown where they come to another answer.
function dialects(answers, url) {
  if (answers.every(({ answer }) => answer.allowed === answers[0].answer.allowed)) {
    return el("p.note.same", null, "Google, and the PHP program robots-txt-processor, come to the same answer.");
  }
  const rows = answers.map(({ dialect, answer }) => el(`tr.${answer.allowed ? "yes" : "no"}`, null,
    el("th", { scope: "row" }, DIALECTS[dialect] ?? dialect),
    el("td", null, sign(answer.allowed), " ", verdictWord(answer.allowed)),
    el("td", null, answer.line ? [lineLink(answer.line), ": "] : null, el("code", null, ruleWords(answer)))));
  return [
    el("h3", null, "Others read it otherwise"),
    table(`Answers of other readers for ${url}`, ["Reader", "Answer", "By"], rows),
  ];
}

function uses(usage) {
  if (!usage) return null;
  const said = usage.uses.filter((use) => use.lines.length > 0 || use.allowed !== null || use.extent);
  if (!usage.answer.allowed || said.length + usage.ignored.length === 0) return null;
  const head = el("h3", null, "What its content may be used for");
  const rows = said.map((use) => el(`tr.${use.allowed === null ? "odd" : use.allowed ? "yes" : "no"}`, null,
    el("th", { scope: "row" }, USES[use.use] ?? use.use),
    el("td", null, use.extent ?? (use.allowed === null ? "nothing is said" : [sign(use.allowed), " ", verdictWord(use.allowed)])),
    el("td", null, ...useLines(use.lines, use.more_lines))));
  const ignored = usage.ignored.length === 0 ? null : el("p.note", null, "Without a known meaning: ", ...useLines(usage.ignored, usage.more_ignored));
  return [head, rows.length === 0 ? null : table(`Uses of ${usage.url} by Content-Signal and Content-Usage`, ["Use", "Answer", "By"], rows), ignored];
}

function useLines(lines, more) {
  const shown = lines.flatMap((line, at) => [at > 0 ? "; " : null, lineLink(line.line), ": ", el("code", null, line.text)]);
  return more > 0 ? [...shown, `; and ${number(more)} more`] : shown;
}

/// A table that scrolls by itself where it is too wide.
export function table(caption, heads, rows) {
  return el("div.scroll", { tabindex: 0, role: "region", "aria-label": caption },
    el("table", null,
      el("caption.spoken", null, caption),
      el("thead", null, el("tr", null, ...heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", null, ...rows)));
}
