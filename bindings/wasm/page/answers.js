// The parts of an answer, each cut to what is shown at once. All of it is plain data of robosieve.

import { FINDINGS, LINE, LINES, MAX_COLUMNS, MAX_NAMED, QUOTE, WELL_KNOWN } from "./bounds.js";
import { linesOf } from "./edits.js";

/** In the order in which they are answered. */
export const PARTS = ["known", "verdicts", "standing", "findings", "lines", "crawlers", "paths"];

const encoder = new TextEncoder();
const OPEN = new Uint8Array();
const CLOSED = encoder.encode("User-agent: *\nDisallow: /\n");

export class Answers {
  #ask;
  #asked;
  #agents;
  #verdicts = null;
  #lines = null;

  /** `ask(question, body, options, newer)` asks the module. */
  constructor(ask, asked) {
    this.#ask = ask;
    this.#asked = asked;
    this.#agents = { agents: [asked.agent.trim() || "*"] };
  }

  /** What is known of crawlers, if the page does not have it yet. */
  known() {
    return this.#asked.knows ? undefined : this.#ask("crawlers", OPEN);
  }

  /** A verdict for each URL. */
  verdicts() {
    const { body, urls } = this.#asked;
    this.#verdicts ??= urls.length > 0 ? this.#ask({ test: { urls } }, body, this.#agents).results : [];
    return this.#verdicts;
  }

  /** To well-known crawlers, to those that the file names, and to the one that is asked for: whether the site is open,
   *  closed, or open in part, and to how many of the paths that its rules speak of. */
  standing() {
    const agents = [...WELL_KNOWN, ...this.#named(), this.#agents.agents[0]];
    // The module leaves out what is there twice.
    const { rows } = this.#ask({ matrix: { urls: ["/"], names: agents, crawlers: null } }, this.#asked.body);
    // Crawlers with the same group have the same answers.
    const known = new Map();
    const judged = rows.map(({ name, crawler, answered_by: by, agent: group }) => {
      const key = `${by} ${group}`;
      if (!known.has(key)) known.set(key, this.#standingOf({ agents: [name] }));
      return { name, crawler, isAsAll: name !== "*" && key === `${rows[0].answered_by} ${rows[0].agent}`, ...known.get(key) };
    });
    return { rows: judged, all: this.#forAll(judged) };
  }

  // Names of groups as they stand in the file. Whose answer a name has is the module's.
  #named() {
    const text = new TextDecoder().decode(this.#asked.body.subarray(0, 512_000));
    const names = new Map();
    for (const [, name] of text.matchAll(/^[ \t]*user[ -]?agent[ \t]*:[ \t]*([A-Za-z_-]{1,100})[ \t]*(?:#.*)?$/gim)) {
      names.set(name.toLowerCase(), name);
      if (names.size >= MAX_NAMED) break;
    }
    return names.values();
  }

  // In part, if two paths have other answers. Open or closed only if no path has another answer than in a file that is.
  #standingOf(options) {
    const { body } = this.#asked;
    const { nodes } = this.#ask("tree", body, options);
    // /robots.txt is open on every site.
    const answers = nodes.filter(({ depth, label }) => depth !== 1 || !/^robots\.txt\$?$/.test(label)).map(({ allowed }) => allowed);
    const counts = { isOpen: answers[0] !== false, opened: answers.filter((it) => it === true).length, closed: answers.filter((it) => it === false).length };
    if (answers.includes(true) === answers.includes(false)) return { standing: "partly", ...counts };
    const [standing, file] = answers.includes(true) ? ["open", OPEN] : ["closed", CLOSED];
    return { standing: this.#ask("diff", body, options, file).answers === "same" ? standing : "partly", ...counts };
  }

  // Whether the site is open or closed to every crawler, also to those that only the file names.
  #forAll(rows) {
    const [{ standing }] = rows;
    if (standing === "partly" || rows.some((row) => row.standing !== standing)) return null;
    const { changes, not_compared: left } = this.#ask("diff", this.#asked.body, {}, standing === "open" ? OPEN : CLOSED);
    return left.length === 0 && changes.every(({ answers }) => answers === "same") ? standing : null;
  }

  /** What the file's owner should fix. */
  findings(most = FINDINGS) {
    const { lints, ...counts } = this.#ask({ lint: { most } }, this.#asked.body);
    this.#lines ??= linesOf(decoderOf(this.#asked.body).decode(this.#asked.body));
    const shown = lints.map((lint) => ({ ...lint, quoted: (this.#lines[lint.line - 1] ?? "").trimEnd().slice(0, QUOTE) }));
    return { ...counts, wrong: counts.errors + counts.warnings, total: counts.errors + counts.warnings + counts.notes, shown };
  }

  /** Lines with their meanings, from a place on. */
  lines({ from = 0, to = from + LINES } = {}) {
    const question = { explain: { first_line: from + 1, most_lines: to - from, words: true } };
    const { lines, total_lines: total, words, ...head } = this.#ask(question, this.#asked.body, this.#agents);
    const shown = lines.map(({ line, text, ours }, at) => {
      const [meaning, findings] = words.lines[at];
      return { line, ours, meaning, findings: findings.slice(0, 10), text: text.slice(0, LINE), cut: Math.max(0, text.length - LINE) };
    });
    return { head, from, total, shown };
  }

  /** Which known crawlers may fetch what. Those of which all of it is the same are one row. */
  crawlers() {
    const urls = this.#asked.urls.filter((_, place) => this.#verdicts?.[place]?.error === undefined).slice(0, MAX_COLUMNS);
    const question = { matrix: { urls: urls.length > 0 ? urls : ["/"], names: [], crawlers: "all" } };
    const table = this.#ask(question, this.#asked.body);
    const rows = new Map();
    for (const { name, crawler, answered_by: by, answers } of table.rows) {
      const said = answers.map(({ allowed, line }) => ({ allowed, line }));
      const key = JSON.stringify([by, said]);
      if (!rows.has(key)) rows.set(key, { by, answers: said, crawlers: [] });
      rows.get(key).crawlers.push({ name, about: crawler === null ? "" : `${crawler.owner}: ${crawler.purpose}` });
    }
    // Those that are closed first, then those with groups of their own.
    const rank = ({ by, answers }) => 2 * Number(answers.every(({ allowed }) => allowed)) + Number(by !== "agent");
    return { urls: table.urls, left: this.#asked.urls.length - urls.length, rows: [...rows.values()].sort((one, other) => rank(one) - rank(other)) };
  }

  /** The paths that rules speak of. Their number is limited by robosieve. */
  paths() {
    return this.#ask("tree", this.#asked.body, this.#agents).nodes;
  }
}

// Lines are quoted as robosieve decodes them.
function decoderOf([first, second]) {
  const encoding = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding);
}
