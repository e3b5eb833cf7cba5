// Well-known crawlers as a strip: to each, the whole site is open, partly open, or closed. Those that go by the same lines
// as any other crawler say just that.

import { count, el, put, spoken } from "../dom.js";

const SIGNS = { open: "\u2713", partly: "\u25d0", closed: "\u2717" };
const WORDS = { open: "open", partly: "partly open", closed: "closed" };

/// Shows the strip. `choose(name)` makes a crawler the one that is asked for.
export function showStanding(place, { rows }, chosen, choose) {
  const name = chosen.toLowerCase();
  const chips = rows.map((row) => {
    const isAll = row.name === "*";
    const about = row.crawler === null ? (isAll ? "crawlers that no group names" : "") : `${row.crawler.owner}: ${row.crawler.purpose}`;
    const words = [WORDS[row.standing], row.isAsAll ? "as any other" : paths(row)].filter(Boolean).join(", ");
    return el("li", null, el(`button.chip.${row.standing}${row.isAsAll ? ".same" : ""}`, {
      type: "button", title: [about, words].filter(Boolean).join("; "), "data-name": row.name, "data-standing": row.standing,
      "aria-pressed": String(isAll ? name === "" : row.name.toLowerCase() === name), click: () => choose(isAll ? "" : row.name),
    },
    el("b.sign", { "aria-hidden": "true" }, row.isAsAll ? "=" : SIGNS[row.standing]),
    isAll ? "any other" : row.name,
    row.isAsAll || row.standing !== "partly" ? null : el("span.many", { "aria-hidden": "true" }, ` ${many(row)}`),
    spoken(`, ${words}`)));
  });
  put(place,
    el("ul.strip", { tabindex: 0, "aria-label": "Well-known crawlers" }, ...chips),
    el("p.legend", { "aria-hidden": "true" },
      ...Object.keys(SIGNS).flatMap((key) => [el(`span.${key}`, null, el("b.sign", null, SIGNS[key])), ` ${WORDS[key]} \u2002`]),
      el("b.sign", null, "="), " as any other"));
}

// Of a site that is open but for some paths, these count; otherwise the paths that are open.
const many = ({ isOpen, opened, closed }) => (isOpen ? `${closed} closed` : `${opened} open`);
const paths = ({ standing, isOpen, opened, closed }) => (standing === "partly" ? `${count(isOpen ? closed : opened, "path")} ${isOpen ? "closed" : "open"}` : "");
