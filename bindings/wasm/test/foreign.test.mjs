// robots-parser's own tests, from its package, with `robotsParser` instead of robots-parser.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import test from "node:test";
import { FOLDER } from "./command.mjs";

// The tests that `robotsParser` does not pass, each with the reason. README.md has this list.
const DIFFERENCES = {
  "should parse the sitemap directive": "a relative sitemap is resolved against the site: RFC 9309 wants whole URLs",
  "should handle invalid robots.txt urls": "the same: without a site, a relative sitemap is left out",
  "should handle lone high / low surrogates": "half a character is U+FFFD in a rule as in a URL, so the rule matches",
};

/** What each test of robots-parser says: its name, and the error or null. They want `describe` and `it` from mocha. */
function results() {
  const folder = join(FOLDER, "target/foreign");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "test"), { recursive: true });
  cpSync(join(FOLDER, "node_modules/robots-parser/test"), join(folder, "test"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "commonjs" }');
  writeFileSync(join(folder, "index.js"), 'module.exports = require("robosieve/robots-parser");');
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
  const require = createRequire(join(folder, "index.js"));
  for (const name of readdirSync(join(folder, "test"))) require(`./test/${name}`);
  return tests;
}

test("robots-parser's own tests pass, but for those in the list", () => {
  const all = results();
  assert.equal(all.length, 41);
  const failed = Object.fromEntries(all.filter(([, error]) => error !== null));
  assert.deepEqual(Object.keys(failed).sort(), Object.keys(DIFFERENCES).sort(), JSON.stringify(failed, null, 1));
  console.log(`# robots-parser: ${all.length - Object.keys(failed).length} of ${all.length}`);
});

test("README.md has the list", () => {
  const readme = readFileSync(join(FOLDER, "README.md"), "utf8");
  for (const [title, reason] of Object.entries(DIFFERENCES)) {
    assert.ok(readme.includes(`| ${title} | ${reason} |`), `| ${title} | ${reason} |`);
  }
});
