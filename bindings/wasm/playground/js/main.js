// The page: it reads the question, asks the engine, shows the answer, and keeps the question in the link.

import { EMPTY, fromFile, fromText, isTooLong, shownPart } from "./bytes.js";
import { MAX_COLUMNS, MAX_LIST, MAX_URLS, MAX_WAIT, URL_ROWS } from "./bounds.js";
import { isToken } from "./closing.js";
import { byId, copy, count, el, number, put, save } from "./dom.js";
import { Editor } from "./editor.js";
import { Engine, script } from "./engine.js";
import { example, isExample, nothing, rest } from "./example.js";
import { History, listenSteps } from "./history.js";
import * as link from "./link.js";
import { listenLive } from "./live.js";
import { meantBy } from "./meant.js";
import { listenSaving, saveFixed } from "./saving.js";
import { reveal } from "./tabs.js";
import { urlsOf } from "./urls.js";
import { showChanges } from "./views/changes.js";
import { showCrawlers } from "./views/crawlers.js";
import { withEdits } from "./fixes.js";
import { showFindings } from "./views/findings.js";
import { showHeadline } from "./views/headline.js";
import { LinesView } from "./views/lines.js";
import { showClosing } from "./views/closing.js";
import { details } from "./views/retrieved.js";
import { showPaths } from "./views/paths.js";
import { showStanding } from "./views/standing.js";
import { showSummary } from "./views/summary.js";
import { showText, textName } from "./views/text.js";
import { showReason, showVerdicts } from "./views/verdicts.js";

// Of larger files only the last of several keys that follow at once is asked for.
const LARGE = 50_000;
const PAUSE = 40;

const question = {
  body: EMPTY, other: EMPTY, agent: "", urls: [], dialect: "standard", form: "faithful", kind: "ai", everyone: true,
};
const engine = new Engine(hear);
const lines = new LinesView(byId("lines-out"), (wish) => engine.more({ lines: wish }));
const editor = new Editor({ area: byId("body"), rows: document.querySelector(".rows"), note: byId("line-note") }, (wish) => engine.more({ gutter: wish }));
// What waits for an answer that is not shown: a whole text to copy or save.
const waiting = new Map();
// The crawlers that robosieve knows.
let known = [];
let askedAt = 0;
let firstAt = 0;
// What is known so far of the answer, for the headline; and the file that it is about.
let answer = { verdicts: [], standing: null, found: null };
let answered = EMPTY;
// The crawlers that are meant, if the name that is asked for is none.
let meant = [];
let steps = new History({ ...question });
let spokenWords = "";

// The question.

function ask() {
  askedAt = performance.now();
  firstAt = 0;
  answer = { verdicts: [], standing: null, found: null };
  answered = question.body;
  document.body.dataset.state = "asked";
  // Without a file to answer by, only the headline is shown.
  document.body.dataset.access = question.body.retrieved?.access ?? "rules";
  meant = meantBy(question.agent, known);
  const { agent } = question;
  byId("close").hidden = meant.length > 0 || !isToken(agent) || !canEdit();
  put(byId("close"), `Close ${agent}`);
  engine.ask({ ...question, body: question.body.bytes, other: question.other.bytes, meant, knows: known.length > 0, view: editor.view });
}

let pause = 0;
/// The question is another one. `word` says for the button what was done; steps with one `key` are undone together.
function changed(word, key = null) {
  steps.record({ ...question }, word, key);
  askSoon();
}

function askSoon() {
  tellSteps();
  put(byId("close-note"));
  document.body.dataset.state = "changed";
  clearTimeout(pause);
  if (question.body.bytes.length + question.other.bytes.length > LARGE) pause = setTimeout(ask, PAUSE);
  else ask();
  keepLink();
}

// The answer.

