// For Cloudflare's workerd: everything. The module is started at import.
import module from "./wasm-robosieve_bg.wasm";
import { initSync } from "./wasm-robosieve.js";

export * from "./api.js";
export { default } from "./api.js";
initSync({ module });

/** For programs that run in browsers too: there it loads the module. */
export const init = async () => {};
