// The question as a part of a link, after `#`: packed JSON in base64url. Links come from anybody, so their size and
// every field are checked.

import { readAtMost } from "../npm/unpack.js";
import { MAX_FILE, MAX_LINK, MAX_URLS } from "./bounds.js";
import { EMPTY, fromBytes, fromText } from "./bytes.js";

const PREFIX = "#2.";

/** The fragment for a question, or null if it is too long for one. */
export async function write({ body, agent, urls }) {
  const fields = JSON.stringify({ ...file(body.bytes), agent, urls });
  const packed = await through(new TextEncoder().encode(fields), new CompressionStream("deflate-raw"), MAX_LINK);
  const text = PREFIX + toBase64Url(packed.bytes);
  return packed.isWhole && text.length <= MAX_LINK ? text : null;
}

export const isOurs = (fragment) => fragment.startsWith(PREFIX);

/** The question of a fragment. Fails with a message for people. */
export async function read(fragment) {
  if (fragment.length > MAX_LINK) throw new Error("The link is too long.");
  let fields;
  try {
    const packed = fromBase64Url(fragment.slice(PREFIX.length));
    // A byte of the file can become two of JSON in base64 or six as an escape.
    const text = await through(packed, new DecompressionStream("deflate-raw"), 8 * MAX_FILE);
    if (!text.isWhole) throw new Error("too large");
    fields = Object(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text.bytes)));
  } catch {
    throw new Error("The link is damaged: a part of it may be missing.");
  }
  const urls = Array.isArray(fields.urls) ? fields.urls : [];
  return {
    body: unfile(fields),
    agent: typeof fields.agent === "string" ? fields.agent.slice(0, 500) : "",
    urls: urls.filter((url) => typeof url === "string").slice(0, MAX_URLS).map((url) => url.slice(0, 4_000)),
  };
}

// As text where that keeps the bytes, since packed text is shorter than packed base64.
function file(bytes) {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { bytes: toBase64Url(bytes) };
  }
}

function unfile({ text, bytes }) {
  if (typeof text === "string" && text !== "") {
    const read = fromText(text);
    return fromBytes(read.bytes, "", read.notes);
  }
  try {
    return typeof bytes === "string" ? fromBytes(fromBase64Url(bytes).slice(0, MAX_FILE), "") : EMPTY;
  } catch {
    return EMPTY;
  }
}

const through = (bytes, transform, most) => readAtMost(new Blob([bytes]).stream().pipeThrough(transform), most);

function toBase64Url(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const fromBase64Url = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
