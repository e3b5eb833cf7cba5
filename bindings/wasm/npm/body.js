// What callers give as a file.

/** The bytes that are read of a file by default. */
export const MAX_BYTES = 512_000;

/** A byte order mark, a line end, and another character of UTF-32: a longer file is cut. */
export const MORE = 16;

const encoder = new TextEncoder();

/** The kind of a value, for messages. */
export function kindOf(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : typeof value;
}

// Marks bytes that are a part of a file.
const PART = Symbol.for("robosieve.part");

/** The bytes, marked: whoever passes them without saying that they are a part gets the answers for a part. */
export const asPart = (bytes) => Object.defineProperty(bytes, PART, { value: true });

/** Whether what `unpack` returned is a part of a file: the object, or its bytes alone. */
export const isPart = (body) => typeof body === "object" && body !== null && (isUnpacked(body) ? !body.complete : body[PART] === true);

/** Whether this is `{ bytes, complete }`. */
const isUnpacked = (body) => typeof body === "object" && body !== null && typeof body.complete === "boolean" && "bytes" in body;

/** The bytes of a file, no more than are read of it. */
export function bytesOf(body, most, what = "the file") {
  if (typeof body === "string") {
    // A character has a byte at least.
    const bytes = encoder.encode(body.length > most ? body.slice(0, most) : body);
    return bytes.length > most ? bytes.subarray(0, most) : bytes;
  }
  const bytes = viewOf(isUnpacked(body) ? body.bytes : body);
  if (typeof body?.arrayBuffer === "function") {
    throw new TypeError(`${what} must be bytes, not what has to be read first: write await response.arrayBuffer()`);
  }
  if (bytes === undefined) {
    throw new TypeError(`${what} must be a string, a Uint8Array or an ArrayBuffer, not ${kindOf(body)}`);
  }
  return bytes.length > most ? bytes.subarray(0, most) : bytes;
}

/** The bytes of a buffer. */
function viewOf(body) {
  const isBuffer = body instanceof ArrayBuffer || Object.prototype.toString.call(body) === "[object SharedArrayBuffer]";
  if (!isBuffer && !ArrayBuffer.isView(body)) return undefined;
  if (body.byteLength === 0) expectMemory(isBuffer ? body : body.buffer);
  if (body instanceof Uint8Array) return body;
  return isBuffer ? new Uint8Array(body) : new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
}

/** A buffer that was given away is not an empty file, which would allow everything. */
function expectMemory(buffer) {
  try {
    new Uint8Array(buffer);
  } catch {
    throw new TypeError("the buffer of the file is detached: it was transferred, so pass it before, or a copy");
  }
}
