// Hostile values where a file, an option or a URL is expected.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { gzipSync } from "node:zlib";
import * as api from "robosieve";

const FILE = "User-agent: *\nDisallow: /x\n";

const CALLS = {
  sieve: (body) => api.sieve(body, { agents: "MyBot" }),
  explain: (body) => api.explain(body),
  lint: (body) => api.lint(body),
  test: (body) => api.test(body, { agents: "MyBot", urls: ["/x"] }),
  diff: (body) => api.diff(body, FILE, { allAgents: true }),
  signals: (robots) => api.signals({ url: "/x", robots }, { agents: "MyBot" }),
  robotsParser: (body) => api.robotsParser("https://a.example/robots.txt", body).isAllowed("https://a.example/x"),
};

test("no body throws: surrogates, NUL, shared buffers, views, random bytes", () => {
  let seed = 1;
  const random = Uint8Array.from({ length: 5_000 }, () => (seed = (seed * 48_271) % 2_147_483_647) & 255);
  const bodies = {
    empty: "",
    "lone surrogates": `User-agent: \ud800*\nDisallow: /\udfff\ud83d`,
    NUL: "User-agent: *\0\nDisallow: /\0x",
    "UTF-16": new Uint8Array([0xff, 0xfe, 0x41, 0, 0x0a, 0]),
    shared: new Uint8Array(new SharedArrayBuffer(20)),
    "shared buffer": new SharedArrayBuffer(20),
    "a view": new DataView(new TextEncoder().encode(FILE).buffer, 5, 10),
    "a buffer of Node": Buffer.from(FILE),
    random,
    "one long line": "a".repeat(700_000),
    "a character at the cut": `${"#".repeat(511_999)}\u{1f600}`,
  };
  for (const [what, body] of Object.entries(bodies)) {
    for (const [name, call] of Object.entries(CALLS)) assert.doesNotThrow(() => call(body), `${name} of ${what}`);
  }
});

test("a detached buffer is an error, since an empty file would allow everything", () => {
  for (const bodyOf of [(buffer) => buffer, (buffer) => new Uint8Array(buffer), (buffer) => new DataView(buffer)]) {
    const buffer = new ArrayBuffer(100);
    const body = bodyOf(buffer);
    structuredClone(buffer, { transfer: [buffer] });
    for (const call of Object.values(CALLS)) assert.throws(() => call(body), TypeError);
  }
  assert.equal(api.sieve(new Uint8Array(0)).text, api.sieve("").text);
});

test("a text that is cut is cut where its bytes are", () => {
  for (const front of [511_985, 511_990, 511_995]) {
    const text = `User-agent: *\n${"é".repeat(front / 2)}\nDisallow: /${"é".repeat(20)}`;
    assert.deepEqual(api.sieve(text), api.sieve(new TextEncoder().encode(text)), `${front}`);
  }
});

