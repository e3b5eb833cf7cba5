// The gate for JavaScript, against a real server on loopback.

import assert from "node:assert/strict";
import http from "node:http";
import net from "node:net";
import { gzipSync } from "node:zlib";
import { after, test } from "node:test";
import { Gate } from "robosieve/gate";

const DAY = 86_400_000;
const servers = [];
after(() => servers.forEach((server) => (server.closeAllConnections(), server.close())));

/** A site whose robots.txt is answered by `answer(request, response)`. */
async function site(answer) {
  const asked = [];
  const server = http.createServer((request, response) => {
    asked.push({ url: request.url, headers: request.headers, at: performance.now() });
    answer(request, response);
  });
  servers.push(server);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, asked };
}

const text = (body, status = 200, headers = {}) => (_, response) => response.writeHead(status, headers).end(body);
const gate = (options) => new Gate({ agent: "MyBot", allowPrivate: true, delay: 1, minDelay: 1, ...options });

test("a site is asked once, and its rules decide", async () => {
  const shop = await site(text("User-agent: *\nDisallow: /cart\nCrawl-delay: 2\n"));
  const mine = gate();
  const urls = Array.from({ length: 20 }, (_, at) => `${shop.url}/${at % 2 ? "cart" : "a"}/${at}`);
  const steps = await Promise.all(urls.map((url) => mine.permits(url)));
  assert.deepEqual(steps.map((step) => step.allowed), urls.map((_, at) => at % 2 === 0));
  const { action, reason, rule, line, why } = steps[1];
  assert.deepEqual([action, reason, rule, line], ["no", "rule", "Disallow: /cart", 2]);
  assert.match(why, /Disallow: \/cart/);
  assert.equal((await mine.permits(`${shop.url}/x/../y?q#z`)).target, `${shop.url}/y?q`);
  assert.equal(shop.asked.length, 1);
  assert.equal(shop.asked[0].headers["user-agent"], "MyBot");
  assert.equal(shop.asked[0].headers.connection, "close");
  assert.equal(shop.asked[0].headers["accept-encoding"], "identity");
  assert.equal(mine.delay(shop.url), 2_000);
  mine.close();
  assert.equal((await mine.permits(`${shop.url}/cart`)).reason, "rule");
  assert.equal(shop.asked.length, 2, "closed, it has forgotten everything");
});

test("no packed body is asked for; one is read of a client that leaves it as it came, and only whole", async () => {
  const packed = gzipSync("User-agent: *\nDisallow: /x\n");
  const raw = (end) => gate({ fetch: async () => new Response(packed.subarray(0, end), { headers: { "Content-Encoding": "gzip" } }) });
  for (const [end, page, reason] of [[packed.length, "x", "rule"], [packed.length, "y", "allowed"], [packed.length - 1, "y", "closed"]]) {
    assert.equal((await raw(end).permits(`https://a.example/${page}`)).reason, reason);
  }
});

test("turns keep the pace, and a busy host gets a slower one", async () => {
  const shop = await site(text("User-agent: *\n"));
  const mine = gate({ delay: 200 });
  const [began, times] = [performance.now(), []];
  await Promise.all([1, 2, 3].map(async (at) => {
    assert.ok((await mine.turn(`${shop.url}/${at}`)).allowed);
    times.push(performance.now() - began);
  }));
  times.sort((a, b) => a - b);
  assert.ok(times[1] > 190 && times[2] > 390, `${times}`);
  mine.observe(`${shop.url}/3`, { status: 429, retryAfter: 60_000 });
  const later = await mine.turn(`${shop.url}/4`, { signal: AbortSignal.timeout(300) }).catch((error) => error);
  assert.ok(later.name === "TimeoutError" || later.action === "wait", JSON.stringify(later));
  const soon = gate({ delay: 60_000, maxWait: 10 });
  assert.ok((await soon.turn(`${shop.url}/1`)).action === "wait");
});

test("a file is asked for again after a day, with its validators", async () => {
  const shop = await site((request, response) => {
    if (request.headers["if-none-match"] === '"1"') response.writeHead(304).end();
    else text("User-agent: *\nDisallow: /x\n", 200, { ETag: '"1"' })(request, response);
  });
  let now = Date.now();
  const mine = gate({ clock: () => now });
  for (const [later, asked] of [[0, 1], [DAY - 1_000, 1], [2_000, 2]]) {
    now += later;
    assert.equal((await mine.permits(`${shop.url}/x`)).reason, "rule");
    assert.equal(shop.asked.length, asked);
  }
  assert.equal(shop.asked[1].headers["if-none-match"], '"1"');
});

