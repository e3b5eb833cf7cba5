// The gate for JavaScript next to the gate's own driver: the raw answers of suite/answers.json, from a server on loopback.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { allowedOf, eachOf, PAGES } from "./asker.mjs";
import { command, ROOT } from "./expected.mjs";
import { BUN, DENO, FOLDER, withTool } from "./shared.mjs";

const RULES = "HTTP/1.1 200 OK\r\nContent-Length: 27\r\n\r\nUser-agent: *\nDisallow: /x\n";
const found = (to) => `HTTP/1.1 302 Found\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n`;
const OTHERS = { "/one": found("two"), "/two": RULES, "/again": found("/again") };

/** All answers: the bytes, and the clients that open less than the driver, or with a plus, more. As suite/answers.md says. */
function answers() {
  const made = JSON.parse(readFileSync(join(ROOT, "suite/answers.json"), "utf8"));
  const bytes = (body) => (typeof body === "string"
    ? Buffer.from(body, "base64")
    : Buffer.concat(body.map(([text, times]) => Buffer.from(text.repeat(times), "latin1"))));
  return made.answers.flatMap(([head, name, cut, ...differ]) => {
    const whole = bytes(made.bodies[name]);
    const ends = cut === "each" ? [...whole.keys()] : [cut ?? whole.length];
    return ends.map((end) => {
      const body = whole.subarray(0, end);
      const sent = Buffer.concat([Buffer.from(head.replace("{length}", body.length), "latin1"), body]);
      return { name: `${head}, ${name}, ${cut && end}`, sent, differ };
    });
  });
}

/** A site on an address of its own. */
function site({ sent }, number) {
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    let request = "";
    socket.on("error", () => {}).on("data", (part) => {
      request += part.toString("latin1");
      if (!request.endsWith("\r\n\r\n")) return;
      const path = request.split(" ")[1].split("?")[0];
      socket.end(OTHERS[path] ?? sent);
    });
  });
  return new Promise((resolve) => {
    server.listen(0, `127.2.${Math.floor(number / 250)}.${(number % 250) + 1}`, () => {
      const { address, port } = server.address();
      resolve({ base: `http://${address}:${port}`, server });
    });
  });
}

/** The pages that the driver allows. */
const byDriver = (program) => ({ base }) => new Promise((resolve, reject) => {
  const urls = PAGES.map((page) => base + page);
  execFile(program, ["check", "--allow-private", "--json", "--agent", "MyBot", ...urls], (error, out) => {
    const lines = out.trim().split("\n").map((line) => JSON.parse(line));
    if (lines.length !== PAGES.length) reject(error);
    else resolve(PAGES.filter((_, at) => lines[at].action === "go"));
  });
});

/** What a program prints for these sites. */
const byProgram = (program, ...options) => (bases) => new Promise((resolve, reject) => {
  const file = join(mkdtempSync(join(tmpdir(), "robosieve-")), "sites.json");
  writeFileSync(file, JSON.stringify(bases));
  const run = [...options, join(FOLDER, "test/asker.mjs"), file];
  execFile(program, run, { cwd: FOLDER, timeout: 300_000 }, (error, out) => {
    if (error) reject(error);
    else resolve(JSON.parse(out));
  });
});

/** The runtimes, by their names in the table: the program, and how it is asked. */
const RUNTIMES = {
  JavaScript: [process.execPath, allowedOf],
  Deno: [DENO, byProgram(DENO, "run", "--no-prompt", "--allow-read", "--allow-net", "--node-modules-dir=manual")],
  Bun: [BUN, byProgram(BUN, "--no-install")],
};

let sites;
let expected;
const all = answers();
before(async () => {
  assert.ok(all.length > 300);
  sites = await Promise.all(all.map(site));
  expected = await eachOf(sites, byDriver(command()));
});
after(() => sites.forEach(({ server }) => server.close()));

for (const [runtime, [program, allowed]] of Object.entries(RUNTIMES)) {
  test(`raw answers open in ${runtime} what the driver opens, or as listed [js.gate-whole] [gate.fetched]`, async (context) => {
    if (!withTool(program, context)) return;
    const got = await allowed(sites.map(({ base }) => base));
    const differ = {};
    for (const [at, { name }] of all.entries()) {
      if (got[at].some((page) => !expected[at].includes(page))) differ[name] = `+${runtime}`;
      else if (got[at].length < expected[at].length) differ[name] = runtime;
    }
    const ours = ({ differ }) => differ.filter((one) => one.replace("+", "") === runtime);
    const listed = all.flatMap((one) => ours(one).map((who) => [one.name, who]));
    assert.deepEqual(differ, Object.fromEntries(listed));
  });
}
