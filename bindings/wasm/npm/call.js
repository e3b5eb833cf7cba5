// Calls of the module: what it throws, and what callers give it.

import { bytesOf, kindOf, MAX_BYTES, MORE } from "./body.js";

/** A file was refused: `overLimit: "refuse"` was asked for, and a limit cost it something. */
export class Refused extends RangeError {
  name = "Refused";
}

const ERRORS = [Error, TypeError, RangeError, Refused];

/** An error in the names that callers write: the module calls an option `max_bytes`. */
const named = (text) => text.replace(/^\w+(?=: )|(?<!["\w])[a-z]+_\w+/g, (name) => name.replace(/_./g, ([, letter]) => letter.toUpperCase()));

/** Runs work with the module. */
export function run(work) {
  try {
    return work();
  } catch (error) {
    if (typeof error === "string") throw new ERRORS[error[0]](named(error.slice(1)));
    if (error instanceof WebAssembly.RuntimeError) {
      throw new RangeError("robosieve ran out of memory: set limits: { maxBytes } to a smaller number", { cause: error });
    }
    if (error instanceof TypeError) throw new Error("robosieve is not loaded yet: call `await init()` first", { cause: error });
    throw error;
  }
}

/** Options in the names and with the values of the module. `others` are not options, and read before. */
export function optionsOf(options, others = ["agents"]) {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new TypeError(`options must be an object, as in { agents: "MyBot" }, not ${kindOf(options)}`);
  }
  const read = {};
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || others.includes(name)) continue;
    if (name.includes("_")) throw new TypeError(`there is no option "${name}": names are written as in maxBytes`);
    read[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] = name === "limits" ? optionsOf(value, []) : plain(value);
  }
  return read;
}

/** Null and Infinity are no limit; a URL is its text. */
const plain = (value) => (value === null || value === Infinity ? "none" : value instanceof URL ? value.href : value);

/** One text or several, as a list. */
export function listOf(values, what) {
  const list = typeof values === "string" || values instanceof URL ? [values] : values;
  if (!Array.isArray(list)) throw new TypeError(`${what} must be a string or an array of strings, not ${kindOf(values)}`);
  return list.map((value) => {
    if (typeof value !== "string" && !(value instanceof URL)) throw new TypeError(`${what} must be strings, not ${kindOf(value)}`);
    return String(value);
  });
}

/** A URL as a text. */
export function urlText(url) {
  if (url instanceof URL) return url.href;
  if (typeof url !== "string") throw new TypeError(`the URL must be a string, not ${kindOf(url)}`);
  return url;
}

/** The agents, the preferred first; null for all. */
export const agentsOf = (agents) => (agents === undefined ? null : listOf(agents, "agents"));

/** The bytes of a file that can matter, with these options. */
export function fileOf(body, options, what) {
  const most = options.limits?.max_bytes ?? (options.dialect === "google" ? Infinity : MAX_BYTES);
  return bytesOf(body, typeof most === "number" ? most + MORE : Infinity, what);
}
