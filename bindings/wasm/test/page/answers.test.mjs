// What the page answers is what the command answers.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { matrix, tree, usage } from "robosieve";
import { corpus } from "../expected.mjs";
import { answered, ask, command, commandJson, give, open, ROOT, saved, standings, start, tab, texts, type } from "./browser.mjs";

const SHOP = fs.readFileSync(new URL("shop.txt", import.meta.url), "utf8");
const LATER = fs.readFileSync(new URL("shop-later.txt", import.meta.url), "utf8");

let all;
before(async () => { all = await start(); });
after(() => all.stop());

async function inPage(work, options) {
  const it = await open(all, options);
  await work(it.page, it);
  await it.close();
}

test("a pasted file is answered at once [page.paste]", () => inPage(async (page) => {
  await page.click("#new");
  await answered(page);
  await page.evaluate((text) => navigator.clipboard.writeText(text), SHOP);
  await page.focus("#body");
  await page.keyboard.press("Control+V");
  await answered(page);
  await ask(page, { agent: "MyBot", urls: ["/cart", "/", "/wp-admin/admin-ajax.php", "//"] });
  const verdicts = await texts(page, ".verdicts > li > details > summary");
  const expected = command(["test", "--agent", "MyBot", "-", "/cart", "/", "/wp-admin/admin-ajax.php"], SHOP);
  const words = expected.toString().trim().split("\n").map((line) => line.split("\t"));
  assert.equal(verdicts.length, 4);
  words.forEach(([verdict, url, reason], at) => {
    assert.ok(verdicts[at].includes(`${verdict} ${url}`), `${verdicts[at]}: ${verdict} ${url}`);
    assert.ok(verdicts[at].includes(reason.replace(/ \(group.*/, "")), `${verdicts[at]}: ${reason}`);
  });
}));

test("files are opened and dropped, also packed ones, and their bytes count [page.paste]", () => inPage(async (page) => {
  await ask(page, { agent: "MyBot", urls: ["/caf%E9", "/x"] });
  const bytes = Buffer.from("\xef\xbb\xbfUser-agent: *\r\nDisallow: /caf\xe9\r\n", "latin1");
  await give(page, gzipSync(bytes), { name: "robots.txt.gz" });
  assert.match(await page.textContent("#body-note"), /robots\.txt\.gz: 35 bytes\. It was unpacked.*not all UTF-8/);
  assert.equal(await page.textContent(".text"), command(["filter", "--agent", "MyBot", "-"], bytes).toString());
  assert.match((await texts(page, ".verdicts summary"))[0], /disallowed/);

  const dropped = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "dropped.txt"));
    return data;
  }, SHOP);
  await page.dispatchEvent("#body", "drop", { dataTransfer: dropped });
  await page.waitForFunction(() => document.getElementById("body-note").textContent.startsWith("dropped.txt"));
  await page.dispatchEvent("#other", "drop", { dataTransfer: dropped });
  await page.waitForFunction(() => document.getElementById("changes-out").textContent.includes("Nothing changed"));

  const before = await page.inputValue("#body");
  await page.setInputFiles("#file", { name: "bad.gz", mimeType: "", buffer: gzipSync(bytes).subarray(0, 20) });
  await page.waitForFunction(() => document.getElementById("body-note").textContent.includes("the gzip data is damaged"));
  assert.equal(await page.inputValue("#body"), before);
}));

test("a packed file that unpacks to much more is cut [page.paste]", () => inPage(async (page) => {
  await give(page, gzipSync(Buffer.alloc(300_000_000, "Disallow: /a\n")), { name: "bomb.gz" });
  assert.match(await page.textContent("#body-note"), /1,048,576 bytes.*Only its first 1,048,576 bytes are kept/);
}));

test("the rules that match, and the dialects beside one another [page.verdicts]", () => inPage(async (page) => {
  const body = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: tmp\n";
  await ask(page, { body, agent: "MyBot", urls: ["/a/b/c", "/tmp/x"] });
  const [reason] = await texts(page, ".reason p");
  const why = commandJson(["explain", "--json", "--agent", "MyBot", "--url", "/a/b/c", "-"], body);
  assert.equal(reason.toLowerCase(), `${why.group}; ${why.reason}.`.toLowerCase().replaceAll("`", ""));
  assert.deepEqual(await texts(page, ".reason .rules code"), ["Disallow: /a", "Allow: /a/b"]);
  assert.match(await page.textContent(".reason .rules .decides"), /line 3: Allow: \/a\/b.*it decides/);
  // The answers of others are shown where they differ.
  assert.equal(await page.locator(".verdicts > li:nth-child(1) .reason .same").count(), 1);
  await page.click(".verdicts > li:nth-child(2) summary");
  await page.waitForSelector(".verdicts > li:nth-child(2) .reason h3");
  const rows = await texts(page, ".verdicts > li:nth-child(2) .reason table:first-of-type tbody tr");
  for (const { dialect, answer } of commandJson(["explain", "--json", "--agent", "MyBot", "--url", "/tmp/x", "-"], body).dialects) {
    const row = rows.find((text) => text.startsWith({ standard: "RFC", google: "Google", processor: "robots-txt" }[dialect]));
    assert.match(row, answer.allowed ? /\u2713 allowed/ : /\u2717 disallowed/);
  }
  assert.ok((await texts(page, ".verdicts h3")).includes("Others read it otherwise"));
  // Read as Google reads it, the verdict is another one.
  assert.match((await texts(page, ".verdicts summary"))[1], /^\u2717/);
  await ask(page, { dialect: "google" });
  assert.match((await texts(page, ".verdicts summary"))[1], /^\u2713/);
}));

