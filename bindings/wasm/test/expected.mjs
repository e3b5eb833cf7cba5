// The answers that the command gives for all files in corpus/.

import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** The command: ROBOSIEVE_COMMAND, or it is built. */
export function command() {
  if (process.env.ROBOSIEVE_COMMAND) return process.env.ROBOSIEVE_COMMAND;
  execFileSync("cargo", ["build", "--release", "--locked", "--quiet"], { cwd: ROOT, stdio: "inherit" });
  return join(ROOT, "target/release/robosieve");
}

/** The folder of the inputs of corpus/. */
export function corpus() {
  return execFileSync(join(ROOT, "corpus/unfold"), { encoding: "utf8" }).trim();
}

function files(folder) {
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? files(path) : [path]));
}

const AGENTS = ["MyBot", "Googlebot"];
const URLS = ["/", "/a", "/p1", "/private/x?q=1", "https://shop.example/cart/%7Eme", "/%E4%BD%A0", "/robots.txt"];

/** What is asked of every file: of the command with arguments, and of the package with options. */
function asked(run, paths) {
  const [one, two] = AGENTS;
  const many = (name, args, options) => lines(run([...args, ...paths])).map((expected) => [{ name, options, expected }]);
  const parts = [
    many("explain", ["explain", "--json"], {}),
    many("explain", ["explain", "--json", "--agent", one], { agents: one }),
    many("explain", ["explain", "--json", "--agent", two, "--dialect", "google"], { agents: two, dialect: "google" }),
    many("lint", ["lint", "--format", "json"], {}),
    many("inspect", ["inspect", "--json", "--agent", one], { agents: one }),
    ...["Googlebot-News", "AdsBot-Google"].flatMap((agents) => [
      many("inspect", ["inspect", "--json", "--agent", agents], { agents }),
      many("inspect", ["inspect", "--json", "--agent", agents, "--plain-names"], { agents, known: false }),
      requests(run, "test", paths, { agents, dialect: "google", urls: URLS }),
      requests(run, "filter", paths, { agents, known: false }),
      pairs(run, paths, ["--agent", agents], { agents }),
    ]),
    many("why", ["explain", "--json", "--agent", one, "--url", URLS[1]], { agents: one, url: URLS[1] }),
    ...["standard", "google", "processor"].flatMap((dialect) => [
      requests(run, "filter", paths, { agents: one, dialect }),
      requests(run, "filter", paths, { dialect, form: "portable" }),
      requests(run, "test", paths, { agents: two, dialect, urls: URLS }),
    ]),
    pairs(run, paths, ["--agent", one], { agents: one }),
    pairs(run, paths, ["--all-agents"], { allAgents: true }),
  ];
  return paths.map((_, at) => parts.flatMap((part) => part[at] ?? []));
}

/** The objects of some lines, without what only the command has. */
function lines(text) {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const { v, file, id, ...rest } = JSON.parse(line);
      return rest;
    });
}

/** Answers to requests in NDJSON: `filter` for `sieve`. */
function requests(run, name, paths, { agents, urls, ...options }) {
  const given = agents === undefined ? { all_agents: true, ...options } : options;
  const request = (path) => {
    const robots_b64 = readFileSync(path).toString("base64");
    return JSON.stringify({ robots_b64, agents: agents && [agents], urls, options: given });
  };
  const answers = lines(run([name, "--ndjson"], paths.map(request).join("\n")));
  // What is undefined is left out.
  const asked = JSON.parse(JSON.stringify({ agents, urls, ...options }));
  return answers.map((expected) => [{ name: name === "filter" ? "sieve" : name, options: asked, expected }]);
}

/** What changed from each file to the next. */
function pairs(run, paths, args, options) {
  return paths.slice(1).map((path, at) => {
    const expected = lines(run(["diff", "--json", ...args, paths[at], path]))[0];
    return [{ name: "diff", other: readFileSync(path).toString("base64"), options, expected }];
  });
}

/** All cases: each file, and what is asked of it. */
export function cases() {
  const path = command();
  const run = (args, input = "") => {
    const { status, stdout, stderr } = spawnSync(path, args, { input, maxBuffer: 1 << 30, encoding: "utf8" });
    // 1 is an answer, and 3 a file that is refused.
    if (status !== 0 && status !== 1) throw new Error(`${path} ${args.slice(0, 6).join(" ")}: ${status}: ${stderr}`);
    return stdout;
  };
  const paths = files(corpus());
  return asked(run, paths).map((asked, at) => ({
    file: paths[at].slice(ROOT.length),
    body: readFileSync(paths[at]).toString("base64"),
    asked,
  }));
}
