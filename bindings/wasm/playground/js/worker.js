// Answers questions with robosieve, part by part, the verdicts first. It holds the whole answer, and sends what is shown.

import { Answers, PARTS } from "./answers.js";
import { library } from "./library.js";

let answers = null;
const queue = [];
let isBusy = false;

self.onmessage = ({ data }) => {
  queue.push(data);
  if (!isBusy) work();
};

async function work() {
  isBusy = true;
  while (queue.length > 0) {
    const message = queue.shift();
    try {
      const robosieve = await library();
      if (message.ask !== undefined) ask(robosieve, message);
      if (message.more !== undefined) more(message.more);
    } catch (error) {
      self.postMessage({ part: "failed", message: String(error?.message ?? error) });
    }
    self.postMessage({ done: message.turn });
  }
  isBusy = false;
}

function ask(robosieve, { ask, skip }) {
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