test("a bug in the caller's `fetch` goes through; an error of the network closes the site, trouble on our side says nothing of it", async () => {
  const url = "https://a.example/x";
  const caused = (message, cause) => Object.assign(new TypeError(message), { cause });
  const coded = (message, code) => Object.assign(new TypeError(message), { code });
  const network = [
    new Error("reset"), caused("fetch failed", new Error("other side closed")), coded("no connection", "ECONNREFUSED"),
    new TypeError("Failed to fetch"), new TypeError("Load failed"), new TypeError("NetworkError when attempting to fetch"),
    Object.assign(new Error("timeout"), { name: "TimeoutError" }), "no error",
  ];
  const shop = await site((request) => request.socket.destroy());
  for (const thrown of network) {
    const step = await gate({ fetch: async () => { throw thrown; } }).permits(url);
    assert.deepEqual([step.reason, step.attempts, typeof step.error], ["closed", 1, "string"], String(thrown));
  }
  const ours = caused("fetch failed", coded("no descriptor", "EMFILE"));
  for (const [fetch, words] of [[async () => { throw ours; }, /no descriptor/], [async () => ({ type: "opaqueredirect" }), /browsers/]]) {
    const step = await gate({ fetch }).permits(url);
    assert.deepEqual([step.action, step.reason], ["no", "not-asked"]);
    assert.match(step.why, words);
  }
  for (const page of [`${shop.url}/x`, "http://127.0.0.1:1025/", "https://nowhere.invalid/"]) {
    assert.equal((await gate({ fetch: (to, init) => fetch(to, init) }).permits(page)).action, "no", page);
  }
  let bug;
  const mine = gate({ fetch: async () => (bug ? bug() : new Response("User-agent: *\nDisallow: /x\n")) });
  const bugs = [
    () => missing, () => undefined.x, () => fetch("no url"), () => fetch(url, { method: "a b" }),
    () => fetch(url, { headers: { "a\n": "b" } }), () => new Function("a b"), () => net.connect({ port: {} }),
    () => assert.equal(1, 2), () => undefined,
  ];
  for (bug of bugs) {
    const thrown = await mine.permits(url).catch((error) => error);
    assert.ok(thrown instanceof Error, `${bug}: ${JSON.stringify(thrown)}`);
    assert.match(thrown.name, /^(?:Reference|Type|Syntax|Assertion)Error$/, `${bug}`);
  }
  bug = undefined;
  const step = await mine.permits(url);
  assert.deepEqual([step.reason, step.error, step.attempts], ["rule", undefined, 0]);
});

test("the gate follows redirects; a step has its status, the last error, and the number of requests", async () => {
  const end = await site(({ url }, response) => text("User-agent: *\nDisallow: /x\n", url === "/file.txt" ? 200 : 503)({ url }, response));
  const to = (path) => site(text("", 301, { Location: end.url + path }));
  const none = await site(text("", 404));
  for (const [shop, reason, status, error, attempts] of [
    [end, "closed", 503, "status 503", 1], [await to("/robots.txt"), "closed", 503, "status 503", 2],
    [await to("/file.txt"), "rule", undefined, undefined, 0], [none, "allowed", 404, undefined, 0],
  ]) {
    const step = await gate().permits(`${shop.url}/x`);
    assert.deepEqual([step.reason, step.status, step.error, step.attempts], [reason, status, error, attempts]);
    assert.equal(step.until instanceof Date, reason === "closed");
  }
});

test("a question that is given up leaves the retrieval to the next one", async () => {
  let stuck = true;
  const shop = await site((request, response) => (stuck ? undefined : text("User-agent: *\nDisallow: /x\n")(request, response)));
  const mine = gate();
  const given = mine.turn(`${shop.url}/x`, { signal: AbortSignal.timeout(100) });
  await assert.rejects(given, { name: "TimeoutError" });
  stuck = false;
  assert.equal((await mine.permits(`${shop.url}/x`)).reason, "rule");
  await assert.rejects(mine.permits(`${shop.url}/y`, { signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("bad arguments say what to do, and what is no URL is not fetched", async () => {
  assert.throws(() => new Gate(), /takes options/);
  for (const agent of [undefined, "", " ", [], [1]]) assert.throws(() => new Gate({ agent }), /name of your crawler/);
  assert.throws(() => new Gate({ agent: "a", delays: 1 }), /no option "delays": there are agent/);
  assert.throws(() => new Gate({ agent: "a", delay: -1 }), /delay must be milliseconds/);
  assert.throws(() => new Gate({ agent: "a", policy: "kind" }), /no policy "kind": there are .*rfc9309/);
  const mine = gate();
  for (const url of ["", "/a"]) assert.equal((await mine.permits(url)).reason, "not-a-url", url);
  await assert.rejects(mine.turn(null), /must be a string/);
});

test("what the guard refuses was not asked, under any policy", async () => {
  const fetch = () => assert.fail("asked");
  for (const policy of ["rfc9309", "google", "strict"]) {
    const step = await new Gate({ agent: "MyBot", policy, fetch }).permits("http://127.0.0.1:8080/a");
    const said = "the site could not be asked: refused: 127.0.0.1 is a loopback address; allowPrivate allows it";
    assert.deepEqual([step.action, step.reason, step.why], ["no", "not-asked", said]);
  }
});
