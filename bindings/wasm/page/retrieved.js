// A live file, retrieved by the command that serves the page: what came, in a sentence. Elsewhere there is no field for a
// site: a browser may not read the files of other sites.

import { fromBytes } from "./bytes.js";
import { byId, el, seen } from "./dom.js";

// Addresses of robots.txt ask about no page.
const NO_PAGE = new Set(["", "/", "/robots.txt"]);

/** Listens if the command serves the page. `wait(site)` says that a site is asked; `take(file, page)` takes what came, and
 *  the page that the address names; `fail(words, detail)` says why it was not asked. */
export function listenLive({ take, fail, wait }) {
  if (document.documentElement.dataset.live === undefined) return;
  byId("live").hidden = false;
  const [site, button] = [byId("site"), byId("retrieve")];
  const retrieve = async () => {
    const address = site.value.trim();
    if (address === "" || button.disabled) return;
    button.disabled = true;
    wait(address.slice(0, 200));
    try {
      // Pages of other sites cannot send this field.
      const response = await fetch("retrieve", { method: "POST", headers: { "robosieve-page": "1" }, body: address });
      if (response.ok) take(read(new Uint8Array(await response.arrayBuffer())), pageOf(address));
      else fail("This is not the address of a site", await response.text());
    } catch (error) {
      fail("The command that serves this page does not answer", error.message);
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
  const end = bytes.indexOf(10);
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

/** The headline if no file of the site answers: `{ words, allowed }`. Otherwise null. */
export function retrievedHeadline({ access, class: kind, status, robots_txt: url }) {
  if (access === "rules" || kind === "not-robots-txt") return null;
  const site = seen(new URL(url).host);
  if (access === "unknown") return { words: `${site} was not asked`, allowed: null };
  const answers = status === null ? `${site} does not answer` : `${site} answers ${status}`;
  if (access === "deny") return { words: `Closed for now: ${answers}, so crawlers stay away`, allowed: false };
  return { words: `Open: ${answers}, which crawlers take for no robots.txt`, allowed: true };
}

/** Where the file comes from, and why it is so; details are folded. */
export function retrievedWords({ robots_txt: url, said, status, error, class: kind }) {
  const errors = `${error ?? ""}\n${said}`;
  const known = status === null ? ERRORS.find(([pattern]) => pattern.test(errors))?.[1] : CLASSES[kind];
  const details = [...new Set(said.split("; "))].map((line) => el("span", null, seen(line)));
  return [el("code", null, seen(url)), `: ${status === null ? "no answer" : `status ${status}`}. `, known ? `${known} ` : null,
    el("details.details", null, el("summary", null, "Details"), ...details)];
}

// Words of the errors of a connection, and what they mean for an owner. The first that fits is said.
const ERRORS = [
  [/--allow-(private|net)/, "This address is not on the public internet. Start the page with --allow-private to ask it."],
  [/port \d+ is neither/, "This port is none that sites use."],
  [/lookup|no address|resolve/i, "No site of this name was found."],
  [/InvalidContentType|wrong version/i, "The server speaks no HTTPS on this port: try http://."],
  [/certificate|UnknownIssuer|NotValidForName/i, "The certificate of the server is not valid for this name."],
  [/refused/i, "No server listens at this address."],
  [/time|deadline/i, "The server did not answer in time."],
];

const CLASSES = {
  forbidden: "The server forbids access to the file.",
  redirect: "The redirect cannot be followed.",
  "too-many-requests": "The server says that it had too many requests.",
  "not-served": "The server refused the request, not the file.",
  "no-content": "The server says that it succeeded, but sent no file.",
  interrupted: "The file broke off before its end.",
  "server-error": "The server has an error of its own.",
};
