// Calls of the module by name: pairs of a name and a value in, JSON out.

import { engine, most } from "./engine.js";

/** A file was refused: `overLimit: "refuse"` was asked for, and a limit cost it something. */
export class Refused extends RangeError {
  name = "Refused";
}

/** A packed file that cannot be unpacked: what its owner wrote is not known. */
export class UnpackError extends Error {
  name = "UnpackError";
}

const ERRORS = [undefined, TypeError, RangeError, Refused];

/** An error in the names that callers write: the module calls an option `max_bytes`. */
const named = (text) => text.replace(/^\w+(?=: )|(?<!["\w])max_\w+/g, camel);
const camel = (name) => name.replace(/_./g, ([, letter]) => letter.toUpperCase());

/** Calls a function of an engine's module with pairs. A value is a string, or bytes. */
export function callOf(engine, door, name, pairs) {
  return engine.run((wasm) => {
    const all = [["call", name], ...pairs];
    const start = engine.space(all.reduce((sum, [key, value]) => sum + 8 + most(key) + most(value), 0));
    let at = start;
    for (const text of all.flat()) {
      const length = engine.write(text, at + 4, most(text));
      engine.writeLength(at, length);
      at += 4 + length;
    }
    const kind = wasm[door](at - start) >>> 0;
    const text = engine.output();
    if (kind !== 0) throw new ERRORS[kind](named(text));
    return JSON.parse(text);
  });
}

/** Calls a function with pairs. */
export function call(name, pairs) {
  return callOf(engine, "call", name, pairs);
}
