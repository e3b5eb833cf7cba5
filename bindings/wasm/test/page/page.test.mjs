// What owners of sites get from the page, what hostile files cannot do to it, and how it looks.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { corpus, files, lines } from "../command.mjs";
import { answered, ask, asked, give, headline, open, PAGE, pageTest, standings, texts } from "./browser.mjs";

const SITE = "User-agent: *\nDisallow: /cart\nDisallow: /sho\n\nSitemap: https://a.example/s.xml\n";

pageTest("it opens as a file, and makes no request", async (page) => {
  assert.match(await headline(page), /^Example: Open except for \d paths, and closed to GPTBot and CCBot$/);
  await ask(page, { body: SITE, agent: "MyBot", urls: ["/shop"] });
  await page.click("#copy-link");
  assert.ok(await page.isHidden("#live"));
});

test("its policy forbids connections, markup and scripts", async () => {
  const { page, context } = await open();
  const policy = await page.getAttribute("meta[http-equiv='Content-Security-Policy']", "content");
  assert.match(policy, /^default-src 'none'; script-src 'sha256-[^']+' 'wasm-unsafe-eval'; style-src 'sha256-[^']+'; .*connect-src 'none';/);
  assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|https?:|\*/);
  const refused = await page.evaluate(async () => {
    const attempts = {
      markup: () => { document.createElement("p").innerHTML = "<b>x</b>"; },
      worker: () => new Worker("data:text/javascript,1"),
      fetch: () => fetch("https://example.com/"),
    };
    const refused = [];
    for (const [name, attempt] of Object.entries(attempts)) await Promise.resolve().then(attempt).catch(() => refused.push(name));
    return refused;
  });
  assert.deepEqual(refused, ["markup", "worker", "fetch"]);
  assert.deepEqual(asked, []);
  await context.close();
});

pageTest("the headline says whether the site is open, to whom, and what to fix", async (page) => {
  const closed = (names) => names.map((name) => `User-agent: ${name}\n`).join("");
  for (const [body, words, below] of [
    ["", "Open: an empty file lets every crawler fetch everything", ""],
    ["User-agent: *\nDisallow:\n", "Open: every crawler may fetch everything", /^(?:Nothing to fix|To fix)/],
    ["User-agent: *\nDisallow: /\n", "Closed: no crawler may fetch anything", /^Nothing to fix; 1 note\.$/],
    [`User-agent: *\nDisallow:\n\nUser-agent: CCBot\nDisallow: /\n`, "Open, but closed to CCBot", /fix/],
    [`${closed(["GPTBot", "ClaudeBot", "CCBot", "Amazonbot", "OnlyHere"])}Disallow: /\n\nUser-agent: *\nDisallow: /cart\n`, "Open except for 1 path, and closed to GPTBot, ClaudeBot, CCBot and 2 more", /fix/],
    ["User-agent: *\nDisallow: /\n\nUser-agent: Bingbot\nAllow: /\n", "Closed, but not to Bingbot", /fix/],
    [SITE, "Open except for 2 paths for every crawler", /fix/],
    ["User-agent: *\nDisalow: /private/\n", "Open except for 1 path for every crawler", /^To fix: 1 finding\./],
    ["<!doctype html>\n<html><body>no such page</body></html>\n", "This is not a robots.txt file", /It looks like a web page/],
  ]) {
    await ask(page, { body });
    assert.equal(await headline(page), words, body);
    const said = await page.textContent("#below");
    if (below instanceof RegExp) assert.match(said, below, body);
    else assert.equal(said, below, body);
    assert.ok((await page.textContent("#state")).startsWith(words));
    const order = await texts(page, ".standing dt");
    assert.deepEqual(order, ["Closed", "Open in part", "Open", "As any other"].filter((it) => order.includes(it)), body);
  }
});

