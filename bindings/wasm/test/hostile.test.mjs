// Hostile values where a file, an option or a URL is expected.

import assert from "node:assert/strict";
import test from "node:test";
import { gzipSync } from "node:zlib";
import * as api from "robosieve";

const FILE = "User-agent: *\nDisallow: /x\n";

const CALLS = {
  sieve: (body) => api.sieve(body, { agents: "MyBot" }),
  explain: (body) => api.explain(body, { words: true }),
  inspect: (body) => api.inspect(body),
  lint: (body) => api.lint(body),
  test: (body) => api.test(body, { agents: "MyBot", urls: ["/x"] }),
  why: (body) => api.why(body, { agents: "MyBot", url: "/x" }),
  usage: (body) => api.usage(body, { agents: "MyBot", url: "/x" }),
  matrix: (body) => api.matrix(body, { crawlers: "search", urls: ["/x"] }),
  tree: (body) => api.tree(body),
  diff: (body) => api.diff(body, FILE, { allAgents: true }),
  robotsParser: (body) => api.robotsParser("https://a.example/robots.txt", body).isAllowed("https://a.example/x"),
};

/** A buffer whose memory has gone to another owner. */
function detached() {
  const bytes = new Uint8Array(100);
  structuredClone(bytes, { transfer: [bytes.buffer] });
  return bytes;
}

