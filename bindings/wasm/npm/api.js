// What the package exports on every platform, over the full module.

import { agentsOf, fileOf, listOf, optionsOf, Refused, run } from "./call.js";
import { isPart, kindOf } from "./body.js";
import { robotsParserOf } from "./robots-parser.js";
import { signalsOf } from "./signals.js";
import { unpack, UnpackError } from "./unpack.js";
import * as module from "./wasm-robosieve.js";

export { Refused, unpack, UnpackError };
export const robotsParser = robotsParserOf(() => module.Robots);
export const signals = signalsOf(module);
export default robotsParser;

const NOTHING = new Uint8Array();

/** Asks the module about files. A part of a file is read as one, with any options. */
function ask(question, given, others, ...bodies) {
  const options = optionsOf(given, ["agents", ...others]);
  const files = bodies.map((body, at) => fileOf(body, options, bodies.length < 2 ? "the file" : ["the older file", "the newer file"][at]));
  if (bodies.some(isPart)) options.complete = false;
  const request = JSON.stringify({ ask: question, agents: agentsOf(given.agents), options });
  return JSON.parse(run(() => module.ask(request, files[0], files[1] ?? NOTHING)));
}

/** The canonical text, and the report on what was changed. */
export const sieve = (body, options = {}) => ask("sieve", options, [], body);

/** A file line by line. */
export const explain = (body, options = {}) => ask({ explain: {} }, options, [], body);

/** What does not do what it seems to, and what to write instead. */
export const lint = (body, options = {}) => ask({ lint: {} }, options, [], body);

/** A verdict for each URL. */
export function test(body, options) {
  if (object(options).urls === undefined) throw new TypeError('urls is missing: give { urls: ["https://example.com/a"] }');
  return ask({ test: { urls: listOf(options.urls, "urls") } }, options, ["urls"], body);
}

/** What changed between two files, for the agents or for all. */
export function diff(oldBody, newBody, options) {
  if (newBody === undefined && options === undefined) {
    throw new TypeError('diff takes two files and options: diff(older, newer, { agents: "MyBot" })');
  }
  const { allAgents, agents } = object(options);
  if (![undefined, true, false].includes(allAgents)) throw new TypeError("allAgents must be true or false");
  if ((allAgents === true) === (agents !== undefined)) {
    throw new TypeError('name an agent, as in { agents: "MyBot" }, or give { allAgents: true }');
  }
  return ask("diff", options, ["allAgents"], oldBody, newBody);
}

function object(options) {
  if (typeof options === "object" && options !== null) return options;
  throw new TypeError(`options must be an object, as in { agents: "MyBot" }, not ${kindOf(options)}`);
}
