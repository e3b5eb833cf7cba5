// For browsers, and everything else: what may be done with a page. Call `await init()` first.
import { load } from "./load.js";
import { engine } from "./signals.js";

export { signals } from "./signals.js";

let loading = null;

/** Loads the module, once. Without an argument, from the file next to this one. */
export function init(source = new URL("./signals.wasm", import.meta.url)) {
  loading ??= Promise.resolve(source).then(load).then((module) => engine.start(module));
  // After a failure it can be tried again.
  return loading.catch((error) => {
    loading = null;
    throw error;
  });
}