const views = {
  verdicts(data) {
    tellHeadline({ verdicts: data.verdicts });
    showVerdicts(byId("verdicts-out"), data, (place) => engine.more({ reason: place }));
    lines.decide(data.verdicts);
    editor.decide(data.verdicts);
  },
  reason: (data) => showReason(byId("verdicts-out"), data),
  gutter(data) {
    if (answered === question.body) editor.show(data);
  },
  lines: (data) => lines.show(data),
  standing(data) {
    tellHeadline({ standing: data });
    showStanding(byId("standing-out"), data, question.agent, chooseAgent);
  },
  findings(data) {
    tellHeadline({ found: data });
    showFindings(byId("findings-out"), data, {
      ask: (most) => engine.more({ findings: most }),
      apply: (fixes) => applyFixes(fixes),
      canApply: answered === question.body && canEdit(),
    });
  },
  text: (data) => showText(byId("text-out"), data, {
    ask: (most) => engine.more({ text: { form: data.form, most } }),
    copy: (button) => wish("whole", data.form, ({ text }) => copy(button, text)),
    save: () => wish("whole", data.form, ({ agent, text }) => save(textName(agent), "text/plain", text)),
  }),
  summary: (data) => showSummary(byId("summary-out"), data),
  paths: (data) => showPaths(byId("paths-out"), data),
  crawlers: (data) => showCrawlers(byId("crawlers-out"), { ...data, left: Math.max(0, question.urls.length - MAX_COLUMNS) }),
  changes: (data) => showChanges(byId("changes-out"), data, (most) => engine.more({ changes: most })),
};

function tellHeadline(more) {
  Object.assign(answer, more);
  const { agent } = question;
  const about = { agent, meant, isEmpty: answered.bytes.length === 0, isExample: hasExample, retrieved: answered.retrieved ?? null };
  spokenWords = showHeadline({ head: byId("headline"), below: byId("below") }, { ...answer, question: about }, chooseAgent);
}

function chooseAgent(name) {
  byId("agent").value = name;
  question.agent = name;
  tellAgent();
  changed("crawler");
}

// Only a file whose text is its bytes is edited.
const canEdit = () => question.body.isExact && !byId("body").readOnly;

/// Writes edits into the file, if it is still the one that they are for.
function applyFixes(fixes) {
  if (answered !== question.body) return;
  write(withEdits(question.body.text, fixes), fixes.length === 1 ? "fix" : "fixes");
  byId("findings").focus({ preventScroll: true });
}

function write(text, word) {
  const top = byId("body").scrollTop;
  setFile("body", fromText(text), word);
  byId("body").scrollTop = top;
}

/// Closes the file to the crawler that is asked for, and says what that drops.
function close() {
  const { body, agent } = question;
  if (answered !== body) return;
  wish("closing", null, (closing) => {
    if (body !== question.body || agent !== question.agent) return;
    if (closing !== null) write(closing.text, "closing");
    showClosing(byId("close-note"), closing, known);
  });
}

// Steps that are undone and done again.

function tellSteps() {
  for (const [id, word] of Object.entries(steps.words)) {
    const button = byId(id);
    if (word === null && document.activeElement === button) byId("body").focus({ preventScroll: true });
    button.hidden = word === null;
    const act = id === "undo" ? "Undo" : "Redo";
    button.title = `${act} ${word}`;
    put(button, act, el("span.wide", null, ` ${word}`));
  }
}

function step(direction) {
  const state = steps[direction]();
  if (state === null) return;
  const before = { ...question };
  Object.assign(question, state);
  hasExample = isExample(question.body);
  for (const key of ["body", "other"]) {
    if (before[key] !== question[key]) showStep(key);
  }
  showFields();
  askSoon();
}

// The caret goes to what has changed.
function showStep(key) {
  const area = byId(key);
  const [before, top] = [area.value, area.scrollTop];
  showFile(key, question[key]);
  const now = area.value;
  let at = 0;
  while (at < now.length && now[at] === before[at]) at += 1;
  area.setSelectionRange(at, at);
  area.scrollTop = top;
}

function wish(part, value, then) {
  waiting.set(part, then);
  engine.more({ [part]: value });
}

