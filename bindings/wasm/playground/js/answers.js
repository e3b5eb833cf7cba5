// The parts of an answer, each cut to what is shown at once. All of it is plain data of robosieve.

import { seen } from "./bytes.js";
import { closed } from "./closing.js";
import { linesOf, withEdits } from "./fixes.js";
import { FINDINGS, LINE, LINES, MARKED, MAX_COLUMNS, MAX_READ, QUOTE, RULES, TEXT, VALUES, WELL_KNOWN } from "./bounds.js";

/// In the order in which they are answered.
export const PARTS = ["known", "verdicts", "standing", "findings", "gutter", "lines", "summary", "paths", "crawlers", "changes", "text"];

// One edit may make room for another one, so a file is looked at again: as often as `robosieve lint --fix` does.
const MAX_PASSES = 8;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
const CLOSED = "User-agent: *\nDisallow: /\n";

export class Answers {
  #robosieve;
  #asked;
  #options;
  #agents;
  #verdicts = null;
  #texts = new Map();
  #compared = null;
  #lines = null;
  // The worst severity of each line; findings come in the order of severity.
  #marks = {};
  #hasGutter = false;

  constructor(robosieve, asked) {
    this.#robosieve = robosieve;
    this.#asked = asked;
    // Google's parser has no limit of its own, so all dialects have the same one here.
    this.#options = { dialect: asked.dialect, limits: { maxBytes: MAX_READ } };
    this.#agents = groupsOf(asked.agent);
  }

  /// What is known of crawlers, if the page does not have it yet.
  known() {
    return this.#asked.knows ? undefined : this.#robosieve.crawlers();
  }

  #forAgents() {
    return { ...this.#options, ...this.#agents };
  }

  /// A verdict for each URL, and all about one of them.
  verdicts(place = 0) {
    const { body, urls } = this.#asked;
    this.#verdicts ??= urls.length > 0 ? this.#robosieve.test(body, { ...this.#forAgents(), urls }).results : [];
    const verdicts = this.#verdicts;
    return { verdicts, reason: verdicts.length > 0 ? this.reason(place) : null };
  }

