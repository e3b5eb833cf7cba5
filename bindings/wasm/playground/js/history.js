// One history for all that is done to the question: typing, fixes, files that are replaced. It has states of the whole
// question. They share what did not change, so a step costs little more than the file that it brought.

// Steps, and bytes of their files, that are kept. Our choice.
const MAX_STEPS = 200;
const MAX_BYTES = 64 << 20;
// Keys that follow one another this soon are one step.
const PAUSE = 1_000;

export class History {
  #past = [];
  #future = [];
  #now;
  #key = null;
  #at = 0;

  constructor(state) {
    this.#now = state;
  }

  /// A step, in a word for its button. Steps with the same `key` that follow at once are one; those without are not.
  record(state, word, key = null) {
    const time = performance.now();
    const continues = key !== null && key === this.#key && time - this.#at < PAUSE;
    if (!continues) {
      this.#past.push({ state: this.#now, word });
      this.#trim();
    }
    this.#future = [];
    [this.#now, this.#key, this.#at] = [state, key, time];
  }

  /// What the last step was, and what would be done again; null if there is none.
  get words() {
    return { undo: this.#past.at(-1)?.word ?? null, redo: this.#future.at(-1)?.word ?? null };
  }

  /// The state before the last step; null if there is none.
  undo() {
    return this.#step(this.#past, this.#future);
  }

  redo() {
    return this.#step(this.#future, this.#past);
  }

  #step(from, to) {
    const step = from.pop();
    if (step === undefined) return null;
    to.push({ state: this.#now, word: step.word });
    [this.#now, this.#key] = [step.state, null];
    return step.state;
  }

  // The oldest go first. A text in memory has two bytes a character.
  #trim() {
    const files = new Set();
    let bytes = 0;
    for (let at = this.#past.length - 1; at >= 0; at -= 1) {
      const { body, other } = this.#past[at].state;
      for (const file of [body, other]) {
        if (!files.has(file)) bytes += file.bytes.length + 2 * file.text.length;
        files.add(file);
      }
      if (bytes <= MAX_BYTES && this.#past.length - at <= MAX_STEPS) continue;
      this.#past.splice(0, at + 1);
      return;
    }
  }
}

/// Listens for the keys and the menu of the browser: `step(direction)` does what they say. Alone they would undo what is
/// typed only, in one field only. The field for a site is not of the question, so it keeps them.
export function listenSteps(step) {
  const isElsewhere = ({ target }) => target.id === "site";
  document.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    if (!(event.ctrlKey || event.metaKey) || event.altKey || isElsewhere(event) || !["z", "y"].includes(key)) return;
    event.preventDefault();
    step(key === "y" || event.shiftKey ? "redo" : "undo");
  });
  document.addEventListener("beforeinput", (event) => {
    const direction = { historyUndo: "undo", historyRedo: "redo" }[event.inputType];
    if (direction === undefined || isElsewhere(event)) return;
    event.preventDefault();
    step(direction);
  });
}
