// The file as it is edited: a text area, under which the lines in view are painted with their numbers, colours and
// marks.
//
// The text area has the text, the keys and the caret, so all of a browser works in it: undo, search, spelling, screen
// readers. What is painted is for the eye only. Only lines in view are elements, so a long file is as quick as a short
// one.

import { EDIT_LINE, MARGIN } from "./bounds.js";
import { HIDDEN, numberOf } from "./bytes.js";
import { el, number, put } from "./dom.js";
import { groupWords, meaningWords } from "./words.js";

const MARKS = { error: "\u25cf", warning: "\u25b2", note: "\u2022" };
const KINDS = { "user-agent": "agent", rule: "rule", extension: "value", "file-line": "value", comment: "remark", "left-out": "lost", "not-read": "lost" };
const NAMES = [[/^user[- ]?agents?$/i, "agent"], [/^dis?all?ow$/i, "disallow"], [/^allow$/i, "allow"], [/^[\w-]+$/, "value"]];

export class Editor {
  #area;
  #rows;
  #note;
  #ask;
  #lines = [""];
  // What robosieve said of a line, with the text that it was said of.
  #known = new Map();
  #who = null;
  #deciding = new Map();
  #asked = "";
  // Whether this text has an answer, if only of lines that it does not have.
  #isAnswered = false;
  #waits = false;
  #view = { from: 0, to: 60 };
  #lineHeight = 0;

