// A live file, retrieved by the command that serves the page. Elsewhere the field for a site is not shown: a browser
// may not read the files of other sites.

import { fromBytes } from "./bytes.js";
import { byId } from "./dom.js";

/// Listens if the command serves the page. `take(file)` takes a file, `fail(words)` says why there is none.
export function listenLive({ take, fail }) {
  if (document.documentElement.dataset.live === undefined) return;
  byId("live").hidden = false;
  const [site, button] = [byId("site"), byId("retrieve")];
  const retrieve = async () => {
    if (site.value.trim() === "" || button.disabled) return;
    button.disabled = true;
    try {
      // Pages of other sites cannot send this field.
      const response = await fetch("retrieve", { method: "POST", headers: { "robosieve-page": "1" }, body: site.value });
      if (!response.ok) throw new Error(await response.text());
      const bytes = new Uint8Array(await response.arrayBuffer());
      take(fromBytes(bytes, response.headers.get("robosieve-says") ?? ""));
    } catch (error) {
      fail(error.message);
    } finally {
      button.disabled = false;
    }
  };
  button.addEventListener("click", retrieve);
  site.addEventListener("keydown", (event) => {
    if (event.key === "Enter") retrieve();
  });
}
