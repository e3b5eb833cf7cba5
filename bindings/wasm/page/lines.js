// The file line by line, a window of it at a time, with the lines that decide marked.

import { LINES } from "./bounds.js";
import { byId, count, el, moreButton, number, put, short } from "./dom.js";
import { groupWords } from "./words.js";

export class LinesView {
  #place;
  #ask;
  #wanted = null;
  #deciding = new Map();
  #list = null;
  #from = 0;
  #to = 0;

  /** `ask({ from, to })` asks for lines. */
  constructor(place, ask) {
    this.#place = place;
    this.#ask = ask;
  }

  /** The lines that decide, with the URLs for which they do. */
  decide(verdicts) {
    this.#deciding = Map.groupBy(verdicts.filter(({ line }) => line), ({ line }) => line);
    for (const item of this.#list?.children ?? []) this.#mark(item);
  }

  /** Shows lines. They continue what is shown if they are next to it. */
  show({ head, from, total, shown }) {
    const isAfter = this.#list !== null && from === this.#to && from > 0;
    const isBefore = this.#list !== null && from + shown.length === this.#from && shown.length > 0;
    const items = shown.map((line) => this.#item(line));
    if (isAfter) this.#list.append(...items);
    else if (isBefore) this.#list.prepend(...items);
    else this.#begin(head, items);
    this.#from = isAfter ? this.#from : from;
    this.#to = isBefore ? this.#to : from + shown.length;
    const [earlier, later] = [this.#place.querySelector(".earlier"), this.#place.querySelector(".later")];
    const more = (words, first, last) => moreButton(words, () => this.#ask({ from: first, to: last }));
    put(earlier, this.#from > 0 ? more(`Show earlier lines (${number(this.#from)} above)`, Math.max(0, this.#from - LINES), this.#from) : null);
    put(later, this.#to < total ? more(`Show more lines (${number(total - this.#to)} below)`, this.#to, this.#to + LINES) : null);
    if (isAfter || isBefore) items.at(isAfter ? 0 : -1)?.focus();
    this.#goWhereWanted();
  }

  #begin(head, items) {
    this.#list = el("ol.file", null, ...items);
    put(this.#place, el("p.note", null, `${count(head.records, "group")}; ${groupWords(head)}. Lines with the mark `, el("b.ours", null, ">"), " belong to it."),
      el("div.earlier"), this.#list, el("div.later"));
  }

  #item({ line, ours, text, cut, meaning, findings }) {
    const item = el(`li${ours ? ".ours" : ""}`, { id: `L${line}`, tabindex: -1, "data-line": line },
      el("b", { "aria-hidden": "true" }, ours ? ">" : ""), el("span.n", null, number(line)),
      el("code", null, text, cut ? el("span.note", null, ` … and ${count(cut, "character")} more`) : null),
      el("span.meaning", null, meaning), ...findings.map((words) => el("em", null, words)));
    this.#mark(item);
    return item;
  }

  #mark(item) {
    item.querySelector(".deciding")?.remove();
    const verdicts = this.#deciding.get(Number(item.dataset.line));
    item.classList.toggle("decides", verdicts !== undefined);
    if (verdicts === undefined) return;
    const more = verdicts.length > 3 ? ` and ${verdicts.length - 3} more` : "";
    item.append(el("strong.deciding", null, `decides for ${verdicts.slice(0, 3).map(({ url }) => short(url)).join(", ")}${more}`));
  }

  /** Brings a line into view, and the focus to it. */
  goTo(line) {
    this.#wanted = line;
    if (line > this.#from && line <= this.#to) this.#goWhereWanted();
    else this.#ask({ from: Math.max(0, line - 20), to: Math.max(0, line - 20) + LINES });
  }

  #goWhereWanted() {
    const item = this.#wanted === null ? null : byId(`L${this.#wanted}`);
    if (item === null) return;
    this.#wanted = null;
    item.focus({ preventScroll: true });
    item.scrollIntoView({ block: "center" });
  }
}
