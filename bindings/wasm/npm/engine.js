// The module and its memory.
//
// Invariant: only numbers are passed. A text is written into the module's memory, and read from there. If the module
// fails, which only happens when it has no more memory, a new instance replaces it.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

// The module imports one function, which prepares a table that no function here uses.
const IMPORTS = { "./robosieve_bg.js": { __wbindgen_init_externref_table() {} } };

// For short texts, a loop is faster than the encoder.
const SHORT = 120;

/** The most bytes that a text or an array has in UTF-8. */
export function most(text) {
  return typeof text === "string" ? text.length * 3 : text.length;
}

/** A module, and the instance of it that runs. */
export class Engine {
  #module = null;
  #wasm = null;
  #memory = null;

  /** Counts the instances. What was parsed in another one is not in this one. */
  epoch = 0;

  /** Starts the module that has everything, also in the place of the small one. */
  start(compiled) {
    this.#module = compiled;
    this.#renew();
  }

  /** Starts the module that has `robotsParser` alone, unless another one runs. */
  startSmall(compile) {
    if (this.#module === null) this.start(compile());
  }

  #renew() {
    this.epoch += 1;
    this.#wasm = null;
    this.#memory = null;
    this.#wasm = new WebAssembly.Instance(this.#module, IMPORTS).exports;
  }

  /** Runs work with the functions of the module. */
  run(work) {
    if (this.#wasm === null) {
      if (this.#module === null) throw new Error("robosieve is not loaded yet: call `await init()` first");
      this.#renew();
    }
    try {
      return work(this.#wasm);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      this.#wasm = null;
      throw new RangeError("robosieve ran out of memory: set limits: { maxBytes } to a smaller number", { cause: error });
    }
  }

  /** The memory. It is another object after it has grown. */
  #bytes() {
    const { buffer } = this.#wasm.memory;
    if (this.#memory === null || this.#memory.buffer !== buffer) this.#memory = new Uint8Array(buffer);
    return this.#memory;
  }

  /** Makes space for input, and returns its address. */
  space(size) {
    return this.#wasm.input(size) >>> 0;
  }

  /** Writes a text or bytes to an address, and returns their length. */
  write(text, at, size) {
    if (typeof text !== "string") {
      this.#bytes().set(text, at);
      return text.length;
    }
    if (text.length <= SHORT) {
      const length = this.#writeAscii(text, at);
      if (length === text.length) return length;
    }
    return encoder.encodeInto(text, this.#bytes().subarray(at, at + size)).written;
  }

  /** Writes the text up to the first character outside ASCII, and returns the length. */
  #writeAscii(text, at) {
    const target = this.#bytes();
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 127) return i;
      target[at + i] = code;
    }
    return text.length;
  }

  /** Writes a number of four bytes. */
  writeLength(at, length) {
    new DataView(this.#wasm.memory.buffer).setUint32(at, length, true);
  }

  /** The last output. It is ASCII. */
  output() {
    return decoder.decode(this.#last());
  }

  /** A copy of the last output as bytes. */
  outputBytes() {
    return this.#last().slice();
  }

  #last() {
    const at = this.#wasm.output() >>> 0;
    return this.#bytes().subarray(at, at + (this.#wasm.output_length() >>> 0));
  }

  /** Tells that all numbers of files have been used. */
  nextEpoch() {
    this.epoch += 1;
  }
}

/** The engine of everything but gates. */
export const engine = new Engine();
