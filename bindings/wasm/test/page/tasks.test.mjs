// What owners of sites come for, done as they would do it, and counted: clicks, fields that are filled, keys that
// choose. A paste is one step. [page.tasks]

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { answered, give, open, standings, start } from "./browser.mjs";

let all;
before(async () => { all = await start(); });
after(() => all.stop());

/// A page, and steps that are counted.
async function owner(most, work) {
  const it = await open(all);
  const { page } = it;
  let steps = 0;
  const step = (act) => async (...args) => {
    steps += 1;
    await act(...args);
    await answered(page);
  };
  await work({
    page,
    click: step((selector) => page.click(selector)),
    fill: step((selector, text) => page.fill(selector, text)),
    paste: step(async (text) => {
      await page.evaluate((it) => navigator.clipboard.writeText(it), text);
      await page.focus("#body");
      await page.keyboard.press("Control+A");
      await page.keyboard.press("Control+V");
    }),
    open: step((name, text, field) => give(page, Buffer.from(text), { name, field })),
    says: (selector) => page.textContent(selector),
  });
  assert.ok(steps <= most, `${steps} steps, at most ${most}`);
  await it.close();
}

const SITE = "User-agent: *\nDisallow: /cart\nDisallow: /sho\n\nSitemap: https://a.example/s.xml\n";

test("close AI training crawlers but stay in search: 2 steps [page.tasks]", () => owner(2, async ({ page, paste, click }) => {
  await paste(`${SITE}\nUser-agent: GPTBot\nUser-agent: ClaudeBot\nUser-agent: CCBot\nUser-agent: Google-Extended\nDisallow: /\n`);
  const strip = await standings(page);
  for (const name of ["GPTBot", "ClaudeBot", "CCBot", "Google-Extended"]) assert.equal(strip[name], "closed");
  for (const name of ["Googlebot", "Bingbot", "DuckDuckBot", "Applebot", "OAI-SearchBot"]) assert.equal(strip[name], "partly open");
  await click(".chip:has-text('GPTBot')");
  assert.match(await page.textContent("#headline"), /GPTBot may fetch nothing/);
}));

test("find why /shop is not found: 3 steps [page.tasks]", () => owner(3, async ({ page, paste, fill, click, says }) => {
  await paste(SITE);
  await fill("#urls", "/shop");
  assert.match(await says("#headline"), /may not fetch \/shop/);
  assert.match(await says("#below"), /line 3 decides: Disallow: \/sho\./);
  await click("#below a[data-line]");
  assert.match(await says("#line-note"), /Line 3: disallows every path that begins with \/sho; .*it decides for \/shop/);
}));

test("check a migration: 3 steps [page.tasks]", () => owner(3, async ({ page, open: give_, click, says }) => {
  await give_("new.txt", "User-agent: *\nDisallow: /cart\n\nUser-agent: Googlebot\nDisallow: /\n");
  await click("#tab-compare");
  await give_("old.txt", SITE, "#file-other");
  assert.match(await says("#changes-out"), /Googlebot.*Before: the group for all others\. Now: a group of its own\..*now disallowed, for example \//s);
  assert.match(await says("#changes-out"), /Sitemap: https:\/\/a\.example\/s\.xml/);
  assert.ok(await page.isVisible("#changes-out .gone"));
}));

test("allow one bot: 2 steps [page.tasks]", () => owner(2, async ({ page, paste, click }) => {
  await paste("User-agent: *\nDisallow: /\n\nUser-agent: Bingbot\nAllow: /\n");
  await click(".chip:has-text('Bingbot')");
  assert.match(await page.textContent("#headline"), /Bingbot may fetch everything/);
  const strip = Object.entries(await standings(page));
  assert.deepEqual(strip.filter(([, standing]) => standing === "open"), [["Bingbot", "open"]]);
}));

test("read a warning, and follow it: 2 steps [page.tasks]", () => owner(2, async ({ page, paste, click, says }) => {
  await paste("User-agent: *\nDisalow: /private/\n");
  assert.match(await says("#below"), /1 line does not do what it seems to/);
  assert.match(await says("#findings-out .warning"), /The directive is misspelled: some crawlers understand it, others ignore the line\..*line 2Disalow: \/private\/.*write Disallow: \/private\//s);
  await click("#findings-out button");
  assert.equal(await page.inputValue("#body"), "User-agent: *\nDisallow: /private/\n");
  assert.match(await says("#below"), /Every line does what it seems to/);
}));
