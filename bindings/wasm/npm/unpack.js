// Files that are packed with gzip, as servers send them by mistake. The platform unpacks them.
//
// Invariant: what does not come to its right end is an error, never a file.

import { asPart, bytesOf, kindOf, MAX_BYTES, MORE } from "./body.js";

/** A packed file that cannot be unpacked: what its owner wrote is not known. */
export class UnpackError extends Error {
  name = "UnpackError";
}

/**
 * Unpacks a gzip file: its bytes, and whether they are the whole file. Other bytes are returned as they are. No more is
 * unpacked than is read of a file. Throws `UnpackError` if the bytes are damaged or end early, and for zstd.
 */
export async function unpack(body, { maxBytes = MAX_BYTES, ...others } = {}) {
  for (const name of Object.keys(others)) throw new TypeError(`there is no option ${JSON.stringify(name)}: write maxBytes`);
  if (typeof maxBytes !== "number") throw new TypeError(`maxBytes must be a number, not ${kindOf(maxBytes)}`);
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 0) throw new RangeError("maxBytes must be a whole number that is not negative");
  const packed = bytesOf(body, Infinity);
  if (isZstd(packed)) throw new UnpackError("cannot be unpacked from zstd: gzip only; unpack the file before");
  if (packed[0] !== 0x1f || (packed.length > 1 && packed[1] !== 0x8b)) return { bytes: packed, complete: true };
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  try {
    const { bytes, isWhole } = await readAtMost(stream, maxBytes + MORE);
    return isWhole ? { bytes, complete: true } : { bytes: asPart(bytes), complete: false };
  } catch (cause) {
    throw new UnpackError(`cannot be unpacked from gzip: ${cause.message}`, { cause });
  }
}

// RFC 8878 3.1.1, 3.1.2, and the same after a dictionary.
const ZSTD = [/^\x28\xb5\x2f\xfd/, /^[\x50-\x5f]\x2a\x4d\x18/];
const isZstd = (bytes) => ZSTD.some((magic) => magic.test(String.fromCharCode(...bytes.subarray(0, 4))));

/** The bytes of a stream up to so many, and whether there were fewer. */
export async function readAtMost(stream, most) {
  const reader = stream.getReader();
  const parts = [];
  let size = 0;
  while (size < most) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    size += value.length;
  }
  // What follows is never unpacked.
  if (size >= most) reader.cancel().catch(() => {});
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  return { bytes: bytes.subarray(0, most), isWhole: size < most };
}
