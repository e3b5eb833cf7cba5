// The package itself: its files, its size, its types, its documentation.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import * as api from "robosieve";
import { FOLDER } from "./shared.mjs";

const NPM = join(FOLDER, "npm");
const packed = (path) => gzipSync(readFileSync(path), { level: 9 }).length;

/** A file of the package and all files that it imports. */
function loaded(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  if (!name.endsWith(".js") || name.endsWith(".wasm.js")) return found;
  const text = readFileSync(join(NPM, name), "utf8");
  for (const [, other] of text.matchAll(/(?:from |import |URL\()"\.\/([\w.-]+)"/g)) loaded(other, found);
  return found;
}

test("what robosieve/robots-parser loads has at most 130 kB [js.small]", () => {
  for (const entry of ["small-node.js", "small-browser.js", "small-workerd.js"]) {
    const names = [...loaded(entry)];
    assert.ok(names.includes("robots.wasm") && names.includes("engine.js"), `${entry} loads ${names}`);
    assert.ok(!names.includes("robosieve.wasm"), `${entry} loads the whole module`);
    const size = names.reduce((sum, name) => sum + packed(join(NPM, name)), 0);
    console.log(`# ${entry}: ${size} bytes, gzip`);
    assert.ok(size <= 130_000, `${entry} loads ${size} bytes`);
  }
});

test("what has the module inside is not much larger [js.inline]", () => {
  for (const [name, most] of [["small-inline.js", 165_000], ["inline.js", 760_000]]) {
    const size = [...loaded(name)].reduce((sum, name) => sum + packed(join(NPM, name)), 0);
    console.log(`# ${name}: ${size} bytes, gzip`);
    assert.ok(size <= most, `${name} loads ${size} bytes`);
  }
  const size = packed(join(NPM, "robots-parser.cjs"));
  console.log(`# robots-parser.cjs: ${size} bytes, gzip`);
  assert.ok(size <= 165_000, `${size} bytes`);
});

test("the package has its files, and no others; it does not grow unnoticed [js.small]", () => {
  const [pack] = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json"], { cwd: NPM, encoding: "utf8" }));
  const names = pack.files.map(({ path }) => path).sort();
  const sources = readdirSync(NPM).filter((name) => !name.endsWith(".tgz"));
  assert.deepEqual(names, sources.sort());
  console.log(`# npm pack: ${pack.size} bytes`);
  // The modules of gates and of pages, both others twice, and the small one a third time, for `require`.
  assert.ok(pack.size <= 2_950_000, `${pack.size} bytes`);
});

test("the types name what the package exports [js.types]", () => {
  const types = readFileSync(join(NPM, "index.d.ts"), "utf8");
  const named = [...types.matchAll(/^export (?:function|class|default) (\w+)/gm)].map((match) => match[1]);
  const exported = Object.keys(api).map((name) => (name === "default" ? "robotsParser" : name));
  assert.deepEqual([...new Set(named)].sort(), [...new Set(exported)].sort());
});

test("the types are those of TypeScript [js.types]", () => {
  const tsc = join(FOLDER, "node_modules/typescript/bin/tsc");
  const check = [tsc, "--noEmit", "--strict", "--module", "nodenext", "--target", "es2022"];
  const files = ["types.ts", "types.cts"].map((name) => join(FOLDER, "test", name));
  // With the DOM's types, and with Node's alone.
  for (const lib of [["es2024,dom"], ["es2022", "--types", "node"]]) {
    execFileSync(process.execPath, [...check, "--lib", ...lib, ...files], { cwd: FOLDER, stdio: "pipe", encoding: "utf8" });
  }
});

test("the examples of the documentation are run [js.types]", async () => {
  const readme = readFileSync(join(NPM, "README.md"), "utf8");
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

test("Crawlee by the recipe has one name and the pace, also for redirects and after a 503 [js.crawlee]", async () => {
  const asked = [];
  const site = http.createServer((request, response) => {
    asked.push({ path: request.url, name: request.headers["user-agent"], at: performance.now() });
    if (request.url === "/robots.txt") return response.end("User-agent: *\nDisallow: /private\nCrawl-delay: 1\n");
    if (request.url === "/moved") return response.writeHead(302, { Location: "/private/moved" }).end();
    const isBusy = request.url === "/busy" && asked.filter(({ path }) => path === "/busy").length === 1;
    return response.writeHead(isBusy ? 503 : 200, { "Content-Type": "text/html" }).end("<p>");
  });
  await once(site.listen(0, "127.0.0.1"), "listening");
  const readme = readFileSync(join(NPM, "README.md"), "utf8");
  const [, recipe] = readme.match(/```javascript\n(import \{ HttpCrawler.*?)```/s);
  const path = join(FOLDER, "target/readme-crawlee.mjs");
  writeFileSync(path, recipe.replace("new Gate({", "new Gate({ allowPrivate: true,"));
  Object.assign(process.env, { CRAWLEE_PERSIST_STORAGE: "0", CRAWLEE_LOG_LEVEL: "OFF" });
  const { crawler } = await import(pathToFileURL(path));
  const pages = ["/one", "/two", "/private/one", "/moved", "/busy", "/three"];
  await crawler.run(pages.map((page) => `http://127.0.0.1:${site.address().port}${page}`));
  site.close();
  assert.deepEqual(asked.map((one) => one.path), ["/robots.txt", "/one", "/two", "/moved", "/busy", "/three", "/busy"]);
  assert.deepEqual([...new Set(asked.map(({ name }) => name))], ["MyBot/1.0 (+https://mybot.example/about)"]);
  // The least gaps between a page and the next one: a second, and two after the 503.
  const gaps = asked.slice(1).map(({ at }, place) => at - asked[place].at);
  console.log(`# gaps: ${gaps.map(Math.round).join(", ")} ms`);
  assert.ok(gaps.every((gap, place) => gap > (place < 4 ? 850 : 1_850)), `${gaps}`);
});
