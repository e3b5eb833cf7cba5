// In Node.

import assert from "node:assert/strict";
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
