// A live file, retrieved by the command that serves the page. Elsewhere the field for a site is not shown: a browser
// may not read the files of other sites.

import { fromBytes } from "./bytes.js";
import { byId } from "./dom.js";

const LINE_END = 10;
// Addresses of robots.txt ask about no page.
const NO_PAGE = new Set(["", "/", "/robots.txt"]);

/// Listens if the command serves the page. `take(file, page)` takes what was found, and the page of the site that the
/// address names, if it names one; `fail(words, details)` says why a site was not asked; `wait(words)` that it is asked.
export function listenLive({ take, fail, wait }) {
  if (document.documentElement.dataset.live === undefined) return;
  byId("live").hidden = false;
  const [site, button] = [byId("site"), byId("retrieve")];
  const retrieve = async () => {
    const address = site.value.trim();
    if (address === "" || button.disabled) return;
    button.disabled = true;
    wait(`Asking ${address.slice(0, 200)} …`);
    try {
      // Pages of other sites cannot send this field.
      const response = await fetch("retrieve", { method: "POST", headers: { "robosieve-page": "1" }, body: address });
      if (!response.ok) fail("This is not the address of a site.", await response.text());
      else take(read(new Uint8Array(await response.arrayBuffer())), pageOf(address));
    } catch (error) {
      fail("The command that serves this page does not answer.", error.message);
    } finally {
      button.disabled = false;
    }
  };
  button.addEventListener("click", retrieve);
  site.addEventListener("keydown", (event) => {
    if (event.key === "Enter") retrieve();
  });
}

// A line of JSON says what came; below it is the file, or what came in its place.
function read(bytes) {
  const end = bytes.indexOf(LINE_END);
  const retrieved = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  return { ...fromBytes(bytes.slice(end + 1), retrieved.robots_txt), retrieved };
}

// The path of an address, if it is that of a page.
function pageOf(address) {
  try {
    const { pathname, search } = new URL(address.includes("://") ? address : `https://${address}`);
    return NO_PAGE.has(pathname + search) ? null : pathname + search;
  } catch {
    return null;
  }
}
