// What may be done with a page, by its headers, its HTML, tdmrep.json and robots.txt.
//
// Invariant: what is decided is the module's. No more of a source is taken than is read, with one more, so that the
// module knows what was cut.

import { agentsOf, fileOf, optionsOf, run } from "./call.js";
import { bytesOf, isPart, kindOf } from "./body.js";

/** The most bytes of a head, of HTML and of tdmrep.json, and the most header lines. */
const MAX_BYTES = (512 << 10) + 1;
const MAX_LINES = 10_001;

const FIELDS = ["url", "headers", "html", "robots", "status", "tdmrep"];

/** The function over this module. */
export const signalsOf = (module) => (page, options) => {
  if (typeof page !== "object" || page === null) {
    throw new TypeError(`a page is an object, as in { url, headers, html }, not ${kindOf(page)}`);
  }
  for (const name of Object.keys(page)) {
    if (!FIELDS.includes(name)) throw new TypeError(`a page has no ${JSON.stringify(name)}: write one of ${FIELDS.join(", ")}`);
  }
  const { url, headers, html, robots, status, tdmrep } = page;
  if (url === undefined) throw new TypeError('url is missing: give { url: "https://example.com/a" }');
  if (typeof options !== "object" || options === null || options.agents === undefined) {
    throw new TypeError('name an agent, as in { agents: "MyBot" }');
  }
  const read = optionsOf(options, ["agents", "time"]);
  const source = (body, what) => (body === undefined ? undefined : bytesOf(body, MAX_BYTES, what));
  const head = isHead(headers) ? source(headers, "headers") : undefined;
  const sources = [head, source(html, "html"), robots === undefined ? undefined : fileOf(robots, read, "robots"), source(tdmrep, "tdmrep")];
  if (isPart(robots)) read.complete = false;
  const request = JSON.stringify({
    url: text(url, "url"), agents: agentsOf(options.agents), options: read, time: timeOf(options.time), status,
    headers: head === undefined && headers !== undefined ? linesOf(headers) : [],
    // `Headers`, and an object, have all lines of a name as one value.
    joined: head === undefined && headers !== undefined && !Array.isArray(headers),
  });
  return JSON.parse(run(() => module.signals(request, ...sources)));
};

function timeOf(time = new Date()) {
  if (typeof time === "string") return time;
  if (!(time instanceof Date)) throw new TypeError(`time must be a Date or a string, not ${kindOf(time)}`);
  if (Number.isNaN(time.getTime())) throw new RangeError("time is an invalid Date");
  return Math.floor(time.getTime() / 1000);
}

const isHead = (headers) => typeof headers === "string" || ArrayBuffer.isView(headers) || headers instanceof ArrayBuffer;

/** Header lines: those of `Headers`, of another list of pairs, or of an object. */
function linesOf(headers) {
  if (typeof headers !== "object" || headers === null) {
    throw new TypeError(`headers must be Headers, an object, an array of pairs, or a head as text, not ${kindOf(headers)}`);
  }
  const lines = [];
  for (const pair of typeof headers[Symbol.iterator] === "function" ? headers : Object.entries(headers)) {
    if (!Array.isArray(pair) || pair.length !== 2) throw new TypeError("a header must be a pair of a name and a value: [name, value]");
    // A line for each of several values.
    for (const value of Array.isArray(pair[1]) ? pair[1] : [pair[1]]) {
      lines.push([text(pair[0], "a header's name"), text(value, "a header's value")]);
    }
    if (lines.length >= MAX_LINES) break;
  }
  return lines;
}

function text(value, what) {
  if (typeof value !== "string" && !(value instanceof URL)) throw new TypeError(`${what} must be a string, not ${kindOf(value)}`);
  return String(value);
}
