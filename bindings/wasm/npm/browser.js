// For browsers, and everything else: everything. Call `await init()` first.
import load from "./wasm-robosieve.js";

export * from "./api.js";
export { default } from "./api.js";

/** Loads the module, once. Without an argument, from the file next to this one. */
export const init = async (source) => void (await load(source === undefined ? undefined : { module_or_path: source }));
