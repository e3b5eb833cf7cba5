// What the owner of the file should fix: each line, what is the matter, and what to write instead as a button.

import { FINDINGS } from "../bounds.js";
import { seen } from "../bytes.js";
import { capital, count, el, lineLink, moreButton, number, put, rich } from "../dom.js";
import { clauseLink } from "../words.js";

// The lines of a group that are shown at once. Our choice.
const OPEN = 3;

/// Shows findings. `ask(most)` asks for more of them; `apply(fixes)` writes them into the file, if `canApply`.
export function showFindings(place, found, { ask, apply, canApply }) {
  const counts = ["error", "warning", "note"].map((name) => [found[`${name}s`], name]).filter(([many]) => many > 0).map(([many, name]) => count(many, name)).join(", ");
  const rest = found.total - found.shown.length;
  const safe = canApply ? found.shown.filter(({ fix }) => fix?.safe).map(({ fix }) => fix) : [];
  put(place,
    el("p.buttons", null, el("span", null, found.total === 0 ? "Nothing to fix." : `${counts}.`),
      safe.length > 1 ? el("button", { type: "button", "data-fix": "all", click: () => apply(safe) }, `Fix all ${safe.length} that change no answer`) : null),
    ...groups(found.shown).map((group) => card(group, canApply ? apply : null)),
    rest > 0 ? moreButton(`Show more findings (${number(rest)} left)`, () => ask(found.shown.length + 4 * FINDINGS)) : null);
}

// Findings of a kind stand together, in the order of the first of them.
function groups(shown) {
  const kinds = new Map();
  for (const lint of shown) kinds.set(lint.kind, [...(kinds.get(lint.kind) ?? []), lint]);
  return [...kinds.values()];
}

function card(lints, apply) {
  const [{ severity, kind, message, help, clause }] = lints;
  const hasOne = (key) => lints.every((lint) => lint[key] === lints[0][key]);
  const title = hasOne("message") ? message : capital(kind.replaceAll("-", " "));
  const items = lints.map((lint) => quote(lint, apply, { message: !hasOne("message"), help: !hasOne("help") }));
  return el(`div.lint.${severity}`, { "data-kind": kind },
    el("p", null, el("strong", null, capital(severity)), ": ", rich(sentence(title)), " ",
      help && hasOne("help") ? el("span.soft", null, rich(sentence(help)), " ") : null, clauseLink(clause)),
    el("ul.quotes", null, ...items.slice(0, OPEN)),
    items.length > OPEN ? el("details", null, el("summary", null, `And ${count(items.length - OPEN, "more line")}`), el("ul.quotes", null, ...items.slice(OPEN))) : null);
}

const sentence = (text) => (/[.!?]$/.test(text) ? capital(text) : `${capital(text)}.`);

// A line as it stands in the file, and what to write instead.
function quote({ line, quoted, message, help, fix }, apply, says) {
  const said = [says.message ? message : "", says.help ? help : ""].filter(Boolean).map(sentence).join(" ");
  return el("li", null,
    line ? lineLink(line) : null,
    el("code", null, quoted),
    said === "" ? null : el("span.said", null, rich(said)),
    fix ? instead(fix, apply) : null);
}

function instead(fix, apply) {
  const { lines } = fix;
  const write = lines.length === 0 ? ["delete it"] : ["write ", ...lines.slice(0, 20).flatMap((text, at) => [at > 0 ? el("br") : null, el("code", null, seen(text))]), lines.length > 20 ? " …" : null];
  const changes = fix.safe ? "" : fix.effect.replaceAll("`*`", "all others");
  return [
    el("span.instead", null, ...write, changes === "" ? null : el("span.why", null, ` (${changes})`)),
    apply === null ? null : el("button", {
      type: "button", "data-fix": fix.safe ? "safe" : "changes", click: () => apply([fix]),
      "aria-label": `Fix line ${fix.first}: ${lines.length === 0 ? "delete it" : lines[0].slice(0, 80)}`,
    }, "Fix"),
  ];
}
