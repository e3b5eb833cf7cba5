// Makes robosieve.html: the page in one file, with its style, its script and the module inside.
//
// Invariant: its policy names the hashes of the script and the style, and forbids every connection. Nothing may change
// the file after this.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

process.chdir(import.meta.dirname);
const esbuild = (...options) => execFileSync("../node_modules/.bin/esbuild", ["--minify", "--target=es2022", "--charset=utf8", "--log-level=error", ...options], { encoding: "utf8" });
const bundle = (entry, ...options) => esbuild(entry, "--bundle", "--format=iife", ...options).trim();
const read = (name) => readFileSync(name, "utf8");
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const data = (name) => `data:image/svg+xml;base64,${readFileSync(name).toString("base64")}`;

const worker = bundle("worker.js", '--define:import.meta.url=""');
// Inside a script, these would end it.
const script = bundle("main.js", `--define:WORKER=${JSON.stringify(worker)}`).replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const style = esbuild("page.css").replaceAll("ICON", () => data("icon.svg")).trim();
const module = gzipSync(readFileSync("../target/module/wasm_bg.wasm"), { level: 9 }).toString("base64");
const policy = `default-src 'none'; script-src ${hash(script)} 'wasm-unsafe-eval'; style-src ${hash(style)}; worker-src blob:; img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types worker`;
const parts = { POLICY: policy, ICON: data("icon.svg"), STYLE: style, MODULE: module, SCRIPT: script };
writeFileSync("../robosieve.html", read("index.html").replace(/\b(POLICY|ICON|STYLE|MODULE|SCRIPT)\b/g, (name) => parts[name]));
