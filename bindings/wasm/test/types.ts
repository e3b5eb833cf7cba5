// Checked by TypeScript only: uses and misuses of the types.

import parser, { type Body, type Changes, diff, explain, init, Refused, robotsParser, sieve, signals, type SignalsAnswer, test, unpack, type Unpacked, UnpackError } from "robosieve";
import { Gate, type Step } from "robosieve/gate";
import small, { type Robots } from "robosieve/robots-parser";

const body: Body = new Uint8Array();
const robots: Robots = robotsParser("https://a.example/robots.txt", body);
robots.isAllowed(new URL("https://a.example/"), "MyBot") satisfies boolean | undefined;
[parser("/robots.txt", ""), small("/robots.txt", "")] satisfies Robots[];
sieve(body, { agents: ["MyBot"], dialect: "google", limits: { maxBytes: null } }).text satisfies string;
const line = explain(body).lines[0]?.meaning;
if (line?.is === "rule") line.pattern satisfies string;
// @ts-expect-error: a line that continues another one has no pattern
if (line?.is === "continued") line.pattern satisfies string;
const [tested] = test(body, { urls: "/x" }).results;
if (tested !== undefined && !("error" in tested)) tested.allowed satisfies boolean;
diff(body, body, { allAgents: true }).changes.map(({ flips }) => flips[0]?.path);
diff(body, body, { agents: "MyBot" }) satisfies Changes;
new Refused("") satisfies RangeError;
init(fetch("/robosieve.wasm")) satisfies Promise<void>;
new Gate({ agent: ["MyBot"], delay: 1_000, fetch }).turn(new URL("https://a.example/")) satisfies Promise<Step>;
unpack(body, { maxBytes: 1_000 }) satisfies Promise<Unpacked>;
sieve(await unpack(body)).text satisfies string;
new UnpackError("") satisfies Error;
const pages: SignalsAnswer = signals({ url: "/a", headers: [["X-Robots-Tag", "noindex"]], html: body }, { agents: "MyBot", time: new Date() });
pages.uses["image-index"] satisfies "yes" | "no" | "unsaid";
signals({ url: "/", html: "" }, { agents: ["MyBot"], dialect: "google" }).limits["max-snippet"] satisfies number | undefined;
signals({ url: new URL("https://a.example/"), headers: new Headers() }, { agents: "MyBot" }).decided_by["index"]?.source;
signals({ url: "/", headers: { "x-robots-tag": ["a", "b"] } }, { agents: "MyBot", time: "2026-11-27T12:00:00Z" });
// @ts-expect-error: no agent
signals({ url: "/" }, {});
// @ts-expect-error: a number is neither seconds nor milliseconds
signals({ url: "/" }, { agents: "MyBot", time: 1 });

// @ts-expect-error: a name that does not exist
sieve(body, { agent: "MyBot" });
// @ts-expect-error: a value that does not exist
sieve(body, { dialect: "bing" });
// @ts-expect-error: a field that does not exist
sieve(body).repot;
// @ts-expect-error: no URLs
test(body, { agents: "MyBot" });
// @ts-expect-error: a gate without a name
new Gate({});
// @ts-expect-error: a file of another type
robotsParser("/robots.txt", 42);
