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

/** The sites of which a gate of `fetch` opens other pages, and is not one that may: each with what it does. */
async function differing(sites, seconds) {
  const gate = new Gate({ agent: "MyBot", delay: 1, minDelay: 1 });
  const [wrong, rest] = [[], sites.values()];
  await Promise.all(Array.from({ length: 32 }, async () => {
    for (const site of rest) {
      const opened = [];
      for (const page of ["/secret", "/page"]) {
        const step = await gate.permits(site.url + page, { signal: AbortSignal.timeout(seconds * 1_000) }).catch((error) => error);
        assert.ok(step.action || step.name === "TimeoutError", step);
        if (step.allowed) opened.push(page);
      }
      const differs = opened.some((page) => !site.pages.includes(page)) ? "reads" : opened.length < site.pages.length && "closes";
      if (differs && !site.others.includes(`JavaScript ${differs}`)) wrong.push({ ...site, differs });
    }
  }));
  return wrong;
}

test("`fetch` opens no more than the gate's own client, but for the responses of others.tsv", async () => {
  const server = spawn("cargo", SERVER.split(" "), { cwd: ROOT, stdio: ["pipe", "pipe", "inherit"] });
  const sites = [];
  for await (const line of createInterface(server.stdout)) {
    if (line === "{}") break;
    if (line.startsWith("{")) sites.push(JSON.parse(line));
  }
  assert.ok(sites.length > 400);
  const first = await differing(sites, 5);
  assert.deepEqual(first.filter(({ differs }) => differs === "reads"), []);
  // On a busy machine a good response can take longer than that, which closes a site.
  const wrong = await differing(first, 40);
  server.stdin.end();
  assert.deepEqual(wrong, []);
});
