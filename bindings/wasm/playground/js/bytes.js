// Bytes of a file from where they come: a chosen or dropped file, also packed, or a text area.

import { HEAD, MAX_EDIT, MAX_FILE } from "./bounds.js";

/// `isExact`: the text is the bytes in UTF-8, so an edit of it is one of the file.
export const EMPTY = { bytes: new Uint8Array(), text: "", name: "", notes: [], isExact: true };

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/// What was typed or pasted.
export function fromText(text) {
  const bytes = encoder.encode(text);
  if (bytes.length <= MAX_FILE) return { bytes, text, name: "", notes: [], isExact: true };
  return { bytes: bytes.slice(0, MAX_FILE), text, name: "", notes: [cutNote()], isExact: false };
}

/// Bytes, and the text that shows them. A text area changes line ends and cannot hold all bytes, so the bytes count until
/// the text is edited.
export function fromBytes(bytes, name, notes = []) {
  let text;
  let isExact = true;
  const exact = [...notes];
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

/// What a text area shows of a text: all of it, or the head of one with too many lines.
export function shownPart(text) {
  if (!isTooLong(text)) return { text, isWhole: true };
  let end = 0;
  for (let line = 0; line < HEAD; line += 1) end = nextLine(text, end);
  return { text: text.slice(0, end), isWhole: false };
}

/// Whether a text has too many lines to be edited in a text area.
export function isTooLong(text) {
  // Lines are counted only if there may be too many.
  if (text.length <= MAX_EDIT) return false;
  let at = 0;
  for (let line = 0; line < MAX_EDIT; line += 1) {
    at = nextLine(text, at);
    if (at === text.length) return false;
  }
  return true;
}

// Text areas end lines at CR, LF and CRLF.
function nextLine(text, from) {
  let at = from;
  while (at < text.length && text[at] !== "\n" && text[at] !== "\r") at += 1;
  return Math.min(text.length, at + (text[at] === "\r" && text[at + 1] === "\n" ? 2 : 1));
}

/// A file, unpacked if it is gzip. Fails with a message for people.
export async function fromFile(file) {
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isPacked = head[0] === 0x1f && head[1] === 0x8b;
  const stream = isPacked ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream();
  let read;
  try {
    read = await readAtMost(stream, MAX_FILE);
  } catch {
    throw new Error(`${shortName(file.name)}: ${isPacked ? "the gzip data is damaged" : "it cannot be read"}`);
  }
  const notes = isPacked ? ["It was unpacked (gzip)."] : [];
  if (read.cut) notes.push(cutNote());
  return fromBytes(read.bytes, shortName(file.name), notes);
}

/// The bytes of a stream, and whether there were more.
export async function readAtMost(stream, most) {
  const reader = stream.getReader();
  const chunks = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value.subarray(0, most - size));
    if (size + value.length > most) {
      // What follows is never unpacked.
      reader.cancel().catch(() => {});
      return { bytes: joined(chunks, most), cut: true };
    }
    size += value.length;
  }
  return { bytes: joined(chunks, size), cut: false };
}

function joined(chunks, size) {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/// Characters that are not seen, or look like a blank.
export const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\xa0\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

/// The number of a character, as robosieve's findings write it.
export const numberOf = (char) => `\\u{${char.codePointAt(0).toString(16)}}`;

/// A text of which every character is seen: others as their numbers, and blanks for tabs.
export const seen = (text) => text.replaceAll("\t", " ").replace(HIDDEN, numberOf);

const shortName = (name) => name.slice(0, 100);
const cutNote = () => `Only its first ${MAX_FILE.toLocaleString("en")} bytes are kept.`;
