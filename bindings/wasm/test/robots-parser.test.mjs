// `robotsParser` next to robots-parser 3.0.1 itself, and in its place in its own tests.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import test from "node:test";
import peer from "robots-parser";
import { robotsParser } from "robosieve";
import { FOLDER } from "./command.mjs";

const FILE = `User-agent: *
Disallow: /private
Allow: /private/open
Crawl-delay: 2.5

User-agent: MyBot
Disallow: /mine
Crawl-delay: 7

Sitemap: https://shop.example/sitemap.xml
Host: shop.example
`;

const SITES = ["https://shop.example/robots.txt", "http://shop.example:8080/robots.txt", "/robots.txt"];
const URLS = [
  // Ways to write a path.
  "https://shop.example/private", "https://shop.example/private/open?x=1#part", "https://SHOP.example:443/private",
  "https://shop.example/a/../private", "https://shop.example/./mine", "https://shop.example/%2e/mine",
  "https://shop.example\\mine", " https://shop.example/mine ", "https://user:word@shop.example/mine", "https://shop.example/",
  "https://shop.example",
  // Origins.
  "http://shop.example/private", "http://shop.example:8080/private", "https://shop.example.evil.example/private",
  "https://shop.example:444/private",
  // Relative URLs, and none.
  "/private", "/mine", "private", "//shop.example/private", "https://", "",
];
const AGENTS = [undefined, null, "", "*", "MyBot", "mybot", "MyBot/1.0", "Other"];
const HOSTS = ["host: a.example\nHost: b.example", "host: a.example\nhost:\nhost: \n", "host:\nhost: c.example"];

test("all answers are those of robots-parser, also for what is null or missing", () => {
  let asked = 0;
  for (const site of [...SITES, null, undefined]) {
    for (const body of [FILE, "", null, undefined, ...HOSTS]) {
      const [ours, theirs] = [robotsParser(site, body), peer(site, body)];
      for (const name of ["getSitemaps", "getPreferredHost"]) assert.deepEqual(ours[name](), theirs[name](), `${name} of ${body}`);
      for (const agent of AGENTS) {
        assert.equal(ours.getCrawlDelay(agent), theirs.getCrawlDelay(agent));
        for (const url of [...URLS, null, undefined]) {
          for (const name of ["isAllowed", "isDisallowed", "getMatchingLineNumber"]) {
            assert.equal(ours[name](url, agent), theirs[name](url, agent), `${name}: ${url} of ${site} for ${agent}`);
            asked += 1;
          }
        }
      }
    }
  }
  assert.ok(asked > 10_000);
  // A host that is none is left out.
  assert.equal(robotsParser(SITES[0], "host: a.example\nhost: not a host").getPreferredHost(), "a.example");
});

test("isExplicitlyDisallowed asks groups that name the agent", () => {
  const robots = robotsParser(SITES[0], FILE);
  for (const [url, agent, expected] of [["shop.example/mine", "MyBot", true], ["shop.example/private", "Other", false], ["other.example/mine", "MyBot", undefined]]) {
    assert.equal(robots.isExplicitlyDisallowed(`https://${url}`, agent), expected);
  }
});

test("the space for parsed files is bounded; one that was dropped is parsed again, though the caller changed its bytes", () => {
  const large = `User-agent: *\n${"Disallow: /x\n".repeat(38_000)}`;
  const bytes = new TextEncoder().encode(FILE);
  const robots = robotsParser(SITES[0], bytes);
  bytes.fill(32);
  const before = process.memoryUsage().rss;
  for (let round = 0; round < 10; round += 1) {
    for (let at = 0; at < 40; at += 1) robotsParser(SITES[0], large);
    if (round % 2 === 0) {
      assert.equal(robots.isAllowed("https://shop.example/mine", "MyBot"), false);
      assert.equal(robots.isAllowed("https://shop.example/mine", "Other"), true);
      assert.equal(robots.getCrawlDelay("MyBot"), 7);
    } else {
      assert.deepEqual(robots.getSitemaps(), ["https://shop.example/sitemap.xml"]);
    }
  }
  assert.ok(process.memoryUsage().rss - before < 400e6, "the process grew");
});

test("more agents than testers are kept get their own answers", () => {
  const agents = Array.from({ length: 60 }, (_, at) => `bot-${"abcdefghij"[at % 10]}${"abcdef"[Math.floor(at / 10)]}`);
  const robots = robotsParser(SITES[0], agents.map((name) => `User-agent: ${name}\nDisallow: /${name}\n`).join(""));
  for (const round of [1, 2]) {
    for (const name of agents) {
      assert.equal(robots.isAllowed(`https://shop.example/${name}`, name), false, `${name} in round ${round}`);
      assert.equal(robots.isAllowed("https://shop.example/other", name), true);
    }
  }
});

test("wrong arguments are a TypeError that says what to do", () => {
  assert.throws(() => robotsParser(SITES[0], 42), { name: "TypeError", message: /string, a Uint8Array/ });
  assert.throws(() => robotsParser(42, FILE), { name: "TypeError", message: /the URL must be a string/ });
  assert.throws(() => robotsParser(SITES[0], FILE).isAllowed(42), { name: "TypeError", message: /the URL/ });
  assert.throws(() => robotsParser(SITES[0], FILE).isAllowed("/", {}), { name: "TypeError", message: /the agent/ });
});

const README = readFileSync(join(FOLDER, "README.md"), "utf8");

/** What each test of robots-parser says: its name, and the error or null. They want `describe` and `it` from mocha. */
function results() {
  const require = createRequire(import.meta.url);
  const [theirs, ours] = ["robots-parser", "robosieve/robots-parser"].map((name) => require.resolve(name));
  require(ours);
  require.cache[theirs] = require.cache[ours];
  const tests = [];
  globalThis.describe = (_, body) => body();
  globalThis.it = (title, body) => {
    assert.equal(body.length, 0, `${title} is asynchronous`);
    try {
      assert.equal(body(), undefined, `${title} is asynchronous`);
      tests.push([title, null]);
    } catch (error) {
      tests.push([title, error.message]);
    }
  };
  const folder = join(dirname(theirs), "test");
  for (const name of readdirSync(folder)) require(join(folder, name));
  return tests;
}

test("robots-parser's own tests pass, but for those in README.md", () => {
  const all = results();
  assert.equal(all.length, 41);
  const failed = Object.fromEntries(all.filter(([, error]) => error !== null));
  // README.md has the tests that `robotsParser` does not pass, each with the reason.
  const listed = [...README.matchAll(/^\| (should [^|]+) \| [^|]+ \|$/gm)].map(([, title]) => title);
  assert.deepEqual(Object.keys(failed).sort(), listed.sort(), JSON.stringify(failed, null, 1));
  assert.match(README, new RegExp(`\\b${all.length - listed.length} of robots-parser's own ${all.length} tests pass`));
});
