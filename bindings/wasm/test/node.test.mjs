// In Node.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import * as api from "robosieve";
import { allCases } from "./shared.mjs";
import { differences } from "./equality.mjs";

test("the answers for corpus/ are the command's, in Node [js.equal]", async () => {
  const cases = allCases();
  assert.ok(cases.length > 250, `only ${cases.length} files were found`);
  const { calls, found } = await differences(api, cases);
  assert.deepEqual(found, []);
  assert.ok(calls > 5_000, `only ${calls} calls were compared`);
});

test("every literal of the types of options is taken, and each type has one [ask.options]", () => {
  const types = readFileSync(new URL("../npm/index.d.ts", import.meta.url), "utf8");
  const [, body] = types.match(/export interface Options \{([^]*?)\n\}/);
  const fields = [...body.matchAll(/^  (\w+)\?: (.*);$/gm)].filter(([, name]) => name !== "agents" && name !== "limits");
  assert.ok(fields.length > 15, `only ${fields.length} options`);
  for (const [, name, type] of fields) {
    const values = { boolean: [true, false], Limit: [0, 7, null], string: ["https://example.com/"] }[type];
    for (const value of values ?? type.split(" | ").map((literal) => JSON.parse(literal))) {
      assert.ok(api.sieve("User-agent: *", { [name]: value }).text, `${name}: ${value}`);
    }
    for (const wrong of [{}, [], "nothing", 1.5]) {
      assert.throws(() => api.sieve("User-agent: *", { [name]: wrong }), `${name}: ${wrong}`);
    }
  }
});
