// For browsers, and everything else: call `await init()` first.
import { engine } from "./engine.js";
import { loader } from "./load.js";

export * from "./api.js";
export { default } from "./api.js";

/** Loads the module, once. Without an argument, from the file next to this one. */
export const init = /* @__PURE__ */ loader(() => new URL("./robosieve.wasm", import.meta.url), (module) => engine.start(module));
