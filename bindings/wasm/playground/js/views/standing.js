// Well-known crawlers as a strip: to each, the whole site is open, partly open, or closed.

import { el, put, spoken } from "../dom.js";

const SIGNS = { open: "\u2713", partly: "\u25d0", closed: "\u2717" };
const WORDS = { open: "open", partly: "partly open", closed: "closed" };

/// Shows the strip. `choose(name)` makes a crawler the one that is asked for.
export function showStanding(place, { rows }, chosen, choose) {
  const name = chosen.toLowerCase();
  const chips = rows.map((row) => {
    const isAll = row.name === "*";
    const about = row.crawler === null ? (isAll ? "crawlers that no group names" : "") : `${row.crawler.owner}: ${row.crawler.purpose}`;
    return el("li", null, el(`button.chip.${row.standing}`, {
      type: "button", title: `${about}${about ? "; " : ""}${WORDS[row.standing]}`, "aria-pressed": String(isAll ? name === "" : row.name.toLowerCase() === name),
      click: () => choose(isAll ? "" : row.name),
    }, el("b.sign", { "aria-hidden": "true" }, SIGNS[row.standing]), isAll ? "all others" : row.name, spoken(`, ${WORDS[row.standing]}`)));
  });
  put(place,
    el("ul.strip", { tabindex: 0, "aria-label": "Well-known crawlers" }, ...chips),
    el("p.legend", { "aria-hidden": "true" }, ...Object.keys(SIGNS).flatMap((key) => [el(`span.${key}`, null, el("b.sign", null, SIGNS[key])), ` ${WORDS[key]} \u2002`])));
}
