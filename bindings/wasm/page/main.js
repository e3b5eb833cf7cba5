// The page: it reads the question, asks the engine, shows the answer, and keeps the question in the link.

import { EMPTY, fromFile, fromText, isTooLong, shownPart } from "./bytes.js";
import { MAX_URLS, MAX_WAIT } from "./bounds.js";
import { byId, count, el, number, put } from "./dom.js";
import { withEdits } from "./edits.js";
import { Engine } from "./engine.js";
import { example, isExample } from "./example.js";
import { showHeadline, showStanding } from "./headline.js";
import { LinesView } from "./lines.js";
import * as link from "./link.js";
import { listenLive } from "./retrieved.js";
import { showCrawlers, showFindings, showPaths, showVerdicts } from "./views.js";

// Of larger files only the last of several keys that follow at once is asked for.
const LARGE = 50_000;
const PAUSE = 40;
// Links of pages that are opened as files name a folder of the reader's; others open this one.
const PUBLIC = "https://robosieve.github.io/robosieve/robosieve.html";

const question = { body: EMPTY, agent: "", urls: [] };
const engine = new Engine(hear);
const lines = new LinesView(byId("lines-out"), (wish) => engine.more({ lines: wish }));
// The crawlers that robosieve knows.
let known = [];
// What is known so far of the answer, for the headline.
let answer = { verdicts: [], standing: null, found: null };
let said = "";

// The question.

function ask() {
  answer = { verdicts: [], standing: null, found: null };
  const { body } = question;
  const access = body.retrieved?.access ?? "rules";
  // Without a file to answer by, only the headline is shown.
  const hasFile = access === "rules" || access === "allow";
  document.body.dataset.state = hasFile ? "asked" : "done";
  document.body.dataset.parts = hasFile ? "shown" : "hidden";
  if (hasFile) return engine.ask({ ...question, body: body.bytes, knows: known.length > 0 });
  engine.stop();
  tellHeadline({});
  put(byId("state"), said);
}

let pause = 0;
function changed() {
  document.body.dataset.state = "changed";
  clearTimeout(pause);
  if (question.body.bytes.length > LARGE) pause = setTimeout(ask, PAUSE);
  else ask();
  keepLink();
}

// The answer.

const views = {
  verdicts(data) {
    tellHeadline({ verdicts: data });
    showVerdicts(byId("verdicts-out"), data);
    lines.decide(data);
  },
  standing(data) {
    tellHeadline({ standing: data });
    showStanding(byId("standing-out"), data, question.agent, chooseAgent);
  },
  findings(data) {
    tellHeadline({ found: data });
    const { body } = question;
    // Only a file whose text is its bytes is edited.
    const apply = body.isExact && !byId("body").readOnly ? (fixes) => {
      if (body === question.body) setFile(fromText(withEdits(body.text, fixes)));
      byId("findings").focus({ preventScroll: true });
    } : null;
    showFindings(byId("findings-out"), data, { ask: (most) => engine.more({ findings: most }), apply });
  },
  lines: (data) => lines.show(data),
  crawlers: (data) => showCrawlers(byId("crawlers-out"), data),
  paths: (data) => showPaths(byId("paths-out"), data),
  known(data) {
    known = data;
    put(byId("crawlers-known"), ...data.map(({ token, owner, purpose }) => el("option", { value: token }, `${owner}: ${purpose}`)));
    tellAgent();
  },
};

function tellHeadline(more) {
  Object.assign(answer, more);
  const { agent, body } = question;
  const about = { agent, isEmpty: body.bytes.length === 0, isExample: isExample(body), retrieved: body.retrieved ?? null };
  said = showHeadline({ head: byId("headline"), below: byId("below") }, { ...answer, question: about });
}

function hear({ part, data, error, of, message }) {
  if (part === "failed") return fail(`The answers cannot be given: ${message}`);
  if (part === "all") {
    put(byId("state"), said);
    document.body.dataset.state = "done";
  } else if (part === "stopped" || error !== undefined) {
    const place = byId(`${of ?? part}-out`);
    const words = error === undefined ? `This takes more than ${MAX_WAIT / 1_000} seconds, so it was stopped.` : `No answer: ${error}`;
    if (place !== null) put(place, el("p.lint.warning", null, words));
  } else views[part]?.(data);
}

/** A headline in place of an answer. */
function fail(words, ...detail) {
  document.body.dataset.parts = "hidden";
  byId("headline").className = "headline odd";
  put(byId("headline"), words);
  put(byId("below"), ...detail);
  put(byId("state"), words);
  document.body.dataset.state = "failed";
}

// The fields.

function chooseAgent(name) {
  question.agent = name;
  showFields();
  changed();
}

function tellAgent() {
  const name = question.agent.toLowerCase();
  const crawler = known.find(({ token }) => token.toLowerCase() === name);
  put(byId("agent-note"), crawler ? `${crawler.owner}: ${crawler.purpose}.` : "A known crawler, a name of your own, or a whole User-Agent header. Without one: any other.");
}

