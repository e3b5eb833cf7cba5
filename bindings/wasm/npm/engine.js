// The module and its memory.
//
// Invariant: only numbers are passed. A text is written into the module's memory, and read from there. If the module
// fails, which only happens when it has no more memory, a new instance replaces it.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

// The module imports one function, which prepares a table that no function here uses.
const IMPORTS = { "./robosieve_bg.js": { __wbindgen_init_externref_table() {} } };

let module = null;
let wasm = null;
let memory = null;

/** Counts the instances. What was parsed in another one is not in this one. */
export let epoch = 0;

/** Starts the module that has everything, also in the place of the small one. */
export function start(compiled) {
  module = compiled;
  renew();
}

/** Starts the module that has `robotsParser` alone, unless another one runs. */
export function startSmall(compile) {
  if (module === null) start(compile());
}

function renew() {
  epoch += 1;
  wasm = null;
  memory = null;
  wasm = new WebAssembly.Instance(module, IMPORTS).exports;
}

/** Runs work with the functions of the module. */
export function run(work) {
  if (wasm === null) {
    if (module === null) throw new Error("robosieve is not loaded yet: call `await init()` first");
    renew();
  }
  try {
    return work(wasm);
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    wasm = null;
    throw new RangeError("robosieve ran out of memory: set limits: { maxBytes } to a smaller number", { cause: error });
  }
}

/** The memory. It is another object after it has grown. */
function bytes() {
  if (memory === null || memory.buffer !== wasm.memory.buffer) memory = new Uint8Array(wasm.memory.buffer);
  return memory;
}

/** The most bytes that a text or an array has in UTF-8. */
export function most(text) {
  return typeof text === "string" ? text.length * 3 : text.length;
}

/** Makes space for input, and returns its address. */
export function space(size) {
  return wasm.input(size) >>> 0;
}

/** Writes a text or bytes to an address, and returns their length. */
export function write(text, at, size) {
  if (typeof text !== "string") {
    bytes().set(text, at);
    return text.length;
  }
  if (text.length <= SHORT) {
    const length = writeAscii(text, at);
    if (length === text.length) return length;
  }
  return encoder.encodeInto(text, bytes().subarray(at, at + size)).written;
}

// For short texts, a loop is faster than the encoder.
const SHORT = 120;

/** Writes the text up to the first character outside ASCII, and returns the length. */
function writeAscii(text, at) {
  const target = bytes();
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) return i;
    target[at + i] = code;
  }
  return text.length;
}

/** Writes a number of four bytes. */
export function writeLength(at, length) {
  new DataView(wasm.memory.buffer).setUint32(at, length, true);
}

/** The last output. It is ASCII. */
export function output() {
  const at = wasm.output() >>> 0;
  return decoder.decode(bytes().subarray(at, at + (wasm.output_length() >>> 0)));
}

/** Tells that all numbers of files have been used. */
export function nextEpoch() {
  epoch += 1;
}
