// What TypeScript has to accept in CommonJS.

import all = require("robosieve");
import robotsParser = require("robosieve/robots-parser");

const robots: robotsParser.Robots = robotsParser("https://a.example/robots.txt", "User-agent: *");
const allowed: boolean | undefined = robots.isAllowed("https://a.example/", null);
const disallowed: boolean = robots.isDisallowed("https://a.example/");
const text: string = all.sieve("", { agents: "A" }).text;
const same: typeof all.robotsParser = robotsParser.robotsParser;
const body: robotsParser.Body = new Uint8Array();
void [allowed, disallowed, text, same, body, robotsParser.default(undefined), robotsParser(null, null)];

// @ts-expect-error an agent is a string
robots.isAllowed("https://a.example/", 42);
