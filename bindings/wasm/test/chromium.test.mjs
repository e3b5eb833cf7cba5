// In Chromium, under a strict policy.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import test from "node:test";
import { chromium } from "playwright-core";
import { expectedText, FOLDER } from "./shared.mjs";

const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".html": "text/html", ".wasm": "application/wasm" };

// Nothing but this server, and no evaluated code.
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

/** Serves this folder on the loopback interface. */
function serve() {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://x").pathname);
    const headers = { "content-type": TYPES[extname(path)] ?? "application/json", "content-security-policy": POLICY };
    try {
      const body = path === "/" ? "<!doctype html><title>test</title>" : readFileSync(join(FOLDER, path));
      response.writeHead(200, path === "/" ? { ...headers, "content-type": "text/html" } : headers).end(body);
    } catch {
      response.writeHead(404, headers).end();
    }
  });
  return new Promise((ready) => server.listen(0, "127.0.0.1", () => ready(server)));
}

test("the answers for corpus/ are the command's, in Chromium [js.equal] [js.platforms]", async () => {
  expectedText();
  const server = await serve();
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    const errors = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const { early, calls, found } = await page.evaluate(async () => {
      const api = await import("/npm/browser.js");
      const { differences } = await import("/test/equality.mjs");
      let early = "";
      try {
        api.sieve("");
      } catch (error) {
        early = error.message;
      }
      await api.init();
      await api.init();
      const cases = await (await fetch("/target/expected.json")).json();
      return { early, ...(await differences(api, cases)) };
    });
    assert.match(early, /await init\(\)/);
    assert.deepEqual(found, []);
    assert.deepEqual(errors, []);
    assert.ok(calls > 5_000, `only ${calls} calls were compared`);
  } finally {
    await browser.close();
    server.close();
  }
});
