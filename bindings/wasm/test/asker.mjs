// A crawler's side of clients.test.mjs, for any runtime: reads the addresses of sites as JSON, and prints which pages
// the gate allows of each.

import { Gate } from "robosieve/gate";

/** The pages that each site is asked for. */
export const PAGES = ["/x", "/y"];

/** Each with the results of `work`, some at a time. */
export async function eachOf(all, work) {
  const results = [];
  const rest = all.entries();
  await Promise.all(Array.from({ length: 24 }, async () => {
    for (const [at, one] of rest) results[at] = await work(one);
  }));
  return results;
}

/** The pages that the gate allows, for each site. */
export function allowedOf(bases) {
  const gate = new Gate({ agent: "MyBot", allowPrivate: true, delay: 1, minDelay: 1 });
  return eachOf(bases, async (base) => {
    const steps = [];
    for (const page of PAGES) steps.push((await gate.permits(base + page)).allowed ? page : null);
    return steps.filter((page) => page !== null);
  });
}

if (import.meta.main) {
  const { readFileSync } = await import("node:fs");
  console.log(JSON.stringify(await allowedOf(JSON.parse(readFileSync(process.argv[2], "utf8")))));
}
