// What may be done with a page, by its headers, its HTML, tdmrep.json and robots.txt.
//
// Invariant: what is decided is the module's. Each property is read once, and no more of a source is taken than is read,
// with one more, so that the module knows what was cut.

import { bodyOf, isPart, kindOf, robotsOf } from "./body.js";
import { callOf } from "./call.js";
import { Engine } from "./engine.js";
import { read, readPart, text } from "./options.js";

/** The engine of pages: they have a module of their own. */
export const engine = new Engine();

/** The most bytes of a head, of HTML and of tdmrep.json, and the most header lines. */
const MAX_BYTES = (512 << 10) + 1;
const MAX_LINES = 10_001;

const FIELDS = ["url", "response", "headers", "html", "robots", "tdmrep"];

/** Media types that say nothing: browsers look into the body (WHATWG MIME Sniffing, 7). The rule is [signals.html]. */
const UNKNOWN = ["unknown/unknown", "application/unknown", "*/*"];

/** Whether a part of Content-Type leaves it open that the body is HTML. */
function mayBeHtml(part) {
  const kind = part.split(";")[0].trim().toLowerCase();
  return kind.includes("html") || !kind.includes("/") || UNKNOWN.includes(kind);
}

/** What may be done with a page. */
export function signals(page, options) {
  if (typeof page !== "object" || page === null) {
    throw new TypeError(`a page is an object, as in { url, headers, html }, not ${kindOf(page)}`);
  }
  if (isResponse(page)) throw new TypeError("a response is a field of a page: write { response, html: await response.text() }");
  for (const name of Object.keys(page)) {
    if (!FIELDS.includes(name)) throw new TypeError(`a page has no ${JSON.stringify(name)}: write one of ${FIELDS.join(", ")}`);
  }
  const { response, ...given } = page;
  const { url, headers, html, robots, tdmrep } = { ...(response === undefined ? {} : partsOf(response, given)), ...defined(given) };
  if (url === undefined) throw new TypeError('url is missing: give { url: "https://example.com/a" }');
  if (typeof options !== "object" || options === null || options.agents === undefined) {
    throw new TypeError('name an agent, as in { agents: "MyBot" }');
  }
  const { time, ...rest } = options;
  const pairs = [...read(rest, {}, ["time"]), ...timeOf(time), ["url", text("url")(url)]];
  if (robots !== undefined) pairs.push(["robots", robotsOf(robots, readPart(pairs), "robots")]);
  if (html !== undefined) pairs.push(["html", bodyOf(html, MAX_BYTES, "html")]);
  if (tdmrep !== undefined) pairs.push(["tdmrep", bodyOf(tdmrep, MAX_BYTES, "tdmrep")]);
  if (headers !== undefined) pairs.push(...headersOf(headers));
  // A part is read as one, whatever the options say: of two pairs with one name the first counts.
  return callOf(engine, "signals", "signals", robots !== undefined && isPart(robots) ? [["complete", "false"], ...pairs] : pairs);
}

const defined = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

const isResponse = (value) => typeof value.arrayBuffer === "function" && typeof value.headers === "object";

/** The URL and the headers of a response. Its body is the caller's to read. */
function partsOf(response, { headers, html, url }) {
  if (typeof response !== "object" || response === null || !isResponse(response)) {
    throw new TypeError(`response must be a Response, not ${kindOf(response)}`);
  }
  if (headers !== undefined) throw new TypeError("a response has its own headers: give response or headers, not both");
  const isHtml = String(response.headers.get?.("content-type") ?? "").split(",").some(mayBeHtml);
  if (html === undefined && isHtml) {
    throw new TypeError('the response may be HTML, and has to be read: give html: await response.text(), or html: "" for none');
  }
  // One that a program made has no URL.
  return { url: url ?? (response.url || undefined), headers: response.headers };
}

function timeOf(time = new Date()) {
  if (time instanceof Date) {
    const seconds = Math.floor(time.getTime() / 1000);
    if (Number.isNaN(seconds)) throw new RangeError("time is an invalid Date");
    return [["time", String(seconds)], ["time_is", "seconds"]];
  }
  if (typeof time !== "string") throw new TypeError(`time must be a Date or a string, not ${kindOf(time)}`);
  return [["time", time]];
}

/** Header lines: those of `Headers`, of another list of pairs, of an object, or of a head as it came. */
function headersOf(headers) {
  if (typeof headers === "string" || ArrayBuffer.isView(headers) || headers instanceof ArrayBuffer) {
    return [["head", bodyOf(headers, MAX_BYTES, "headers")]];
  }
  if (typeof headers !== "object" || headers === null) {
    throw new TypeError(`headers must be Headers, an object, an array of pairs, or a head as text, not ${kindOf(headers)}`);
  }
  const pairs = [];
  const add = (name, value) => pairs.push(["header_name", text("a header's name")(name)], ["header_value", valueOf(value)]);
  for (const pair of typeof headers[Symbol.iterator] === "function" ? headers : Object.entries(headers)) {
    if (!Array.isArray(pair) || pair.length !== 2) throw new TypeError("a header must be a pair of a name and a value: [name, value]");
    // A line for each of several values.
    for (const value of Array.isArray(pair[1]) ? pair[1] : [pair[1]]) add(pair[0], value);
    if (pairs.length >= 2 * MAX_LINES) break;
  }
  return pairs;
}

const valueOf = (value) => (value instanceof Uint8Array ? value : text("a header's value")(value));
