// The page as `robosieve page` serves it: with a field for a live site.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { test } from "node:test";
import { command } from "../command.mjs";
import { answered, ask, headline, open, PAGE } from "./browser.mjs";

const RULES = "User-agent: *\nDisallow: /live\n";
const WEB_PAGE = "<!doctype html>\n<html><body>no such page</body></html>\n";

test("a live file is retrieved; a status is the headline; while a site is asked nothing else stands", async (context) => {
  // What the site answers, and what it waits for before.
  let [says, waits] = [];
  const site = createServer(async (_, response) => {
    await waits;
    response.writeHead(says.status).end(says.body);
  });
  context.after(() => site.close());
  await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve));
  const child = spawn(command(), ["page", PAGE, "--allow-private", "--timeout", "5"], { stdio: ["ignore", "pipe", "ignore"] });
  context.after(() => child.kill());
  const served = await new Promise((resolve) => child.stdout.once("data", (text) => resolve(String(text).trim())));
  const it = await open({ address: served, allowed: (url) => url === `${served}retrieve` });
  const { page } = it;
  const address = `http://127.0.0.1:${site.address().port}`;
  const retrieve = async (answer, to = address) => {
    says = answer;
    let go;
    waits = new Promise((resolve) => { go = resolve; });
    await page.fill("#site", to);
    await page.keyboard.press("Enter");
    await page.waitForSelector("body[data-state=asking]");
    assert.match(await page.textContent("#headline"), /^Asking /);
    assert.ok(await page.isHidden(".parts") && await page.isHidden("#standing-out"));
    go();
    await answered(page);
    return [await headline(page), await page.inputValue("#body")];
  };
  assert.deepEqual(await retrieve({ status: 200, body: RULES }, `${address}/any/page`), ["A crawler without rules of its own may fetch /any/page", RULES]);
  assert.match(await page.textContent("#below"), /\/robots\.txt: status 200\./);
  await ask(page, { urls: [] });
  const port = new URL(address).port;
  assert.deepEqual(await retrieve({ status: 404, body: WEB_PAGE }), [`Open: 127.0.0.1:${port} answers 404, which crawlers take for no robots.txt`, ""]);
  assert.deepEqual(await retrieve({ status: 503, body: RULES }), [`Closed for now: 127.0.0.1:${port} answers 503, so crawlers stay away`, ""]);
  assert.ok(await page.isHidden(".parts"));
  assert.deepEqual(await retrieve({ status: 200, body: WEB_PAGE }), ["This is not a robots.txt file", WEB_PAGE]);
  await page.fill("#site", "mailto:a@b");
  await page.keyboard.press("Enter");
  await page.waitForSelector("body[data-state=failed]");
  assert.equal(await page.textContent("#headline"), "This is not the address of a site");
  // Chromium writes a line for an answer that is none.
  assert.ok(it.noise.every((line) => line.includes("400 (Bad Request)")), `${it.noise}`);
  await ask(page, { body: RULES, urls: ["/live/x"] });
  assert.equal(await headline(page), "A crawler without rules of its own may not fetch /live/x");
  await it.context.close();
});
