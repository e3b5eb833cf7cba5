// What hostile files, URLs, names and links cannot do.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { corpus } from "../expected.mjs";
import { answered, ask, give, open, ROOT, start, tab, texts, type } from "./browser.mjs";

const MARKUP = fs.readFileSync(path.join(ROOT, "crates/explain/tests/browser/markup.txt"));
const EVIL = [
  "<script>window.pwned=1</script>", "\"><img src=x onerror=window.pwned=1>", "'><svg onload=window.pwned=1>",
  "javascript:window.pwned=1", "<iframe srcdoc='<script>parent.pwned=1</script>'>", "{{constructor.constructor('window.pwned=1')()}}",
  "</textarea><script>window.pwned=1</script>", "<a href=javascript:pwned=1 autofocus onfocus=pwned=1>", "__proto__", "constructor",
];

let all;
before(async () => { all = await start(); });
after(() => all.stop());

// Elements that the page never makes, and attributes that run code or load something.
const INTRUDERS = "script:not([src='js/main.js']), img, iframe, object, embed, svg, style, base, video, audio, math, " +
  "link:not([rel=icon]):not([rel=stylesheet]), meta[http-equiv=refresh], form:not(#ask), [src]:not(script), [style]:not(.rows):not(textarea), " +
  "a[href]:not([href^='#']):not([href^='https://github.com/robosieve/robosieve'])";
async function isUntouched(page) {
  const found = await page.evaluate((selector) => {
    const handlers = [...document.querySelectorAll("*")].filter((it) => [...it.attributes].some(({ name }) => name.startsWith("on")));
    return [...document.querySelectorAll(selector), ...handlers].map((it) => it.outerHTML.slice(0, 200));
  }, INTRUDERS);
  assert.deepEqual(found, []);
  assert.equal(await page.title(), "robots.txt tester: robosieve");
}

test("the policy is strict, and no string becomes markup or a script [page.policy]", async () => {
  const { page, noise, context } = await open(all);
  const policy = await page.getAttribute("meta[http-equiv='Content-Security-Policy']", "content");
  assert.match(policy, /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; /);
  assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|https?:|\*/);
  const refused = await page.evaluate(async () => {
    const attempts = {
      markup: () => { document.createElement("p").innerHTML = "<b>x</b>"; },
      worker: () => new Worker("data:text/javascript,1"),
      fetch: () => fetch("https://example.com/"),
    };
    const refused = [];
    for (const [name, attempt] of Object.entries(attempts)) {
      try {
        await attempt();
      } catch {
        refused.push(name);
      }
    }
    return refused;
  });
  assert.deepEqual(refused, ["markup", "worker", "fetch"]);
  // The attempts are reported; nothing left the browser.
  assert.ok(noise.some((line) => line.includes("Content Security Policy")) && all.others.asked.length === 0);
  await context.close();
});

test("markup in a file, in URLs, names and the name of a file stays text [page.injection]", async () => {
  const it = await open(all);
  await ask(it.page, { agent: EVIL[0], urls: EVIL.map((evil) => `/${evil}`) });
  await give(it.page, MARKUP, { name: "<img src=x onerror=window.pwned=1>.txt" });
  await give(it.page, MARKUP, { name: "old.txt", field: "#file-other" });
  await isUntouched(it.page);
  const summaries = await texts(it.page, ".verdicts summary code");
  assert.deepEqual(summaries, EVIL.map((evil) => `/${evil}`));
  for (const at of EVIL.keys()) {
    await it.page.click(`.verdicts > li:nth-child(${at + 1}) summary`);
    await it.page.waitForSelector(`.verdicts > li:nth-child(${at + 1}) .reason :is(h3, .same)`, { state: "attached" });
  }
  assert.match(await it.page.textContent("#body-note"), /<img src=x onerror/);
  assert.ok((await texts(it.page, ".file code")).some((text) => text.includes("<script>window.pwned=1</script>")));
  // Every evil as a name of an agent, and as the whole file.
  for (const evil of EVIL) {
    await ask(it.page, { agent: evil, body: `User-agent: ${evil}\nDisallow: /${evil}\nSitemap: ${evil}\nContent-Signal: ${evil}\n${evil}\n` });
    await isUntouched(it.page);
  }
  await it.close();
});