test("what cannot be tested says so, and the others are answered [page.verdicts]", () => inPage(async (page) => {
  await ask(page, { urls: ["mailto:a@b", "/press/x"] });
  const [bad, good] = await texts(page, ".verdicts summary");
  assert.match(bad, /^\? mailto:a@b .*URL/);
  assert.match(good, /allowed/);
}));

test("a known crawler uses the groups that its owner documents; headers are read [page.agents]", () => inPage(async (page) => {
  const body = "User-agent: Googlebot\nDisallow: /g\n\nUser-agent: *\nDisallow: /\n";
  await ask(page, { body, agent: "googlebot-image", urls: ["/x"] });
  assert.match(await page.textContent("#agent-note"), /Google: Google Images/);
  assert.match((await texts(page, ".verdicts summary"))[0], /\u2713 allowed/);
  await ask(page, { agent: "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", urls: ["/g"] });
  assert.match((await texts(page, ".verdicts summary"))[0], /line 2: Disallow: \/g/);
  await ask(page, { agent: "AdsBot-Google", urls: ["/x"] });
  assert.match((await texts(page, ".verdicts summary"))[0], /allowed.*no group applies/);
  await ask(page, { agent: "", urls: ["/x"] });
  assert.match((await texts(page, ".verdicts summary"))[0], /\u2717 disallowed/);
  assert.ok(await page.locator("#crawlers-known option[value=GPTBot]").count() === 1);
}));

test("each line with its meaning, its findings, and the mark of the line that decides [page.lines]", () => inPage(async (page) => {
  await ask(page, { body: SHOP, agent: "MyBot", urls: ["/cart"] });
  assert.deepEqual(await texts(page, ".file .decides .deciding"), ["decides for /cart"]);
  assert.equal(await page.locator(".file .decides").getAttribute("id"), "L18");
}));

test("line numbers, colours by meaning, marks and the tint of the group in the editor [page.editor]", () => inPage(async (page) => {
  await ask(page, { body: SHOP, agent: "MyBot", urls: ["/cart"] });
  const lines = SHOP.split("\n");
  const explained = commandJson(["explain", "--json", "--agent", "MyBot", "-"], SHOP).lines;
  const rows = await page.locator(".row").evaluateAll((items) => items.map((item) => ({
    number: Number(item.querySelector(".number").textContent), text: item.querySelector(".code").textContent, classes: [...item.classList], mark: item.querySelector(".mark").textContent,
  })));
  assert.ok(rows.length >= 20 && rows.every(({ number, text }, at) => number === at + 1 && text === lines[at]));
  const kinds = { "user-agent": "agent", comment: "remark", extension: "value", "file-line": "value", "left-out": "lost", "not-read": "lost" };
  const worst = {};
  for (const severity of ["note", "warning", "error"]) {
    for (const lint of commandJson(["lint", "--format", "json", "-"], SHOP).lints) if (lint.severity === severity) worst[lint.line] = severity;
  }
  for (const { number, classes, mark } of rows.slice(0, explained.length)) {
    const { meaning, ours } = explained[number - 1];
    assert.ok(classes.includes(meaning.is === "rule" ? meaning.kind : kinds[meaning.is] ?? "other"), `${number}: ${classes}`);
    assert.equal(classes.includes("ours"), ours, `${number}`);
    assert.equal(classes.includes("decides"), number === 18, `${number}`);
    if (number !== 18) assert.equal(mark, { error: "\u25cf", warning: "\u25b2", note: "\u2022" }[worst[number]] ?? "", `${number}`);
  }
  // A link to a line selects it; what it means stands below, also for the keyboard.
  await page.click(".reason a[data-line='18']");
  assert.equal(await page.evaluate(() => document.getSelection().toString() || document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)), lines[17]);
  assert.match(await page.textContent("#line-note"), /^Line 18: disallows every path that begins with \/cart; .*it decides for \/cart\.$/);
  await page.keyboard.press("ArrowUp");
  await page.waitForFunction(() => document.getElementById("line-note").textContent.startsWith("Line 17: "));
  // What is painted lies exactly under what is typed, at each place of a long file.
  await give(page, Buffer.from(`User-agent: *\n${Array.from({ length: 5_000 }, (_, at) => `Disallow: /${at}\n`).join("")}`));
  await page.evaluate(() => { const area = document.getElementById("body"); area.scrollTop = 2_000 * Number.parseFloat(getComputedStyle(area).lineHeight); });
  await page.waitForFunction(() => [...document.querySelectorAll(".row")].some((row) => row.textContent.includes("2010Disallow: /2008") && row.classList.contains("ours")));
  const [top, first] = await page.evaluate(() => {
    const area = document.getElementById("body");
    const row = [...document.querySelectorAll(".row")].find((item) => item.querySelector(".number").textContent === "2010");
    const style = getComputedStyle(area);
    return [row.getBoundingClientRect().top, area.getBoundingClientRect().top + Number.parseFloat(style.paddingTop) + 2_009 * Number.parseFloat(style.lineHeight) - area.scrollTop];
  });
  assert.ok(Math.abs(top - first) < 1, `${top} ${first}`);
  assert.ok(await page.locator(".row").count() < 100);
}));

