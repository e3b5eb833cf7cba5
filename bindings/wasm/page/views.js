// The parts of the answer below the headline. A sign and a word say each answer: colour is never alone.

import { FINDINGS, VERDICTS } from "./bounds.js";
import { capital, count, el, lineLink, moreButton, number, put, rich, seen, sentence, short, sign, spoken, table } from "./dom.js";
import { clauseLink, ruleWords, verdictWord } from "./words.js";

/** A verdict for each URL, with the line that decides. */
export function showVerdicts(place, verdicts) {
  if (verdicts.length === 0) return put(place, el("p.note", null, "Write a URL or a path to have it tested."));
  const items = verdicts.map(({ url, allowed, error, line, ...more }) => el(`li.${error ? "odd" : allowed ? "yes" : "no"}`, null,
    sign(error ? null : allowed), " ", error ? null : [el("strong", null, verdictWord(allowed)), " "], el("code", null, url), " ",
    el("span.why", null, error ? (error.message ?? String(error)) : [line ? lineLink(line) : null, line ? ": " : null, ruleWords(more)].filter(Boolean))));
  const list = el("ol.verdicts", null, ...items.slice(0, VERDICTS));
  const rest = items.slice(VERDICTS);
  const more = rest.length === 0 ? null : moreButton(`Show the other ${number(rest.length)}`, () => {
    list.append(...rest);
    more.remove();
  });
  put(place, list, more);
}

/** What the owner should fix. `ask(most)` asks for more; `apply(fixes)` writes them into the file, if it can be edited. */
export function showFindings(place, found, { ask, apply }) {
  const counts = ["error", "warning", "note"].map((name) => [found[`${name}s`], name]).filter(([many]) => many > 0).map(([many, name]) => count(many, name));
  const rest = found.total - found.shown.length;
  const safe = apply === null ? [] : found.shown.filter(({ fix }) => fix?.safe).map(({ fix }) => fix);
  // Findings of a kind stand together, in the order of the first of them.
  const kinds = Map.groupBy(found.shown, ({ kind }) => kind);
  put(place,
    el("p.buttons", null, el("span", null, found.total === 0 ? "Nothing to fix." : `${counts.join(", ")}.`),
      safe.length > 1 ? el("button", { type: "button", "data-fix": "all", click: () => apply(safe) }, `Fix all ${safe.length} that change no answer`) : null),
    ...[...kinds.values()].map((lints) => card(lints, apply)),
    rest > 0 ? moreButton(`Show more findings (${number(rest)} left)`, () => ask(found.shown.length + 4 * FINDINGS)) : null);
}

function card(lints, apply) {
  const [{ severity, kind, message, help, clause }] = lints;
  const hasOne = (key) => lints.every((lint) => lint[key] === lints[0][key]);
  const items = lints.map((lint) => quote(lint, apply, [hasOne("message") ? "" : lint.message, hasOne("help") ? "" : lint.help]));
  return el(`div.lint.${severity}`, { "data-kind": kind },
    el("p", null, el("strong", null, capital(severity)), ": ", rich(sentence(hasOne("message") ? message : kind.replaceAll("-", " "))), " ",
      help && hasOne("help") ? [el("span.soft", null, rich(sentence(help))), " "] : null, clauseLink(clause)),
    el("ul.quotes", null, ...items.slice(0, 3)),
    items.length > 3 ? el("details", null, el("summary", null, `And ${count(items.length - 3, "more line")}`), el("ul.quotes", null, ...items.slice(3))) : null);
}

// A line as it stands in the file, and what to write instead.
function quote({ line, quoted, fix }, apply, said) {
  const words = said.filter(Boolean).map(sentence).join(" ");
  return el("li", null, line ? lineLink(line) : null, el("code", null, seen(quoted)),
    words === "" ? null : el("span.said", null, rich(words)), fix ? instead(fix, apply) : null);
}

function instead(fix, apply) {
  const { lines } = fix;
  const write = lines.length === 0 ? ["delete it"] : ["write ", ...lines.slice(0, 20).flatMap((text, at) => [at > 0 ? el("br") : null, el("code", null, seen(text))])];
  const changes = fix.safe ? "" : fix.effect.replaceAll("`*`", "all others");
  return [el("span.instead", null, ...write.filter(Boolean), changes === "" ? null : el("span.why", null, ...rich(` (${changes})`))),
    apply === null ? null : el("button", {
      type: "button", "data-fix": fix.safe ? "safe" : "changes", click: () => apply([fix]),
      "aria-label": `Fix line ${fix.first}: ${lines.length === 0 ? "delete it" : lines[0].slice(0, 80)}`,
    }, "Fix")];
}

/** Which known crawlers are let in. Those with the same answers are one row. */
export function showCrawlers(place, { urls, rows, left }) {
  const names = (crawlers) => crawlers.flatMap(({ name, about }, at) => [at > 0 ? ", " : null, el("span", { title: about }, name)]).filter(Boolean);
  const row = ({ by, answers, crawlers }) => el("tr", null,
    el("th", { scope: "row" }, ...names(crawlers.slice(0, 3)),
      crawlers.length > 3 ? el("details", null, el("summary", null, `and ${count(crawlers.length - 3, "other")}`), ...names(crawlers.slice(3))) : null,
      el("span.about", null, { agent: "by a group that names them", everyone: "by the group for all others" }[by] ?? "no group applies")),
    ...answers.map(({ allowed, line }) => el(`td.${allowed ? "yes" : "no"}`, null, sign(allowed), spoken(verdictWord(allowed)), " ",
      line ? lineLink(line) : el("span.why", null, "no rule"))));
  put(place, left > 0 ? el("p.note", null, `The table has the first ${urls.length} URLs.`) : null,
    table("Crawlers and URLs", ["Crawlers", ...urls.map((url) => el("code", null, short(url)))], rows.map(row)));
}

/** The paths that rules speak of, as a tree. */
export function showPaths(place, nodes) {
  const top = el("ul.tree");
  // The lists that are open, from the top.
  const lists = [top];
  for (const { depth, allowed, label, words } of nodes) {
    lists.length = depth + 1;
    const item = el(`li${allowed === null ? "" : allowed ? ".yes" : ".no"}`, null, sign(allowed), " ", el("code", null, label), " ", el("span.why", null, words));
    lists[depth].append(item);
    const below = el("ul");
    // It is added when something is in it.
    lists[depth + 1] = { append: (child) => { item.append(below); below.append(child); } };
  }
  put(place, el("p.note", null, "What the rules for the crawler speak of. Deeper paths have the answer of what is above them."), top);
}
