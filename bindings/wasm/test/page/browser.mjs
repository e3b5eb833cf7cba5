// The page in Chromium, from a file server as its README starts it. Everything that the page does besides answering is
// recorded: requests, violations of its policy, errors, dialogs.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const PLAYGROUND = fileURLToPath(new URL("../../playground", import.meta.url));
const COMMAND = process.env.ROBOSIEVE_COMMAND;

/// What the command prints. Exit codes below 4 are answers.
export function command(args, input) {
  try {
    return execFileSync(COMMAND, args, { input, stdio: ["pipe", "pipe", "ignore"], maxBuffer: 1 << 28 });
  } catch (error) {
    if (!(error.status < 4)) throw error;
    return error.stdout;
  }
}
export const commandJson = (args, input) => JSON.parse(command(args, input));

/// `python3 -m http.server -d bindings/wasm/playground`, on a port that is free.
export async function fileServer() {
  const python = spawn("python3", ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "-d", PLAYGROUND], { stdio: ["ignore", "pipe", "ignore"] });
  const port = await new Promise((resolve, reject) => {
    python.stdout.on("data", (text) => {
      const found = /port (\d+)/.exec(text);
      if (found) resolve(found[1]);
    });
    python.on("exit", (code) => reject(new Error(`the file server ended: ${code}`)));
  });
  const stop = () => new Promise((resolve) => {
    python.removeAllListeners("exit");
    python.on("exit", resolve);
    python.kill();
  });
  return { address: `http://127.0.0.1:${port}/`, stop };
}

/// All that is asked of other hosts ends here. Chromium asks loopback addresses directly.
// What Chromium asks for itself: its updates, accounts, and names of form fields.
const OF_CHROMIUM = /\b((update|content-autofill|optimizationguide-pa|safebrowsing|clients\d?)\.google(apis)?\.com|(accounts|www|clients\d)\.google\.com)\b/;
async function elsewhere() {
  const asked = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (data) => {
      const [line] = data.toString("latin1").split("\r\n");
      if (!OF_CHROMIUM.test(line)) asked.push(line);
      socket.destroy();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { asked, port: server.address().port, close: () => server.close() };
}

/// Chromium, and the file server.
export async function start() {
  const server = await fileServer();
  const others = await elsewhere();
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-component-update", "--disable-background-networking"],
    proxy: { server: `http://127.0.0.1:${others.port}`, bypass: "127.0.0.1" },
  });
  return {
    browser,
    server,
    others,
    async stop() {
      await browser.close();
      others.close();
      await server.stop();
    },
  };
}

/// A page in a context of its own: `{ page, noise, close }`. Closing it checks that it was silent.
export async function open({ browser, server, others }, { fragment = "", wait = true, ...view } = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 }, permissions: ["clipboard-read", "clipboard-write"], acceptDownloads: true, ...view,
  });
  const page = await context.newPage();
  const noise = [];
  const requested = [];
  context.on("request", (request) => {
    const url = request.url();
    requested.push(url.split("#")[0]);
    if (!url.startsWith(server.address) && !url.startsWith("blob:")) noise.push(`request ${url.slice(0, 200)}`);
  });
  page.on("dialog", (dialog) => (noise.push("dialog"), dialog.dismiss()));
  page.on("popup", () => noise.push("popup"));
  page.on("pageerror", (error) => noise.push(`error ${error.stack}`));
  // Violations of the policy are reported here too.
  page.on("console", (message) => noise.push(`console ${message.text()}`));
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
  });
  await page.goto(server.address + fragment);
  if (wait) await answered(page);
  return {
    page,
    noise,
    requested,
    context,
    async close() {
      const [violations, pwned] = await page.evaluate(() => [window.violations, String(window.pwned)]);
      assert.deepEqual([violations, pwned, noise, others.asked], [[], "undefined", [], []]);
      // A request that a test answers itself may be under way still.
      await context.unrouteAll({ behavior: "ignoreErrors" });
      await context.close();
    },
  };
}

/// Waits until everything is answered.
export async function answered(page) {
  await page.waitForSelector("body[data-state=done]", { timeout: 30_000 });
}

/// Puts text into a field, as a keyboard would.
export async function type(page, field, text) {
  await page.focus(field);
  await page.keyboard.press("Control+A");
  if (text === "") await page.keyboard.press("Delete");
  else await page.keyboard.insertText(text);
}

/// Gives the page a file, and waits for the answers.
export async function give(page, buffer, { name = "robots.txt", field = "#file" } = {}) {
  await page.evaluate(() => { document.body.dataset.state = "given"; });
  await page.setInputFiles(field, { name, mimeType: "text/plain", buffer });
  await answered(page);
}

/// Asks a question, and waits for the answers.
export async function ask(page, { body, agent, urls, dialect }) {
  if (body !== undefined) await type(page, "#body", body);
  if (agent !== undefined) await type(page, "#agent", agent);
  if (urls !== undefined) await type(page, "#urls", urls.join("\n"));
  if (dialect !== undefined) await tab(page, "answer");
  if (dialect !== undefined) await page.selectOption("#dialect", dialect);
  await answered(page);
}

/// Opens a part of the answer: `answer`, `all-crawlers`, `meaning`, `compare` or `saving`.
export const tab = (page, name) => page.click(`#tab-${name}`);

export const texts = (page, selector) => page.locator(selector).allTextContents();

/// The standing of each crawler of the strip.
export const standings = async (page) => Object.fromEntries(await page.locator(".strip .chip").evaluateAll(
  (chips) => chips.map((chip) => [chip.dataset.name, { open: "open", partly: "partly open", closed: "closed" }[chip.dataset.standing]])));

/// What a click saves.
export async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
  const chunks = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk);
  return { name: download.suggestedFilename(), bytes: Buffer.concat(chunks) };
}
