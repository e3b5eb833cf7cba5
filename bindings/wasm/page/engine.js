// Asks the worker, and stops it: when the question changes, and when a part of the answer takes too long. A second
// worker stands by, so that the next question does not wait for a start.

import { MAX_WAIT } from "./bounds.js";

// The script of the worker and the module are in the page itself.
const policy = globalThis.trustedTypes?.createPolicy("worker", { createScriptURL: (url) => url });
const address = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
const packed = Uint8Array.from(atob(document.getElementById("module").textContent), (letter) => letter.charCodeAt(0));
const module = WebAssembly.compileStreaming(new Response(
  new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")), { headers: { "Content-Type": "application/wasm" } }));

// Before the worker says which part it answers.
const SENT = "sent";

/** A worker. It is ready when it has got the module. */
function start() {
  const hand = { worker: new Worker(policy?.createScriptURL(address) ?? address, { name: "robosieve" }), isReady: false, hear: null };
  hand.worker.onmessage = ({ data }) => hand.hear?.(data);
  const fail = (message) => hand.hear?.({ part: "failed", message });
  hand.worker.onerror = (event) => (event.preventDefault(), fail(event.message ?? "it cannot be started"));
  module.then((compiled) => {
    hand.worker.postMessage({ module: compiled });
    hand.isReady = true;
    hand.hear?.({ ready: true });
  }).catch((error) => fail(error.message));
  return hand;
}

export class Engine {
  #hand = start();
  #spare = null;
  #hear;
  #turn = 0;
  #asked = null;
  // The part that is being answered, or null.
  #part = null;
  #skipped = [];
  #timer = 0;

  /** `hear` takes each message: `{ part, data }`, `{ part, error }`, `{ part: "stopped", of }`, `{ part: "failed", message }`. */
  constructor(hear) {
    this.#hear = hear;
    this.#listen();
  }

  /** Asks a question. What the one before has not answered yet is given up. */
  ask(question) {
    if (this.#part !== null) this.#replace();
    this.#asked = question;
    this.#skipped = [];
    this.#askNow();
  }

  /** Asks for more about the same question: `{ lines: { from: 100, to: 200 } }`. Waits for what is asked before. */
  more(wish) {
    if (this.#asked !== null && this.#hand.isReady) this.#send({ more: wish });
  }

  /** Gives up what is asked: there is no file to ask about. */
  stop() {
    if (this.#part !== null) this.#replace();
    this.#asked = null;
  }

  // Without effect until the worker is ready; then the last question is asked.
  #askNow() {
    if (this.#asked !== null && this.#hand.isReady) this.#send({ ask: this.#asked, skip: [...this.#skipped] });
  }

  #send(message) {
    this.#turn += 1;
    this.#part ??= SENT;
    this.#hand.worker.postMessage({ turn: this.#turn, ...message });
  }

  #listen() {
    this.#hand.hear = (message) => {
      if (message.ready) this.#askNow();
      if (message.now !== undefined) this.#part = message.now;
      if (message.done === this.#turn) this.#part = null;
      clearTimeout(this.#timer);
      if (this.#part !== null && this.#part !== SENT) this.#timer = setTimeout(() => this.#over(), MAX_WAIT);
      if (message.part !== undefined) this.#hear(message);
      // Only after the first answer: two starts at once would slow the first one down.
      if (message.done !== undefined) this.#spare ??= start();
    };
  }

  #replace() {
    this.#hand.hear = null;
    this.#hand.worker.terminate();
    this.#hand = this.#spare ?? start();
    this.#spare = null;
    this.#part = null;
    clearTimeout(this.#timer);
    this.#listen();
  }

  // The part that takes too long is left out, and the others are asked again.
  #over() {
    const part = this.#part;
    this.#replace();
    this.#hear({ part: "stopped", of: part });
    this.#skipped.push(part);
    this.#askNow();
  }
}
