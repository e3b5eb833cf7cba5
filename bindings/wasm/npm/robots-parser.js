// The interface of robots-parser 3.0.1.
//
// Invariant: the space of parsed files in the module is bounded. The oldest is freed, and parsed again when it is asked:
// a program that parses in a loop gives the collector of garbage no turn.

import { bytesOf, isPart, kindOf, MAX_BYTES, MORE } from "./body.js";
import { run, urlText } from "./call.js";

// Relative URLs belong to this host, which does not exist.
const NOWHERE = "http://robots-relative.invalid";

// The lines that may be the last host: more are not looked at.
const MOST_HOSTS = 100;

// The space for all files, in bytes, and what a file may take: a short rule takes many times its bytes. An estimate. Each
// file counts as 64 kB at least: many small objects make the collector slow.
const SPACE = 64 << 20;
const spaceOf = (body) => body.length * 12 + 64_000;

// A URL that the parser of URLs would not change: no blanks, no backslash, no segment of dots.
const IS_PLAIN = /^[!$-;=?-[\]_a-z~]*$/;

/** What parses the robots.txt file of a site, over the class of a module. */
export function robotsParserOf(parsing) {
  const held = new Set();
  let space = 0;
  const kept = {
    parse(file, body, site, isWhole) {
      space += spaceOf(body);
      for (const oldest of held) {
        if (space <= SPACE) break;
        this.drop(oldest);
      }
      held.add(file);
      return run(() => parsing().parse(body, site, isWhole));
    },
    drop(file) {
      held.delete(file);
      space -= file.forget();
    },
  };
  return function robotsParser(url, body) {
    return new Robots(kept, url, body);
  };
}

class Robots {
  #kept;
  #origin;
  #site;
  #body;
  #isWhole;
  // In the module, if it has not been dropped there, and the agent that it was asked for last.
  #file = null;
  #agent = null;

  constructor(kept, url, body) {
    const site = parsed(textOf(url));
    this.#kept = kept;
    this.#origin = site === null ? null : originOf(site);
    this.#site = this.#origin === null || this.#origin === NOWHERE ? "" : this.#origin;
    this.#isWhole = !isPart(body);
    // There, no file and an empty one are the same: a crawler passes what a 404 gave it. The caller may change its bytes.
    const read = bytesOf(body ?? "", MAX_BYTES + MORE);
    this.#body = typeof body === "string" ? read : new Uint8Array(read);
    this.#here();
  }

  /** Frees the file in the module, and returns its space. Whoever asks parses it again. */
  forget() {
    this.#file?.free();
    this.#file = null;
    this.#agent = null;
    return spaceOf(this.#body);
  }

  /** Whether an agent may fetch a URL; undefined if the URL has another origin. */
  isAllowed(url, agent) {
    const verdict = this.#ask(url, agent);
    return verdict === undefined ? undefined : (verdict & 1) === 1;
  }

  /** Whether it may not: also true if the URL has another origin. */
  isDisallowed(url, agent) {
    return this.isAllowed(url, agent) !== true;
  }

  /** Whether a group that names the agent, not one for `*`, disallows a URL. */
  isExplicitlyDisallowed(url, agent) {
    const verdict = this.#ask(url, agent);
    return verdict === undefined ? undefined : (verdict & 3) === 2;
  }

  /** The line of the rule that decides, or -1. */
  getMatchingLineNumber(url, agent) {
    const verdict = this.#ask(url, agent);
    return verdict === undefined ? -1 : verdict >>> 2 || -1;
  }

  /** The crawl delay in seconds. */
  getCrawlDelay(agent) {
    const name = agentText(agent);
    return run(() => this.#here().crawl_delay(name));
  }

  /** The URLs of the sitemaps. */
  getSitemaps() {
    return run(() => this.#here().sitemaps());
  }

  /** The main host of the site, or null. The module takes the first one, robots-parser the last. */
  getPreferredHost() {
    const host = run(() => this.#here().host()) ?? null;
    if (host === null) return null;
    const lines = new TextDecoder().decode(this.#body).match(/^[ \t]*host[ \t]*:.*/gim)?.slice(-MOST_HOSTS) ?? [];
    for (const line of lines.reverse()) {
      // In a file of its own it is the first.
      const alone = new Robots(this.#kept, NOWHERE, line);
      const last = run(() => alone.#here().host()) ?? null;
      this.#kept.drop(alone);
      if (last !== null) return last;
    }
    return host;
  }

  #here() {
    this.#file ??= this.#kept.parse(this, this.#body, this.#site, this.#isWhole);
    return this.#file;
  }

  #ask(url, agent) {
    const path = this.#path(textOf(url));
    const name = agentText(agent);
    if (path === undefined) return undefined;
    return run(() => {
      const file = this.#here();
      if (this.#agent !== name) {
        file.choose(name);
        this.#agent = name;
      }
      return file.verdict(path);
    });
  }

  /** The path of a URL with its query; undefined if the URL has another origin. */
  #path(url) {
    const origin = this.#origin;
    if (origin === null) return undefined;
    if (url.startsWith(origin) && url.charCodeAt(origin.length) === 47 && isPlain(url)) return url.slice(origin.length);
    const given = parsed(url);
    return given === null || originOf(given) !== origin ? undefined : given.pathname + given.search;
  }
}

function isPlain(url) {
  return IS_PLAIN.test(url) && !url.includes("/.") && !/\/%2e/i.test(url);
}

/** A URL, or null. */
function parsed(url) {
  try {
    return new URL(url, NOWHERE);
  } catch {
    return null;
  }
}

/** Scheme, host and port. `URL.origin` is "null" for schemes that it does not know. */
function originOf(url) {
  return `${url.protocol}//${url.host}`;
}

// There, what is missing is read by `URL` as a relative URL of this name.
const textOf = (url) => (url === undefined || url === null ? String(url) : urlText(url));

function agentText(agent) {
  if (typeof (agent ?? "") !== "string") throw new TypeError(`the agent must be a string, not ${kindOf(agent)}`);
  return agent || "*";
}