test("no body throws: surrogates, NUL, shared buffers, views, random bytes [js.total] [js.input]", () => {
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

test("a detached buffer is an error, since an empty file would allow everything [js.total]", () => {
  for (const body of [detached(), detached().buffer, new DataView(new ArrayBuffer(4))]) {
    if (body instanceof DataView) structuredClone(body.buffer, { transfer: [body.buffer] });
    for (const call of Object.values(CALLS)) assert.throws(() => call(body), TypeError);
  }
  assert.equal(api.sieve(new Uint8Array(0)).text, api.sieve("").text);
});

test("text is encoded in UTF-8, and a lone surrogate becomes U+FFFD [js.input]", () => {
  const text = "User-agent: *\nDisallow: /\u00e9\ud800\u{1f600}";
  assert.deepEqual(api.explain(text), api.explain(new TextEncoder().encode(text)));
  assert.match(api.sieve(text).text, /\/%C3%A9%EF%BF%BD%F0%9F%98%80/);
});

test("a text that is cut is cut where its bytes are [js.input]", () => {
  for (const front of [511_985, 511_990, 511_995]) {
    const text = `User-agent: *\n${"é".repeat(front / 2)}\nDisallow: /${"é".repeat(20)}`;
    assert.deepEqual(api.sieve(text), api.sieve(new TextEncoder().encode(text)), `${front}`);
  }
});

test("wrong bodies and options are errors that say what to do [js.total] [js.options]", () => {
  const range = (call, message) => assert.throws(call, { name: "RangeError", message });
  const type = (call, message) => assert.throws(call, { name: "TypeError", message });
  for (const body of [undefined, null, 1, {}, [], Symbol("x"), () => {}]) type(() => api.sieve(body), /the file must be/);
  type(() => api.sieve(FILE, "MyBot"), /options must be an object/);
  type(() => api.sieve(FILE, { agent: "MyBot" }), /there is no option "agent".*dialect/);
  type(() => api.sieve(FILE, { limits: { max_bytes: 1 } }), /there is no limit.*maxBytes/);
  type(() => api.sieve(FILE, { agents: [1] }), /agents must be strings/);
  type(() => api.sieve(FILE, { fold: "no" }), /fold must be true or false/);
  type(() => api.sieve(FILE, { ["__proto__x"]: 1 }), /there is no option/);
  range(() => api.sieve(FILE, { dialect: "bing" }), /dialect.*standard/);
  range(() => api.sieve(FILE, { agents: [] }), /name your crawler/);
  range(() => api.sieve(FILE, { agents: " " }), /an agent is empty/);
  range(() => api.sieve(FILE, { agents: "https://a.example/" }), /looks like a URL/);
  for (const file of [FILE, "Disallow: /", "\nuser agent : *", "My\rBot", "x:"]) {
    range(() => api.sieve("MyBot", { agents: file }), /looks like a file: the file comes first/);
    range(() => api.matrix("MyBot", { agents: ["a", file], urls: ["/"] }), /looks like a file/);
  }
  for (const agents of ["MyBot\n", "My Bot: x", "MyBot http://a.example/", "M/1.0 (compatible; M: x)", "http"]) api.sieve(FILE, { agents });
  type(() => api.sieve(FILE, { agents: new Set(["a"]) }), /agents must be/);
  range(() => api.sieve(FILE, { limits: { maxBytes: -1 } }), /not negative/);
  range(() => api.sieve(FILE, { limits: { maxBytes: 1.5 } }), /whole number/);
  range(() => api.sieve(FILE, { baseUrl: "x" }), /^baseUrl: /);
  range(() => api.matrix(FILE, { crawlers: "bad", urls: ["/"] }), /there is no kind.*ai/);
  range(() => api.why(FILE, { url: "example.com/a" }), /write/);
  type(() => api.why(FILE, {}), /url is missing/);
  type(() => api.test(FILE, { agents: "MyBot" }), /urls is missing/);
  type(() => api.diff(FILE, FILE, {}), /name an agent/);
  type(() => api.diff(FILE, FILE, { allAgents: true, agents: "a" }), /not both/);
  type(() => api.diff(FILE, undefined, { allAgents: true }), /the newer file must be/);
});

test("errors name options as the caller wrote them, and nothing that is quoted changes [js.options]", () => {
  const refused = () => api.sieve("#".repeat(9), { agents: "a", limits: { maxBytes: 3 }, overLimit: "refuse" });
  assert.throws(refused, { name: "Refused", message: /longer than maxBytes: / });
  assert.throws(() => api.sieve("", { overLimit: "max_x" }), { message: /^overLimit: "max_x" is not / });
  assert.throws(() => api.sieve("", { baseUrl: "no" }), { message: /^baseUrl: "no" is not / });
});

test("a URL goes wherever a URL goes; a Response has to be read first [js.options] [js.total]", async () => {
  const [file, page] = ["User-agent: *\nDisallow: /x\nSitemap: /s.xml\n", new URL("https://a.example/x?y")];
  for (const urls of [page, [page], [page.href, page]]) {
    assert.ok(api.test(file, { urls }).results.every(({ url, allowed }) => url === page.href && !allowed));
  }
  assert.deepEqual(api.matrix(file, { urls: page, crawlers: "ai" }).urls, [page.href]);
  assert.equal(api.why(file, { url: page }).path, "/x?y");
  assert.equal(api.usage(file, { url: page }).answer.allowed, false);
  assert.match(api.sieve(file, { baseUrl: page }).text, /https:\/\/a\.example\/s\.xml/);
  assert.throws(() => api.sieve(file, { agents: page }), { name: "RangeError", message: /looks like a URL/ });
  const response = new Response(file);
  const newer = (body) => api.diff(file, body, { agents: "a" });
  for (const call of [api.sieve, api.unpack, (body) => api.robotsParser(page, body), newer]) {
    assert.throws(() => call(response), { name: "TypeError", message: /write await response\.arrayBuffer\(\)$/ });
  }
  assert.equal(api.sieve(await response.arrayBuffer(), { agents: "a" }).text, api.sieve(file, { agents: "a" }).text);
});

test("options are read once, and what a getter throws is passed on [js.options]", () => {
  let read = 0;
  const options = {
    get agents() {
      read += 1;
      return read === 1 ? "MyBot" : 42;
    },
  };
  assert.equal(api.sieve(FILE, options).answered_by, "everyone");
  assert.equal(read, 1);
  const hostile = {
    get dialect() {
      throw new Error("mine");
    },
  };
  assert.throws(() => api.sieve(FILE, hostile), { message: "mine" });
  assert.equal(api.sieve(FILE).exact, true);
});

test("only overLimit: refuse throws for a body, and throws Refused [js.total]", () => {
  const long = `User-agent: *\nDisallow: /${"x".repeat(3_000)}\n`;
  assert.equal(api.sieve(long).exact, false);
  assert.throws(
    () => api.sieve(long, { overLimit: "refuse" }),
    (error) => error instanceof api.Refused && error instanceof RangeError && error.name === "Refused",
  );
});

test("without memory there is an error, and then answers again [js.memory]", () => {
  const robots = api.robotsParser("https://a.example/robots.txt", FILE);
  assert.equal(robots.isAllowed("https://a.example/x"), false);
  // Each line takes many times its bytes, and the dialect has no limit.
  const huge = Buffer.alloc(600_000_000, "Allow:/a\nDisallow:/b\n");
  huge.write("User-agent: *\n");
  assert.throws(() => api.tree(huge, { dialect: "google" }), { name: "RangeError", message: /maxBytes/ });
  assert.equal(api.sieve(FILE).text, FILE);
  assert.equal(robots.isAllowed("https://a.example/x"), false);
});

test("a packed file is whole, a part, or an error [js.unpack]", () => {
  const file = "# closed\nUser-agent: *\nDisallow: /x\n";
  const packed = gzipSync(file);
  const flipped = (at) => Buffer.from(packed.map((byte, place) => (place === at ? byte ^ 1 : byte)));
  const cases = {
    whole: [packed, true],
    "two members": [Buffer.concat([packed, gzipSync("Disallow: /y\n")]), true],
    "members with padding": [Buffer.concat([packed, Buffer.alloc(7), gzipSync(""), Buffer.alloc(600)]), true],
    "not packed": [Buffer.from(file), true],
    text: [file, true],
    empty: [Buffer.alloc(0), true],
    "the beginning of a head": [packed.subarray(0, 2), false],
    "a head": [packed.subarray(0, 10), false],
    "without its end": [packed.subarray(0, -12), false],
    "without its sum": [packed.subarray(0, -8), false],
    "without its last byte": [packed.subarray(0, -1), false],
    "the beginning of another member": [Buffer.concat([packed, packed.subarray(0, 2)]), false],
    "half of another member": [Buffer.concat([packed, packed.subarray(0, 20)]), false],
    "a bomb": [gzipSync(Buffer.alloc(200_000_000, `${file}#`)), false],
    "a wrong sum": [flipped(packed.length - 5), /matching checksum/],
    "a wrong length": [flipped(packed.length - 1), /matching checksum/],
    "other content": [gzipSync(file, { level: 0 }).map((byte) => (byte === 0x78 ? 0x79 : byte)), /matching checksum/],
    "corrupt data": [flipped(10), /corrupt deflate stream|matching checksum/],
    "bytes after the end": [Buffer.concat([packed, Buffer.from("xx")]), /no gzip member begins where one should/],
    "NULs and bytes after the end": [Buffer.concat([packed, Buffer.from("\0\0x")]), /no gzip member begins/],
    "another method": [flipped(2), /invalid gzip header/],
    "one byte": [packed.subarray(0, 1), false],
    "a long head": [Buffer.concat([Buffer.from([31, 139, 8, 8, 0, 0, 0, 0, 0, 3]), Buffer.alloc(700_000, 97)]), /unpacked from gzip/],
    "many members": [Buffer.concat(Array(40_000).fill(gzipSync(""))), /longer than 577552 bytes/],
    zstd: [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 4, 0]), /unpacked from zstd: this module reads gzip only/],
  };
  for (const [what, [body, expected]] of Object.entries(cases)) {
    if (expected instanceof RegExp) {
      assert.throws(() => api.unpack(body), (error) => error instanceof api.UnpackError && expected.test(error.message), what);
      continue;
    }
    const unpacked = api.unpack(body);
    assert.equal(unpacked.complete, expected, what);
    assert.ok(unpacked.bytes instanceof Uint8Array && unpacked.bytes.length <= 512_016, what);
    // Whoever forgets `complete` gets the same answers: never those for a whole file.
    for (const given of [unpacked, unpacked.bytes, structuredClone({ ...unpacked })]) {
      for (const complete of [undefined, true]) {
        const whole = { sieve: api.sieve(unpacked.bytes.slice(), { agents: "a", complete: expected }).text };
        assert.equal(api.sieve(given, { agents: "a", complete }).text, whole.sieve, what);
      }
      const robots = api.robotsParser("https://a.example/robots.txt", given);
      const [allowed] = api.test(given, { urls: "/x" }).results.map((result) => result.allowed);
      assert.equal(robots.isAllowed("https://a.example/x"), allowed, what);
      assert.ok(expected || !allowed, what);
      assert.equal(api.diff(given, unpacked, { agents: "a" }).same, true, what);
    }
  }
  const { bytes, complete } = api.unpack(gzipSync(Buffer.alloc(100)), { maxBytes: 10 });
  assert.deepEqual([bytes.length, complete], [26, false]);
  for (const wrong of [7, null, {}, { bytes: 7, complete: true }]) assert.throws(() => api.unpack(wrong), { name: "TypeError" });
  for (const wrong of [{ bytes: Buffer.from(file) }, { bytes: Buffer.from(file), complete: "no" }]) {
    assert.throws(() => api.sieve(wrong), { name: "TypeError" });
  }
  assert.throws(() => api.unpack(packed, { max: 1 }), { name: "TypeError", message: /maxBytes/ });
  for (const maxBytes of [-1, 0.5, NaN]) assert.throws(() => api.unpack(packed, { maxBytes }), { name: "RangeError" });
});

