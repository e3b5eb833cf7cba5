// What the owner of the file should mend, and what to write instead.

import { FINDINGS } from "../bounds.js";
import { count, el, lineLink, moreButton, number, put } from "../dom.js";

/// Shows findings. `ask(most)` asks for more of them.
export function showFindings(place, found, ask) {
  const counts = ["error", "warning", "note"].map((name) => count(found[`${name}s`], name)).join(", ");
  const rest = found.total - found.shown.length;
  put(place,
    el("p", null, found.total === 0 ? "Nothing to mend." : `${counts}.`),
    ...found.shown.map(finding),
    rest > 0 ? moreButton(`Show more findings (${number(rest)} left)`, () => ask(found.shown.length + 4 * FINDINGS)) : null);
}

function finding({ severity, line, message, clause, help, replacement }) {
  return el(`div.lint.${severity}`, null,
    el("p", null, el("strong", null, severity), " ", line ? [lineLink(line), ": "] : null, message, " ", el("small", null, `[${clause}]`)),
    help ? el("p", null, help) : null,
    replacement.length === 0 ? null : [
      el("p", null, "Write instead:"),
      el("pre", null, replacement.slice(0, 20).join("\n"), replacement.length > 20 ? "\n…" : ""),
    ]);
}
