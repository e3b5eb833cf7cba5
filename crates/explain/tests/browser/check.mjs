// Opens pages in Chromium and checks what they say, in light and dark, on a phone and printed.
// Usage: node check.mjs FOLDER, with shop.html, shop.svg, changes.html, markup.html, markup.svg and markup-changes.html.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [folder, pictures] = process.argv.slice(2);
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const VIEWS = [
  { name: "light", colorScheme: "light", viewport: { width: 900, height: 900 } },
  { name: "dark", colorScheme: "dark", viewport: { width: 900, height: 900 } },
  { name: "phone", colorScheme: "light", viewport: { width: 360, height: 740 } },
];
let checks = 0;

async function check(what, test) {
  await Promise.resolve(test()).catch((error) => {
    throw new Error(what, { cause: error });
  });
  checks += 1;
}

// Runs in the page: the colours and the contrast of everything that has text of its own.
function faintTexts() {
  const channels = (color) => color.match(/[\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = channels(color).map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (channels(color)[3] !== 0) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const faint = [];
  for (const element of document.body.querySelectorAll("*")) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!hasText) continue;
    const [text, back] = [light(getComputedStyle(element).color), light(behind(element))];
    const contrast = (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05);
    if (contrast < 4.5) faint.push(`${element.className}: ${contrast.toFixed(1)}: ${element.textContent.slice(0, 40)}`);
  }
  return faint;
}

async function open(file, view) {
  const context = await browser.newContext({ colorScheme: view.colorScheme, viewport: view.viewport });
  const page = await context.newPage();
  const noise = [];
  page.on("request", (request) => noise.push(`request ${request.url().slice(0, 80)}`));
  page.on("dialog", (dialog) => (noise.push("dialog"), dialog.dismiss()));
  page.on("console", (message) => noise.push(`console ${message.text()}`));
  page.on("pageerror", (error) => noise.push(`error ${error}`));
  await page.goto(pathToFileURL(path.join(folder, file)).href);
  return { page, noise, close: () => context.close() };
}

async function looks(file, test) {
  const backs = {};
  for (const view of VIEWS) {
    const { page, noise, close } = await open(file, view);
    await test(page, view);
    const [wide, faint, back, scripts, pwned] = await page.evaluate(`(${function (faintTexts) {
      return [
        document.documentElement.scrollWidth,
        faintTexts(),
        getComputedStyle(document.body).backgroundColor,
        document.querySelectorAll("script, img, iframe, form, object, link, svg, [onclick], [onload], [onerror]").length,
        String(window.pwned),
      ];
    }})(${faintTexts})`);
    await check("the page is no wider than the view", () => assert.ok(wide <= view.viewport.width, `${file} ${view.name}: ${wide}`));
    await check("texts can be read", () => assert.deepEqual(faint, [], `${file} ${view.name}`));
    await check("nothing runs", () => assert.deepEqual([scripts, pwned], [0, "undefined"], `${file} ${view.name}`));
    await check("only the page is loaded, and it is silent", () => assert.equal(noise.length, 1, `${file}: ${noise}`));
    backs[view.name] = back;
    if (pictures) await page.screenshot({ path: path.join(pictures, `${path.parse(file).name}-${view.name}.png`), fullPage: true });
    if (view.name === "dark") {
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      await check("paper is white", () => assert.equal(paper, "rgb(255, 255, 255)"));
      await check("printed texts can be read", async () => assert.deepEqual(await page.evaluate(faintTexts), []));
      const pdf = await page.pdf({ format: "A4" });
      await check("it can be printed", () => assert.ok(pdf.length > 5_000, `${pdf.length}`));
    }
    await close();
  }
  await check("dark is dark", () => assert.notEqual(backs.light, backs.dark));
}

const texts = (page, selector) => page.locator(selector).allTextContents();

await looks("shop.html", async (page) => {
  const body = await page.innerText("body");
  for (const words of ["MyBot may fetch a part of the site", "For MyBot: group MyBot applies", "2.5 s", "https://shop.example/sitemap.xml", "1 error, 3 warnings"]) {
    await check(words, () => assert.ok(body.includes(words), `${words} is not in ${body}`));
  }
  const tree = await texts(page, ".tree li > .why");
  await check("each path has a word", () => assert.ok(tree.length === 12 && tree.every((words) => /^(dis)?allowed/.test(words)), `${tree}`));
  const signs = await texts(page, ".tree .sign");
  const isRight = (sign, place) => (sign === "\u2713") === tree[place].startsWith("allowed");
  await check("each path has the sign of its word", () => assert.ok(signs.length === tree.length && signs.every(isRight), `${signs}`));
  const ours = await page.locator(".file li.ours").count();
  const marks = (await texts(page, ".file li.ours > b")).filter((mark) => mark === ">").length;
  await check("our lines have a mark", () => assert.deepEqual([ours, marks], [12, 12]));
  await page.click("a[href='#L9']");
  await check("links lead to lines", async () => assert.ok(await page.locator("#L9:target").isVisible()));
});

await looks("changes.html", async (page) => {
  const body = await page.innerText("body");
  for (const words of ["Added: ClaudeBot", "Gone: CCBot", "/find now disallowed", "For all", "blog.xml"]) {
    await check(words, () => assert.ok(body.includes(words), `${words} is not in ${body}`));
  }
  const [first] = await page.locator("details").all();
  await first.locator("summary").click();
  await check("a tree opens", async () => assert.ok(await first.locator(".tree").isVisible()));
});

const MARKUP = fs.readFileSync(new URL("markup.txt", import.meta.url), "latin1").split("\n");
await looks("markup.html", async (page) => {
  const lines = await texts(page, ".file code");
  const shown = MARKUP.slice(0, lines.length).map((line) =>
    line.replace(/[^ -~]/g, (it) => `\\x${it.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`)
    // Letters of other scripts are shown.
    .replace("\\xE2\\x80\\xA6\\xD7\\x90", "\u2026\u05d0"));
  await check("each line is shown as text", () => assert.deepEqual(lines, shown));
  await check("all lines are there", () => assert.ok(lines.length >= MARKUP.length - 1, `${lines.length}`));
});
await looks("markup-changes.html", async () => {});

for (const file of ["shop.svg", "markup.svg"]) {
  const backs = [];
  for (const view of VIEWS.slice(0, 2)) {
    const { page, noise, close } = await open(file, view);
    const [paths, signs, scripts, over, back] = await page.evaluate(() => {
      const all = (selector) => [...document.querySelectorAll(selector)];
      const right = Number(document.documentElement.getAttribute("width"));
      const over = all("text").filter((text) => text.getBoundingClientRect().right > right);
      const scripts = document.querySelectorAll("script, image, foreignObject, a, [onload]").length + Number("pwned" in window);
      const back = getComputedStyle(document.querySelector(".page")).fill;
      return [all(".path").length, all(".yes, .no").length, scripts, over.map((text) => text.textContent), back];
    });
    await check("each path has a sign", () => assert.ok(paths > 10 && signs === paths, `${file}: ${paths} ${signs}`));
    await check("texts are inside", () => assert.deepEqual(over, [], file));
    await check("nothing runs or loads", () => assert.deepEqual([scripts, noise.length], [0, 1], `${file}: ${noise}`));
    backs.push(back);
    if (pictures) await page.screenshot({ path: path.join(pictures, `${path.parse(file).name}-svg-${view.name}.png`) });
    await close();
  }
  await check("dark is dark", () => assert.notEqual(...backs));
}

await browser.close();
console.log(`${checks} passed, 0 failed`);
