// Calls of the module by name: pairs of a name and a value in, JSON out.

import { most, output, run, space, write, writeLength } from "./engine.js";

/** A file was refused: `overLimit: "refuse"` was asked for, and a limit cost it something. */
export class Refused extends RangeError {
  name = "Refused";
}

const ERRORS = [undefined, TypeError, RangeError, Refused];

/** Calls a function with pairs. A value is a string, or bytes. */
export function call(name, pairs) {
  return run((wasm) => {
    const all = [["call", name], ...pairs];
    const start = space(all.reduce((sum, [key, value]) => sum + 8 + most(key) + most(value), 0));
    let at = start;
    for (const text of all.flat()) {
      const length = write(text, at + 4, most(text));
      writeLength(at, length);
      at += 4 + length;
    }
    const kind = wasm.call(at - start) >>> 0;
    const text = output();
    if (kind !== 0) throw new ERRORS[kind](text);
    return JSON.parse(text);
  });
}
