// What the owner of the file should fix, and what to write instead.

import { FINDINGS } from "../bounds.js";
import { count, el, lineLink, moreButton, number, put } from "../dom.js";

/// Shows findings. `ask(most)` asks for more of them.
export function showFindings(place, found, ask) {
  const counts = ["error", "warning", "note"].map((name) => count(found[`${name}s`], name)).join(", ");
  const rest = found.total - found.shown.length;
  put(place,
    el("p", null, found.total === 0 ? "Nothing to fix." : `${counts}.`),
    ...found.shown.map(finding),
    rest > 0 ? moreButton(`Show more findings (${number(rest)} left)`, () => ask(found.shown.length + 4 * FINDINGS)) : null);
}

/// Only a fix that changes nothing is offered.
function finding({ severity, line, message, clause, help, fix }) {
  return el(`div.lint.${severity}`, null,
    el("p", null, el("strong", null, severity), " ", line ? [lineLink(line), ": "] : null, message, " ", el("small", null, `[${clause}]`)),
    help ? el("p", null, help) : null,
    !fix?.safe ? null : [
      el("p", null, fix.lines.length === 0 ? "Delete the line: this changes no answer." : "Write instead, which changes no answer:"),
      fix.lines.length === 0 ? null : el("pre", null, fix.lines.slice(0, 20).join("\n"), fix.lines.length > 20 ? "\n…" : ""),
    ]);
}