function hear({ part, data, error, of, message }) {
  if (part === "all") return tellTime();
  if (part === "stopped") return stopped(of);
  if (part === "failed") return state(`The answers cannot be given: ${message}. Reload the page.`, "failed");
  if (part === "known") return showKnown(data);
  if (error !== undefined) return failed(part, error);
  if (waiting.has(part)) {
    const then = waiting.get(part);
    waiting.delete(part);
    return then(data);
  }
  if (firstAt === 0) firstAt = performance.now();
  views[part]?.(data);
}

function tellTime() {
  const [first, all] = [firstAt - askedAt, performance.now() - askedAt].map((ms) => Math.max(1, Math.round(ms)));
  byId("headline").title = `The first answer took ${number(first)} ms, everything ${number(all)} ms.`;
  state(spokenWords, "done");
  Object.assign(document.body.dataset, { first, all });
}

function state(words, name) {
  put(byId("state"), words);
  if (name === "failed") put(byId("headline"), words);
  document.body.dataset.state = name;
}

const placeOf = (part) => byId({ reason: "verdicts-out", closing: "close-note" }[part] ?? `${part}-out`);

function stopped(part) {
  const place = placeOf(part);
  // What takes too long to be fixed is saved as it is.
  if (part === "fixed") return saveFixed({ bytes: question.body.bytes, applied: 0 });
  const words = `This takes more than ${MAX_WAIT / 1_000} seconds, so it was stopped.`;
  if (place !== null) put(place, el("p.lint.warning", null, words));
  else state(words, "failed");
}

function failed(part, error) {
  const place = placeOf(part);
  if (place !== null) put(place, el("p.lint.warning", null, `No answer: ${error}`));
}

// What concerns the whole page, where it is seen first.
function notice(words, ...more) {
  put(byId("notice"), el("div.lint.warning", null, words, " ", ...more));
}

function showKnown(crawlers) {
  known = crawlers;
  put(byId("crawlers-known"), ...crawlers.map(({ token, owner, purpose }) => el("option", { value: token }, `${owner}: ${purpose}`)));
  tellAgent();
  // Whom a name may mean is known only now.
  if (meantBy(question.agent, known).length > 0) ask();
}

function tellAgent() {
  const name = question.agent.toLowerCase();
  const crawler = known.find(({ token }) => token.toLowerCase() === name);
  put(byId("agent-note"), crawler ? `${crawler.owner}: ${crawler.purpose}.`
    : name === "" ? "A crawler that no group names."
      : "A known crawler, a name of your own, or a whole User-Agent header.");
}

// The fields.

/// What a field of a file shows, and what is reported about it.
function showFile(key, file) {
  const { text, isWhole } = shownPart(file.text);
  Object.assign(byId(key), { value: text, readOnly: !isWhole });
  if (key === "body") editor.changed(text);
  tellFile(key, isWhole ? file : { ...file, notes: [...file.notes, "It has too many lines to be edited here, so only the first are shown. All are answered."] });
}

function tellFile(key, { bytes, name, notes }) {
  const size = bytes.length === 0 ? null : `${name ? `${name}: ` : ""}${count(bytes.length, "byte")}.`;
  put(byId(`${key}-note`), [size, ...notes].filter(Boolean).join(" "));
}

function setFile(key, file, word) {
  take(key, file);
  showFile(key, file);
  changed(word);
}

let hasExample = false;

/// Another file takes the place of the one before. What belongs to the example goes with it.
function take(key, file) {
  question[key] = file;
  if (key !== "body" || !hasExample || isExample(file)) return;
  hasExample = false;
  Object.assign(question, rest(question));
  showFile("other", question.other);
  showFields();
}

/// The whole question is replaced.
function replace(parts, word) {
  Object.assign(question, parts);
  hasExample = isExample(question.body);
  showQuestion();
  changed(word);
}

