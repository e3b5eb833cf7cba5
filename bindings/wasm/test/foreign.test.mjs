// robots-parser's own tests, from its package, with `robotsParser` instead of robots-parser.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import test from "node:test";
import { FOLDER } from "./command.mjs";

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
