// Bytes of a file from where they come: a chosen or dropped file, also packed, or a text area.

import { readAtMost } from "../npm/unpack.js";
import { HEAD, MAX_EDIT, MAX_FILE } from "./bounds.js";

/** `isExact`: the text is the bytes in UTF-8, so an edit of it is one of the file. */
export const EMPTY = { bytes: new Uint8Array(), text: "", name: "", notes: [], isExact: true };

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();
const cutNote = `Only its first ${MAX_FILE.toLocaleString("en")} bytes are kept.`;

/** What was typed or pasted. */
export function fromText(text) {
  const bytes = encoder.encode(text);
  const isExact = bytes.length <= MAX_FILE;
  return { bytes: bytes.slice(0, MAX_FILE), text, name: "", notes: isExact ? [] : [cutNote], isExact };
}

/** Bytes, and the text that shows them. A text area changes line ends and cannot hold all bytes, so the bytes count until
 *  the text is edited. */
export function fromBytes(bytes, name, notes = []) {
  const exact = [...notes];
  let text;
  let isExact = true;
  try {
    text = decoder.decode(bytes);
  } catch {
    text = lenient.decode(bytes);
    isExact = false;
    exact.push("It is not all UTF-8. The answers are for its bytes, until you edit it.");
  }
  // A text area shows no NUL.
  return { bytes, text: text.replaceAll("\0", "\ufffd"), name, notes: exact, isExact: isExact && !text.includes("\0") };
}

/** What a text area shows of a text: all of it, or the head of one with too many lines. */
export function shownPart(text) {
  if (!isTooLong(text)) return { text, isWhole: true };
  return { text: text.split(/(?<=\r\n|\r(?!\n)|\n)/, HEAD).join(""), isWhole: false };
}

/** Whether a text has too many lines to be edited in a text area. */
export const isTooLong = (text) => text.length > MAX_EDIT && (text.match(/\r\n|\r|\n/g)?.length ?? 0) >= MAX_EDIT;

/** A file, unpacked if it is gzip. Fails with a message for people. */
export async function fromFile(file) {
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isPacked = head[0] === 0x1f && head[1] === 0x8b;
  const stream = isPacked ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream();
  const name = file.name.slice(0, 100);
  try {
    // One more, to know that there are more.
    const { bytes, isWhole } = await readAtMost(stream, MAX_FILE + 1);
    const notes = [isPacked ? "It was unpacked (gzip)." : null, isWhole ? null : cutNote].filter(Boolean);
    return fromBytes(bytes.subarray(0, MAX_FILE), name, notes);
  } catch {
    throw new Error(`${name}: ${isPacked ? "the gzip data is damaged" : "it cannot be read"}`);
  }
}
