// Checks what callers give, and turns it into pairs for the module.
//
// Invariant: each property is read once. Names and types are checked here, values in the module.

import { kindOf, MAX_BYTES, MORE } from "./body.js";

/** A URL as its text. */
const plain = (value) => (value instanceof URL ? value.href : value);

export const text = (name) => (given) => {
  const value = plain(given);
  if (typeof value !== "string") throw new TypeError(`${name} must be a string, not ${kindOf(value)}`);
  return value;
};

export const flag = (name) => (value) => {
  if (typeof value !== "boolean") throw new TypeError(`${name} must be true or false, not ${kindOf(value)}`);
  return String(value);
};

const count = (name) => (value) => {
  if (value === null || value === Infinity) return "none";
  if (typeof value !== "number") throw new TypeError(`${name} must be a number, or null for no limit, not ${kindOf(value)}`);
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${name} must be a whole number that is not negative`);
  // The module counts to 2^32.
  return value > 0xffff_ffff ? "none" : String(value);
};

const LIMITS = {
  // From here: made from the table of options.
  maxBytes: count,
  maxRecords: count,
  maxLines: count,
  maxUserAgents: count,
  maxDirectiveLength: count,
  maxNameLength: count,
  maxValueLength: count,
  maxWildcards: count,
  // Here is the end of it.
};

const READING = {
  // From here: made from the table of options.
  dialect: text,
  order: text,
  leniency: text,
  form: text,
  newline: text,
  fallback: flag,
  known: flag,
  fold: flag,
  keepTrailingSpaces: flag,
  complementLeadingSlash: flag,
  decodeWildcard: flag,
  escapedWildcard: flag,
  keepUnknown: flag,
  anyLineEndsRun: flag,
  complete: flag,
  baseUrl: text,
  maxFindings: count,
  overLimit: text,
  // Here is the end of it.
};

/** What the module calls an option. */
const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Pairs of the properties of an object that are in a table of checks. */
function pairsOf(object, checks, what, others = []) {
  const pairs = [];
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (value === undefined || others.includes(name)) continue;
    if (!Object.hasOwn(checks, name)) {
      const names = [...Object.keys(checks), ...others].join(", ");
      throw new TypeError(`there is no ${what} ${JSON.stringify(name)}: write one of ${names}`);
    }
    pairs.push([snake(name), checks[name](name)(value)]);
  }
  return pairs;
}

/** Reads options. `extra` are checks of options that only one function has, `others` names that are read before. */
export function read(options = {}, extra = {}, others = []) {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new TypeError(`options must be an object, as in { agents: "MyBot" }, not ${kindOf(options)}`);
  }
  // A copy: a getter cannot answer twice.
  const { agents, limits, ...rest } = options;
  const pairs = pairsOf(rest, { ...READING, ...extra }, "option", ["agents", "limits", ...others]);
  if (agents !== undefined) pairs.push(...agentsOf(agents));
  if (limits !== undefined) {
    if (typeof limits !== "object" || limits === null) {
      throw new TypeError(`limits must be an object, as in { maxBytes: 10_000 }, not ${kindOf(limits)}`);
    }
    pairs.push(...pairsOf({ ...limits }, LIMITS, "limit"));
  }
  return pairs;
}

/** The number of bytes of a file that can matter. */
export function readPart(pairs) {
  const value = (name) => pairs.find((pair) => pair[0] === name)?.[1];
  const given = value("max_bytes") ?? (value("dialect") === "google" ? "none" : MAX_BYTES);
  return given === "none" ? Infinity : Number(given) + MORE;
}

/** A list of one or more texts, as pairs. */
export function textsOf(name, values, what) {
  const list = typeof plain(values) === "string" ? [values] : values;
  if (!Array.isArray(list)) throw new TypeError(`${what} must be a string or an array of strings, not ${kindOf(values)}`);
  return Array.from(list, (given) => {
    const value = plain(given);
    if (typeof value !== "string") throw new TypeError(`${what} must be strings, not ${kindOf(value)}`);
    return [name, value];
  });
}

// A line end, or a directive's name and a colon. A header has a colon in a URL only.
const IS_FILE = /[\r\n]|^(?:(?:user|crawl|site)[ \t]+)?[a-z-]+[ \t]*:(?!\/\/)/i;

/** The agents, the preferred first. */
export function agentsOf(agents) {
  const pairs = textsOf("agent", agents, "agents");
  if (pairs.length === 0) throw new RangeError('agents is empty: name your crawler\'s product token, as in "MyBot"');
  for (const [, name] of pairs) {
    if (name.trim() === "") throw new RangeError('an agent is empty: name your crawler\'s product token, as in "MyBot"');
    if (/^(\/|https?:\/\/)/i.test(name)) throw new RangeError("an agent looks like a URL: give URLs as url or urls");
    if (IS_FILE.test(name.trim())) {
      throw new RangeError("an agent looks like a file: the file comes first, then the agent, as in { agents: \"MyBot\" }");
    }
  }
  return pairs;
}
