// The page in Chromium, opened as a file. Everything that it does besides answering is recorded: requests, violations of
// its policy, errors, dialogs.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { FOLDER } from "../command.mjs";

export const PAGE = join(FOLDER, "robosieve.html");

// What Chromium asks for itself: its updates, accounts, and names of form fields.
const OF_CHROMIUM = /\b((update|content-autofill|optimizationguide-pa|safebrowsing|clients\d?)\.google(apis)?\.com|(accounts|www|clients\d)\.google\.com)\b/;

/** Chromium, whose requests to other hosts all end here. It asks loopback addresses directly. */
export let browser;
export const asked = [];
const others = createServer((socket) => {
  socket.on("error", () => {});
  socket.once("data", (data) => {
    const [line] = data.toString("latin1").split("\r\n");
    if (!OF_CHROMIUM.test(line)) asked.push(line);
    socket.destroy();
  });
});
before(async () => {
  await new Promise((resolve) => others.listen(0, "127.0.0.1", resolve));
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-component-update", "--disable-background-networking"],
    proxy: { server: `http://127.0.0.1:${others.address().port}`, bypass: "127.0.0.1" },
  });
});
after(() => (others.close(), browser.close()));

/** The page in a context of its own. `close` checks that it was silent: it made no request, and broke no policy. */
export async function open({ address = pathToFileURL(PAGE).href, fragment = "", allowed = () => false, ...view } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, permissions: ["clipboard-read", "clipboard-write"], ...view });
  const page = await context.newPage();
  const noise = [];
  context.on("request", (request) => {
    const url = request.url();
    // The page itself, and what it makes of its own text.
    if (url.split("#")[0] === address || /^(?:blob|data):/.test(url) || allowed(url)) return;
    noise.push(`request ${url.slice(0, 200)}`);
  });
  page.on("dialog", (dialog) => (noise.push("dialog"), dialog.dismiss()));
  page.on("popup", () => noise.push("popup"));
  page.on("pageerror", (error) => noise.push(`error ${error.stack}`));
  // Violations of the policy are reported here too.
  page.on("console", (message) => noise.push(`console ${message.text()}`));
  await page.goto(address + fragment);
  await answered(page);
  return {
    page,
    noise,
    context,
    async close() {
      const pwned = await page.evaluate(() => String(window.pwned));
      assert.deepEqual([pwned, noise, asked], ["undefined", [], []]);
      await context.close();
    },
  };
}

/** A test of the page, which has to be silent. */
export const pageTest = (title, work, view) => test(title, async () => {
  const it = await open(view);
  await work(it.page, it);
  await it.close();
});

/** Waits until everything is answered. */
export const answered = (page) => page.waitForSelector("body[data-state=done]", { timeout: 30_000 });

/** Gives the page a file, and waits for the answers. */
export async function give(page, buffer, name = "robots.txt") {
  await page.evaluate(() => { document.body.dataset.state = "given"; });
  await page.setInputFiles("#file", { name, mimeType: "text/plain", buffer: Buffer.from(buffer) });
  await answered(page);
}

/** Asks a question, and waits for the answers. */
export async function ask(page, { body, agent, urls }) {
  if (body !== undefined) await page.fill("#body", body);
  if (agent !== undefined) await page.fill("#agent", agent);
  if (urls !== undefined) await page.fill("#urls", urls.join("\n"));
  await answered(page);
}

export const texts = (page, selector) => page.locator(selector).allTextContents();
export const headline = async (page) => (await page.textContent("#headline")).slice(1);

/** The standing of each crawler that is named. */
export const standings = async (page) => Object.fromEntries(await page.locator(".standing .chip").evaluateAll(
  (chips) => chips.map((chip) => [chip.dataset.name, chip.dataset.standing])));
