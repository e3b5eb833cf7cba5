// The question as a part of a link, after `#`: packed JSON in base64url. Links come from anybody, so their size and
// every field are checked.

import { MAX_FILE, MAX_LINK, MAX_URLS } from "./bounds.js";
import { EMPTY, fromBytes, fromText, readAtMost } from "./bytes.js";

const PREFIX = "#1.";
export const DIALECTS = ["standard", "google", "processor"];
export const FORMS = ["faithful", "portable"];
export const KINDS = ["ai", "search", "all"];

/// The fragment for a question, or null if it is too long for one.
export async function write(question) {
  const fields = {
    ...file("body", question.body),
    ...file("other", question.other),
    agent: question.agent,
    urls: question.urls,
    dialect: question.dialect,
    form: question.form,
    kind: question.kind,
    everyone: question.everyone,
  };
  const packed = await through(new TextEncoder().encode(JSON.stringify(fields)), new CompressionStream("deflate-raw"), MAX_LINK);
  const text = packed.cut ? null : PREFIX + toBase64Url(packed.bytes);
  return text !== null && text.length <= MAX_LINK ? text : null;
}

export const isOurs = (fragment) => fragment.startsWith(PREFIX);

/// The question of a fragment. Fails with a message for people.
export async function read(fragment) {
  if (fragment.length > MAX_LINK) throw new Error("The link is too long.");
  let fields;
  try {
    const packed = fromBase64Url(fragment.slice(PREFIX.length));
    // Two files, of which a byte can become two of JSON in base64 or six as an escape.
    const text = await through(packed, new DecompressionStream("deflate-raw"), 4 * MAX_FILE);
    if (text.cut) throw new Error("too large");
    fields = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text.bytes));
  } catch {
    throw new Error("The link is damaged: a part of it may be missing.");
  }
  return checked(fields ?? {});
}

function checked(fields) {
  const string = (value, most) => (typeof value === "string" ? value.slice(0, most) : "");
  const oneOf = (value, values) => (values.includes(value) ? value : values[0]);
  const urls = Array.isArray(fields.urls) ? fields.urls : [];
  return {
    body: unfile(fields, "body"),
    other: unfile(fields, "other"),
    agent: string(fields.agent, 500),
    urls: urls.filter((url) => typeof url === "string").slice(0, MAX_URLS).map((url) => url.slice(0, 4_000)),
    dialect: oneOf(fields.dialect, DIALECTS),
    form: oneOf(fields.form, FORMS),
    kind: oneOf(fields.kind, KINDS),
    everyone: fields.everyone !== false,
  };
}

// As text where that keeps the bytes, since packed text is shorter than packed base64.
function file(key, { bytes }) {
  if (bytes.length === 0) return {};
  try {
    return { [key]: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { [`${key}_bytes`]: toBase64Url(bytes) };
  }
}

function unfile(fields, key) {
  const [text, packed] = [fields[key], fields[`${key}_bytes`]];
  if (typeof text === "string" && text !== "") {
    const read = fromText(text);
    return fromBytes(read.bytes, "", read.notes);
  }
  if (typeof packed !== "string") return EMPTY;
  try {
    return fromBytes(fromBase64Url(packed).slice(0, MAX_FILE), "");
  } catch {
    return EMPTY;
  }
}

function through(bytes, transform, most) {
  return readAtMost(new Blob([bytes]).stream().pipeThrough(transform), most);
}

function toBase64Url(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64Url(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
}
