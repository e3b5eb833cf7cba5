// For browsers, and everything else: call `await init()` first.
import { engine } from "./engine.js";
import { load } from "./load.js";

export * from "./api.js";
export { default } from "./api.js";

let loading = null;

/** Loads the module, once. Without an argument, from the file next to this one. */
export function init(source = new URL("./robosieve.wasm", import.meta.url)) {
  loading ??= Promise.resolve(source).then(load).then((module) => engine.start(module));
  // After a failure it can be tried again.
  return loading.catch((error) => {
    loading = null;
    throw error;
  });
}