test("files of corpus/ with markup and control characters [page.injection]", async () => {
  const it = await open(all);
  const folder = corpus();
  const files = fs.readdirSync(folder, { recursive: true }).filter((name) => /\/(09|11|13|17|19)-|html/.test(name)).sort();
  assert.ok(files.length > 20);
  await ask(it.page, { agent: "MyBot", urls: ["/"] });
  for (const name of files) {
    await give(it.page, fs.readFileSync(path.join(folder, name)), { name: path.basename(name) });
    await isUntouched(it.page);
    const shown = await it.page.evaluate(() => document.querySelector(".answers").textContent);
    // Answers are of characters that are seen. URLs are the user's own.
    assert.doesNotMatch(shown, /[\0-\t\v-\x1f\x7f-\xa0\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u, name);
  }
  await it.close();
});

test("a link brings the whole question back [page.link]", async () => {
  const it = await open(all);
  const bytes = Buffer.from("User-agent: MyBot\r\nDisallow: /caf\xe9\r\n", "latin1");
  await give(it.page, bytes);
  await ask(it.page, { agent: "MyBot", urls: ["/caf%E9", "/\u00e9"], dialect: "google" });
  await tab(it.page, "compare");
  await type(it.page, "#other", "User-agent: *\nDisallow: /old\n");
  await it.page.uncheck("#everyone");
  await tab(it.page, "saving");
  await it.page.check("[name=form][value=portable]");
  await tab(it.page, "all-crawlers");
  await it.page.check("[name=kind][value=search]");
  await answered(it.page);
  await tab(it.page, "saving");
  await it.page.click("#copy-link");
  await it.page.waitForSelector("#copy-link:text('Copied')");
  const link = await it.page.evaluate(() => navigator.clipboard.readText());
  assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/#1\.[\w-]+$/);
  const state = (page) => page.evaluate(() => ({
    fields: ["body", "agent", "urls", "dialect", "other"].map((id) => document.getElementById(id).value),
    checked: [...document.querySelectorAll("input:checked")].map((input) => input.value),
    answers: document.querySelector(".answers").textContent.replace(/Cop(y|ied)( link)?/g, ""),
  }));
  const other = await open(all, { fragment: new URL(link).hash });
  assert.deepEqual(await state(other.page), await state(it.page));
  assert.match(await other.page.textContent("#body-note"), /36 bytes.*not all UTF-8/);
  // A link that is opened in the same page counts too.
  await other.page.evaluate((hash) => { location.hash = hash; }, fragment({ agent: "Another", body: "User-agent: *" }));
  await other.page.waitForFunction(() => document.getElementById("agent").value === "Another");
  await other.close();
  await it.close();
});

const fragment = (value) => `#1.${deflateRawSync(Buffer.from(typeof value === "string" ? value : JSON.stringify(value))).toString("base64url")}`;

test("damaged and hostile links [page.link]", async () => {
  const long = (size) => deflateRawSync(Buffer.alloc(size, "a")).toString("base64url");
  const links = [
    "#1.", "#1.!!!!", "#1.AAAA", `#1.${"A".repeat(70_000)}`, `#1.${long(200_000_000).slice(0, 59_000)}`, fragment("{"), fragment("null"),
    fragment("[]"), fragment("1"), fragment({ urls: "x", agent: 7, dialect: "__proto__", form: {}, kind: [], body: 5, other_bytes: "!" }),
    fragment({ urls: Array(10_000).fill("/a"), agent: "a".repeat(10_000), body: "User-agent: *\nDisallow: /\n" }),
    fragment({ body: EVIL.join("\n"), urls: EVIL, agent: EVIL[1], dialect: EVIL[0], form: EVIL[0], kind: EVIL[0], everyone: EVIL[0] }),
    fragment('{"__proto__":{"agent":"x","polluted":1},"constructor":{"prototype":{"polluted":1}}}'),
  ];
  for (const link of links) {
    const it = await open(all, { fragment: link });
    await isUntouched(it.page);
    assert.equal(await it.page.evaluate(() => ({}).polluted), undefined);
    assert.ok((await it.page.inputValue("#urls")).length < 20_000);
    await it.close();
  }
});

test("what is too much for a link says so [page.link]", async () => {
  const it = await open(all);
  const random = Array.from({ length: 12_000 }, (_, at) => `Disallow: /${Math.imul(at + 1, 2_654_435_761) >>> 0}`).join("\n");
  await give(it.page, Buffer.from(`User-agent: *\n${random}\n`));
  await it.page.waitForFunction(() => document.getElementById("link-note").textContent.includes("Too much for a link"));
  assert.equal(await it.page.evaluate(() => location.hash), "");
  await it.close();
});

const SIZE = 512_000;
const filled = (line) => Buffer.alloc(SIZE, line);
const numbered = (line) => {
  const lines = [];
  for (let at = 0, size = 0; size < SIZE; at += 1) {
    lines.push(line(at));
    size += lines.at(-1).length;
  }
  return Buffer.from(lines.join("")).subarray(0, SIZE);
};
const HOSTILE = {
  "blank lines": filled("\n"),
  "rules without end": Buffer.concat([Buffer.from("User-agent: *\n"), filled("Allow:/\n")]),
  "one line": Buffer.concat([Buffer.from("User-agent: *\nDisallow: /"), filled("a")]),
  "stars": Buffer.from(`User-agent: *\n${numbered((at) => `Disallow: /*a*b*c*d*e${at}$\n`)}`),
  "groups": numbered((at) => `User-agent: a${at}\nDisallow: /${at}\n`),
  "agents": numbered((at) => `User-agent: a${at}\n`),
  "findings": filled("Disalow: https://a/\n"),
  "markup": filled("<b onclick=x>\n"),
  "NUL": filled("\0"),
  "deep paths": Buffer.concat([Buffer.from("User-agent: *\n"), numbered((at) => `Disallow: ${"/a".repeat(at % 500)}\n`)]),
  "signals": Buffer.concat([Buffer.from("User-agent: *\n"), filled("Content-Signal: /a search=yes, ai-train=no\n")]),
};

for (const [name, bytes] of Object.entries(HOSTILE)) {
  test(`512,000 bytes of ${name} do not freeze the page [page.hostile]`, async () => {
    const it = await open(all);
    await ask(it.page, { agent: "MyBot", urls: ["/aaaa/bbbb", "/*a*b*c*d*e1"] });
    // The longest time in which the page did nothing else.
    await it.page.evaluate(() => {
      window.longest = 0;
      let last = performance.now();
      setInterval(() => {
        const now = performance.now();
        window.longest = Math.max(window.longest, now - last);
        last = now;
      }, 5);
    });
    await give(it.page, bytes);
    await give(it.page, bytes.subarray(0, -1), { field: "#file-other" });
    const verdicts = await texts(it.page, ".verdicts summary");
    assert.equal(verdicts.length, 2);
    assert.ok(verdicts.every((words) => /allowed/.test(words)), `${verdicts}`);
    const [longest, elements] = await it.page.evaluate(() => [window.longest, document.querySelectorAll("*").length]);
    assert.ok(elements < 12_000, `${elements} elements`);
    // The bound has space for machines that do other work too; usual are some 100 ms.
    assert.ok(longest < 3_000, `${Math.round(longest)} ms`);
    await isUntouched(it.page);
    await it.close();
  });
}

test("a part that takes too long is stopped and told, and the page goes on [page.hostile]", async () => {
  const it = await open(all);
  // With a bound that a large file exceeds on every machine.
  await it.context.route("**/js/bounds.js", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace("MAX_WAIT = 4_000", "MAX_WAIT = 1") });
  });
  await it.context.route("**/sw.js", (route) => route.abort());
  await it.page.evaluate(async () => {
    for (const registration of await navigator.serviceWorker.getRegistrations()) await registration.unregister();
  });
  await it.page.reload();
  await answered(it.page);
  await give(it.page, HOSTILE.findings);
  assert.match(await it.page.textContent("#findings-out"), /takes more than 0\.001 seconds, so it was stopped/);
  assert.match(await it.page.textContent("#lines-out"), /so it was stopped/);
  // It goes on: the next question is answered too, in as far as the bound permits.
  await ask(it.page, { agent: "Another" });
  assert.match(await it.page.textContent("#state"), /Another/);
  await it.context.close();
});

