// Answers questions with robosieve, part by part, the verdicts first. It sends what is shown.

import * as robosieve from "../robosieve/browser.js";
import { Answers, PARTS } from "./answers.js";

let answers = null;

robosieve.init().then(() => {
  self.onmessage = ({ data }) => {
    if (data.ask !== undefined) ask(data);
    if (data.more !== undefined) more(data.more);
    self.postMessage({ done: data.turn });
  };
  self.postMessage({ ready: true });
}).catch((error) => self.postMessage({ part: "failed", message: String(error?.message ?? error) }));

function ask({ ask, skip }) {
  answers = new Answers(robosieve, ask);
  const begin = performance.now();
  for (const part of PARTS) {
    if (!skip.includes(part)) tell(part, () => answers[part]());
  }
  self.postMessage({ part: "all", ms: performance.now() - begin });
}

function more(wish) {
  for (const [part, value] of Object.entries(wish)) tell(part, () => answers[part](value));
}

// A part that fails leaves the others as they are.
function tell(part, answer) {
  self.postMessage({ now: part });
  const begin = performance.now();
  try {
    const data = answer();
    if (data !== undefined) self.postMessage({ part, data, ms: performance.now() - begin });
  } catch (error) {
    self.postMessage({ part, error: String(error?.message ?? error) });
  }
}
