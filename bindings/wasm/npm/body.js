// What callers give as a file.

/** The bytes that are read of a file by default. */
export const MAX_BYTES = 512_000;

/** A byte order mark, a line end, and another character of UTF-32: a longer file is cut. */
export const MORE = 16;

/** The kind of a value, for messages. */
export function kindOf(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : typeof value;
}

// Marks bytes that are a part of a file. Bundles that have this file twice know the same mark.
const PART = Symbol.for("robosieve.part");

/** The bytes, marked: whoever passes them without saying that they are a part gets the answers for a part. */
export const asPart = (bytes) => Object.defineProperty(bytes, PART, { value: true });

/** Whether what `unpack` returned is a part of a file: the object, or its bytes alone. */
export const isPart = (body) => typeof body === "object" && body !== null && (isUnpacked(body) ? !body.complete : body[PART] === true);

/** Whether this is `{ bytes, complete }`. */
const isUnpacked = (body) => typeof body.complete === "boolean" && "bytes" in body;

/** A file: a string as it is, bytes as an array of bytes; cut after what is read of it. */
export function bodyOf(body, most, what = "the file") {
  if (typeof body === "string") return body.length > most ? body.slice(0, most) : body;
  const bytes = bytesOf(typeof body === "object" && body !== null && isUnpacked(body) ? body.bytes : body);
  if (typeof body?.arrayBuffer === "function") {
    throw new TypeError(`${what} must be bytes, not what has to be read first: write await response.arrayBuffer()`);
  }
  if (bytes === undefined) {
    throw new TypeError(`${what} must be a string, a Uint8Array or an ArrayBuffer, not ${kindOf(body)}`);
  }
  return bytes.length > most ? bytes.subarray(0, most) : bytes;
}

/** The longest text that is looked at as a name: more than browsers send. */
const LONGEST_NAME = 2_048;

let hasWarned = false;

/** A robots.txt file, as {@link bodyOf}. Warns once of a text that is the URL or the name of a file: it allows everything. */
export function robotsOf(body, most, what) {
  if (!hasWarned && typeof body === "string" && body.length <= LONGEST_NAME && !/\s/.test(body)) {
    if (/^https?:\/\//.test(body) || (body.endsWith("robots.txt") && !body.includes(":"))) {
      hasWarned = true;
      const message = "the file is the text of a URL or of a file's name, and has no rules: read the file, and give its bytes";
      const { process, console } = globalThis;
      if (typeof process?.emitWarning === "function") process.emitWarning(message, { code: "ROBOSIEVE_NAME" });
      else console?.warn?.(`robosieve: ${message}`);
    }
  }
  return bodyOf(body, most, what);
}

/** The bytes of a buffer. */
function bytesOf(body) {
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