  /// `ask({ from, to })` asks for what lines mean; `show` takes it.
  constructor({ area, rows, note }, ask) {
    this.#area = area;
    this.#rows = rows;
    this.#note = note;
    this.#ask = ask;
    area.addEventListener("scroll", () => this.#later());
    document.addEventListener("selectionchange", () => {
      if (document.activeElement === area) this.#tellLine();
    });
    new ResizeObserver(() => {
      this.#lineHeight = 0;
      this.#later();
    }).observe(area);
  }

  /// The text area has this other text. To ask it for its text takes long where it is long.
  changed(text) {
    this.#lines = text.split(/\r\n|\r|\n/);
    this.#asked = "";
    this.#isAnswered = false;
    this.#later();
  }

  /// The lines that decide, with the URLs for which they do.
  decide(verdicts) {
    this.#deciding.clear();
    for (const { line, url } of verdicts) {
      if (line) this.#deciding.set(line, [...(this.#deciding.get(line) ?? []), url]);
    }
    this.#later();
  }

  /// What lines mean. What was known of others is of another file.
  show({ from, lines, marks, who, isFirst }) {
    if (isFirst) this.#known.clear();
    this.#who = who;
    this.#isAnswered = true;
    lines.forEach((line, at) => this.#known.set(from + at + 1, { ...line, mark: marks[from + at + 1], of: this.#lines[from + at] }));
    this.#paint();
    this.#tellLine();
    // The question was asked for what was in view then.
    this.#wish();
  }

  /// The lines that were painted last. To ask what is in view makes a browser lay out the text.
  get view() {
    return this.#view;
  }

  // The lines in view, and some around them.
  #window() {
    const height = this.#height();
    const first = Math.max(0, Math.floor(this.#area.scrollTop / height) - MARGIN);
    const to = Math.min(this.#lines.length, first + Math.ceil(this.#area.clientHeight / height) + 2 * MARGIN);
    this.#view = { from: first, to };
    return this.#view;
  }

  /// Whether a line can be shown here.
  has(line) {
    return line <= this.#lines.length;
  }

  /// Brings a line into view, and selects it.
  goTo(line) {
    let start = 0;
    for (let at = 0; at < line - 1; at += 1) start += this.#lines[at].length + 1;
    this.#area.focus({ preventScroll: true });
    this.#area.setSelectionRange(start, start + this.#lines[line - 1].length);
    this.#area.scrollTop = (line - 1) * this.#height() - this.#area.clientHeight / 2;
    this.#area.scrollLeft = 0;
    this.#area.scrollIntoView({ block: "nearest" });
    this.#tellLine();
  }

  #height() {
    this.#lineHeight ||= Number.parseFloat(getComputedStyle(this.#area).lineHeight);
    return this.#lineHeight;
  }

  #later() {
    if (this.#waits) return;
    this.#waits = true;
    requestAnimationFrame(() => {
      this.#waits = false;
      this.#paint();
      this.#wish();
    });
  }

  // Lines that come into view are asked for once.
  #wish() {
    const { from, to } = this.#window();
    const key = `${from} ${to}`;
    if (key === this.#asked || !this.#isAnswered) return;
    this.#asked = key;
    for (let line = from + 1; line <= to; line += 1) {
      if (!this.#known.has(line)) return this.#ask({ from, to });
    }
  }

  #paint() {
    const { from, to } = this.#window();
    const { scrollTop, scrollLeft } = this.#area;
    put(this.#rows, ...this.#lines.slice(from, to).map((text, at) => this.#row(from + at + 1, text)));
    this.#rows.style.transform = `translateY(${from * this.#height() - scrollTop}px)`;
    this.#rows.style.setProperty("--left", `${-scrollLeft}px`);
  }

  #row(line, text) {
    const known = this.#known.get(line);
    // What was said of another text is of another line.
    const info = known?.of === text ? known : undefined;
    const decides = this.#deciding.has(line) && info !== undefined;
    const classes = [kindOf(info, text), info?.ours ? "ours" : "", decides ? "decides" : "", info?.mark ? `has-${info.mark}` : ""].filter(Boolean);
    return el(`div.row.${classes.join(".")}`, null,
      el("span.mark", null, decides ? "\u25b8" : MARKS[info?.mark] ?? ""),
      el("span.number", null, String(line)),
      el("span.code", null, ...parts(text)));
  }

  // What the line of the caret means.
  #tellLine() {
    if (document.activeElement !== this.#area) return put(this.#note, "Click a line for what it means.");
    const caret = this.#area.selectionStart;
    let line = 1;
    for (let end = this.#lines[0].length; end < caret && line < this.#lines.length; line += 1) end += this.#lines[line].length + 1;
    const info = this.#known.get(line);
    if (info === undefined || info.of !== this.#lines[line - 1]) return put(this.#note, `Line ${number(line)}`);
    const words = [meaningWords(info), ...info.findings.map(({ text }) => text), info.ours ? groupWords(this.#who) : null].filter(Boolean);
    const urls = this.#deciding.get(line);
    const hidden = [...new Set(this.#lines[line - 1].match(HIDDEN) ?? [])];
    if (hidden.length > 0) words.push(`it has hidden characters: ${hidden.slice(0, 5).map(numberOf).join(", ")}`);
    if (urls !== undefined) words.push(`it decides for ${urls.slice(0, 3).join(", ")}${urls.length > 3 ? ` and ${urls.length - 3} more` : ""}`);
    put(this.#note, el("b", null, `Line ${number(line)}`), `: ${words.length === 0 ? "nothing" : words.join("; ")}.`);
  }
}

function kindOf(info, text) {
  if (info !== undefined) {
    const kind = KINDS[info.meaning.is] ?? "other";
    return kind === "rule" ? info.meaning.kind : kind;
  }
  const name = /^\s*([^:#]*?)\s*(?:[:#]|$)/.exec(text)?.[1] ?? "";
  return NAMES.find(([pattern]) => pattern.test(name))?.[1] ?? "other";
}

// The name, the value and the comment of a line. Each character that is not seen is a mark of no width, so that what is
// painted stays under what is typed.
function parts(text) {
  const shown = text.length > EDIT_LINE ? `${text.slice(0, EDIT_LINE)}\u2026` : text;
  const hash = shown.indexOf("#");
  const field = hash < 0 ? shown : shown.slice(0, hash);
  const colon = field.indexOf(":") + 1;
  return [el("span.name", null, ...marked(field.slice(0, colon))), ...marked(field.slice(colon)), hash < 0 ? null : el("span.remark", null, ...marked(shown.slice(hash)))];
}

function marked(text) {
  const plain = text.split(HIDDEN);
  if (plain.length === 1) return plain;
  const hidden = text.match(HIDDEN);
  return plain.flatMap((part, at) => (at === 0 ? [part] : [el("span.hidden", null, hidden[at - 1] === "\u00a0" ? "\u00a0" : ""), part]));
}