async function readFile(key, file) {
  if (!file) return;
  try {
    setFile(key, await fromFile(file), "opened file");
  } catch (error) {
    put(byId(`${key}-note`), `${error.message}. What was here before is kept.`);
  }
}

function takeUrls(all, without = 0) {
  question.urls = all.slice(0, MAX_URLS);
  put(byId("urls-note"), [
    all.length > MAX_URLS ? `Only the first ${number(MAX_URLS)} are asked.` : null,
    without > 0 ? `${count(without, "row")} without a URL.` : null,
  ].filter(Boolean).join(" "));
  growUrls();
}

// The field for URLs has as many lines as it needs.
function growUrls() {
  byId("urls").rows = Math.min(URL_ROWS, Math.max(1, question.urls.length));
}

async function readList(file) {
  if (!file) return;
  const { urls, without } = urlsOf(await file.slice(0, MAX_LIST).text());
  takeUrls(urls, without);
  byId("urls").value = question.urls.join("\n");
  changed("list of URLs");
}

function showQuestion() {
  showFile("body", question.body);
  showFile("other", question.other);
  showFields();
}

function showFields() {
  for (const [id, value] of [["agent", question.agent], ["urls", question.urls.join("\n")]]) {
    if (byId(id).value !== value) byId(id).value = value;
  }
  growUrls();
  byId("dialect").value = question.dialect;
  byId("everyone").checked = question.everyone;
  for (const key of ["form", "kind"]) {
    for (const radio of document.getElementsByName(key)) radio.checked = radio.value === question[key];
  }
  tellAgent();
}

function listen() {
  for (const key of ["body", "other"]) {
    const area = byId(key);
    area.addEventListener("input", (event) => {
      const text = area.value;
      take(key, fromText(text));
      tellFile(key, question[key]);
      if (key === "body") editor.changed(text);
      typed(event, key === "body" ? "typing" : "older file");
    });
    area.addEventListener("paste", (event) => takeLong(key, event, event.clipboardData));
    const [button, input] = key === "body" ? [byId("open"), byId("file")] : [byId("open-other"), byId("file-other")];
    button.addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      readFile(key, input.files[0]);
      // The same file can be chosen again.
      input.value = "";
    });
  }
  byId("agent").addEventListener("input", (event) => {
    question.agent = byId("agent").value.trim();
    tellAgent();
    typed(event, "crawler");
  });
  byId("urls").addEventListener("input", (event) => {
    takeUrls(byId("urls").value.split("\n").map((url) => url.trim()).filter((url) => url !== ""));
    typed(event, "URLs");
  });
  byId("open-urls").addEventListener("click", () => byId("file-urls").click());
  byId("file-urls").addEventListener("change", (event) => {
    readList(event.target.files[0]);
    event.target.value = "";
  });
  byId("dialect").addEventListener("change", () => {
    question.dialect = byId("dialect").value;
    changed("choice");
  });
  byId("everyone").addEventListener("change", () => {
    question.everyone = byId("everyone").checked;
    changed("choice");
  });
  for (const [key, part] of [["form", "text"], ["kind", "crawlers"]]) {
    for (const radio of document.getElementsByName(key)) {
      radio.addEventListener("change", () => {
        question[key] = radio.value;
        steps.record({ ...question }, "choice");
        tellSteps();
        engine.more({ [part]: key === "form" ? { form: radio.value } : radio.value });
        keepLink();
      });
    }
  }
  byId("ask").addEventListener("submit", (event) => event.preventDefault());
  byId("new").addEventListener("click", () => {
    replace(nothing(), "new file");
    byId("body").focus();
  });
  for (const direction of ["undo", "redo"]) byId(direction).addEventListener("click", () => step(direction));
  listenSteps(step);
  byId("example").addEventListener("click", () => replace(example(), "example"));
  byId("close").addEventListener("click", close);
  byId("keep").addEventListener("click", () => setFile("other", question.body, "copy"));
  byId("swap").addEventListener("click", () => {
    const { body, other } = question;
    hasExample = false;
    question.body = other;
    showFile("body", other);
    setFile("other", body, "swap");
  });
  listenSaving({ question, wish, writeLink });
  document.addEventListener("click", follow);
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("drop");
  });
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) document.body.classList.remove("drop");
  });
  document.addEventListener("drop", drop);
  window.addEventListener("hashchange", readLink);
}

