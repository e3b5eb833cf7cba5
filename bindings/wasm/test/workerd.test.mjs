// The package in workerd, which runs Cloudflare's Workers: all three entries are ready at import.

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { FOLDER } from "./command.mjs";

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

test("each entry answers in a Worker", () => {
  const folder = mkdtempSync(join(tmpdir(), "workerd-"));
  try {
    const names = readdirSync(join(FOLDER, "npm")).filter((name) => /\.(?:js|wasm)$/.test(name) && !/node|browser/.test(name));
    for (const name of names) cpSync(join(FOLDER, "npm", name), join(folder, name));
    writeFileSync(join(folder, "main.js"), WORKER);
    const modules = ["main.js", ...names].map((name) => `(name = "${name}", ${name.endsWith(".js") ? "esModule" : "wasm"} = embed "${name}")`);
    writeFileSync(join(folder, "config.capnp"), `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = (compatibilityDate = "2026-11-01", modules = [${modules.join(", ")}]))]);`);
    execFileSync(join(FOLDER, "node_modules/.bin/workerd"), ["test", join(folder, "config.capnp")], { stdio: "pipe", timeout: 60_000 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
