// For browsers, and everything else: what may be done with a page. Call `await init()` first.
import { loader } from "./load.js";
import { engine } from "./signals.js";

export { signals } from "./signals.js";

/** Loads the module, once. Without an argument, from the file next to this one. */
export const init = /* @__PURE__ */ loader(() => new URL("./signals.wasm", import.meta.url), (module) => engine.start(module));
