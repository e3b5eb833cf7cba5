// Files that are packed with gzip, as servers send them by mistake.

import { asPart, bodyOf, kindOf, MAX_BYTES, MORE } from "./body.js";
import { UnpackError } from "./call.js";
import { engine } from "./engine.js";

// As the command.
const MOST = 16 << 20;

/**
 * Unpacks a gzip file: its bytes, and whether they are the whole file. Other bytes are returned as they are. No more is
 * unpacked than is read of a file. Throws `UnpackError` if the bytes are known to be wrong, and for zstd.
 */
export function unpack(body, { maxBytes = MAX_BYTES, ...others } = {}) {
  for (const name of Object.keys(others)) throw new TypeError(`there is no option ${JSON.stringify(name)}: write maxBytes`);
  if (typeof maxBytes !== "number") throw new TypeError(`maxBytes must be a number, not ${kindOf(maxBytes)}`);
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 0) throw new RangeError("maxBytes must be a whole number that is not negative");
  const given = bodyOf(body, Infinity);
  const bytes = typeof given === "string" ? new TextEncoder().encode(given) : given;
  // What begins with another byte is not packed, and costs nothing.
  if (bytes[0] !== 0x1f && bytes[0] !== 0x28 && bytes[0] !== 0x5d) return { bytes, complete: true };
  return engine.run((wasm) => {
    engine.write(bytes, engine.space(bytes.length), bytes.length);
    const kind = wasm.unpack(bytes.length, Math.min(maxBytes, MOST) + MORE) >>> 0;
    if (kind === 2) throw new UnpackError(engine.output());
    if (kind === 3) return { bytes, complete: true };
    const content = engine.outputBytes();
    return { bytes: kind === 0 ? content : asPart(content), complete: kind === 0 };
  });
}
