// The entries for browsers, in Chromium, from a server on loopback.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { FOLDER } from "../command.mjs";
import { asked, browser } from "./browser.mjs";

const TYPES = { js: "text/javascript", wasm: "application/wasm" };

test("each entry for browsers loads its module, and answers", async (context) => {
  const server = createServer(({ url }, response) => {
    if (url === "/") return response.writeHead(200, { "Content-Type": "text/html" }).end("<link rel=icon href=data:,>");
    response.writeHead(200, { "Content-Type": TYPES[url.split(".").at(-1)] }).end(readFileSync(join(FOLDER, "npm", url)));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => server.close());
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  const found = await page.evaluate(async () => {
    const file = "User-agent: *\nDisalow: /x\n";
    const [all, small, gates] = await Promise.all(["/browser.js", "/small-browser.js", "/gate-browser.js"].map((name) => import(name)));
    await Promise.all([all.init(), small.init("/wasm-robots_bg.wasm"), gates.init(await fetch("/wasm-gate_bg.wasm"))]);
    const gate = new gates.Gate({ agent: "MyBot", fetch: async () => new Response(file), delay: 1, minDelay: 1 });
    return [
      all.sieve(file).text,
      small.robotsParser("https://a.example/robots.txt", file).isAllowed("https://a.example/x"),
      (await gate.permits("https://a.example/x")).reason,
    ];
  });
  assert.deepEqual([found, asked], [["User-agent: *\nDisallow: /x\n", false, "rule"], []]);
});
