// For Node: everything. The module is started at import.
import { readFileSync } from "node:fs";
import { initSync } from "./wasm-robosieve.js";

export * from "./api.js";
export { default } from "./api.js";
initSync({ module: readFileSync(new URL("./wasm-robosieve_bg.wasm", import.meta.url)) });

/** For programs that run in browsers too: there it loads the module. */
export const init = async () => {};