test("a pasted file with too many lines for a text area is answered, and not edited [page.paste]", async () => {
  const it = await open(all);
  await it.page.evaluate(() => navigator.clipboard.writeText(`User-agent: *\n${"\n".repeat(100_000)}Disallow: /last\n`));
  await ask(it.page, { agent: "MyBot", urls: ["/last"] });
  await it.page.focus("#body");
  await it.page.evaluate(() => { document.body.dataset.state = "given"; });
  await it.page.keyboard.press("Control+V");
  await answered(it.page);
  assert.match((await texts(it.page, ".verdicts summary"))[0], /disallowed \/last line 100,002/);
  assert.match(await it.page.textContent("#body-note"), /100,030 bytes\. It has too many lines/);
  assert.equal(await it.page.inputValue("#body").then((text) => text.length), 213);
  assert.ok(!(await it.page.isEditable("#body")));
  await it.page.click("#new");
  await answered(it.page);
  assert.ok(await it.page.isEditable("#body"));
  await it.close();
});

test("long lists are shown in part, and more on demand [page.more]", async () => {
  const it = await open(all);
  await ask(it.page, { agent: "MyBot", urls: ["/7777"] });
  await give(it.page, Buffer.from(`User-agent: *\n${numbered((at) => `Disallow: /${at} # \xe9\n`)}`));
  assert.equal(await it.page.locator(".file li").count(), 150);
  await tab(it.page, "meaning");
  await it.page.click(".later button");
  await it.page.waitForFunction(() => document.querySelectorAll(".file li").length === 300);
  assert.equal(await it.page.evaluate(() => document.activeElement.id), "L151");
  // The line that decides is far away.
  await tab(it.page, "answer");
  await it.page.click(".reason a[data-line='7779']");
  await it.page.waitForFunction(() => document.activeElement.id === "L7779");
  assert.match(await it.page.textContent("#L7779"), /decides for \/7777/);
  await it.page.click(".earlier button");
  await it.page.waitForFunction(() => document.querySelectorAll(".file li").length === 300);
  assert.equal(await it.page.locator(".text").textContent().then((text) => text.length), 12_000);
  await tab(it.page, "saving");
  await it.page.click("#text-out .more");
  await it.page.waitForFunction(() => document.querySelector(".text").textContent.length > 100_000);
  await it.close();
});

test("while somebody types, only the last question is answered [page.cancel]", async () => {
  const it = await open(all);
  await give(it.page, HOSTILE["rules without end"]);
  await it.page.focus("#urls");
  await it.page.keyboard.press("Control+A");
  await it.page.keyboard.type("/some/path", { delay: 15 });
  await answered(it.page);
  assert.deepEqual(await texts(it.page, ".verdicts summary code"), ["/some/path"]);
  await it.close();
});
