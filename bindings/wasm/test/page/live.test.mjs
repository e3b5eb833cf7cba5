// The page as `robosieve page` serves it: with a field for a live site.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { answered, ask, open, start } from "./browser.mjs";

const PLAYGROUND = fileURLToPath(new URL("../../playground", import.meta.url));
const RULES = "User-agent: *\nDisallow: /live\n";

let all;
let served;
let site;
before(async () => {
  all = await start();
  site = createServer((_, response) => {
    response.end(RULES);
  });
  await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve));
  const args = ["page", "--no-open", "--files", PLAYGROUND, "--allow-private", "--timeout", "5"];
  const child = spawn(process.env.ROBOSIEVE_COMMAND, args, { stdio: ["ignore", "pipe", "ignore"] });
  const address = await new Promise((resolve) => child.stdout.once("data", (text) => resolve(String(text).trim())));
  served = { address, child };
});
after(async () => {
  served.child.kill();
  site.close();
  await all.stop();
});

test("a live file is retrieved by the command that serves the page [page.live]", async () => {
  const it = await open({ ...all, server: served });
  const { page } = it;
  await page.fill("#site", `http://127.0.0.1:${site.address().port}/any/page`);
  await page.keyboard.press("Enter");
  await page.waitForFunction((text) => document.getElementById("body").value === text, RULES);
  await answered(page);
  assert.match(await page.textContent("#body-note"), /robots\.txt: rules \(status 200, the file\)/);
  await ask(page, { agent: "MyBot", urls: ["/live/x"] });
  assert.match(await page.textContent("#headline"), /MyBot may not fetch \/live\/x/);
  // What cannot be had is said, and changes nothing.
  await page.fill("#site", "mailto:a@b");
  await page.click("#retrieve");
  await page.waitForFunction(() => document.getElementById("notice").textContent.includes("mailto:a@b"));
  assert.equal(await page.inputValue("#body"), RULES);
  // Chromium writes a line for an answer that is none.
  assert.ok(it.noise.every((line) => line.includes("400 (Bad Request)")), `${it.noise}`);
  it.noise.length = 0;
  await it.close();
});

test("elsewhere there is no field for a site [page.live]", async () => {
  const it = await open(all);
  assert.ok(await it.page.isHidden("#live"));
  await it.close();
});
