// The interface of robots-parser 3.0.1.

import { engine, most } from "./engine.js";
import { isPart, kindOf, MAX_BYTES, MORE, robotsOf } from "./body.js";

// Relative URLs belong to this host, which does not exist.
const NOWHERE = "http://robots-relative.invalid";

// More is not read of a file.
const MOST = MAX_BYTES + MORE;

// The lines that may be the last host: more are not looked at.
const MOST_HOSTS = 100;

// The module's answer for a file that is not there any more.
const NOT_HERE = 0xffff_ffff;

// A URL that the parser of URLs would not change: no blanks, no backslash, no segment of dots.
const IS_PLAIN = /^[!$-;=?-[\]_a-z~]*$/;

/** Parses the robots.txt file of a site. */
export function robotsParser(url, body) {
  return new Robots(url, body);
}

class Robots {
  #origin;
  #site;
  #body;
  #isWhole;
  #file = 0;
  #epoch = -1;
  // The last agent, and its tester in the module.
  #agent = null;
  #tester = 0;

  constructor(url, body) {
    const site = parsed(urlText(url));
    this.#origin = site === null ? null : originOf(site);
    this.#site = this.#origin === null || this.#origin === NOWHERE ? "" : this.#origin;
    // There, no file and an empty one are the same: a crawler passes what a 404 gave it.
    const read = robotsOf(body ?? "", MOST);
    // The caller may change its bytes.
    this.#isWhole = !isPart(body);
    this.#body = typeof read === "string" ? read : new Uint8Array(read);
    this.#parse();
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
    const delay = this.#here((wasm) => wasm.crawl_delay(this.#file, written(name)), Number.isNaN);
    return delay < 0 ? undefined : delay;
  }

  /** The URLs of the sitemaps. */
  getSitemaps() {
    return this.#about().sitemaps;
  }

  /** The main host of the site, or null. */
  getPreferredHost() {
    const { host } = this.#about();
    return host === null ? null : (Robots.#lastHost(this.#body) ?? host);
  }

  /** The last line that the module reads as a host: it takes the first, robots-parser the last. */
  static #lastHost(body) {
    const text = typeof body === "string" ? body : new TextDecoder().decode(body);
    const lines = text.match(/^[ \t]*host[ \t]*:.*/gim)?.slice(-MOST_HOSTS) ?? [];
    for (const line of lines.reverse()) {
      // In a file of its own it is the first.
      const { host } = new Robots(NOWHERE, line).#about();
      if (host !== null) return host;
    }
    return null;
  }

  #parse() {
    this.#agent = null;
    engine.run((wasm) => {
      const [body, site] = [this.#body, this.#site];
      const size = most(body) + most(site);
      const at = engine.space(size);
      const length = engine.write(body, at, most(body));
      this.#file = wasm.parse(length, engine.write(site, at + length, most(site)), this.#isWhole) >>> 0;
    });
    // Numbers begin again.
    if (this.#file === 0) engine.nextEpoch();
    this.#epoch = engine.epoch;
  }

  /** Asks the module, and again if the file was dropped there. */
  #here(ask, isGone) {
    if (this.#epoch === engine.epoch) {
      const answer = engine.run(ask);
      if (!isGone(answer)) return answer;
    }
    this.#parse();
    return engine.run(ask);
  }

  #ask(url, agent) {
    const path = this.#path(urlText(url));
    const name = agentText(agent);
    if (path === undefined) return undefined;
    const ask = (wasm) => {
      if (this.#agent !== name) {
        this.#tester = wasm.tester(this.#file, written(name)) >>> 0;
        this.#agent = name;
      }
      return wasm.ask(this.#file, this.#tester, written(path)) >>> 0;
    };
    return this.#here(ask, (answer) => answer === NOT_HERE);
  }

  #about() {
    this.#here((wasm) => wasm.about(this.#file), (is) => !is);
    return JSON.parse(engine.output());
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

function written(name) {
  return engine.write(name, engine.space(most(name)), most(name));
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

function urlText(url) {
  if (typeof url === "string") return url;
  // There, what is missing is read by `URL` as a relative URL of this name.
  if (url === undefined || url === null) return String(url);
  if (url instanceof URL) return url.href;
  throw new TypeError(`the URL must be a string, not ${kindOf(url)}`);
}

function agentText(agent) {
  if (agent === undefined || agent === null) return "*";
  if (typeof agent === "string" && agent !== "") return agent;
  if (typeof agent !== "string") throw new TypeError(`the agent must be a string, not ${kindOf(agent)}`);
  return "*";
}
