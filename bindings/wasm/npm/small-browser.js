// For browsers, and everything else: `robotsParser` alone, from the small module. Call `await init()` first.
import load from "./wasm-robots.js";

export { robotsParser, robotsParser as default } from "./small.js";

/** Loads the module, once. Without an argument, from the file next to this one. */
export const init = async (source) => void (await load(source === undefined ? undefined : { module_or_path: source }));
