// Keeps the files of the page, so that it works offline. It asks the server first, so that the page is never old, and
// answers from what it keeps if there is no answer. It touches nothing but the page's own files.

const KEPT = "robosieve-page";
const FILES = [
  "./", "style.css", "icon.svg",
  "js/main.js", "js/answers.js", "js/bounds.js", "js/bytes.js", "js/dom.js", "js/engine.js", "js/example.js", "js/library.js",
  "js/link.js", "js/words.js", "js/worker.js",
  "js/views/changes.js", "js/views/crawlers.js", "js/views/findings.js", "js/views/lines.js", "js/views/paths.js",
  "js/views/summary.js", "js/views/text.js", "js/views/verdicts.js",
  "robosieve/api.js", "robosieve/browser.js", "robosieve/call.js", "robosieve/engine.js", "robosieve/options.js",
  "robosieve/robots-parser.js", "robosieve/robosieve.wasm",
].map((name) => new URL(name, self.registration.scope).href);

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then((kept) => kept.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  const [address] = url.split(/[?#]/);
  if (method === "GET" && FILES.includes(address)) event.respondWith(answer(event.request, address));
});

async function answer(request, address) {
  const kept = await caches.open(KEPT);
  try {
    const response = await fetch(request);
    if (response.ok) await kept.put(address, response.clone());
    return response;
  } catch (error) {
    const old = await kept.match(address);
    if (old === undefined) throw error;
    return old;
  }
}
