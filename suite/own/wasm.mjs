// The package for JavaScript, as a tester: node suite/own/wasm.mjs [DIALECT]
import { createInterface } from "node:readline";
import { robotsParser, test } from "../../bindings/wasm/npm/node.js";

const dialect = process.argv[2] ?? "standard";
for await (const line of createInterface({ input: process.stdin })) {
  const { id, file_base64, agent, url } = JSON.parse(line);
  const file = Buffer.from(file_base64, "base64");
  const [answer] = test(file, { agents: agent, urls: url, dialect }).results;
  const robots = robotsParser("https://example.com/robots.txt", file);
  const values = { crawl_delay: robots.getCrawlDelay(agent) ?? null, sitemaps: robots.getSitemaps() };
  const found = answer.error ? { error: answer.error.message } : { allow: answer.allowed, ...values };
  console.log(JSON.stringify({ id, ...found }));
}
