// Keeps the files of the page, so that it works offline. It asks the server first, so that the page is never old, and
// answers from what it keeps if there is no answer. It touches nothing but the page's own files.

const KEPT = "robosieve-page";
const SCOPE = self.registration.scope;
// What the page begins with. The others are found in these: by their imports, so that no list can become wrong.
const FIRST = ["./", "face.css", "style.css", "icon.svg", "js/main.js", "js/worker.js"];
const NEEDED = /(?:\bfrom|\bimport|new URL\()\s*"(\.[\w./-]+\.(?:js|wasm))"/g;
const OURS = /(\/|\.(js|wasm|css|svg))$/;

self.addEventListener("install", (event) => event.waitUntil(keepAll().then(() => self.skipWaiting())));

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  const [address] = url.split(/[?#]/);
  if (method === "GET" && address.startsWith(SCOPE) && OURS.test(address)) event.respondWith(answer(event.request, address));
});

async function keepAll() {
  const kept = await caches.open(KEPT);
  const found = new Set(FIRST.map((name) => new URL(name, SCOPE).href));
  // A set can grow while it is read.
  for (const address of found) {
    const response = await fetch(address, { cache: "no-cache" });
    if (!response.ok) throw new Error(`${address}: status ${response.status}`);
    await kept.put(address, response.clone());
    if (!address.endsWith(".js")) continue;
    for (const [, name] of (await response.text()).matchAll(NEEDED)) found.add(new URL(name, address).href);
  }
}

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
