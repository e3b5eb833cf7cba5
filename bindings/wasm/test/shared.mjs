// What tests share: other runtimes, and the expected answers, made once for all tests in a file below target/.

import { mkdirSync, readFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cases, ROOT } from "./expected.mjs";

export const FOLDER = join(ROOT, "bindings/wasm");
const FILE = join(FOLDER, "target/expected.json");

/** Other runtimes. */
export const BUN = join(FOLDER, "node_modules/@oven/bun-linux-x64/bin/bun");
export const DENO = join(FOLDER, "node_modules/@deno/linux-x64-glibc/deno");

/** A program of another package; it is said aloud if that has none for this kind of machine. */
export function withTool(path, context) {
  if (existsSync(path)) return true;
  context.skip(`NOT TESTED: ${path} is not for ${process.platform} ${process.arch}`);
  return false;
}

/** Makes the answers. `run` calls this before the tests. */
export function make() {
  mkdirSync(join(FOLDER, "target"), { recursive: true });
  writeFileSync(FILE, JSON.stringify(cases()));
}

/** The answers, as text. */
export function expectedText() {
  if (!existsSync(FILE)) throw new Error("there are no expected answers: run bindings/wasm/test/run");
  return readFileSync(FILE, "utf8");
}

/** The answers. */
export const allCases = () => JSON.parse(expectedText());
