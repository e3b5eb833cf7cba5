// For Cloudflare's workerd: the gate. The module is started at import.
import module from "./wasm-gate_bg.wasm";
import { initSync } from "./wasm-gate.js";

export { Gate } from "./gate.js";
initSync({ module });

/** For programs that run in browsers too: there it loads the module. */
export const init = async () => {};