test("wrong bodies and options are errors that say what to do", () => {
  const range = (call, message) => assert.throws(call, { name: "RangeError", message });
  const type = (call, message) => assert.throws(call, { name: "TypeError", message });
  for (const body of [undefined, null, 1, {}, [], Symbol("x"), () => {}]) type(() => api.sieve(body), /the file must be/);
  for (const options of ["MyBot", null, []]) type(() => api.sieve(FILE, options), /options must be an object/);
  type(() => api.sieve(FILE, { agent: "MyBot" }), /there is no option "agent".*dialect/);
  type(() => api.sieve(FILE, { limits: { max_bytes: 1 } }), /names are written as in maxBytes/);
  type(() => api.sieve(FILE, { agents: [1] }), /agents must be strings/);
  range(() => api.sieve(FILE, { dialect: "bing" }), /dialect.*standard/);
  type(() => api.sieve(FILE, { agents: new Set(["a"]) }), /agents must be/);
  type(() => api.test(FILE, { agents: "MyBot" }), /urls is missing/);
  type(() => api.test("x"), /as in \{ agents: "MyBot" \}/);
  type(() => api.diff(FILE, FILE, {}), /name an agent/);
  type(() => api.diff(FILE, FILE, { allAgents: true, agents: "a" }), /name an agent/);
  type(() => api.diff(FILE, undefined, { allAgents: true }), /the newer file must be/);
  type(() => api.diff("x"), /diff\(older, newer, \{ agents/);
  for (const page of [null, 1, { url: "/", headres: [] }, { url: 1 }, { url: "/", headers: 5 }, { url: "/", headers: [["a"]] }, { url: "/", html: 5 }, {}]) {
    type(() => api.signals(page, { agents: "MyBot" }), /./);
  }
  type(() => api.signals({ url: "/" }, {}), /name an agent/);
  type(() => api.signals({ url: "/" }, { agents: "a", time: 1 }), /time must be a Date/);
  range(() => api.signals({ url: "/" }, { agents: "a", time: "yesterday" }), /^time: /);
  // Options have the names that the caller wrote, and nothing that is quoted changes.
  range(() => api.sieve("", { overLimit: "max_x" }), /^overLimit: "max_x" is not /);
  const refused = () => api.sieve("#".repeat(9), { agents: "a", limits: { maxBytes: 3 }, overLimit: "refuse" });
  assert.throws(refused, { name: "Refused", message: /longer than maxBytes: / });
});

test("a URL goes wherever a URL goes; a Response has to be read first", async () => {
  const [file, page] = ["User-agent: *\nDisallow: /x\nSitemap: /s.xml\n", new URL("https://a.example/x?y")];
  for (const urls of [page, [page], [page.href, page]]) {
    assert.ok(api.test(file, { urls }).results.every(({ url, allowed }) => url === page.href && !allowed));
  }
  assert.match(api.sieve(file, { baseUrl: page }).text, /https:\/\/a\.example\/s\.xml/);
  const response = new Response(file);
  const newer = (body) => api.diff(file, body, { agents: "a" });
  for (const call of [api.sieve, (body) => api.robotsParser(page, body), newer]) {
    assert.throws(() => call(response), { name: "TypeError", message: /write await response\.arrayBuffer\(\)$/ });
  }
  assert.equal(api.sieve(await response.arrayBuffer(), { agents: "a" }).text, api.sieve(file, { agents: "a" }).text);
});

test("without memory there is an error, and then answers again", () => {
  const robots = api.robotsParser("https://a.example/robots.txt", FILE);
  assert.equal(robots.isAllowed("https://a.example/x"), false);
  // Each line takes many times its bytes, and the dialect has no limit.
  const huge = Buffer.alloc(600_000_000, "Allow:/a\nDisallow:/b\n");
  huge.write("User-agent: *\n");
  assert.throws(() => api.explain(huge, { dialect: "google" }), { name: "RangeError", message: /maxBytes/ });
  assert.equal(api.sieve(FILE).text, FILE);
  assert.equal(robots.isAllowed("https://a.example/x"), false);
});

test("a packed file is whole or an error; more than is read of it is a part", async () => {
  const file = "# closed\nUser-agent: *\nDisallow: /x\n";
  const packed = gzipSync(file);
  const flipped = (at) => Buffer.from(packed.map((byte, place) => (place === at ? byte ^ 1 : byte)));
  for (const whole of [packed, Buffer.from(file), file, Buffer.alloc(0)]) {
    const { bytes, complete } = await api.unpack(whole);
    assert.ok(complete && [file, ""].includes(new TextDecoder().decode(bytes)));
  }
  const ends = [...packed.keys()].slice(1).map((end) => packed.subarray(0, end));
  const damaged = [flipped(packed.length - 5), flipped(10), Buffer.concat([packed, Buffer.from("xx")]), Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 4, 0])];
  for (const body of [...ends, ...damaged]) await assert.rejects(api.unpack(body), api.UnpackError, body.toString("hex"));
  const bomb = await api.unpack(gzipSync(Buffer.alloc(200_000_000, `${file}#`)));
  assert.deepEqual([bomb.bytes.length, bomb.complete], [512_016, false]);
  // Whoever forgets `complete` gets the same answers: never those for a whole file.
  const part = await api.unpack(gzipSync("# 1\nUser-agent: *\nDisallow: /y"), { maxBytes: 7 });
  assert.deepEqual([part.bytes.length, part.complete], [23, false]);
  for (const given of [part, part.bytes, structuredClone({ ...part })]) {
    const expected = api.sieve(part.bytes.slice(), { agents: "a", complete: false }).text;
    for (const complete of [undefined, true]) assert.equal(api.sieve(given, { agents: "a", complete }).text, expected);
    assert.equal(api.robotsParser("https://a.example/robots.txt", given).isAllowed("https://a.example/x"), false);
    assert.equal(api.test(given, { urls: "/x" }).results[0].allowed, false);
  }
  for (const wrong of [7, null, {}, { bytes: 7, complete: true }]) await assert.rejects(api.unpack(wrong), { name: "TypeError" });
  await assert.rejects(api.unpack(packed, { max: 1 }), { name: "TypeError", message: /maxBytes/ });
  for (const maxBytes of [-1, 0.5, NaN]) await assert.rejects(api.unpack(packed, { maxBytes }), { name: "RangeError" });
});

test("every literal of the types of options is taken, and each type has one", () => {
  const types = readFileSync(new URL("../npm/index.d.ts", import.meta.url), "utf8");
  const [, body] = types.match(/export interface Options \{([^]*?)\n\}/);
  const fields = [...body.matchAll(/^  (\w+)\?: (.*);$/gm)].filter(([, name]) => name !== "agents" && name !== "limits");
  assert.ok(fields.length > 15, `only ${fields.length} options`);
  for (const [, name, type] of fields) {
    const values = { boolean: [true, false], Limit: [0, 7, null], "string | URL": ["https://a.example/", new URL("https://a.example/")] }[type];
    for (const value of values ?? type.split(" | ").map((literal) => JSON.parse(literal))) {
      assert.ok(api.sieve("User-agent: *", { [name]: value }).text, `${name}: ${value}`);
    }
    for (const wrong of [{}, [], "nothing", 1.5]) {
      assert.throws(() => api.sieve("User-agent: *", { [name]: wrong }), `${name}: ${wrong}`);
    }
  }
});