function tellFile({ bytes, name, notes }, isWhole = true) {
  const size = bytes.length === 0 ? null : `${name ? `${name}: ` : ""}${count(bytes.length, "byte")}.`;
  const long = isWhole ? null : "It has too many lines to be edited here, so only the first are shown. All are answered.";
  put(byId("body-note"), [size, ...notes, long].filter(Boolean).join(" "));
}

function showFields() {
  const { text, isWhole } = shownPart(question.body.text);
  if (byId("body").value !== text) byId("body").value = text;
  byId("body").readOnly = !isWhole;
  tellFile(question.body, isWhole);
  for (const [id, value] of [["agent", question.agent], ["urls", question.urls.join("\n")]]) {
    if (byId(id).value !== value) byId(id).value = value;
  }
  tellAgent();
}

function setFile(file) {
  question.body = file;
  showFields();
  changed();
}

async function readFile(file) {
  if (!file) return;
  try {
    setFile(await fromFile(file));
  } catch (error) {
    put(byId("body-note"), `${error.message}. What was here before is kept.`);
  }
}

// Text that has too many lines for a text area becomes the file as a whole.
function takeLong(event, data) {
  const text = data.getData("text/plain");
  if (!isTooLong(text)) return;
  event.preventDefault();
  setFile(fromText(text));
}

function takeUrls(all) {
  question.urls = all.slice(0, MAX_URLS);
  put(byId("urls-note"), all.length > MAX_URLS ? `Only the first ${number(MAX_URLS)} are asked.` : null);
}

function listen() {
  const on = (id, event, act) => byId(id).addEventListener(event, act);
  on("body", "input", () => {
    question.body = fromText(byId("body").value);
    tellFile(question.body);
    changed();
  });
  on("body", "paste", (event) => takeLong(event, event.clipboardData));
  on("open", "click", () => byId("file").click());
  on("file", "change", ({ target }) => {
    readFile(target.files[0]);
    // The same file can be chosen again.
    target.value = "";
  });
  on("agent", "input", () => {
    question.agent = byId("agent").value.trim();
    tellAgent();
    changed();
  });
  on("urls", "input", () => {
    takeUrls(byId("urls").value.split("\n").map((url) => url.trim()).filter((url) => url !== ""));
    changed();
  });
  on("ask", "submit", (event) => event.preventDefault());
  on("new", "click", () => {
    replace({ body: EMPTY, agent: "", urls: [] });
    byId("body").focus();
  });
  on("example", "click", () => replace(example()));
  on("copy-link", "click", copyLink);
  document.addEventListener("click", follow);
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("drop");
  });
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) document.body.classList.remove("drop");
  });
  document.addEventListener("drop", (event) => {
    document.body.classList.remove("drop");
    const [file] = event.dataTransfer.files;
    // Dropped text goes where it is dropped, as everywhere.
    if (file === undefined) return takeLong(event, event.dataTransfer);
    event.preventDefault();
    readFile(file);
  });
  window.addEventListener("hashchange", readLink);
}

function replace(parts) {
  Object.assign(question, parts);
  showFields();
  changed();
}

// The part of the address after `#` holds the question, so links inside the page are followed here.
function follow(event) {
  const anchor = event.target.closest?.("a[href^='#']");
  if (!anchor) return;
  event.preventDefault();
  if (anchor.dataset.line) return lines.goTo(Number(anchor.dataset.line));
  const section = byId(anchor.getAttribute("href").slice(1));
  section?.scrollIntoView();
  section?.focus({ preventScroll: true });
}

// The link.

let keeping = 0;
let written = "";
function keepLink() {
  clearTimeout(keeping);
  keeping = setTimeout(writeLink, 400);
}

/** Makes the address that of the question, and gives its fragment; null if it is too long for one. */
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
  return fragment;
}

async function copyLink() {
  const fragment = await writeLink();
  const button = byId("copy-link");
  const isHere = location.protocol === "https:";
  const copied = fragment !== null && await navigator.clipboard.writeText(`${isHere ? location.origin + location.pathname : PUBLIC}${fragment}`).then(() => true, () => false);
  put(button, copied ? "Copied" : fragment === null ? "Too long for a link" : "Not permitted");
  setTimeout(() => put(button, "Copy link"), 1_500);
}

async function readLink() {
  if (location.hash === written || !link.isOurs(location.hash)) return;
  try {
    Object.assign(question, await link.read(location.hash));
    written = location.hash;
    showFields();
    ask();
  } catch (error) {
    fail(error.message);
  }
}

// The start.

listen();
listenLive({
  // While a site is asked, no answer stands that is another's.
  wait(site) {
    engine.stop();
    fail(`Asking ${site} …`);
    document.body.dataset.state = "asking";
  },
  take(file, page) {
    if (page !== null) takeUrls([page]);
    setFile(file);
  },
  fail: (words, detail) => fail(words, detail),
});
if (link.isOurs(location.hash)) readLink();
else replace(example());
