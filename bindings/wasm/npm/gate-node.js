// For Node: the gate. The module is started at import.
import { readFileSync } from "node:fs";
import { initSync } from "./wasm-gate.js";

export { Gate } from "./gate.js";
initSync({ module: readFileSync(new URL("./wasm-gate_bg.wasm", import.meta.url)) });

/** For programs that run in browsers too: there it loads the module. */
export const init = async () => {};