  /// Why a URL is answered as it is, in all dialects, and what its content may be used for.
  reason(place) {
    const { body, urls } = this.#asked;
    const url = urls[place];
    if (url === undefined || this.#verdicts?.[place]?.error !== undefined) return { place };
    const question = { ...this.#forAgents(), url };
    const why = this.#robosieve.why(body, question);
    const usage = this.#robosieve.usage(body, question);
    const rules = { total: why.rules.length, shown: headOfRules(why.rules) };
    return { place, why: { ...why, rules }, usage };
  }

  /// Lines with their meanings, from a place on.
  lines({ from = 0, to = from + LINES } = {}) {
    const part = { firstLine: from + 1, mostLines: to - from };
    const { lines, total_lines: total, ...head } = this.#robosieve.explain(this.#asked.body, { ...this.#forAgents(), ...part });
    return { head, from, total, shown: lines.map(cutLine) };
  }

  /// What lines mean that the editor shows.
  gutter({ from, to } = this.#asked.view) {
    const part = { firstLine: from + 1, mostLines: to - from };
    const { lines, answered_by, agent } = this.#robosieve.explain(this.#asked.body, { ...this.#forAgents(), ...part });
    const shown = lines.map(({ meaning, ours, findings }) => ({ meaning, ours, findings: findings.slice(0, 3).map(({ text }) => ({ text })) }));
    const marks = Object.fromEntries(lines.map(({ line }) => [line, this.#marks[line]]));
    const isFirst = !this.#hasGutter;
    this.#hasGutter = true;
    return { from, lines: shown, marks, who: { answered_by, agent }, isFirst };
  }

  /// What the file's owner should fix.
  findings(most = FINDINGS) {
    const { lints: first, ...counts } = this.#robosieve.lint(this.#asked.body, { ...this.#options, most: Math.max(most, MARKED) });
    for (const { line, severity } of first) this.#marks[line] ??= severity;
    const lints = first.slice(0, most);
    this.#lines ??= linesOf(decoderOf(this.#asked.body).decode(this.#asked.body));
    const shown = lints.map((lint) => ({ ...lint, quoted: seen((this.#lines[lint.line - 1] ?? "").trimEnd().slice(0, QUOTE)) }));
    // Errors and warnings are first, so that their lines are known, or there are more of them than are shown.
    const doubtful = first.filter(({ severity }) => severity !== "note");
    const serious = counts.errors + counts.warnings;
    const counted = serious > doubtful.length;
    const wrong = counted ? serious : new Set(doubtful.map(({ line }) => line)).size;
    return { ...counts, counted, wrong, total: serious + counts.notes, shown };
  }

  /// To well-known crawlers, and to the one that is asked for or those that may be meant: whether the site is open,
  /// partly open or closed, and to how many of the paths that its rules speak of.
  standing() {
    const { agent: asked, meant } = this.#asked;
    const agent = asked.trim();
    const own = meant.length > 0 ? meant : agent === "" ? [] : [agent];
    const has = new Set(WELL_KNOWN.map((name) => name.toLowerCase()));
    const agents = [...WELL_KNOWN, ...own.filter((name) => !has.has(name.toLowerCase()))];
    const { rows } = this.#robosieve.matrix(this.#asked.body, { ...this.#options, agents, urls: ["/"] });
    // Crawlers with the same group have the same answers.
    const known = new Map();
    const keys = rows.map(({ answered_by: by, agent: group }) => `${by} ${group}`);
    const judged = rows.map(({ name, crawler }, at) => {
      const key = keys[at];
      if (!known.has(key)) known.set(key, this.#standingOf({ ...this.#options, agents: [agents[at]] }));
      return { name, crawler, isAsAll: at > 0 && key === keys[0], ...known.get(key) };
    });
    const mine = judged.find(({ name }) => name.toLowerCase() === (agent === "" ? "*" : agent.toLowerCase())) ?? judged.at(-1);
    return { rows: judged, own: mine.standing, all: this.#forAll(judged) };
  }

  // Partly, if two paths have other answers. Open or closed only if no path has another answer than in a file that is.
  #standingOf(options) {
    const { nodes } = this.#robosieve.tree(this.#asked.body, options);
    // /robots.txt is open on every site.
    const answers = nodes.filter(({ depth, label }) => depth !== 1 || !/^robots\.txt\$?$/.test(label)).map(({ allowed }) => allowed);
    const counts = { isOpen: answers[0] !== false, opened: answers.filter((it) => it === true).length, closed: answers.filter((it) => it === false).length };
    if (answers.includes(true) === answers.includes(false)) return { standing: "partly", ...counts };
    const [standing, file] = answers.includes(true) ? ["open", ""] : ["closed", CLOSED];
    return { standing: this.#robosieve.diff(this.#asked.body, file, options).answers === "same" ? standing : "partly", ...counts };
  }

  // Whether the site is open or closed to every crawler, also to those that only the file names.
  #forAll(rows) {
    const [{ standing }] = rows;
    if (standing === "partly" || rows.some((row) => row.standing !== standing)) return null;
    const { changes, not_compared: left } = this.#robosieve.diff(this.#asked.body, standing === "open" ? "" : CLOSED, { ...this.#options, allAgents: true });
    return left.length === 0 && changes.every(({ answers }) => answers === "same") ? standing : null;
  }

  /// The owner's own file with all edits that change nothing, and their number. It is compared with the file as it was:
  /// if any answer changed, the file stays as it is. A file that is not UTF-8 is not edited.
  fixed() {
    const { body } = this.#asked;
    let text;
    try {
      text = decoder.decode(body);
    } catch {
      return { text: null, bytes: body, applied: 0 };
    }
    let applied = 0;
    let fixed = text;
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const edits = this.#robosieve.lint(fixed, this.#options).lints.map(({ fix }) => fix).filter((fix) => fix?.safe);
      if (edits.length === 0) break;
      fixed = withEdits(fixed, edits);
      applied += edits.length;
    }
    if (applied > 0 && this.#changesAnswers(fixed)) return { text, bytes: body, applied: 0 };
    return { text: fixed, bytes: encoder.encode(fixed), applied };
  }

  #changesAnswers(fixed) {
    const { changes, ...ofFile } = this.#robosieve.diff(this.#asked.body, fixed, { ...this.#options, allAgents: true });
    const hasLines = ({ lines_added: added, lines_removed: removed }) => added.length + removed.length > 0;
    return [ofFile, ...changes].some(hasLines) || changes.some(({ answers }) => answers !== "same");
  }

  /// The canonical text in a form: of the crawler's groups, or of all groups if no crawler is named.
  text({ form = this.#asked.form, most = TEXT } = {}) {
    const agent = this.#asked.agent.trim();
    if (!this.#texts.has(form)) {
      const whose = agent === "" ? this.#options : this.#forAgents();
      this.#texts.set(form, this.#robosieve.sieve(this.#asked.body, { ...whose, form }));
    }
    const { text, ...report } = this.#texts.get(form);
    return { form, agent, size: text.length, shown: text.slice(0, most), report };
  }

  /// What else the file says to the crawler.
  summary() {
    const { rules, report, ...found } = this.#robosieve.inspect(this.#asked.body, this.#forAgents());
    return { ...cutLists(found, VALUES), rules: rules.length };
  }

  /// The paths that rules speak of. Their number is limited by robosieve.
  paths() {
    return this.#robosieve.tree(this.#asked.body, this.#forAgents());
  }

  /// Who may fetch what. Crawlers of which all of it is the same are one row.
  crawlers(kind = this.#asked.kind) {
    const urls = this.#asked.urls.filter((_, place) => this.#verdicts?.[place]?.error === undefined).slice(0, MAX_COLUMNS);
    const asked = urls.length > 0 ? urls : ["/"];
    const table = this.#robosieve.matrix(this.#asked.body, { ...this.#options, crawlers: kind, urls: asked });
    const rows = new Map();
    for (const { name, crawler, ...row } of table.rows) {
      const { answered_by: by, answers, content_signals: signals, content_usage: usage } = row;
      const key = JSON.stringify([by, answers.map(({ allowed, line }) => [allowed, line]), signals, usage]);
      if (!rows.has(key)) rows.set(key, { ...cutLists(row, VALUES), crawlers: [] });
      rows.get(key).crawlers.push({ name, crawler });
    }
    // Those with groups of their own first.
    const isShared = ({ answered_by: by }) => Number(by !== "agent");
    return { kind, urls: table.urls, rows: [...rows.values()].sort((one, other) => isShared(one) - isShared(other)) };
  }

  /// The file as it would be if it were closed to the crawler, and what that drops.
  closing() {
    return closed(this.#robosieve, decoder.decode(this.#asked.body), this.#asked.agent.trim(), this.#options);
  }

  /// All verdicts, to save them.
  table() {
    return this.verdicts().verdicts;
  }

  /// What changed since the older file.
  changes(most = RULES) {
    const { body, other, everyone } = this.#asked;
    if (other.length === 0) return { without: true };
    const question = everyone ? { ...this.#options, allAgents: true } : this.#forAgents();
    this.#compared ??= this.#robosieve.diff(other, body, question);
    return cutChanges(this.#compared, most);
  }

  /// All of it, as a report to save.
  report() {
    const { body, other, urls, agent, dialect } = this.#asked;
    const { lines, ...head } = this.#robosieve.explain(body, this.#forAgents());
    return JSON.stringify({
      agent,
      dialect,
      ...head,
      verdicts: urls.length > 0 ? this.#robosieve.test(body, { ...this.#forAgents(), urls }).results : [],
      inspect: this.#robosieve.inspect(body, this.#forAgents()),
      lint: this.#robosieve.lint(body, this.#options),
      lines,
      changes: other.length > 0 ? this.#robosieve.diff(other, body, this.#forAgents()) : null,
    }, null, 1);
  }

  /// A whole text, to copy or save.
  whole(form) {
    const { agent } = this.text({ form });
    return { form, agent, text: this.#texts.get(form).text };
  }
}

/// Whose groups apply to a crawler. Nobody's name is `*`.
function groupsOf(agent) {
  const name = agent.trim();
  return { agents: [name === "" ? "*" : name] };
}

/// Each list of an object is cut, and its length is in `totals`.
function cutLists(value, most) {
  const cut = { ...value, totals: {} };
  for (const [key, list] of Object.entries(value)) {
    if (!Array.isArray(list)) continue;
    cut.totals[key] = list.length;
    cut[key] = list.slice(0, most);
  }
  return cut;
}

// Lines are quoted as robosieve decodes them.
function decoderOf([first, second]) {
  const encoding = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding);
}

// The rule that decides may stand far down.
function headOfRules(rules) {
  const head = rules.slice(0, RULES);
  const winner = rules.find((rule) => rule.decides);
  return winner === undefined || head.includes(winner) ? head : [winner, ...head];
}

function cutLine(line) {
  return line.text.length <= LINE ? line : { ...line, text: line.text.slice(0, LINE), cut: line.text.length - LINE };
}

// Each list is cut, and so are those of each change.
function cutChanges({ reports, ...value }, most) {
  const cut = cutLists(value, most);
  if (cut.changes !== undefined) cut.changes = cut.changes.map((change) => cutChanges(change, most));
  return cut;
}
