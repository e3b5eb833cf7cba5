// Asks the worker, and stops it: when the question changes, and when a part of the answer takes too long. A second
// worker stands by, so that the next question does not wait for a start.

import { MAX_WAIT } from "./bounds.js";

// The policy of the page accepts addresses of scripts from here only.
const scripts = globalThis.trustedTypes?.createPolicy("scripts", {
  createScriptURL: (name) => {
    if (name !== "js/worker.js" && name !== "sw.js") throw new TypeError(`not a script of this page: ${name}`);
    return name;
  },
});
export const script = (name) => scripts?.createScriptURL(name) ?? name;

const start = () => new Worker(script("js/worker.js"), { type: "module", name: "robosieve" });

export class Engine {
  #worker = start();
  #spare = null;
  #hear;
  #turn = 0;
  #asked = null;
  #part = null;
  #skipped = [];
  #timer = 0;

  /// `hear` takes each message: `{ part, data, ms }`, `{ part: "stopped", of }`, `{ part: "failed", message }`, …
  constructor(hear) {
    this.#hear = hear;
    this.#listen();
  }

  /// Asks a question. What the one before has not answered yet is given up.
  ask(question) {
    if (this.#part !== null) this.#replace();
    this.#asked = question;
    this.#skipped = [];
    this.#send({ ask: question, skip: [] });
  }

  /// Asks for more about the same question: `{ lines: { from: 100 } }`. Waits for what is asked before.
  more(wish) {
    if (this.#asked !== null) this.#send({ more: wish });
  }

  #send(message) {
    this.#turn += 1;
    this.#part = this.#part ?? "start";
    this.#watch();
    this.#worker.postMessage({ turn: this.#turn, ...message });
  }

  #watch() {
    clearTimeout(this.#timer);
    if (this.#part !== null) this.#timer = setTimeout(() => this.#stop(), MAX_WAIT);
  }

  #listen() {
    const worker = this.#worker;
    worker.onmessage = ({ data: message }) => {
      if (message.now !== undefined) this.#part = message.now;
      if (message.done !== undefined) this.#part = message.done === this.#turn ? null : this.#part;
      this.#watch();
      if (message.part !== undefined) this.#hear(message);
      // Only after the first answer: two starts at once would slow the first one down.
      if (message.done !== undefined) this.#spare ??= start();
    };
    worker.onerror = (event) => {
      event.preventDefault();
      clearTimeout(this.#timer);
      this.#hear({ part: "failed", message: event.message ?? "its files cannot be loaded" });
    };
  }

  #replace() {
    this.#worker.onmessage = null;
    this.#worker.onerror = null;
    this.#worker.terminate();
    this.#worker = this.#spare ?? start();
    this.#spare = null;
    this.#part = null;
    this.#listen();
  }

  // The part that takes too long is left out, and the others are asked again.
  #stop() {
    const part = this.#part;
    if (part === null) return;
    this.#replace();
    this.#hear({ part: "stopped", of: part });
    if (part === "start" || this.#skipped.includes(part)) return;
    this.#skipped.push(part);
    this.#send({ ask: this.#asked, skip: [...this.#skipped] });
  }
}
