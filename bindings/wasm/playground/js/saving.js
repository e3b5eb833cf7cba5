// What is saved and copied: the file for a server, reports, verdicts, and the link.

import { byId, copy, count, put, save } from "./dom.js";
import { report } from "./report.js";
import { tableOf } from "./urls.js";

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
