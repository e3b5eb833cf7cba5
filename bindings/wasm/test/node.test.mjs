// In Node.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import test from "node:test";
import { gzipSync } from "node:zlib";
import * as api from "robosieve";
import { command } from "./expected.mjs";
import { allCases } from "./shared.mjs";
import { differences } from "./equality.mjs";

test("the answers for corpus/ are the command's, in Node [js.equal]", async () => {
  const cases = allCases();
  assert.ok(cases.length > 250, `only ${cases.length} files were found`);
  const { calls, found } = await differences(api, cases);
  assert.deepEqual(found, []);
  assert.ok(calls > 5_000, `only ${calls} calls were compared`);
});

test("damaged files have the command's answers; ROBOSIEVE_DAMAGED is their number [js.unpack] [cmd.unpack]", () => {
  const files = Array.from({ length: Number(process.env.ROBOSIEVE_DAMAGED ?? 60) }, (_, seed) => damaged(seed + 1));
  const asked = files.map((file) => JSON.stringify({ robots_b64: file.toString("base64"), agents: ["MyBot"] })).join("\n");
  const { stdout } = spawnSync(command(), ["filter", "--ndjson"], { input: asked, maxBuffer: 1 << 30, encoding: "utf8" });
  const lines = stdout.trim().split("\n").map((line) => JSON.parse(line));
  assert.equal(lines.length, files.length);
  const counts = { whole: 0, part: 0, damaged: 0 };
  for (const [at, { error, text }] of lines.entries()) {
    let unpacked;
    try {
      unpacked = api.unpack(files[at]);
    } catch (wrong) {
      assert.ok(wrong instanceof api.UnpackError && error?.message.includes(wrong.message), `${at}: ${wrong} ${error?.message}`);
      counts.damaged += 1;
      continue;
    }
    for (const given of [unpacked, unpacked.bytes]) assert.equal(api.sieve(given, { agents: "MyBot" }).text, text, `${at}: ${error?.message}`);
    counts[unpacked.complete ? "whole" : "part"] += 1;
  }
  console.log(counts);
  assert.ok(Object.values(counts).every((count) => count > 0));
});

test("a text that is the name of a file is warned of, once [js.name]", () => {
  const warned = (calls) => {
    const text = `import { robotsParser, sieve } from "robosieve"; const options = { agents: "MyBot" }; ${calls}`;
    const ran = spawnSync(process.execPath, ["--input-type=module", "-e", text], { encoding: "utf8", cwd: import.meta.dirname });
    assert.equal(ran.status, 0, ran.stderr);
    return ran.stderr.split("the text of a URL or of a file's name").length - 1;
  };
  assert.equal(warned('sieve("robots.txt", options); sieve("https://e.com/robots.txt", options)'), 1);
  assert.equal(warned('robotsParser("https://e.com/robots.txt", "site/robots.txt")'), 1);
  assert.equal(warned('sieve("User-agent:robots.txt", options); sieve("a robots.txt", options); sieve("", options)'), 0);
  // On a platform that has no console, too.
  assert.equal(warned('delete globalThis.process; delete globalThis.console; sieve("robots.txt", options)'), 0);
});

test("a call without its last arguments says what they are [js.total]", () => {
  assert.throws(() => api.diff("x"), { name: "TypeError", message: /diff\(older, newer, \{ agents/ });
  assert.throws(() => api.test("x"), { name: "TypeError", message: /as in \{ agents: "MyBot" \}/ });
});

/** A file packed with gzip that something has happened to. */
function damaged(seed) {
  let state = seed;
  const below = (most) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % most;
  };
  below(2);
  const line = (_, at) => ["User-agent: *\n", "Disallow: /x\n", `Allow: /${at}\n`, "# remark\n"][below(4)];
  const body = Array.from({ length: [1, 5, 300][below(3)] }, line).join("");
  const file = Buffer.concat(Array.from({ length: 1 + below(2) }, () => gzipSync(body, { level: [0, 1, 9][below(3)] })));
  const place = below(file.length);
  const after = [Buffer.from("x"), Buffer.from("\0x"), file.subarray(0, 2), file.subarray(0, 15)][below(4)];
  switch (below(7)) {
    case 0:
      return file;
    case 1:
      return Buffer.concat([file, Buffer.alloc([1, 9, 600][below(3)])]);
    case 2:
      return Buffer.concat([file, after]);
    case 3:
      return file.subarray(0, Math.max(1, place));
    case 4:
      return file.subarray(0, file.length - 1 - below(11));
    default:
      file[place] ^= 1 << below(8);
      return file;
  }
}

test("every literal of the types of options is taken, and each type has one [ask.options]", () => {
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
