// The expected answers, made once for all tests: they are in a file below target/.

import { mkdirSync, readFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cases, ROOT } from "./expected.mjs";

export const FOLDER = join(ROOT, "bindings/wasm");
const FILE = join(FOLDER, "target/expected.json");

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
