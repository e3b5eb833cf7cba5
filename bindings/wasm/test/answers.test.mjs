// Answers are those of the command: for corpus/, and for the vectors of pages.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import * as api from "robosieve";
import { bytesOf, files, lines, ROOT } from "./command.mjs";

const URLS = ["/", "/a", "/p1", "/private/x?q=1", "https://shop.example/cart/%7Eme", "/%E4%BD%A0", "/robots.txt"];
// Files that the command unpacks are not of this module.
const isPacked = ([first, second]) => (first === 0x1f && second === 0x8b) || (first === 0x28 && second === 0xb5);
const paths = files().filter((path) => !isPacked(bytesOf(path)));

/** What each file is answered, next to what the command answers. */
function compare(expected, answer) {
  assert.equal(expected.length, paths.length);
  for (const [at, path] of paths.entries()) assert.deepEqual(answer(bytesOf(path), at), expected[at], path);
}

/** Answers to requests: `filter` for `sieve`. */
function requests(name, { agents, urls, ...options }) {
  const given = agents === undefined ? { all_agents: true, ...options } : options;
  const request = (path) => JSON.stringify({ robots_b64: readFileSync(path).toString("base64"), agents: agents && [agents], urls, options: given });
  return lines([name, "--ndjson"], paths.map(request).join("\n"));
}

test("the answers for corpus/ are the command's", () => {
  assert.ok(paths.length > 250, `only ${paths.length} files were found`);
  for (const options of [{ agents: "MyBot" }, { agents: "AdsBot-Google", known: false }, { dialect: "google" }]) {
    compare(requests("filter", options), (body) => api.sieve(body, options));
  }
  for (const options of [{ agents: "Googlebot-News" }, { agents: "Googlebot", dialect: "google" }]) {
    compare(requests("test", { ...options, urls: URLS }), (body) => api.test(body, { ...options, urls: URLS }));
  }
  compare(lines(["explain", "--json", "--agent", "MyBot", ...paths]), (body) => api.explain(body, { agents: "MyBot" }));
  compare(lines(["lint", "--format", "json", ...paths]), (body) => api.lint(body));
});

test("what changed is what the command says", () => {
  for (let at = 7; at < paths.length; at += 7) {
    const [older, newer] = [paths[at - 1], paths[at]];
    const diff = (options) => api.diff(bytesOf(older), bytesOf(newer), options);
    assert.deepEqual([diff({ agents: "MyBot" })], lines(["diff", "--json", "--agent", "MyBot", older, newer]), newer);
    assert.deepEqual([diff({ allAgents: true })], lines(["diff", "--json", "--all-agents", older, newer]), newer);
  }
});

test("vectors of pages have the command's answers", () => {
  const read = (name) => readFileSync(join(ROOT, "crates/signals/data", name), "utf8").trim().split("\n").map((line) => JSON.parse(line));
  const names = ["url", "agent", "headers", "html", "robots", "status", "tdmrep", "time"];
  const vectors = read("vectors.ndjson").filter((vector) => vector.html_b64 === undefined);
  assert.ok(vectors.length > 250);
  const asked = vectors.map((vector) => Object.fromEntries(names.filter((name) => name in vector).map((name) => [name, vector[name]])));
  const expected = lines(["signals", "--ndjson"], asked.map((one) => JSON.stringify(one)).join("\n"));
  for (const [at, { agent, time, ...page }] of asked.entries()) {
    assert.deepEqual(api.signals(page, { agents: agent, time }), expected[at], JSON.stringify(page));
  }
});
