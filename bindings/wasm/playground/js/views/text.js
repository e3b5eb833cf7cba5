// The canonical text.

import { TEXT } from "../bounds.js";
import { count, el, moreButton, number, put } from "../dom.js";
import { exactWords } from "../words.js";

/// Shows the text. `ask(most)` asks for more of it; `copy(button)` and `save()` are for all of it.
export function showText(place, { size, shown, report }, { ask, copy, save }) {
  const copyButton = el("button", { type: "button", click: () => copy(copyButton) }, "Copy");
  put(place,
    el("p.note", null, exactWords({ ...report, ...report.report })),
    size === 0 ? el("p", null, "The text is empty: everything is allowed.") : el("pre.text", { tabindex: 0, "aria-label": "Canonical text" }, shown),
    size > shown.length ? moreButton(`Show more text (${number(size - shown.length)} characters left)`, () => ask(shown.length + 8 * TEXT)) : null,
    el("p.buttons", null, copyButton, el("button", { type: "button", click: save }, "Save"), el("span.note", null, count(size, "byte"))));
}