function drop(event) {
  document.body.classList.remove("drop");
  const [file] = event.dataTransfer.files;
  const key = byId("changes").contains(event.target) ? "other" : "body";
  // Dropped text goes where it is dropped, as everywhere.
  if (file === undefined) return takeLong(key, event, event.dataTransfer);
  event.preventDefault();
  readFile(key, file);
}

// Text that has too many lines for a text area becomes the file as a whole.
function takeLong(key, event, data) {
  const text = data.getData("text/plain");
  if (!isTooLong(text)) return;
  event.preventDefault();
  setFile(key, fromText(text), "pasted file");
}

// A paste is a step of its own; keys of a kind are one.
function typed({ inputType = "" }, word) {
  changed(word, /^(insertText|insertComposition|delete)/.test(inputType) ? `${word} ${inputType.slice(0, 6)}` : null);
}

// The part of the address after `#` holds the question, so links inside the page are followed here.
function follow(event) {
  const anchor = event.target.closest?.("a[href^='#']");
  if (!anchor) return;
  event.preventDefault();
  if (anchor.dataset.line) return goTo(Number(anchor.dataset.line));
  const section = byId(anchor.getAttribute("href").slice(1));
  if (section !== null) reveal(section);
  section?.scrollIntoView();
  section?.focus({ preventScroll: true });
}

/// Brings a line into view.
function goTo(line) {
  if (editor.has(line)) return editor.goTo(line);
  reveal(byId("lines"));
  lines.goTo(line);
}

// The link.

let keeping = 0;
function keepLink() {
  clearTimeout(keeping);
  keeping = setTimeout(writeLink, 400);
}

let written = "";
async function writeLink() {
  clearTimeout(keeping);
  const asked = { ...question };
  // A site that cannot be read has no file that a link could bring.
  const isFile = ["rules", "allow"].includes(asked.body.retrieved?.access ?? "rules");
  const fragment = isFile ? await link.write(asked).catch(() => null) : null;
  // The question may have changed meanwhile; then a newer link follows.
  if (Object.keys(asked).some((key) => asked[key] !== question[key])) return null;
  written = fragment ?? "";
  history.replaceState(null, "", fragment ?? location.pathname + location.search);
  put(byId("link-note"), fragment === null && isFile ? "Too much for a link: save the report, or share the file." : null);
  return fragment;
}

async function readLink() {
  if (location.hash === written || !link.isOurs(location.hash)) return;
  try {
    Object.assign(question, await link.read(location.hash));
    hasExample = isExample(question.body);
    written = location.hash;
    steps.record({ ...question }, "link");
    tellSteps();
    showQuestion();
    ask();
  } catch (error) {
    notice(error.message);
    ask();
  }
}

// The start.

listen();
listenLive({
  take(file, page) {
    put(byId("notice"));
    take("body", file);
    if (page !== null) takeUrls([page]);
    showQuestion();
    changed("retrieved file");
  },
  fail: (words, more) => notice(words, details([more])),
  wait: (words) => put(byId("notice"), el("p.note", null, words)),
});
showQuestion();
if (!link.isOurs(location.hash)) {
  Object.assign(question, example());
  hasExample = true;
  steps = new History({ ...question });
  showQuestion();
  ask();
  keepLink();
} else readLink();
// Not where the command serves it: the worker would stay, and answer for other programs on that port.
if ("serviceWorker" in navigator && window.isSecureContext && document.documentElement.dataset.live === undefined) {
  // Without it the page works too, but not offline.
  navigator.serviceWorker.register(script("sw.js")).catch(() => {});
}