// The question is asked for what is in view: here lines that the new file does not have.
test("a shorter file in a low view has its colours and marks [page.editor]", async () => {
  const it = await open(all, { viewport: { width: 390, height: 844 } });
  await it.page.evaluate(() => { document.getElementById("body").scrollTop = 10_000; });
  await it.page.waitForFunction(() => Number(document.querySelector(".row .number").textContent) > 5);
  await ask(it.page, { body: "Disallow: /a\nUseragent GPTBot\n" });
  await it.page.waitForFunction(() => document.querySelectorAll(".row").length === 3 && document.querySelectorAll(".row.has-error").length === 1);
  assert.equal(await it.page.locator(".row.has-warning").count(), 1);
  await it.close();
});

test("what to fix, and what to write instead [page.findings]", () => inPage(async (page) => {
  await ask(page, { body: SHOP });
  const linted = commandJson(["lint", "--format", "json", "-"], SHOP);
  assert.equal(await page.locator("#findings-out .lint").count(), linted.lints.length);
  const lines = SHOP.split("\n");
  const quotes = await page.locator("#findings-out .quotes > li > code").allTextContents();
  assert.deepEqual(quotes.sort(), linted.lints.map(({ line }) => lines[line - 1]).sort());
  const written = await page.locator("#findings-out .instead").evaluateAll((items) => items.map((item) => [...item.querySelectorAll("code")].map((it) => it.textContent).join("\n")));
  assert.deepEqual(written.sort(), linted.lints.filter((it) => it.fix).map((it) => it.fix.lines.join("\n")).sort());
  assert.match(await page.textContent("#findings-out"), /1 error, 3 warnings, 1 note/);
  // Sentences have no marks, and say which clause they are of.
  assert.doesNotMatch(await page.textContent("#findings-out .lint p"), /`/);
  assert.match(await page.getAttribute("#findings-out .lint small a", "href"), /^https:\/\/github\.com\/robosieve\/robosieve\/blob\/main\/(crates\/explain\/)?SPEC\.md#/);
}));

test("a fix is a button, and can be undone [page.fix]", () => inPage(async (page) => {
  const body = "User-agent: *\nDisalow: /a\nDisalow: /b # old\nDisalow: /c\nDisalow: /d\nDisallow: https://a.example/e\n";
  await ask(page, { body });
  const text = () => page.inputValue("#body");
  // Findings of a kind stand together: three lines at once, the others on demand.
  assert.equal(await page.locator("#findings-out [data-kind=misspelled-directive]").count(), 1);
  assert.equal(await page.locator("[data-kind=misspelled-directive] .quotes > li:visible").count(), 3);
  assert.match(await page.textContent("[data-kind=misspelled-directive] summary"), /And 1 more line/);
  assert.match(await page.textContent("[data-kind=url-in-rule] .instead"), /write Disallow: \/e \(then \/e is disallowed for all others; removes `a\.example`\)/);
  await page.click("[data-kind=misspelled-directive] .quotes > li:nth-child(2) button");
  await answered(page);
  assert.equal(await text(), body.replace("Disalow: /b", "Disallow: /b"));
  await page.click("[data-fix=all]");
  await answered(page);
  assert.equal(await text(), body.replaceAll("Disalow", "Disallow"));
  await page.click("[data-kind=url-in-rule] button");
  await answered(page);
  assert.equal(await text(), body.replaceAll("Disalow", "Disallow").replace("https://a.example", ""));
  assert.match(await page.textContent("#findings-out"), /Nothing to fix/);
  for (let step = 0; step < 3; step += 1) await page.click("#undo:has-text('Undo fix')");
  await answered(page);
  assert.equal(await text(), body);
  assert.equal(await page.textContent("#undo"), "Undo typing");
  // A file whose text is not its bytes is not edited.
  await give(page, Buffer.from("# caf\xe9\nUser-agent: *\nDisalow: /a\n", "latin1"));
  assert.equal(await page.locator("#findings-out .instead").count(), 1);
  assert.equal(await page.locator("[data-fix]").count(), 0);
}));

test("the answer stands first, in plain words [page.headline]", () => inPage(async (page) => {
  const says = async (question) => {
    await ask(page, question);
    return [await page.textContent("#headline"), await page.textContent("#below")].map((text) => text.trim());
  };
  const body = "User-agent: *\nDisallow: /a\nDisalow: /b\n\nUser-agent: GPTBot\nDisallow: /\n";
  const wrong = "1 line does not do what it seems to.";
  assert.deepEqual(await says({ body, agent: "GPTBot", urls: [] }), ["\u2717GPTBot may fetch nothing", wrong]);
  assert.deepEqual(await says({ agent: "MyBot" }), ["\u25d0MyBot may fetch a part of the site", wrong]);
  assert.deepEqual(await says({ urls: ["/a", "/b", "/c"] }), ["\u25d0MyBot may fetch 1 of 3 URLs", wrong]);
  assert.deepEqual(await says({ urls: ["/c", "/d"] }), ["\u2713MyBot may fetch all 2 URLs", wrong]);
  assert.deepEqual(await says({ urls: ["/a", "/b"] }), ["\u2717MyBot may fetch none of the 2 URLs", wrong]);
  assert.deepEqual(await says({ urls: ["/a"] }), ["\u2717MyBot may not fetch /a", `line 2 decides: Disallow: /a. ${wrong}`]);
  assert.deepEqual(await says({ urls: ["/a"], agent: "" }), ["\u2717Crawlers that no group names may not fetch /a", `line 2 decides: Disallow: /a. ${wrong}`]);
  // What the fix repaired is said.
  const closed = "User-agent: *\nDisallow: /\n";
  assert.deepEqual(await says({ body: closed, urls: ["/a"], agent: "MyBot" }), ["\u2717Nobody may fetch anything", "line 2 decides: Disallow: /. Every line does what it seems to."]);
  // Somebody may.
  assert.match((await says({ body: `${closed}\nUser-agent: OwnBot\nDisallow: /x\n` }))[0], /MyBot may not fetch \/a/);
  assert.match((await says({ body: `${closed}Allow: /$\n`, urls: [] }))[0], /MyBot may fetch a part of the site/);
  assert.match((await says({ body: "User-agent: *\nDisallow:\n" }))[0], /Everybody may fetch everything/);
  assert.deepEqual(await says({ body: "" }), ["\u2713Everybody may fetch everything", "The file is empty."]);
  // What is no robots.txt is said first, and then what crawlers make of it.
  assert.deepEqual(await says({ body: "<!doctype html>\n<html>\n<body>No</body>\n</html>" }), [
    "\u2717This is not a robots.txt file", "It looks like a web page. What crawlers make of it: Everybody may fetch everything.",
  ]);
  assert.match(await page.getAttribute("#headline", "class"), /\bno\b/);
  assert.equal(await page.textContent("#state"), `${(await page.textContent("#headline")).slice(1)}. ${await page.textContent("#below")}`);
}));

test("well-known crawlers as a strip, each a button [page.standing]", () => inPage(async (page) => {
  await ask(page, { body: "User-agent: *\nDisallow: /a\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\nAllow: /robots.txt$\n\nUser-agent: ClaudeBot\nDisallow:\n\nUser-agent: bingbot\nAllow: /\nDisallow: /*\n" });
  const strip = await standings(page);
  const expected = { "*": "partly open", Googlebot: "partly open", GPTBot: "closed", CCBot: "closed", ClaudeBot: "open" };
  for (const [name, standing] of Object.entries(expected)) assert.equal(strip[name], standing, name);
  // A number says how much of the site it is; crawlers that go by the same lines as any other say just that.
  assert.deepEqual((await texts(page, ".strip .chip")).slice(0, 3), [
    "\u25d0any other 1 closed, partly open, 1 path closed", "=Googlebot, partly open, as any other", "\u2717Bingbot, closed",
  ]);
  // `/*` is longer than `/`.
  assert.equal(strip.Bingbot, "closed");
  await page.click(".chip:has-text('GPTBot')");
  await answered(page);
  assert.equal(await page.inputValue("#agent"), "GPTBot");
  assert.equal(await page.getAttribute(".chip:has-text('GPTBot')", "aria-pressed"), "true");
  assert.match(await page.textContent("#headline"), /GPTBot may fetch nothing|GPTBot may not fetch/);
  // A crawler of one's own is in the strip too.
  await ask(page, { agent: "MyBot" });
  assert.equal(await page.getAttribute(".chip:has-text('MyBot')", "aria-pressed"), "true");
}));

test("both forms are those of the command, and can be copied and saved [page.text]", () => inPage(async (page) => {
  const body = `${SHOP}\nUser-agent: Other\nDisallow: /*a*b*c*d*e*f*g*h*i*j*k\n`;
  for (const agent of ["MyBot", "Other"]) {
    await ask(page, { body, agent });
    await tab(page, "saving");
    for (const form of ["portable", "faithful"]) {
      await page.check(`[name=form][value=${form}]`);
      const expected = command(["filter", "--agent", agent, "--form", form, "-"], body).toString();
      await page.waitForFunction((text) => (document.querySelector(".text")?.textContent ?? "") === text, expected);
      assert.equal((await saved(page, "#text-out button:text('Save')")).bytes.toString(), expected);
    }
  }
  await ask(page, { agent: "MyBot" });
  await tab(page, "saving");
  await page.click("#text-out button:text('Copy')");
  await page.waitForSelector("#text-out button:text('Copied')");
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), command(["filter", "--agent", "MyBot", "-"], body).toString());
}));

test("what to save for a server is the own file, fixed; a text for one crawler is not [page.save]", () => inPage(async (page) => {
  const body = "\ufeffUser-agent: *\r\nDisalow: /a # x\r\nDisallow: https://a.example/b\r\n\r\nUser-agent: GPTBot\r\nDisallow: /";
  await give(page, Buffer.from(body));
  await ask(page, { agent: "GPTBot" });
  await tab(page, "saving");
  const file = await saved(page, "#save-file");
  assert.equal(file.name, "robots.txt");
  assert.match(await page.textContent("#save-note"), /Saved robots\.txt with \d+ fix(es)? that change no answer\. The file on this page has none of them\./);
  assert.equal(file.bytes.toString(), command(["lint", "--fix", "-"], body).toString());
  assert.notEqual(file.bytes.toString(), body);
  assert.match(await page.textContent("#text-out"), /For GPTBot only: not for your server/);
  const text = await saved(page, "#text-out button:text('Save')");
  assert.equal(text.name, "robots.GPTBot.canonical.txt");
  assert.equal(text.bytes.toString(), "User-agent: *\nDisallow: /\n");
  // Bytes that are not UTF-8 are saved as they are.
  const latin = Buffer.from("User-agent: *\nDisalow: /caf\xe9\n", "latin1");
  await give(page, latin);
  assert.ok((await saved(page, "#save-file")).bytes.equals(latin));
  // Without a crawler it is the text of all groups, and under another name too.
  await ask(page, { agent: "", body });
  const all = await saved(page, "#text-out button:text('Save')");
  assert.equal(all.name, "robots.canonical.txt");
  assert.equal(all.bytes.toString(), command(["filter", "--all-agents", "-"], body).toString());
  await ask(page, { agent: "../a b\\<c>" });
  assert.equal((await saved(page, "#text-out button:text('Save')")).name, "robots.a-b-c.canonical.txt");
}));

test("an example comes whole and goes whole [page.example]", () => inPage(async (page) => {
  const parts = () => page.evaluate(() => ["agent", "urls", "other"].map((id) => document.getElementById(id).value));
  const whole = await parts();
  assert.ok(whole.every((text) => text !== ""));
  // Whoever tries something in the example keeps it.
  await page.focus("#body");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("# x");
  await answered(page);
  assert.deepEqual(await parts(), whole);
  await ask(page, { body: "User-agent: *\nDisallow: /mine\n" });
  assert.deepEqual(await parts(), ["", "", ""]);
  await page.click("#example");
  await answered(page);
  assert.deepEqual(await parts(), whole);
  // What somebody has written stays; the rest of the example does not.
  await ask(page, { agent: "MyBot" });
  await give(page, Buffer.from("User-agent: *\nDisallow: /mine\n"));
  assert.deepEqual(await parts(), ["MyBot", "", ""]);
  await page.click("#new");
  await answered(page);
  assert.deepEqual([await page.inputValue("#body"), ...await parts()], ["", "", "", ""]);
  // A link has the file only.
  await ask(page, { body: "User-agent: *" });
  await tab(page, "saving");
  await page.click("#copy-link");
  await page.waitForSelector("#copy-link:text('Copied')");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(link.length < 200, link);
}));

test("a table of known crawlers [page.crawlers]", () => inPage(async (page) => {
  await ask(page, { body: SHOP, urls: ["/", "/cart"] });
  await tab(page, "all-crawlers");
  for (const kind of ["search", "all", "ai"]) {
    await page.check(`[name=kind][value=${kind}]`);
    const { rows } = matrix(SHOP, { crawlers: kind, urls: ["/", "/cart"] });
    await page.waitForFunction((count) => [...document.querySelectorAll("#crawlers-out tbody th")].flatMap(
      (item) => [...item.firstChild.data.split(", "), ...item.querySelectorAll("details .about > span")]).length === count, rows.length);
    const shown = await page.locator("#crawlers-out tbody tr").evaluateAll((items) =>
      items.flatMap((item) => {
        const names = [item.querySelector("th").firstChild.data.split(", "), [...item.querySelectorAll("th details .about > span")].map((it) => it.textContent)];
        return names.flat().map((name) => [name, ...[...item.querySelectorAll("td .spoken")].map((it) => it.textContent)]);
      }));
    // Crawlers with the same lines and answers are one row.
    assert.ok(await page.locator("#crawlers-out tbody tr").count() <= 4);
    assert.deepEqual(shown.sort(), rows.map((row) => [row.name, ...row.answers.map((it) => (it.allowed ? "allowed" : "disallowed"))]).sort());
  }
}));

test("what content may be used for [page.usage]", () => inPage(async (page) => {
  const body = "User-agent: *\nContent-Usage: train-ai=n\nContent-Signal: search=yes, ai-input=no\nDisallow: /x\n";
  await ask(page, { body, agent: "MyBot", urls: ["/a", "/x"] });
  const rows = await texts(page, ".reason table:last-of-type tbody tr");
  // What nothing is said about is not shown.
  const uses = usage(body, { agents: "MyBot", url: "/a" }).uses.filter((use) => use.lines.length > 0);
  assert.ok(uses.length > 0 && rows.length === uses.length);
  const table = rows.slice(-uses.length);
  uses.forEach((use, at) => {
    assert.match(table[at], use.extent ? new RegExp(use.extent) : use.allowed === null ? /nothing is said/ : use.allowed ? /\u2713 allowed/ : /\u2717 disallowed/);
    for (const line of use.lines) assert.ok(table[at].includes(`line ${line.line}: ${line.text}`), table[at]);
  });
  assert.match(await page.textContent("#crawlers-out tbody tr"), /search=yes, ai-input=no; train-ai=n/);
  await page.click(".verdicts > li:nth-child(2) summary");
  await page.waitForSelector(".verdicts > li:nth-child(2) .reason .rules");
  assert.equal(await page.locator(".verdicts > li:nth-child(2) .reason table").count(), 0);
}));

test("all else that the file says to the crawler [page.usage]", () => inPage(async (page) => {
  const sitemaps = Array.from({ length: 20 }, (_, at) => `Sitemap: https://a.example/${at}.xml\n`).join("");
  const body = `User-agent: *\nRequest-rate: 1/5m 0600-0845\nVisit-time: 0600-0845\nClean-param: s&t /a\nCrawl-delay: 2.5\nHost: a.example\nDisallow: /x\n${sitemaps}`;
  await ask(page, { body, agent: "MyBot", urls: ["/a"] });
  const words = command(["inspect", "--agent", "MyBot", "-"], body).toString();
  for (const word of ["1/300 0600-0845", "s&t /a", "a.example", "https://a.example/7.xml"]) {
    assert.ok(words.includes(word), words);
    assert.ok((await texts(page, ".summary code")).includes(word), word);
  }
  assert.match(await page.textContent(".summary"), /Applies.*1 rule.*Crawl delay2\.5 s.*and 12 more; the report has all/);
}));

test("a tree with a sign and a word for each path [page.paths]", () => inPage(async (page) => {
  await ask(page, { body: SHOP, agent: "MyBot" });
  const expected = tree(SHOP, { agents: "MyBot" }).nodes.map(({ label, words }) => `${label} ${words}`);
  const shown = await page.locator("#paths-out .tree li").evaluateAll((items) =>
    items.map((item) => `${item.querySelector(":scope > code").textContent} ${item.querySelector(":scope > .why").textContent}`));
  assert.deepEqual(shown, expected);
  const signs = await page.locator("#paths-out .tree li").evaluateAll((items) =>
    items.every((item) => (item.querySelector(":scope > .sign").textContent === "\u2713") === item.querySelector(":scope > .why").textContent.startsWith("allowed")));
  assert.ok(signs);
}));

test("two files as a diff of policy, with URLs that show it [page.changes]", () => inPage(async (page) => {
  await ask(page, { body: LATER, agent: "MyBot" });
  await tab(page, "compare");
  await type(page, "#other", SHOP);
  await answered(page);
  const folder = fs.mkdtempSync("/tmp/robosieve-page-");
  const [old, new_] = ["old.txt", "new.txt"].map((name) => path.join(folder, name));
  fs.writeFileSync(old, SHOP);
  fs.writeFileSync(new_, LATER);
  const everyone = commandJson(["diff", "--json", "--all-agents", old, new_]);
  const told = (flips) => flips.map((flip) => `${flip.path} now ${flip.allowed ? "allowed" : "disallowed"}`).sort();
  const flips = told(everyone.changes.flatMap((change) => change.flips));
  const shownFlips = async () => (await page.locator("#changes-out .flips li").evaluateAll((items) => items.flatMap((item) =>
    [...item.querySelectorAll("code")].map((code) => `${code.textContent} now ${item.className === "yes" ? "allowed" : "disallowed"}`)))).sort();
  assert.deepEqual(await shownFlips(), flips);
  assert.match(await page.textContent("#changes-out .flips"), /now (dis)?allowed, for example /);
  // Side by side: what is gone, and what came.
  const sides = await page.locator("#changes-out .sides").evaluateAll((items) => items.map((item) =>
    [...item.children].map((side) => [...side.querySelectorAll("li")].map((line) => `${line.className} ${line.querySelector("code").textContent}`))));
  assert.ok(sides.length > 1);
  for (const [gone, added] of sides) {
    assert.ok(gone.every((line) => line.startsWith("gone ")) && added.every((line) => line.startsWith("added ")), `${gone} ${added}`);
  }
  assert.match(await page.textContent("#changes-out"), /Added: ClaudeBotGone: CCBot/);
  await page.uncheck("#everyone");
  await answered(page);
  const one = commandJson(["diff", "--json", "--agent", "MyBot", old, new_]);
  assert.deepEqual(await shownFlips(), told(one.flips));
  await page.click("#swap");
  await answered(page);
  assert.deepEqual((await shownFlips()).sort(), ["/find now allowed", "/search now disallowed"]);
  await page.click("#keep");
  await answered(page);
  assert.match(await page.textContent("#changes-out"), /Nothing changed/);
  fs.rmSync(folder, { recursive: true });
}));

test("the texts of corpus/ are those of the command [page.same]", () => inPage(async (page) => {
  await ask(page, { agent: "MyBot", urls: ["/"] });
  const folder = path.join(corpus(), "hazards");
  const names = fs.readdirSync(folder).sort();
  // Every fourth: all of them are compared in bindings/wasm/test.
  for (const name of names.filter((_, at) => at % 4 === 0)) {
    const bytes = fs.readFileSync(path.join(folder, name));
    await give(page, bytes, { name });
    const expected = command(["filter", "--agent", "MyBot", "-"], bytes).toString();
    const shown = await page.evaluate(() => document.querySelector(".text")?.textContent ?? "");
    assert.equal(shown, expected.slice(0, 12_000), name);
  }
}));

test("all of it can be saved as JSON [page.report]", () => inPage(async (page) => {
  await ask(page, { body: SHOP, agent: "MyBot", urls: ["/cart"] });
  await tab(page, "saving");
  const report = JSON.parse((await saved(page, "#save-report")).bytes.toString());
  assert.equal(report.verdicts[0].line, 18);
  assert.deepEqual(report.lint.lints, commandJson(["lint", "--format", "json", "-"], SHOP).lints);
  assert.deepEqual(report.lines, commandJson(["explain", "--json", "--agent", "MyBot", "-"], SHOP).lines);
}));

test("a company, a product or a slip of the finger is answered with the crawlers that are meant [page.meant]", () => inPage(async (page) => {
  const body = "User-agent: Googlebot\nUser-agent: GPTBot\nUser-agent: Bingbot\nDisallow: /\n\nUser-agent: *\nAllow: /\n";
  await ask(page, { body, urls: ["/a"] });
  for (const [name, crawler] of [["Google", "Googlebot"], ["google bot", "Googlebot"], ["Bing", "Bingbot"], ["ChatGPT", "GPTBot"], ["OpenAI", "GPTBot"], ["Gogglebot", "Googlebot"]]) {
    await ask(page, { agent: name });
    assert.equal(await page.textContent("#headline"), `\u25d0${name} is no crawler\u2019s name`);
    assert.ok((await texts(page, "#below .chip")).includes(`${crawler}: closed`), `${name}: ${await page.textContent("#below")}`);
    assert.ok(await page.isHidden("#close"));
  }
  await page.click("#below .chip:has-text('Googlebot: closed')");
  await answered(page);
  assert.match(await page.textContent("#headline"), /^\u2717Googlebot may not fetch \/a/);
  // A name of one's own, a known one and a header are what they say.
  for (const name of ["MyBot", "gptbot", "Mozilla/5.0 (compatible; Google)"]) {
    await ask(page, { agent: name });
    assert.match(await page.textContent("#headline"), /may (not )?fetch/, name);
  }
}));

test("an example is called one [page.example]", () => inPage(async (page) => {
  assert.match(await page.textContent("#headline"), /^.Example: GPTBot may fetch 1 of 3 URLs/);
  await ask(page, { body: "User-agent: *\nDisallow: /mine\n" });
  assert.doesNotMatch(await page.textContent("#headline"), /Example/);
}));

test("URLs grow with their lines, and are taken and given as CSV [page.urls]", () => inPage(async (page) => {
  const height = () => page.evaluate(() => document.getElementById("urls").clientHeight);
  await ask(page, { body: "User-agent: *\nDisallow: /b\n", agent: "MyBot", urls: ["/a"] });
  const [one] = [await height()];
  await ask(page, { urls: ["/a", "/b", "/c"] });
  assert.ok(await height() > 2 * one, `${one} ${await height()}`);
  const rows = Array.from({ length: 1_100 }, (_, at) => `${at};"https://a.example/${at % 2 === 0 ? "a" : "b"},""${at}""";x\n`).join("");
  await page.setInputFiles("#file-urls", { name: "urls.csv", mimeType: "text/csv", buffer: Buffer.from(`number;url\n${rows}`) });
  await page.waitForFunction(() => document.querySelectorAll(".verdicts > li").length === 50);
  await answered(page);
  assert.equal(await page.textContent("#urls-note"), "Only the first 1,000 are asked. 1 row without a URL.");
  assert.match(await page.textContent("#headline"), /MyBot may fetch 500 of 1,000 URLs/);
  await page.click("#verdicts-out .more");
  assert.equal(await page.locator(".verdicts > li").count(), 1_000);
  await ask(page, { urls: ["=1+1", "/b,x", "/a"] });
  await tab(page, "saving");
  const { name, bytes } = await saved(page, "#save-table");
  assert.equal(name, "robots-verdicts.csv");
  // Nothing in it is a formula.
  assert.equal(bytes.toString(), "url,crawler,verdict,line,rule\r\n'=1+1,MyBot,error,,\r\n\"/b,x\",MyBot,disallowed,2,disallow: /b\r\n/a,MyBot,allowed,,\r\n");
}));

test("all that is done is undone and done again, by the keys and by buttons [page.undo]", () => inPage(async (page) => {
  const state = () => page.evaluate(() => ["body", "agent", "urls", "other"].map((id) => document.getElementById(id).value));
  const example = await state();
  assert.ok(await page.isHidden("#undo"));
  await page.focus("#body");
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("# typed");
  await answered(page);
  const typed = await state();
  await page.click("[data-fix]");
  await answered(page);
  const states = [example, typed, await state()];
  const acts = [
    () => page.click("#new"),
    () => page.click("#example"),
    () => give(page, Buffer.from("User-agent: *\nDisallow: /given\n")),
    () => page.click(".chip:has-text('CCBot')"),
    () => page.dispatchEvent("#body", "drop", { dataTransfer: page.dropped }),
  ];
  page.dropped = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(["User-agent: *\nDisallow: /dropped\n"], "dropped.txt"));
    return data;
  });
  for (const act of acts) {
    await act();
    await page.waitForFunction((before) => JSON.stringify(["body", "agent", "urls", "other"].map((id) => document.getElementById(id).value)) !== before, JSON.stringify(states.at(-1)));
    await answered(page);
    states.push(await state());
  }
  for (let at = states.length - 2; at >= 0; at -= 1) {
    if (at % 2 === 0) await page.keyboard.press("Control+z");
    else await page.click("#undo");
    await answered(page);
    assert.deepEqual(await state(), states[at], `${at}`);
  }
  assert.ok(await page.isHidden("#undo"));
  for (let at = 1; at < states.length; at += 1) {
    if (at % 2 === 0) await page.keyboard.press("Control+Shift+Z");
    else await page.click("#redo");
    await answered(page);
    assert.deepEqual(await state(), states[at], `${at} again`);
  }
  // What is typed now takes the place of what was undone.
  await page.keyboard.press("Control+z");
  await ask(page, { agent: "MyBot" });
  assert.ok(await page.isHidden("#redo"));
}));

test("a button closes the file to the crawler, and says what that drops [page.close]", () => inPage(async (page) => {
  const text = () => page.inputValue("#body");
  const close = async (body, agent) => {
    await ask(page, { body, agent, urls: [] });
    assert.equal(await page.textContent("#close"), `Close ${agent}`);
    await page.click("#close");
    await page.waitForFunction(() => document.getElementById("close-note").textContent !== "");
    await answered(page);
    return [await text(), await page.textContent("#close-note")];
  };
  const others = "User-agent: *\nDisallow: /cart\nCrawl-delay: 5\n";
  assert.deepEqual(await close(others, "GPTBot"), [
    `${others}\nUser-agent: GPTBot\nDisallow: /\n`, "GPTBot is closed now. What no longer applies to it: Disallow: /cart, Crawl-delay: 5.",
  ]);
  assert.match(await page.textContent("#headline"), /GPTBot may fetch nothing/);
  await page.click("#undo:has-text('Undo closing')");
  await answered(page);
  assert.equal(await text(), others);
  // A group of its own keeps its place; the name goes out of a group with others.
  const own = "User-agent: GPTBot # training\r\nAllow: /press/\r\nDisallow: /x # why\r\n\r\nUser-agent: *\r\nDisallow: /cart";
  await give(page, Buffer.from(own));
  const [closed, words] = await close(own, "GPTBot");
  assert.equal(closed, "User-agent: GPTBot # training\nDisallow: /\n\nUser-agent: *\nDisallow: /cart");
  assert.match(words, /What no longer applies to it: Allow: \/press\/, Disallow: \/x\./);
  const [shared] = await close("User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /x\n", "GPTBot");
  assert.equal(shared, "User-agent: CCBot\nDisallow: /x\n\nUser-agent: GPTBot\nDisallow: /\n");
  // Whom it concerns too, as their owners document it.
  assert.match((await close("User-agent: *\nDisallow:\n", "Googlebot"))[1], /These go by its group too: .*Googlebot-Image.*Applebot|Applebot.*Googlebot-Image/);
  // An edit that changes what others may fetch is not written.
  const odd = "User-agent: CCBot\nUser-agent GPTBot\nDisallow: /x\nUser-agent: GPTBot\nAllow: /y\nUser-agent: ClaudeBot\nDisallow: /z\n";
  const [after] = await close(odd, "GPTBot");
  assert.ok(after === odd || command(["test", "--agent", "GPTBot", "-", "/y"], after).toString().startsWith("disallowed"), after);
  await ask(page, { agent: "no token!" });
  assert.ok(await page.isHidden("#close"));
}));

test("the file is saved as it is, or copied [page.save]", () => inPage(async (page) => {
  const body = "User-agent: *\nDisalow: /a\n";
  await ask(page, { body });
  await tab(page, "saving");
  assert.equal((await saved(page, "#save-own")).bytes.toString(), body);
  assert.match(await page.textContent("#save-note"), /as it is on this page/);
  await page.click("#copy-file");
  await page.waitForSelector("#copy-file:text('Copied')");
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), body);
}));

test("a report to send is a page of its own, without scripts [page.report]", () => inPage(async (page, it) => {
  await ask(page, { body: `${SHOP}Disallow: /<script>window.pwned=1</script>\n`, agent: "MyBot", urls: ["/cart", "/<img src=x onerror=window.pwned=1>"] });
  await tab(page, "saving");
  const { name, bytes } = await saved(page, "#save-page");
  assert.equal(name, "robots-report.html");
  const html = bytes.toString();
  assert.match(html, /^<!doctype html>\n<html lang="en">.*default-src 'none'; style-src 'unsafe-inline'/s);
  const other = await it.context.browser().newPage();
  await other.setContent(html);
  assert.match(await other.textContent("h1"), /MyBot may fetch 1 of 2 URLs/);
  assert.equal(await other.evaluate(() => window.pwned), undefined);
  assert.equal(await other.locator("script, img, button, input, a[href^='#'], [style]").count(), 0);
  for (const words of ["/<img src=x onerror", "line 18: Disallow: /cart", "Line by line", "Findings"]) {
    assert.ok((await other.textContent("body")).includes(words), words);
  }
  await other.close();
}));

test("characters that are not seen have a mark in the editor [page.editor]", () => inPage(async (page) => {
  await ask(page, { body: "User-agent: *\nDisallow: /\u202eprivate\nDisallow: /a\u200bb\nDisallow: /c\n", agent: "MyBot" });
  const marks = await page.locator(".row").evaluateAll((rows) => rows.map((row) => row.querySelectorAll(".hidden").length));
  assert.deepEqual(marks, [0, 1, 1, 0, 0]);
  // They take no place, so what is painted stays under what is typed.
  assert.equal(await page.locator(".hidden").first().evaluate((item) => item.getBoundingClientRect().width), 0);
  assert.equal(await page.locator(".row").nth(1).locator(".code").textContent(), "Disallow: /private");
  await page.focus("#body");
  await page.evaluate(() => document.getElementById("body").setSelectionRange(20, 20));
  await page.waitForFunction(() => document.getElementById("line-note").textContent.includes("it has hidden characters: \\u{202e}"));
}));
