// The gate over `fetch` next to the gate's own client: the table of raw responses in crates/gate/tests/responses, on
// loopback.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import dns from "node:dns";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { Gate } from "robosieve/gate";
import { ROOT } from "./command.mjs";

// With the features of the project's own tests, so that no crate is compiled twice.
const SERVER = "test -q --locked --all-features --test responses -- --ignored --nocapture --exact served::each_response";

/** All names lead to the table's server. */
dns.lookup = (_, options, callback) => (options.all ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4));

/** The pages of a site that the gate opens. */
const gate = new Gate({ agent: "MyBot", delay: 1, minDelay: 1 });
async function opened(url) {
  const pages = [];
  for (const page of ["/secret", "/page"]) {
    const step = await gate.permits(url + page, { signal: AbortSignal.timeout(5_000) }).catch((error) => error);
    assert.ok(step.action || step.name === "TimeoutError", step);
    if (step.allowed) pages.push(page);
  }
  return pages;
}

test("`fetch` opens no more than the gate's own client, but for the responses of others.tsv", async () => {
  const server = spawn("cargo", SERVER.split(" "), { cwd: ROOT, stdio: ["pipe", "pipe", "inherit"] });
  const sites = [];
  for await (const line of createInterface(server.stdout)) {
    if (line === "{}") break;
    if (line.startsWith("{")) sites.push(JSON.parse(line));
  }
  assert.ok(sites.length > 400);
  const [wrong, rest] = [{}, sites.values()];
  await Promise.all(Array.from({ length: 32 }, async () => {
    for (const { name, url, pages, others } of rest) {
      const got = await opened(url);
      const differs = got.some((page) => !pages.includes(page)) ? "reads" : got.length < pages.length && "closes";
      if (differs && !others.includes(`JavaScript ${differs}`)) (wrong[differs] ??= []).push(name);
    }
  }));
  server.stdin.end();
  assert.deepEqual(wrong, {});
});
