// `robotsParser` next to robots-parser 3.0.1 itself, and where it is better.

import assert from "node:assert/strict";
import test from "node:test";
import peer from "robots-parser";
import { robotsParser } from "robosieve";

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
  "https://shop.example/private",
  "https://shop.example/private/open?x=1#part",
  "https://SHOP.example:443/private",
  "https://shop.example/a/../private",
  "https://shop.example/./mine",
  "https://shop.example/%2e/mine",
  "https://shop.example\\mine",
  " https://shop.example/mine ",
  "https://user:word@shop.example/mine",
  "https://shop.example/",
  "https://shop.example",
  "http://shop.example/private",
  "http://shop.example:8080/private",
  "https://shop.example.evil.example/private",
  "https://shop.example:444/private",
  "/private",
  "/mine",
  "private",
  "//shop.example/private",
  "https://",
  "",
];
const AGENTS = [undefined, "*", "MyBot", "mybot", "MyBot/1.0", "Other"];

test("origins, relative URLs, lines and delays are those of robots-parser", () => {
  let asked = 0;
  for (const site of SITES) {
    const [ours, theirs] = [robotsParser(site, FILE), peer(site, FILE)];
    for (const agent of AGENTS) {
      assert.equal(ours.getCrawlDelay(agent), theirs.getCrawlDelay(agent));
      for (const url of URLS) {
        const what = `${url} of ${site} for ${agent}`;
        assert.equal(ours.isAllowed(url, agent), theirs.isAllowed(url, agent), what);
        assert.equal(ours.getMatchingLineNumber(url, agent), theirs.getMatchingLineNumber(url, agent), what);
        assert.equal(ours.isDisallowed(url, agent), theirs.isDisallowed(url, agent), what);
        asked += 1;
      }
    }
    assert.deepEqual(ours.getSitemaps(), theirs.getSitemaps());
    assert.equal(ours.getPreferredHost(), theirs.getPreferredHost());
  }
  assert.ok(asked > 300);
});

test("what is null or missing is read as in robots-parser", () => {
  for (const site of [...SITES, null, undefined, "https://"]) {
    for (const body of [FILE, "", null, undefined]) {
      const [ours, theirs] = [robotsParser(site, body), peer(site, body)];
      for (const url of [null, undefined, ...URLS]) {
        for (const agent of [null, undefined, "", "MyBot"]) {
          // There, a file whose own URL is none has the origin of a URL that is none.
          if (site === "https://") continue;
          const what = `${url} of ${site} for ${agent}`;
          assert.equal(ours.isAllowed(url, agent), theirs.isAllowed(url, agent), what);
          assert.equal(ours.isDisallowed(url, agent), theirs.isDisallowed(url, agent), what);
        }
      }
      assert.equal(ours.getCrawlDelay(null), theirs.getCrawlDelay(null));
    }
  }
});

test("the last host counts, as in robots-parser", () => {
  for (const text of ["host: a.example\nHost: b.example", "host: a.example\nhost:\nhost: \n", "host:\nhost: c.example"]) {
    assert.equal(robotsParser(SITES[0], text).getPreferredHost(), peer(SITES[0], text).getPreferredHost(), text);
  }
  // A host that is none is left out.
  assert.equal(robotsParser(SITES[0], "host: a.example\nhost: not a host").getPreferredHost(), "a.example");
});

test("isExplicitlyDisallowed asks groups that name the agent", () => {
  const robots = robotsParser(SITES[0], FILE);
  assert.equal(robots.isExplicitlyDisallowed("https://shop.example/mine", "MyBot"), true);
  assert.equal(robots.isExplicitlyDisallowed("https://shop.example/private", "Other"), false);
  assert.equal(robots.isExplicitlyDisallowed("https://shop.example/mine", "Other"), false);
  assert.equal(robots.isExplicitlyDisallowed("https://other.example/mine", "MyBot"), undefined);
});

test("bytes and text are read in the same way; the caller may change its bytes afterwards", () => {
  const bytes = new TextEncoder().encode(FILE);
  const robots = robotsParser(SITES[0], bytes);
  const delay = robots.getCrawlDelay("MyBot");
  bytes.fill(32);
  fillMemory();
  assert.equal(robots.getCrawlDelay("MyBot"), delay);
  assert.equal(robots.isAllowed("https://shop.example/mine", "MyBot"), false);
});

/** Parses so much that older files have to be dropped. */
function fillMemory() {
  const large = "User-agent: *\n" + "Disallow: /x\n".repeat(38_000);
  for (let i = 0; i < 40; i++) robotsParser(SITES[0], large);
}

test("the space for parsed files is bounded, and a file that was dropped is parsed again", () => {
  const robots = robotsParser(SITES[0], FILE);
  assert.equal(robots.isAllowed("https://shop.example/mine", "MyBot"), false);
  const before = process.memoryUsage().rss;
  for (let i = 0; i < 5; i++) {
    fillMemory();
    assert.equal(robots.isAllowed("https://shop.example/mine", "MyBot"), false);
    assert.equal(robots.isAllowed("https://shop.example/mine", "Other"), true);
    assert.equal(robots.getCrawlDelay("MyBot"), 7);
    fillMemory();
    assert.deepEqual(robots.getSitemaps(), ["https://shop.example/sitemap.xml"]);
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
