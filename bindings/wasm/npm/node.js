// For Node: the module is read and started at import.
import { readFileSync } from "node:fs";
import { start } from "./engine.js";

start(new WebAssembly.Module(readFileSync(new URL("./robosieve.wasm", import.meta.url))));

export * from "./api.js";

/** For programs that run in browsers too: there it loads the module. */
export async function init() {}
