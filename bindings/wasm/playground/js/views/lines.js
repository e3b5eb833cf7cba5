// The file line by line, a window of it at a time, with the lines that decide marked.

import { LINES } from "../bounds.js";
import { byId, count, el, moreButton, number, put } from "../dom.js";
import { groupWords, meaningWords } from "../words.js";

export class LinesView {
  #place;
  #ask;
  #wanted = null;
  #deciding = new Map();
  #list = null;
  #from = 0;
  #to = 0;

  /// `ask({ from, to })` asks for lines.
  constructor(place, ask) {
    this.#place = place;
    this.#ask = ask;
  }

  /// The lines that decide, with the URLs for which they do.
  decide(verdicts) {
    this.#deciding.clear();
    for (const { line, url } of verdicts) {
      if (line) this.#deciding.set(line, [...(this.#deciding.get(line) ?? []), url]);
    }
    for (const item of this.#list?.children ?? []) this.#mark(item);
  }

  /// Shows lines. They continue what is shown if they are next to it.
  show({ head, from, total, shown }) {
    const isAfter = this.#list !== null && from === this.#to && from > 0;
    const isBefore = this.#list !== null && from + shown.length === this.#from && shown.length > 0;
    const items = shown.map((line) => this.#item(line));
    if (isAfter) this.#list.append(...items);
    else if (isBefore) this.#list.prepend(...items);
    else this.#begin(head, items);
    this.#from = isAfter ? this.#from : from;
    this.#to = isBefore ? this.#to : from + shown.length;
    this.#more(total);
    if (isAfter || isBefore) items.at(isAfter ? 0 : -1)?.focus();
    this.#goWhereWanted();
  }

  #begin(head, items) {
    this.#list = el("ol.file", null, ...items);
    put(this.#place,
      el("p.note", null, `${count(head.records, "group")}, ${count(head.user_agents, "user-agent line")}; ${groupWords(head)}. `,
        "Lines with the mark ", el("b.ours", null, ">"), " belong to it."),
      el("div.earlier"), this.#list, el("div.later"));
  }

  #item(line) {
    const item = el(`li${line.ours ? ".ours" : ""}`, { id: `L${line.line}`, tabindex: -1, "data-line": line.line },
      el("b", { "aria-hidden": "true" }, line.ours ? ">" : ""),
      el("span.n", null, number(line.line)),
      el("code", null, line.text, line.cut ? el("span.note", null, ` … and ${count(line.cut, "character")} more`) : null),
      el("span.meaning", null, meaningWords(line)),
      ...line.findings.slice(0, 10).map((finding) => el("em", null, findingWords(finding))));
    this.#mark(item);
    return item;
  }

  #mark(item) {
    item.querySelector(".deciding")?.remove();
    const urls = this.#deciding.get(Number(item.dataset.line));
    item.classList.toggle("decides", urls !== undefined);
    if (urls === undefined) return;
    const more = urls.length > 3 ? ` and ${urls.length - 3} more` : "";
    item.append(el("strong.deciding", null, `decides for ${urls.slice(0, 3).map((url) => short(url)).join(", ")}${more}`));
  }

  #more(total) {
    const [earlier, later] = [this.#place.querySelector(".earlier"), this.#place.querySelector(".later")];
    const [from, to] = [this.#from, this.#to];
    put(earlier, from > 0 ? moreButton(`Show earlier lines (${number(from)} above)`,
      () => this.#ask({ from: Math.max(0, from - LINES), to: from })) : null);
    put(later, to < total ? moreButton(`Show more lines (${number(total - to)} below)`,
      () => this.#ask({ from: to, to: to + LINES })) : null);
  }

  /// Brings a line into view, and the focus to it.
  goTo(line) {
    this.#wanted = line;
    if (line > this.#from && line <= this.#to) this.#goWhereWanted();
    else this.#ask({ from: Math.max(0, line - 20), to: line - 20 + LINES });
  }

  #goWhereWanted() {
    if (this.#wanted === null) return;
    const item = byId(`L${this.#wanted}`);
    if (item === null) return;
    this.#wanted = null;
    item.focus({ preventScroll: true });
    item.scrollIntoView({ block: "center" });
  }
}

const short = (url) => (url.length > 60 ? `${url.slice(0, 60)}…` : url);

function findingWords({ text, effect, clause }) {
  const effects = { "more-permissive": " (permits more)", "more-restrictive": " (permits less)", either: " (may permit more or less)" };
  return `${text}${effects[effect] ?? ""} [${clause}]`;
}
