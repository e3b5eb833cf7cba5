// For browsers, and everything else: `robotsParser` alone, from the small module. Call `await init()` first.
import { engine } from "./engine.js";
import { loader } from "./load.js";

export { robotsParser, robotsParser as default } from "./robots-parser.js";

/** Loads the module, once. Without an argument, from the file next to this one. */
export const init = /* @__PURE__ */ loader(() => new URL("./robots.wasm", import.meta.url), (module) => engine.startSmall(() => module));
