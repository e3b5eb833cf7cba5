#!/usr/bin/env node
// Asks a tester all questions, and prints what it gets wrong.
//
// A question is a line of JSON on its standard input, an answer a line on its standard output, in the same order. A
// tester that ends, hangs or answers something else has failed the question, and is started again.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { vectors } from "./vectors.js";

const USAGE = "usage: robots-vectors [--only TAG]... [--seconds 5] [--show 20] -- COMMAND...";

function options(args) {
  const cut = args.indexOf("--");
  const found = { only: [], seconds: 5, show: 20, command: cut < 0 ? [] : args.slice(cut + 1) };
  const flags = cut < 0 ? args : args.slice(0, cut);
  while (flags.length > 0) {
    const [flag, value] = flags.splice(0, 2);
    if (flag === "--only" && value !== undefined) found.only.push(value);
    else if ((flag === "--seconds" || flag === "--show") && Number(value) > 0) found[flag.slice(2)] = Number(value);
    else return null;
  }
  return found.command.length > 0 ? found : null;
}

/// A tester that runs. `ask` gives its answer to a question, as a line, or why there is none.
class Tester {
  constructor([program, ...args], seconds) {
    this.start = () => {
      const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
      child.stdin.on("error", () => {});
      child.once("error", (error) => this.settle({ broken: "crash", cannot: error.message }));
      child.once("exit", () => child === this.child && this.settle({ broken: "crash" }));
      createInterface({ input: child.stdout }).on("line", (line) => child === this.child && this.settle({ line }));
      this.child = child;
    };
    this.seconds = seconds;
  }

  settle(answer) {
    if (answer.broken) this.stop();
    clearTimeout(this.timer);
    this.resolve?.(answer);
    this.resolve = null;
  }

  stop() {
    this.child?.kill("SIGKILL");
    this.child = null;
  }

  ask(question) {
    return new Promise((resolve) => {
      this.resolve = resolve;
      this.timer = setTimeout(() => this.settle({ broken: "timeout" }), this.seconds * 1000);
      if (!this.child) this.start();
      this.child.stdin.write(`${JSON.stringify(question)}\n`);
    });
  }
}

/// What came: allow, disallow, error, or how the tester broke.
function read({ line, broken }, id) {
  if (broken) return broken;
  try {
    const answer = JSON.parse(line);
    if (answer.id !== id) return "protocol";
    if (typeof answer.allow === "boolean") return answer.allow ? "allow" : "disallow";
    return answer.error === undefined ? "protocol" : "error";
  } catch {
    return "protocol";
  }
}

async function main() {
  const chosen = options(process.argv.slice(2));
  if (!chosen) {
    console.error(USAGE);
    return 2;
  }
  const asked = vectors().filter(({ tags }) => chosen.only.length === 0 || chosen.only.some((tag) => tags.includes(tag)));
  if (asked.length === 0) {
    console.error("robots-vectors: no vector has such a tag");
    return 2;
  }
  const tester = new Tester(chosen.command, chosen.seconds);
  const counts = { must: [0, 0], may: [0, 0] };
  const failures = [];
  let broken = 0;
  for (const { id, file, agent, header, url, answer, level, section, why } of asked) {
    const question = { id, file_base64: file.toString("base64"), agent, url, ...(header && { header }) };
    const came = await tester.ask(question);
    if (came.cannot) {
      console.error(`robots-vectors: ${chosen.command[0]}: ${came.cannot}`);
      return 2;
    }
    const answered = read(came, id);
    const isBroken = !["allow", "disallow", "error"].includes(answered);
    if (answered === "protocol") tester.stop();
    const isDemanded = counts[level] && answer !== "either";
    if (isDemanded) counts[level][1] += 1;
    if (isDemanded && answered === answer) counts[level][0] += 1;
    if (isBroken) broken += 1;
    if (isBroken || (level === "must" && isDemanded && answered !== answer)) {
      failures.push(`${id}: ${why}\n  expected ${answer} (RFC 9309, ${section}, ${level}), came ${answered}; ${agent}, ${url}`);
    }
  }
  tester.stop();
  for (const failure of failures.slice(0, chosen.show)) console.log(failure);
  if (failures.length > chosen.show) console.log(`and ${failures.length - chosen.show} more`);
  console.log(`must ${counts.must.join(" of ")}, may ${counts.may.join(" of ")}, broken ${broken}`);
  return failures.length > 0 ? 1 : 0;
}

process.exitCode = await main();