pageTest("to close AI crawlers but stay in search, to see who is let in, and to follow a warning", async (page) => {
  await ask(page, { body: `${SITE}\nUser-agent: GPTBot\nUser-agent: ClaudeBot\nUser-agent: Google-Extended\nDisallow: /\n` });
  const strip = await standings(page);
  for (const name of ["GPTBot", "ClaudeBot", "Google-Extended"]) assert.equal(strip[name], "closed");
  for (const name of ["Googlebot", "Bingbot", "OAI-SearchBot"]) assert.equal(strip[name], "partly");
  await page.click(".chip[data-name=GPTBot]");
  await answered(page);
  assert.equal(await headline(page), "Closed to GPTBot");
  assert.match((await texts(page, "#crawlers-out tbody tr:first-child th"))[0], /GPTBot/);
  await ask(page, { agent: "", urls: ["/shop"] });
  assert.equal(await headline(page), "A crawler without rules of its own may not fetch /shop");
  assert.match(await page.textContent("#below"), /^line 3 decides: Disallow: \/sho\. /);
  await page.click("#below a[data-line]");
  await page.waitForFunction(() => document.activeElement.id === "L3");
  assert.match(await page.textContent("#L3"), /decides for \/shop/);
  await ask(page, { body: "User-agent: *\nDisalow: /private/\n", urls: [] });
  await page.click("#findings-out button");
  await answered(page);
  assert.equal(await page.inputValue("#body"), "User-agent: *\nDisallow: /private/\n");
  assert.match(await page.textContent("#below"), /^Nothing to fix/);
});

pageTest("verdicts are those of the command for corpus/", async (page) => {
  const urls = ["/", "/a", "/private/x?q=1", "https://shop.example/cart"];
  await ask(page, { agent: "MyBot", urls });
  const some = files().filter((name, at) => at % 6 === 0 && fs.readFileSync(name)[0] !== 0x1f && fs.readFileSync(name)[0] !== 0x28);
  const asked = some.map((name) => JSON.stringify({ robots_b64: fs.readFileSync(name).toString("base64"), agents: ["MyBot"], urls }));
  const expected = lines(["test", "--ndjson"], asked.join("\n"));
  for (const [at, name] of some.entries()) {
    await give(page, fs.readFileSync(name));
    const words = expected[at].results.map(({ allowed }) => (allowed ? "allowed" : "disallowed"));
    assert.deepEqual(await texts(page, ".verdicts strong"), words, name);
  }
});

const EVIL = [
  "<script>window.pwned=1</script>", "\"><img src=x onerror=window.pwned=1>", "javascript:window.pwned=1", "</textarea><script>window.pwned=1</script>",
  "<iframe srcdoc='<script>parent.pwned=1</script>'>", "__proto__", "constructor", "SCRIPT", "MODULE",
];

