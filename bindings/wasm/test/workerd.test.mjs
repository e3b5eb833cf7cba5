// In Cloudflare's workerd, the real program.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { default as workerd } from "workerd";
import { expectedText, FOLDER } from "./shared.mjs";

/** The modules of the worker: its own, and those of the package, which is found by its name. */
function modules() {
  const { exports } = JSON.parse(readFileSync(join(FOLDER, "npm/package.json"), "utf8"));
  const entry = exports["."].workerd.slice(2);
  const embed = (name, kind, path) => `(name = "${name}", ${kind} = embed "${path}")`;
  const own = ["worker.mjs", "equality.mjs"].map((name) => embed(name, "esModule", join(FOLDER, "test", name)));
  const names = readdirSync(join(FOLDER, "npm")).filter((name) => /\.(js|wasm)$/.test(name));
  const ours = names
    .filter((name) => !/^(node|browser|.*inline|.*\.wasm)\.js$/.test(name))
    .map((name) => embed(`npm/${name}`, name.endsWith(".js") ? "esModule" : "wasm", join(FOLDER, "npm", name)));
  return [...own, ...ours, `(name = "robosieve", esModule = "export * from './npm/${entry}'; ")`].join(",\n");
}

/** Starts workerd on a free port of the loopback interface; stops it after the work. */
async function withWorker(work) {
  const folder = mkdtempSync(join(tmpdir(), "robosieve-"));
  const config = join(folder, "config.capnp");
  writeFileSync(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (compatibilityDate = "2026-01-01", modules = [${modules()}]);
`,
  );
  const child = spawn(workerd.default ?? workerd, ["serve", config, "--import-path=/", "--control-fd=3"], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  try {
    return await work(await portOf(child));
  } finally {
    child.kill();
    rmSync(folder, { recursive: true });
  }
}

/** The port that it tells. */
function portOf(child) {
  return new Promise((found, failed) => {
    let errors = "";
    let told = "";
    child.stderr.on("data", (data) => (errors += data));
    child.on("exit", (code) => failed(new Error(`workerd stopped with ${code}: ${errors}`)));
    child.stdio[3].on("data", (data) => {
      told += data;
      for (const line of told.split("\n").slice(0, -1)) {
        const event = JSON.parse(line);
        if (event.event === "listen") found(event.port);
      }
    });
  });
}

test("the answers for corpus/ are the command's, in workerd [js.equal] [js.platforms]", async () => {
  const body = expectedText();
  const { calls, found } = await withWorker(async (port) => {
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body });
    if (!response.ok) throw new Error(`workerd answers ${response.status}: ${await response.text()}`);
    return response.json();
  });
  assert.deepEqual(found, []);
  assert.ok(calls > 5_000, `only ${calls} calls were compared`);
});
