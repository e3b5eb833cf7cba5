// For browsers, and everything else: the gate. Call `await init()` first.
import load from "./wasm-gate.js";

export { Gate } from "./gate.js";

/** Loads the module, once. Without an argument, from the file next to this one. */
export const init = async (source) => void (await load(source === undefined ? undefined : { module_or_path: source }));
