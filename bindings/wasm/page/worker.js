// Answers questions with robosieve, part by part. It sends what is shown.

import { initSync, ask } from "../target/module/wasm.js";
import { Answers, PARTS } from "./answers.js";

const NOTHING = new Uint8Array();
let answers = null;

/** A question to the module. What it throws begins with the number of its kind. */
function question(what, body, { agents = null, ...options } = {}, newer = NOTHING) {
  try {
    return JSON.parse(ask(JSON.stringify({ ask: what, agents, options }), body, newer));
  } catch (error) {
    throw typeof error === "string" ? new Error(error.slice(1)) : error;
  }
}

self.onmessage = ({ data }) => {
  if (data.module !== undefined) initSync({ module: data.module });
  if (data.ask !== undefined) {
    answers = new Answers(question, data.ask);
    for (const part of PARTS) if (!data.skip.includes(part)) tell(part, () => answers[part]());
    self.postMessage({ part: "all" });
  }
  for (const [part, value] of Object.entries(data.more ?? {})) tell(part, () => answers[part](value));
  if (data.turn !== undefined) self.postMessage({ done: data.turn });
};

// A part that fails leaves the others as they are.
function tell(part, answer) {
  self.postMessage({ now: part });
  try {
    const data = answer();
    if (data !== undefined) self.postMessage({ part, data });
  } catch (error) {
    self.postMessage({ part, error: String(error?.message ?? error) });
  }
}