pageTest("markup in a file, in URLs, names and links stays text, and characters that are not seen are shown", async (page) => {
  const elements = () => page.evaluate(() => [...document.querySelectorAll("*")].filter((one) =>
    one.matches("img, iframe, object, embed, svg, video, form:not(#ask)") || [...one.attributes].some(({ name }) => name.startsWith("on"))).length);
  await ask(page, { agent: EVIL[0], urls: EVIL.map((evil) => `/${evil}`) });
  assert.deepEqual(await texts(page, ".verdicts > li > code"), EVIL.map((evil) => `/${evil}`));
  for (const evil of EVIL) {
    await ask(page, { agent: evil, body: `User-agent: ${evil}\nDisallow: /${evil}\nSitemap: ${evil}\n${evil}\n` });
    assert.equal(await elements(), 0, evil);
  }
  const folder = corpus();
  const hostile = fs.readdirSync(folder, { recursive: true }).filter((name) => /\/(09|11|13|17|19)-/.test(name));
  assert.ok(hostile.length > 5);
  for (const name of hostile) {
    await give(page, fs.readFileSync(path.join(folder, name)), "<img src=x onerror=window.pwned=1>.txt");
    assert.doesNotMatch(await page.textContent(".parts"), /[\0-\t\v-\x1f\x7f-\xa0\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u, name);
    assert.equal(await elements(), 0, name);
  }
});

pageTest("a link brings the whole question back; one that is damaged says so", async (page) => {
  await give(page, Buffer.from("User-agent: MyBot\r\nDisallow: /caf\xe9\r\n", "latin1"));
  await ask(page, { agent: "MyBot", urls: ["/caf%E9", "/\u00e9"] });
  await page.click("#copy-link");
  await page.waitForSelector("#copy-link:text('Copied')");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  // Nobody else has this file's folder.
  assert.match(link, /^https:\/\/[\w./-]+\/robosieve\.html#2\.[\w-]+$/);
  const { hash } = new URL(link);
  const state = (page) => page.evaluate(() => [["body", "agent", "urls"].map((id) => document.getElementById(id).value), document.querySelector(".parts").textContent]);
  const other = await open({ fragment: hash });
  assert.deepEqual(await state(other.page), await state(page));
  for (const broken of [hash.slice(0, -9), `${hash}AAAA`, "#2.", "#2.AAAA", `#2.${"A".repeat(70_000)}`]) {
    await page.evaluate((to) => { location.hash = to; }, broken);
    await page.waitForSelector("body[data-state=failed]");
    assert.match(await page.textContent("#headline"), /^The link is (?:damaged|too long)/, broken.slice(0, 20));
    assert.ok(await page.isHidden(".parts"));
  }
  await other.close();
});

pageTest("packed and large files are answered, and what takes too long is stopped", async (page) => {
  await ask(page, { agent: "MyBot", urls: ["/last"] });
  await give(page, gzipSync("User-agent: *\nDisallow: /last\n"));
  assert.match(await page.textContent("#body-note"), /unpacked/);
  await page.setInputFiles("#file", { name: "bad.gz", mimeType: "", buffer: gzipSync("x").subarray(0, 12) });
  await page.waitForFunction(() => document.getElementById("body-note").textContent.includes("damaged"));
  await give(page, `User-agent: *\n${"\n".repeat(100_000)}Disallow: /last\n`);
  assert.match((await texts(page, ".verdicts > li"))[0], /disallowed \/last line 100,002/);
  assert.match(await page.textContent("#body-note"), /too many lines to be edited/);
  assert.ok(!(await page.isEditable("#body")));
  await page.click(".verdicts a[data-line]");
  await page.waitForFunction(() => document.activeElement.id === "L100002");
  await give(page, `User-agent: *\n${Array.from({ length: 30_000 }, (_, at) => `Disallow: /*a${at}*b*c*\n`).join("")}`);
  assert.match(await headline(page), /MyBot may fetch \/last/);
  await page.click("#new");
  await answered(page);
  assert.ok(await page.isEditable("#body"));
});

const AXE = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const VIEWS = {
  light: { viewport: { width: 1440, height: 900 } },
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 844 } },
  narrow: { viewport: { width: 320, height: 640 }, colorScheme: "dark" },
};

for (const [name, view] of Object.entries(VIEWS)) {
  pageTest(`axe finds nothing, and nothing is wider than the view: ${name}`, async (page) => {
    if (process.env.PICTURES) await page.screenshot({ path: path.join(process.env.PICTURES, `${name}.png`) });
    const isSound = async () => {
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= view.viewport.width);
      const { violations, passes } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      assert.ok(passes.length > 20);
      assert.deepEqual(violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0].html}`), []);
    };
    // The policy lets no test add a script.
    await page.evaluate(AXE);
    await isSound();
    // What an owner sees first is on the first screen.
    for (const at of ["#headline", "#below", ".chip[data-standing=closed]"]) {
      const { bottom } = await page.evaluate((at) => document.querySelector(at).getBoundingClientRect().toJSON(), at);
      assert.ok(bottom < view.viewport.height, `${at} ends at ${bottom}`);
    }
    const long = "x".repeat(500);
    await ask(page, { body: `User-agent: ${long}\nDisallow: /${long}\nSitemap: https://a.example/${long}\n${long}\n`, agent: long, urls: [`/${long}`] });
    await isSound();
  }, view);
}

pageTest("everything is reached by keyboard, and the answer is announced once", async (page) => {
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent.slice(0, 30));
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Skip to the answer");
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "answer");
  const order = [];
  for (let steps = 0; steps < 80; steps += 1) {
    await page.keyboard.press("Tab");
    order.push(await page.evaluate(() => document.activeElement.id || document.activeElement.className.split(" ")[0] || document.activeElement.localName));
  }
  const wanted = ["chip", "open", "example", "new", "copy-link", "body", "agent", "urls", "a", "button", "scroll"];
  assert.deepEqual(wanted.filter((one) => !order.includes(one)), []);
  await page.focus("#new");
  await page.keyboard.press("Space");
  await answered(page);
  assert.equal(await focused(), "body");
  await page.keyboard.type("User-agent: *\nDisallow: /a\n");
  await answered(page);
  assert.equal(await page.textContent("#state"), "Open except for 1 path for every crawler. Nothing to fix.");
  const found = await page.evaluate(() => ({
    live: [...document.querySelectorAll("[role=status], [aria-live]")].map((item) => item.id),
    unnamed: [...document.querySelectorAll("textarea, input")].filter((item) => item.labels.length === 0 && !item.ariaLabel).map((item) => item.id),
  }));
  assert.deepEqual(found, { live: ["state", "body-note", "urls-note"], unnamed: [] });
});

test("it is one file that is not too large", () => {
  const { size } = fs.statSync(PAGE);
  console.log(`# robosieve.html: ${size} bytes`);
  assert.ok(size < 700_000, `${size} bytes`);
  assert.doesNotMatch(fs.readFileSync(PAGE, "utf8"), /<(?:link|script|img)[^>]*(?:src|href)="(?!data:)/);
});
