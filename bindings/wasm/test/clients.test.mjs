// The gate for JavaScript next to the gate's own driver: the raw answers of suite/answers.json, from a server on loopback.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Gate } from "robosieve/gate";
import { command, ROOT } from "./command.mjs";

const RULES = "HTTP/1.1 200 OK\r\nContent-Length: 27\r\n\r\nUser-agent: *\nDisallow: /x\n";
const found = (to) => `HTTP/1.1 302 Found\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n`;
/** The pages that each site is asked for. */
const PAGES = ["/x", "/y"];
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

/** Each with the results of `work`, some at a time. */
async function eachOf(all, work) {
  const results = [];
  const rest = all.entries();
  await Promise.all(Array.from({ length: 24 }, async () => {
    for (const [at, one] of rest) results[at] = await work(one);
  }));
  return results;
}

/** The pages that the gate allows. */
const gate = new Gate({ agent: "MyBot", allowPrivate: true, delay: 1, minDelay: 1 });
async function byGate({ base }) {
  const steps = [];
  for (const page of PAGES) steps.push((await gate.permits(base + page)).allowed ? page : null);
  return steps.filter((page) => page !== null);
}

let sites;
let expected;
const all = answers();
before(async () => {
  assert.ok(all.length > 300);
  sites = await Promise.all(all.map(site));
  expected = await eachOf(sites, byDriver(command()));
});
after(() => sites.forEach(({ server }) => server.close()));

test("raw answers open what the driver opens, or as listed", async () => {
  const got = await eachOf(sites, byGate);
  const differ = {};
  for (const [at, { name }] of all.entries()) {
    if (got[at].some((page) => !expected[at].includes(page))) differ[name] = "+JavaScript";
    else if (got[at].length < expected[at].length) differ[name] = "JavaScript";
  }
  const listed = all.flatMap((one) => one.differ.filter((who) => who.replace("+", "") === "JavaScript").map((who) => [one.name, who]));
  assert.deepEqual(differ, Object.fromEntries(listed));
});
