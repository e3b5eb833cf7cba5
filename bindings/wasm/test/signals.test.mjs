// What may be done with a page: the vectors of crates/signals, and what callers give.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import test from "node:test";
import { unpack, Refused, robotsParser } from "robosieve";
import { signals } from "robosieve/signals";
import { command, ROOT } from "./expected.mjs";
import { BUN, DENO, FOLDER, withTool } from "./shared.mjs";

const VECTORS = readFileSync(join(ROOT, "crates/signals/data/vectors.ndjson"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
const SOURCES = ["url", "headers", "robots", "tdmrep"];
const mine = { agents: "MyBot", time: new Date(0) };
const index = (page, options = mine) => signals({ url: "/a", ...page }, options).uses.index;

test("the vectors have the command's answers [js.signals] [signals.vectors]", () => {
  const requests = VECTORS.map(({ source, date, uses, limits, findings, licenses, ...request }) => request);
  const input = requests.map((one) => `${JSON.stringify(one)}\n`).join("");
  const lines = execFileSync(command(), ["signals", "--ndjson"], { input, encoding: "utf8", maxBuffer: 1 << 26 }).trim().split("\n");
  assert.ok(VECTORS.length > 300 && lines.length === VECTORS.length);
  for (const [at, vector] of VECTORS.entries()) {
    const page = Object.fromEntries(SOURCES.filter((name) => name in vector).map((name) => [name, vector[name]]));
    const html = vector.html_b64 === undefined ? vector.html : Buffer.from(vector.html_b64, "base64");
    const found = signals({ ...page, html }, { agents: vector.agent, time: vector.time });
    assert.equal(JSON.stringify({ v: 1, id: vector.id, ...found }), lines[at]);
    const said = Object.entries(found.uses).filter(([, value]) => value !== "unsaid");
    assert.deepEqual([Object.fromEntries(said), found.limits], [vector.uses, vector.limits ?? {}]);
    const asDate = signals({ ...page, html }, { agents: vector.agent, time: new Date(vector.time) });
    assert.deepEqual(asDate, found);
  }
});

test("headers in each form [js.signals]", () => {
  const lines = [["X-Robots-Tag", "googlebot: noindex"], ["X-Robots-Tag", "otherbot: nofollow"], ["Content-Signal", "search=yes"]];
  const head = lines.map((pair) => `${pair.join(": ")}\r\n`).join("");
  const expected = signals({ url: "/a", headers: lines }, { ...mine, agents: "Googlebot" });
  assert.deepEqual([expected.uses.index, expected.uses.follow], ["no", "unsaid"]);
  const bytes = (text) => new TextEncoder().encode(text);
  const forms = [
    { "X-Robots-Tag": ["googlebot: noindex", "otherbot: nofollow"], "Content-Signal": "search=yes" },
    lines.values(), new Map([["X-Robots-Tag", [lines[0][1], bytes(lines[1][1])]], lines[2]]), (function* () { yield* lines; })(),
    head, bytes(head), bytes(head).buffer, `\ufeff${head}`,
  ];
  for (const headers of forms) assert.deepEqual(signals({ url: "/a", headers }, { ...mine, agents: "Googlebot" }), expected);
  // `Headers` joins what is for two crawlers: the stricter reading.
  const joined = signals({ url: "/a", headers: new Headers([["X-Robots-Tag", "googlebot: noindex"], ["X-Robots-Tag", "otherbot: all"]]) }, { agents: "OtherBot" });
  assert.deepEqual([joined.uses.index, joined.findings[0].kind], ["unsaid", "ambiguous-agent"]);
});

test("a response of fetch, whose body is read before [js.signals]", async (context) => {
  const server = http.createServer((request, response) => {
    response.setHeader("X-Robots-Tag", "noai");
    response.writeHead(200, { "Content-Type": request.url === "/image" ? "image/png" : "text/html" });
    response.end("<head><meta name=robots content=noarchive></head>");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => (server.closeAllConnections(), server.close()));
  const response = await fetch(`http://127.0.0.1:${server.address().port}/page`);
  assert.throws(() => signals(response, mine), /write \{ response, html: await response\.text\(\) \}/);
  assert.throws(() => signals({ response }, mine), /has to be read/);
  const robots = "User-agent: *\nDisallow: /page\n";
  const { uses } = signals({ response, html: await response.text() }, mine);
  assert.deepEqual([uses.fetch, uses.archive, uses["ai-training"]], ["unsaid", "no", "no"]);
  assert.equal(signals({ response, html: "", robots }, mine).uses.fetch, "no");
  assert.equal(signals({ response, html: "", robots, url: "/other" }, mine).uses.fetch, "yes");
  const image = await fetch(`http://127.0.0.1:${server.address().port}/image`);
  assert.deepEqual([signals({ response: image }, mine).uses["ai-training"], image.bodyUsed], ["no", false]);
  assert.throws(() => signals({ response, headers: [], html: "" }, mine), TypeError);
  assert.throws(() => signals({ response: new Response("", { headers: { "content-type": "text/plain" } }) }, mine), /url is missing/);
  for (const kind of ["text/plain; charset=x, text/html", "text/html, text/html", "html", "*/*", "text/plain,", "application/vnd.wap.xhtml+xml"]) {
    assert.throws(() => signals({ response: new Response("", { headers: { "content-type": kind } }) }, mine), /has to be read/);
  }
});

test("robots.txt is read as elsewhere [js.signals] [js.unpack]", () => {
  const robots = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nContent-Usage: train-ai=y\n";
  for (const agents of ["GPTBot", "MyBot"]) {
    const found = signals({ url: "https://a.example/x", robots }, { agents });
    assert.equal(found.uses.fetch === "yes", robotsParser("https://a.example/robots.txt", robots).isAllowed("https://a.example/x", agents));
  }
  const part = { bytes: new TextEncoder().encode("User-agent: *\nAllow: /a"), complete: false };
  assert.notEqual(signals({ url: "/a", robots: part }, mine).uses.fetch, "yes");
  assert.equal(unpack(part.bytes).complete, true);
  const long = `User-agent: *\nDisallow: /${"x".repeat(3_000)}`;
  assert.throws(() => signals({ url: "/a", robots: long }, { ...mine, overLimit: "refuse", limits: { maxBytes: 100 } }), Refused);
  const closed = { url: "/", robots: "User-agent: *\nDisallow: /" };
  assert.deepEqual([true, false].map((known) => signals(closed, { agents: "AdsBot-Google", known }).uses.fetch), ["yes", "no"]);
});

test("times are dates or texts [js.signals]", () => {
  const headers = { "X-Robots-Tag": "unavailable_after: 2026-01-01T00:00:00Z" };
  const at = (time) => index({ headers }, { agents: "MyBot", time });
  for (const time of [new Date("2025-12-31T23:59:59.999Z"), "2025-12-31T23:59:59Z", new Date(-8.64e15)]) assert.equal(at(time), "unsaid");
  for (const time of [new Date("2026-01-01T00:00:00Z"), "2026-01-01T02:00:00+02:00", new Date(8.64e15), undefined]) assert.equal(at(time), "no");
  for (const time of [new Date(NaN), "", "yesterday", "\ud800", "1767225600"]) assert.throws(() => at(time), RangeError);
  for (const time of [0, 1_767_225_600, null, {}, true]) assert.throws(() => at(time), TypeError);
});

test("wrong arguments say what to do [js.total] [js.signals]", () => {
  const detached = new Uint8Array(8);
  structuredClone(detached, { transfer: [detached.buffer] });
  for (const page of [
    undefined, null, "/a", 5, {}, { url: 5 }, { url: "/a", header: [] }, { url: "/a", headers: 5 }, { url: "/a", headers: null },
    { url: "/a", headers: ["a: b"] }, { url: "/a", headers: [["a"]] }, { url: "/a", headers: [["a", 5]] }, { url: "/a", headers: [["a", null]] },
    { url: "/a", headers: { a: [null] } }, { url: "/a", html: 5 }, { url: "/a", html: null }, { url: "/a", html: detached }, { url: "/a", robots: detached },
    { url: "/a", headers: detached }, { url: "/a", tdmrep: [] }, { response: {} }, { response: null }, { url: "/a", html: new Response("") },
  ]) {
    assert.throws(() => signals(page, mine), TypeError, JSON.stringify(page));
  }
  for (const options of [undefined, null, {}, { agents: 5 }, { agents: "a", unknown: 1 }, { agents: "a", dialect: 5 }]) {
    assert.throws(() => signals({ url: "/a" }, options), TypeError);
  }
  for (const agents of ["", [], [""], "/a", "User-agent: a"]) assert.throws(() => signals({ url: "/a" }, { agents }), RangeError);
  assert.throws(() => signals({ url: "/a" }, { agents: "a", dialect: "bing" }), RangeError);
  const broken = (function* () { yield ["a", "b"]; throw new Error("of the caller"); })();
  assert.throws(() => signals({ url: "/a", headers: broken }, mine), /of the caller/);
});

test("what is huge, endless or broken allows nothing [js.total] [signals.bounds]", () => {
  const allowed = ["X-Robots-Tag", "index"];
  assert.equal(index({ headers: [allowed] }), "yes");
  const endless = function* () { yield allowed; for (;;) yield ["A", "b"]; };
  for (const headers of [
    endless(), [allowed, ...Array(300).fill(["X-Robots-Tag", "follow"])], [allowed, ["X-Robots-Tag", "x".repeat(1 << 20)]],
    [["X-Robots-Tag", "index, follow\ud800"]], [["X-Robots-Tag", new Uint8Array([0x69, 0xff, 0])]], [allowed, ["", "b"]], [allowed, ["a b", "c"]],
    `X-Robots-Tag: index\n${"A: b\n".repeat(200_000)}`, "X-Robots-Tag: index\nno header",
  ]) {
    assert.equal(index({ headers }), "unsaid");
  }
  const page = "<meta name=robots content=index>";
  for (const [html, expected] of [[page, "yes"], [`${page}<body>${"x".repeat(1 << 20)}`, "yes"], [`${page}<!-- \ud83d`, "unsaid"], [" ".repeat(1 << 20) + page, "unsaid"]]) {
    assert.equal(index({ html }), expected);
  }
  assert.ok(Object.values(signals({ url: "no url", robots: "User-agent: *\nDisallow: /", headers: [allowed], tdmrep: "[" }, mine).uses).every((one) => one !== "yes"));
});

/** Asks once, in a program of its own. */
const PROGRAM = `signals({ url: "/a", headers: [["X-Robots-Tag", "noindex"]] }, { agents: "MyBot" }).uses.index`;

test("the entry of browsers says that it has to be loaded, and loads [js.platforms]", () => {
  const program = `
    import { readFileSync } from "node:fs";
    import { init, signals } from "./npm/signals-browser.js";
    let said = "nothing";
    try { ${PROGRAM} } catch (error) { said = error.message; }
    await init(readFileSync("npm/signals.wasm"));
    console.log(JSON.stringify([said, ${PROGRAM}]));`;
  const run = execFileSync(process.execPath, ["--input-type=module", "-e", program], { cwd: FOLDER, encoding: "utf8" });
  const [said, found] = JSON.parse(run);
  assert.match(said, /call `await init\(\)` first/);
  assert.equal(found, "no");
});

test("Deno and Bun have it ready at import [js.platforms]", (context) => {
  const path = join(FOLDER, "target/signals-once.mjs");
  writeFileSync(path, `import { signals } from "robosieve/signals";\nconsole.log(${PROGRAM});\n`);
  for (const run of [[DENO, "run", "--no-config", "--allow-read", "--node-modules-dir=manual"], [BUN, "run"]]) {
    if (!withTool(run[0], context)) continue;
    assert.equal(execFileSync(run[0], [...run.slice(1), path], { cwd: FOLDER, encoding: "utf8" }).trim(), "no");
  }
});
