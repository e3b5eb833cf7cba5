// The page as `robosieve page` serves it: with a field for a live site.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { answered, ask, open, start, texts } from "./browser.mjs";

const PLAYGROUND = fileURLToPath(new URL("../../playground", import.meta.url));
const RULES = "User-agent: *\nDisallow: /live\n";
const WEB_PAGE = "<!doctype html>\n<html><body>no such page</body></html>\n";
// What the site answers.
let says = { status: 200, body: RULES };

let all;
let served;
let site;
before(async () => {
  all = await start();
  site = createServer((_, response) => {
    response.writeHead(says.status);
    response.end(says.body);
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
  assert.match(await page.textContent("#body-note"), /^http:\/\/127\.0\.0\.1:\d+\/robots\.txt: 30 bytes\./);
  // The page of the address is the question.
  assert.equal(await page.inputValue("#urls"), "/any/page");
  assert.match(await page.textContent("#headline"), /Crawlers that no group names may fetch \/any\/page/);
  await ask(page, { agent: "MyBot", urls: ["/live/x"] });
  assert.match(await page.textContent("#headline"), /MyBot may not fetch \/live\/x/);
  // What is no address is said in a sentence, and changes nothing.
  await page.fill("#site", "mailto:a@b");
  await page.click("#retrieve");
  await page.waitForFunction(() => document.getElementById("notice").textContent.startsWith("This is not the address of a site."));
  assert.match(await page.textContent("#notice details"), /mailto:a@b/);
  assert.equal(await page.inputValue("#body"), RULES);
  // Chromium writes a line for an answer that is none.
  assert.ok(it.noise.every((line) => line.includes("400 (Bad Request)")), `${it.noise}`);
  it.noise.length = 0;
  await it.close();
});

test("what came of a retrieval is the headline, and the file before is gone [page.retrieved]", async () => {
  const it = await open({ ...all, server: served });
  const { page } = it;
  const retrieve = async (address, answer = says) => {
    says = answer;
    await page.evaluate(() => { document.body.dataset.state = "waits"; });
    await page.fill("#site", address);
    await page.click("#retrieve");
    await answered(page);
    return [await page.textContent("#headline"), await page.inputValue("#body")];
  };
  const address = `http://127.0.0.1:${site.address().port}/`;
  assert.deepEqual(await retrieve(address, { status: 404, body: WEB_PAGE }), ["\u2713No robots.txt (404): everybody may fetch everything", ""]);
  assert.deepEqual(await page.locator(".verdicts .no").count(), 0);
  await retrieve(address, { status: 200, body: RULES });
  assert.equal(await page.inputValue("#body"), RULES);
  // While a site fails there is no other answer, and no link that says otherwise.
  const away = ["\u2717Crawlers have to stay away while this lasts", ""];
  assert.deepEqual(await retrieve(address, { status: 503, body: RULES }), away);
  assert.match(await page.textContent("#below"), /Status 503\. The server has an error of its own\./);
  assert.ok(await page.isHidden(".panel") && await page.isHidden("[role=tablist]"));
  await page.waitForFunction(() => location.hash === "");
  // In plain words; what was tried is folded, each once.
  const port = await freePort();
  for (const [where, words] of [
    [`http://127.0.0.1:${port}/`, "No server listens at this address."],
    [address.replace("http:", "https:"), "The server speaks no HTTPS on this port: try http://."],
  ]) {
    assert.deepEqual(await retrieve(where), away, where);
    assert.ok((await page.textContent("#below")).includes(words), await page.textContent("#below"));
    assert.ok(await page.isHidden("#below .details span"));
    const told = await texts(page, "#below .details span");
    assert.equal(new Set(told).size, told.length);
  }
  // What is typed is a file again.
  await ask(page, { body: RULES, agent: "MyBot", urls: ["/live"] });
  assert.match(await page.textContent("#headline"), /MyBot may not fetch \/live/);
  assert.ok(await page.isVisible("#answer"));
  // A web page is shown with its finding.
  assert.deepEqual(await retrieve(address, { status: 200, body: WEB_PAGE }), ["\u2717This is not a robots.txt file", WEB_PAGE]);
  assert.match(await page.textContent("#below"), /It looks like a web page/);
  await page.keyboard.press("Control+z");
  await answered(page);
  assert.equal(await page.inputValue("#body"), RULES);
  await it.close();
});

/// A port on which nobody listens.
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test("elsewhere there is no field for a site [page.live]", async () => {
  const it = await open(all);
  assert.ok(await it.page.isHidden("#live"));
  await it.close();
});
