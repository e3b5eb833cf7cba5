// The gate: may this URL be fetched now? Retrieves robots.txt by `fetch`, remembers sites, and paces requests.
//
// Invariant: all decisions are the module's. What fails here allows nothing: a question is answered by "go" only if the
// module says so. A retrieval that ends early is given up, so that the next question begins another one. No body that
// `fetch` decoded is read: it takes half a body, a wrong checksum and a coding that it does not know without an error.

import { kindOf, MAX_BYTES, MORE } from "./body.js";
import { agentsOf, run, urlText } from "./call.js";
import { Gate as Core } from "./wasm-gate.js";

/** 30 seconds: the most that one request for robots.txt takes. */
const REQUEST = 30_000;

/** Trouble on our side: it says nothing about the site. So is each error of a look-up, but for a denial. */
const OURS = new Set(["EMFILE", "ENFILE", "ENETDOWN", "ENETUNREACH", "EADDRNOTAVAIL", "ENOBUFS", "ENOMEM"]);

/** Names in Content-Encoding that are no coding: the module's, too. */
const NO_CODING = /^(?:identity|none|utf-8|[\s,])*$/i;

/** The most bytes of a head, and its most lines: the driver's, too. */
const MAX_HEAD = 65_536;
const MAX_LINES = 128;

/** The `TypeError` of a `fetch` that had no answer, where neither cause nor code says so. */
const NO_ANSWER = /^(?:fetch failed|failed to fetch|networkerror|load failed|network connection lost)/i;

const NOTHING = new Uint8Array();

/** Node's own `fetch` shows how a body is framed, and takes one without length and chunks for whole, however it broke off. */
const SHOWS_FRAMES = Boolean(globalThis.process?.versions?.node) && !globalThis.process.versions.bun && !globalThis.Deno;

/** Frees the cores of gates that nobody has any more. */
const dropped = globalThis.FinalizationRegistry && new FinalizationRegistry((core) => core.free());

// The longest time that a timer has.
const LONGEST = 0x7fff_ffff;

const TIMES = { delay: "delay", minDelay: "min_delay", maxDelay: "max_delay", maxWait: "max_wait" };
const OPTIONS = new Set(["agent", "policy", "allowPrivate", "fetch", "userAgent", "clock", ...Object.keys(TIMES)]);

/** A clock that is not set back. Milliseconds since 1970. */
function steady() {
  const began = Date.now() - performance.now();
  return () => began + performance.now();
}

export class Gate {
  #options;
  #core;
  #fetch;
  #userAgent;
  #clock;
  #maxWait;

