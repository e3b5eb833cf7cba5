// robots-parser's own tests, from its package, with `robotsParser` instead of robots-parser.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { DIFFERENCES } from "./foreign.mjs";
import { FOLDER } from "./shared.mjs";

/** What each test of robots-parser says: its name, and the error or null. */
function results() {
  const folder = join(FOLDER, "target/foreign");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "test"), { recursive: true });
  cpSync(join(FOLDER, "node_modules/robots-parser/test"), join(folder, "test"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "commonjs" }');
  writeFileSync(join(folder, "index.js"), 'module.exports = require("robosieve/robots-parser");');
  const mocha = join(FOLDER, "node_modules/mocha/bin/mocha.js");
  const report = join(folder, "report.json");
  try {
    execFileSync(process.execPath, [mocha, "--reporter", "json", "--reporter-option", `output=${report}`, "test"], {
      cwd: folder,
      stdio: "pipe",
    });
  } catch (error) {
    // The exit code is the number of tests that failed.
    if (!error.status) throw error;
  }
  const { tests } = JSON.parse(readFileSync(report, "utf8"));
  return tests.map(({ title, err }) => [title, err.message ?? null]);
}

test("robots-parser's own tests pass, but for those in the list [js.suite]", () => {
  const all = results();
  assert.equal(all.length, 41);
  const failed = Object.fromEntries(all.filter(([, error]) => error !== null));
  assert.deepEqual(Object.keys(failed).sort(), Object.keys(DIFFERENCES).sort(), JSON.stringify(failed, null, 1));
  console.log(`# robots-parser: ${all.length - Object.keys(failed).length} of ${all.length}`);
});

test("README.md has the list [js.suite]", () => {
  const readme = readFileSync(join(FOLDER, "npm/README.md"), "utf8");
  for (const [title, reason] of Object.entries(DIFFERENCES)) {
    assert.ok(readme.includes(`| ${title} | ${reason} |`), `| ${title} | ${reason} |`);
  }
});
