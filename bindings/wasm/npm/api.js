// What the package exports on every platform.

import { call, Refused, UnpackError } from "./call.js";
import { isPart, kindOf, robotsOf } from "./body.js";
import { flag, read, readPart, text, textsOf } from "./options.js";
import { robotsParser } from "./robots-parser.js";
import { unpack } from "./unpack.js";

export { Refused, robotsParser, unpack, UnpackError };
export default robotsParser;

const count = (name) => (value) => {
  if (typeof value !== "number") throw new TypeError(`${name} must be a number, not ${kindOf(value)}`);
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${name} must be a whole number that is not negative`);
  return String(Math.min(value, 0xffff_ffff));
};

/** Calls a function for a file. */
function ofFile(name, body, pairs) {
  return call(name, [...partOf(body), ...pairs, ["body", robotsOf(body, readPart(pairs))]]);
}

/** A part of a file is read as one, whatever the options say: of two pairs with one name the first counts. */
const partOf = (...bodies) => (bodies.some(isPart) ? [["complete", "false"]] : []);

/** The canonical text, and the report on what was changed. */
export function sieve(body, options) {
  return ofFile("sieve", body, read(options));
}

/** A file line by line, or a part of its lines. */
export function explain(body, options) {
  const { firstLine, mostLines } = options ?? {};
  if ((firstLine === undefined) !== (mostLines === undefined)) throw new TypeError("give both firstLine and mostLines, or neither");
  return ofFile("explain", body, read(options, { words: flag, firstLine: count, mostLines: count }));
}

/** Everything that applies to the agents. */
export function inspect(body, options) {
  return ofFile("inspect", body, read(options));
}

/** What does not do what it seems to, and what to write instead. */
export function lint(body, options) {
  return ofFile("lint", body, read(options, { most: count }));
}

/** A verdict for each URL. */
export function test(body, options) {
  const { urls, ...rest } = object(options);
  return ofFile("test", body, [...read(rest, { words: flag }, ["urls"]), ...urlsOf(urls)]);
}

/** Why a URL has its verdict. */
export function why(body, options) {
  const { url, ...rest } = object(options);
  return ofFile("why", body, [...read(rest, {}, ["url"]), ...urlOf(url)]);
}

/** What the content of a URL may be used for. */
export function usage(body, options) {
  const { url, ...rest } = object(options);
  return ofFile("usage", body, [...read(rest, {}, ["url"]), ...urlOf(url)]);
}

/** A verdict for each crawler and each URL. */
export function matrix(body, options) {
  const { urls, ...rest } = object(options);
  return ofFile("matrix", body, [...read(rest, { crawlers: text }, ["urls"]), ...urlsOf(urls)]);
}

/** The paths that rules are about, as a tree. */
export function tree(body, options) {
  return ofFile("tree", body, read(options));
}

/** What changed between two files, for the agents or for all. */
export function diff(oldBody, newBody, options) {
  if (newBody === undefined && options === undefined) {
    throw new TypeError('diff takes two files and options: diff(older, newer, { agents: "MyBot" })');
  }
  const { allAgents, ...rest } = object(options);
  if (allAgents !== undefined) flag("allAgents")(allAgents);
  if (allAgents === true && rest.agents !== undefined) throw new TypeError("give agents or allAgents, not both");
  if (allAgents !== true && rest.agents === undefined) {
    throw new TypeError('name an agent, as in { agents: "MyBot" }, or give { allAgents: true }');
  }
  const pairs = read(rest, {}, ["allAgents"]);
  const most = readPart(pairs);
  const [older, newer] = [robotsOf(oldBody, most, "the older file"), robotsOf(newBody, most, "the newer file")];
  return call("diff", [...partOf(oldBody, newBody), ...pairs, ["body", older], ["new", newer]]);
}

/** The known crawlers. */
export function crawlers() {
  return call("crawlers", []);
}

function object(options) {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`options must be an object, as in { agents: "MyBot" }, not ${kindOf(options)}`);
  }
  return options;
}

function urlsOf(urls) {
  if (urls === undefined) throw new TypeError('urls is missing: give { urls: ["https://example.com/a"] }');
  return textsOf("url", urls, "urls");
}

function urlOf(url) {
  if (url === undefined) throw new TypeError('url is missing: give { url: "https://example.com/a" }');
  return [["url", text("url")(url)]];
}