  constructor(options) {
    if (typeof options !== "object" || options === null) throw new TypeError(`a gate takes options, as in { agent: "MyBot" }, not ${kindOf(options)}`);
    for (const name of Object.keys(options)) {
      if (!OPTIONS.has(name)) throw new TypeError(`there is no option ${JSON.stringify(name)}: there are ${[...OPTIONS].join(", ")}`);
    }
    const { agent, policy, allowPrivate = false, userAgent, clock = steady() } = options;
    const agents = Array.isArray(agent) ? agent : [agent];
    if (agents.length === 0 || agents.some((name) => typeof name !== "string" || name.trim() === "")) {
      throw new TypeError('agent must be the name of your crawler as in robots.txt, such as "MyBot", or names');
    }
    const fetch = options.fetch ?? globalThis.fetch;
    if (typeof fetch !== "function") throw new TypeError("fetch must be a function: this platform has none, so give one");
    if (typeof clock !== "function") throw new TypeError("clock must be a function that returns milliseconds since 1970");
    const times = Object.entries(TIMES).filter(([name]) => options[name] !== undefined);
    this.#options = JSON.stringify({
      agents: agentsOf(agents), policy, allow_private: allowPrivate,
      ...Object.fromEntries(times.map(([name, key]) => [key, milliseconds(name, options[name])])),
    });
    this.#fetch = fetch;
    this.#userAgent = userAgent ?? agents[0];
    this.#clock = clock;
    this.#maxWait = options.maxWait ?? 3_600_000;
    this.close();
  }

  /** May this URL be fetched at all? Takes no slot. */
  async permits(url, { signal } = {}) {
    return stepOf(await this.#answer(false, urlText(url), signal));
  }

  /** Waits until this URL may be fetched, and takes the slot then. Any other answer comes at once. */
  async turn(url, { signal } = {}) {
    const text = urlText(url);
    for (;;) {
      const step = await this.#answer(true, text, signal);
      const waits = step.action === "wait" && step.reason === "pace";
      if (!waits || step.wait_ms > this.#maxWait) return stepOf(step);
      await sleep(Math.max(1, step.wait_ms), signal);
    }
  }

  /** Takes in how a page's request ended: after a 429 or 503 its host is asked less often. */
  observe(url, { status, retryAfter, took = 0 } = {}) {
    const after = retryAfter === undefined || retryAfter === null ? undefined : milliseconds("retryAfter", retryAfter);
    const ended = JSON.stringify({ status, retry_after: after, took: milliseconds("took", took) });
    run(() => this.#core.observe(urlText(url), ended, this.#now()));
  }

  /** The milliseconds between two requests to a URL's host, as far as its robots.txt is known. */
  delay(url) {
    return run(() => this.#core.delay(urlText(url), this.#now()));
  }

  /** Forgets everything. */
  close() {
    if (this.#core) {
      dropped?.unregister(this);
      this.#core.free();
    }
    this.#core = run(() => new Core(this.#options));
    dropped?.register(this, this.#core, this);
  }

  #now() {
    const now = this.#clock();
    if (!(now >= 0)) throw new RangeError("clock must return milliseconds since 1970");
    return Math.floor(now);
  }

  async #answer(takesSlot, url, signal) {
    for (;;) {
      signal?.throwIfAborted();
      const now = this.#now();
      const step = JSON.parse(run(() => this.#core.question(takesSlot, url, now)));
      if (step.errand !== undefined) {
        const end = await this.#retrieve(step, signal);
        if (end.reason !== "learnt") return end;
      } else if (step.action === "wait" && (step.reason === "retrieving" || step.reason === "learnt")) {
        await sleep(step.wait_ms, signal);
      } else {
        return step;
      }
    }
  }

  /** Makes the requests of a retrieval, and returns its end. */
  async #retrieve(step, signal) {
    const core = this.#core;
    try {
      while (step.errand !== undefined) {
        await sleep(step.wait_ms, signal);
        const [came, body] = await this.#request(step.request, signal);
        // The retrieval went with what was forgotten.
        if (core !== this.#core) return { action: "wait", reason: "learnt", wait_ms: 0 };
        const [{ errand }, now] = [step, this.#now()];
        step = JSON.parse(run(() => core.learn(errand, JSON.stringify(came), body, now)));
      }
      return step;
    } finally {
      if (step.errand !== undefined && core === this.#core) core.abandon(step.errand);
    }
  }

  /** One request: what came, and its body. */
  async #request({ url, headers }, signal) {
    const timeout = AbortSignal.timeout(REQUEST);
    const both = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    let response;
    try {
      response = await this.#fetch.call(globalThis, url, {
        redirect: "manual", cache: "no-store", credentials: "omit", signal: both,
        // A server may close a connection that is kept just when it is used again. Browsers leave this header out.
        headers: {
          "User-Agent": this.#userAgent, "Accept-Encoding": "identity", Connection: "close", ...Object.fromEntries(headers),
        },
      });
    } catch (error) {
      signal?.throwIfAborted();
      if (isBug(error)) throw error;
      const why = String(error?.cause?.message ?? error?.message ?? error);
      const { code, syscall } = error?.cause ?? error ?? {};
      const isOurs = OURS.has(code) || (syscall === "getaddrinfo" && code !== "ENOTFOUND" && code !== "ENODATA");
      return [{ error: why, not_asked: isOurs }, NOTHING];
    }
    if (response.type === "opaqueredirect") {
      return [{ error: "browsers do not show where a redirect leads: use a gate in Node or in a worker", not_asked: true }, NOTHING];
    }
    const [body, isWhole] = await bodyOfResponse(response);
    signal?.throwIfAborted();
    const [lines, reason] = [[...response.headers], response.statusText ?? ""];
    const head = lines.reduce((sum, [name, value]) => sum + name.length + value.length, reason.length);
    // Lines of one name are joined.
    const count = lines.reduce((sum, [, value]) => sum + value.split(", ").length, 0);
    if (head > MAX_HEAD || count > MAX_LINES || /[^\t -~\x80-\u{10ffff}]/u.test(reason)) {
      return [{ error: "a head that is too long, or malformed" }, NOTHING];
    }
    // The module decodes what the caller's own `fetch` left as it came. Of a body that was decoded it can do so no more.
    const isOwn = this.#fetch === globalThis.fetch;
    const isDecoded = isOwn && !NO_CODING.test(response.headers.get("content-encoding") ?? "");
    const framed = response.headers.get("transfer-encoding") ?? (response.headers.has("content-length") ? "chunked" : "");
    const isUnknown = isDecoded || (isOwn && SHOWS_FRAMES && framed.toLowerCase() !== "chunked");
    return [{ status: response.status, headers: lines, broken_off: !isWhole || isUnknown }, body];
  }
}

/** Whether an error is one of the code of the caller's `fetch`, and not of the network. */
function isBug(error) {
  if (error instanceof ReferenceError || error instanceof SyntaxError || error?.name === "AssertionError") return true;
  if (!(error instanceof TypeError) || NO_ANSWER.test(error.message)) return false;
  const { cause, code } = error;
  if (cause instanceof Error) return cause instanceof TypeError;
  return typeof code !== "string" || code.startsWith("ERR_INVALID");
}

/** The body as far as it is read, and whether it did not break off. */
async function bodyOfResponse(response) {
  if (!response.body) return [NOTHING, true];
  const parts = [];
  let [size, isWhole] = [0, true];
  try {
    // The module reads no more of a file.
    for await (const part of response.body) {
      parts.push(part);
      size += part.length;
      if (size >= MAX_BYTES + MORE) break;
    }
  } catch {
    isWhole = false;
  }
  return [new Uint8Array(await new Blob(parts).arrayBuffer()), isWhole];
}

function stepOf({ action, wait_ms: wait, reason, why, rule, line, target, status, until_ms, error, attempts }) {
  const until = until_ms === undefined ? undefined : new Date(until_ms);
  return { action, allowed: action === "go", wait, reason, why, rule, line, target, status, until, error, attempts };
}

function milliseconds(name, value) {
  if (typeof value !== "number" || !(value >= 0) || value === Infinity) throw new RangeError(`${name} must be milliseconds, and not negative`);
  return Math.min(Math.ceil(value), Number.MAX_SAFE_INTEGER);
}

/** Waits, or throws what the signal says. */
function sleep(wait, signal) {
  signal?.throwIfAborted();
  if (wait <= 0) return undefined;
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, Math.min(wait, LONGEST));
    signal?.addEventListener("abort", stop, { once: true });
  });
}
