// For browsers, and everything else: `robotsParser` alone, from the small module. Call `await init()` first.
import { engine } from "./engine.js";
import { load } from "./load.js";

export { robotsParser, robotsParser as default } from "./robots-parser.js";

let loading = null;

/** Loads the module, once. Without an argument, from the file next to this one. */
export function init(source = new URL("./robots.wasm", import.meta.url)) {
  loading ??= Promise.resolve(source).then(load).then((module) => engine.startSmall(() => module));
  // After a failure it can be tried again.
  return loading.catch((error) => {
    loading = null;
    throw error;
  });
}
