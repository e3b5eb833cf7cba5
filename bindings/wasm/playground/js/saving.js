// What is saved and copied: the file for a server, reports, verdicts, and the link.

import { byId, copy, count, el, put, save } from "./dom.js";
import { tableOf } from "./urls.js";

const LOOK = `body { max-width: 60rem; margin: 1rem auto; padding: 0 1rem; }
.spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.strip, .verdicts, .quotes, .rules { list-style: none; padding: 0; } .strip li { display: inline-block; margin-right: 1rem; }
.decides { background: var(--mark); }`;
const PARTS = { Verdicts: "verdicts-out", Crawlers: "standing-out", Findings: "findings-out", "More crawlers": "crawlers-out", "Line by line": "lines-out", "Also in the file": "summary-out" };
const GONE = "button.more, .more, button[data-fix], .legend, .buttons button, input, .earlier, .later";

/// Listens. `wish(part, value, then)` asks for what is not shown; `writeLink()` makes the address that of the question,
/// and gives null if it has none.
export function listenSaving({ question, wish, writeLink }) {
  const on = (id, act) => byId(id).addEventListener("click", act);
  on("save-own", () => saveFixed({ bytes: question.body.bytes, applied: 0 }));
  on("save-file", () => wish("fixed", null, saveFixed));
  on("copy-file", () => copy(byId("copy-file"), question.body.text));
  on("save-table", () => wish("table", null, (verdicts) => save("robots-verdicts.csv", "text/csv", tableOf(question.agent, verdicts))));
  on("save-page", async () => {
    save("robots-report.html", "text/html", await report({ agent: question.agent, name: question.body.name }));
  });
  on("save-report", () => wish("report", null, (json) => save("robots-report.json", "application/json", json)));
  on("copy-link", async () => {
    if (await writeLink() !== null) copy(byId("copy-link"), location.href);
  });
}

/// Saves the owner's own file, which is what belongs on a server, and says whether it is that of the page.
export function saveFixed({ bytes, applied }) {
  save("robots.txt", "text/plain", bytes);
  put(byId("save-note"), applied > 0
    ? `Saved robots.txt with ${count(applied, "fix", "fixes")} that change no answer. The file on this page has none of them.`
    : "Saved robots.txt as it is on this page.");
}

// The answer as a page of its own, to send to somebody: what is shown, without scripts, buttons and links inside. It is made
// of elements, and the browser writes their text. So text of a file stays text in it.
async function report({ agent, name }) {
  const face = await (await fetch("face.css")).text();
  const body = el("body", null,
    el("h1", null, byId("headline").textContent), copyOf("below"),
    el("p.note", null, `${name === "" ? "A robots.txt file" : name}, for ${agent === "" ? "crawlers that no group names" : agent}; ${new Date().toISOString().slice(0, 10)}; by robosieve.`));
  for (const [title, id] of Object.entries(PARTS)) {
    if (byId(id).childElementCount > 0) body.append(el("h2", null, title), copyOf(id));
  }
  const head = [
    el("meta", { charset: "utf-8" }),
    el("meta", { "http-equiv": "Content-Security-Policy", content: "default-src 'none'; style-src 'unsafe-inline'" }),
    el("title", null, `robots.txt: ${byId("headline").textContent}`),
  ];
  // The style is our own, and no element here: this page's policy refuses one.
  return `<!doctype html>\n<html lang="en">${head.map((item) => item.outerHTML).join("")}<style>${face}${LOOK}</style>${body.outerHTML}</html>\n`;
}

// What is folded is open, and what needs the page is text.
function copyOf(id) {
  const copy = byId(id).cloneNode(true);
  for (const item of copy.querySelectorAll(GONE)) item.remove();
  for (const item of copy.querySelectorAll("a[href^='#'], button")) item.replaceWith(...item.childNodes);
  for (const item of copy.querySelectorAll("details")) item.open = true;
  for (const item of [copy, ...copy.querySelectorAll("*")]) {
    for (const attribute of ["id", "tabindex", "role", "aria-label"]) item.removeAttribute(attribute);
  }
  return copy;
}
