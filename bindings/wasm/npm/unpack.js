// Files that are packed with gzip, as servers send them by mistake.

import { bodyOf, MAX_BYTES, MORE } from "./body.js";

// What the module reads of a file.
const MOST = MAX_BYTES + MORE;

/**
 * Unpacks a gzip file with the platform's own reader. Other bytes are returned as they are. Reads no more than the
 * module would; of a file that is damaged, what comes before the damage.
 */
export async function unpack(body) {
  const bytes = bodyOf(body, Infinity);
  if (typeof bytes === "string" || bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const out = new Uint8Array(MOST);
  let length = 0;
  try {
    while (length < MOST) {
      const { done, value } = await reader.read();
      if (done) break;
      const part = value.subarray(0, MOST - length);
      out.set(part, length);
      length += part.length;
    }
  } catch {
    // What was read counts.
  }
  reader.cancel().catch(() => {});
  return out.slice(0, length);
}
