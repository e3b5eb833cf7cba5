// What to save: the owner's own file for the server, and the canonical text for other programs.

import { TEXT } from "../bounds.js";
import { count, el, moreButton, number, put } from "../dom.js";
import { exactWords } from "../words.js";

/// Shows the text. `ask(most)` asks for more of it; `copy(button)` and `save()` are for all of it.
export function showText(place, { agent, size, shown, report }, { ask, copy, save }) {
  const copyButton = el("button", { type: "button", click: () => copy(copyButton) }, "Copy");
  put(place,
    agent === ""
      ? el("p.note", null, "For all crawlers that the file names: what robosieve reads of your file, for a store or another program.")
      : el("p.lint.warning", null, el("strong", null, `For ${agent} only: not for your server.`),
        ` This is what your file says to ${agent}, written for other programs. On a server it would be the rules of every crawler.`),
    el("p.note", null, exactWords({ ...report, ...report.report })),
    size === 0 ? el("p", null, "The text is empty: everything is allowed.") : el("pre.text", { tabindex: 0, "aria-label": "Canonical text" }, shown),
    size > shown.length ? moreButton(`Show more text (${number(size - shown.length)} characters left)`, () => ask(shown.length + 8 * TEXT)) : null,
    el("p.buttons", null, copyButton, el("button", { type: "button", click: save }, `Save as ${textName(agent)}`), el("span.note", null, count(size, "byte"))));
}

/// The name of a file with the text. It is never that of the file of a server.
export function textName(agent) {
  const name = agent.replace(/[^\w.-]+/g, "-").replace(/^[.-]+|[.-]+$/g, "").slice(0, 60);
  return name === "" ? "robots.canonical.txt" : `robots.${name}.canonical.txt`;
}