test("the known crawlers are here, each with a source [js.calls]", () => {
  const crawlers = api.crawlers();
  assert.ok(crawlers.some(({ token, kinds }) => token === "GPTBot" && kinds.includes("ai")));
  assert.ok(crawlers.every(({ source }) => source.startsWith("https://")));
});

test("a known crawler has the groups that its owner documents [js.names]", () => {
  const file = "User-agent: Googlebot\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n";
  for (const [agents, by, plain] of [
    ["Googlebot-News", "agent", "everyone"],
    ["AdsBot-Google", "nobody", "everyone"],
    ["Googlebot", "agent", "agent"],
    ["MyBot", "everyone", "everyone"],
    [["Googlebot-News", "MyBot"], "everyone", "everyone"],
  ]) {
    for (const dialect of ["standard", "google", "processor"]) {
      for (const [known, expected] of [[undefined, by], [false, plain]]) {
        const options = { agents, dialect, known };
        const answers = [
          api.sieve(file, options),
          api.test(file, { ...options, urls: "/b" }).results[0],
          api.inspect(file, options),
          api.explain(file, options),
          api.why(file, { ...options, url: "/b" }).answer,
          api.usage(file, { ...options, url: "/b" }).answer,
        ];
        if (typeof agents === "string") answers.push(api.matrix(file, { ...options, urls: ["/b"] }).rows[0]);
        for (const answer of answers) {
          assert.equal(answer.answered_by, expected);
          assert.equal(answer.documented !== undefined, by !== plain && known !== false);
        }
      }
    }
  }
  assert.equal(api.robotsParser("https://e.com/robots.txt", file).isAllowed("https://e.com/b", "AdsBot-Google"), false);
});

test("words are those that the command prints [js.calls]", () => {
  const { words, lines } = api.explain("User-agent: *\nDisalow: /x", { agents: "MyBot", words: true });
  assert.equal(words.lines.length, lines.length);
  assert.deepEqual(words.lines[0], ["user agent: all other crawlers", []]);
  assert.match(words.lines[1][1][0], /a misspelled directive was understood \[field.typo\]/);
  const [tested] = api.test(FILE, { agents: "MyBot", urls: "/x", words: true }).results;
  assert.equal(tested.words, "line 2: Disallow: /x (group * applies)");
  assert.match(api.tree(FILE).nodes[1].words, /disallowed by line 2/);
});
