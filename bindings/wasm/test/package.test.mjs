// The package itself: its files, its size, its types, its documentation, and its entries for Workers.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import * as api from "robosieve";
import { FOLDER } from "./command.mjs";

const NPM = join(FOLDER, "npm");
const packed = (path) => gzipSync(readFileSync(path), { level: 9 }).length;

/** A file of the package and all files that it loads. */
function loaded(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  const text = name.endsWith(".js") ? readFileSync(join(NPM, name), "utf8") : "";
  for (const [, other] of text.matchAll(/(?:from |import |URL\()["'](?:\.\/)?([\w.-]+\.(?:js|wasm))["']/g)) loaded(other, found);
  return found;
}

test("what robosieve/robots-parser loads has at most 130 kB", () => {
  for (const entry of ["small-node.js", "small-browser.js", "small-workerd.js"]) {
    const names = [...loaded(entry)];
    assert.ok(names.includes("wasm-robots_bg.wasm") && !names.includes("wasm-robosieve.js"), `${entry} loads ${names}`);
    const size = names.reduce((sum, name) => sum + packed(join(NPM, name)), 0);
    console.log(`# ${entry}: ${size} bytes, gzip`);
    assert.ok(size <= 130_000, `${entry} loads ${size} bytes`);
  }
});

test("the package has its files, and no others; it does not grow unnoticed", () => {
  const [pack] = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json"], { cwd: NPM, encoding: "utf8" }));
  const names = pack.files.map(({ path }) => path).sort();
  assert.deepEqual(names, readdirSync(NPM).filter((name) => !name.endsWith(".tgz")).sort());
  console.log(`# npm pack: ${pack.size} bytes`);
  assert.ok(pack.size <= 1_700_000, `${pack.size} bytes`);
});

test("the types name what the package exports", () => {
  const types = readFileSync(join(NPM, "index.d.ts"), "utf8");
  const named = [...types.matchAll(/^export (?:function|class|default) (\w+)/gm)].map((match) => match[1]);
  const exported = [...Object.keys(api).map((name) => (name === "default" ? "robotsParser" : name)), "init"];
  assert.deepEqual([...new Set(named)].sort(), [...new Set(exported)].sort());
});

test("the types are those of TypeScript", () => {
  const tsc = join(FOLDER, "node_modules/typescript/bin/tsc");
  const check = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2024,dom", join(FOLDER, "test/types.ts")];
  execFileSync(process.execPath, [tsc, ...check], { cwd: FOLDER, stdio: "pipe", encoding: "utf8" });
});

test("what is not loaded says so", () => {
  const text = `import { sieve, robotsParser } from "./browser.js"; for (const call of [() => sieve(""), () => robotsParser("/", "")]) try { call(); } catch ({ message }) { console.log(message); }`;
  const reported = execFileSync(process.execPath, ["--input-type=module", "-e", text], { cwd: NPM, encoding: "utf8" });
  assert.equal(reported, "robosieve is not loaded yet: call `await init()` first\n".repeat(2));
});

test("the examples of the documentation are run", async () => {
  const readme = readFileSync(join(FOLDER, "README.md"), "utf8");
  const examples = [...readme.matchAll(/```js\n(.*?)```/gs)].map((match) => match[1]);
  assert.ok(examples.length >= 2);
  mkdirSync(join(FOLDER, "target"), { recursive: true });
  for (const [at, example] of examples.entries()) {
    const checked = example.replace(/^(.+); \/\/ (.+)$/gm, "assert.deepEqual($1, $2);");
    assert.ok(checked.includes("assert"), `example ${at} says nothing`);
    const path = join(FOLDER, `target/readme-${at}.mjs`);
    writeFileSync(path, `import assert from "node:assert/strict";\n${checked}`);
    await import(pathToFileURL(path));
  }
});

const WORKER = `
import { sieve } from "./workerd.js";
import { robotsParser } from "./small-workerd.js";
import { Gate } from "./gate-workerd.js";
const file = "User-agent: *\\nDisallow: /x\\n";
const [url, agent, fetch] = ["https://a.example/x", "MyBot", async () => new Response(file)];
export default {
  async test() {
    const got = [
      sieve(file + "# no", { agents: agent }).text === file,
      robotsParser("https://a.example/robots.txt", file).isAllowed(url, agent) === false,
      (await new Gate({ agent, fetch }).permits(url)).line === 2,
    ];
    if (!got.every(Boolean)) throw new Error(String(got));
  },
};`;

test("each entry answers in workerd, which runs Cloudflare's Workers, and is ready at import", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "workerd-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const names = readdirSync(NPM).filter((name) => /\.(?:js|wasm)$/.test(name) && !/node|browser/.test(name));
  for (const name of names) cpSync(join(NPM, name), join(folder, name));
  writeFileSync(join(folder, "main.js"), WORKER);
  const modules = ["main.js", ...names].map((name) => `(name = "${name}", ${name.endsWith(".js") ? "esModule" : "wasm"} = embed "${name}")`);
  writeFileSync(join(folder, "config.capnp"), `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = (compatibilityDate = "2026-11-01", modules = [${modules.join(", ")}]))]);`);
  execFileSync(join(FOLDER, "node_modules/.bin/workerd"), ["test", join(folder, "config.capnp")], { stdio: "pipe", timeout: 60_000 });
});
