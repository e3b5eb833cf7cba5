// The command to compare with, and the files of corpus/.

import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
export const FOLDER = join(ROOT, "bindings/wasm");

/** The command: ROBOSIEVE_COMMAND, or it is built. */
export function command() {
  if (process.env.ROBOSIEVE_COMMAND) return process.env.ROBOSIEVE_COMMAND;
  execFileSync("cargo", ["build", "--release", "--locked", "--quiet", "-p", "robosieve-cli", "--features", "full"], { cwd: ROOT, stdio: "inherit" });
  return join(process.env.CARGO_TARGET_DIR ?? join(ROOT, "target"), "release/robosieve");
}

/** Runs the command, and returns its lines as objects, without what only the command has. */
export function lines(args, input = "") {
  const { status, stdout, stderr } = spawnSync(command(), args, { input, maxBuffer: 1 << 30, encoding: "utf8" });
  // 1 is an answer.
  if (status !== 0 && status !== 1) throw new Error(`${args.slice(0, 6).join(" ")}: ${status}: ${stderr}`);
  return stdout.split("\n").filter(Boolean).map((line) => {
    const { v, file, id, ...rest } = JSON.parse(line);
    return rest;
  });
}

/** The folder of the inputs of corpus/, and the paths of its files. */
export const corpus = () => execFileSync(join(ROOT, "corpus/unfold"), { encoding: "utf8" }).trim();
export function files() {
  const folder = corpus();
  const all = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return all.map(({ parentPath, name }) => join(parentPath, name)).sort();
}

export const bytesOf = (path) => new Uint8Array(readFileSync(path));
