// For Node: the module is read and started at import.
import { readFileSync } from "node:fs";
import { engine } from "./engine.js";

engine.start(new WebAssembly.Module(readFileSync(new URL("./robosieve.wasm", import.meta.url))));

export * from "./api.js";
export { default } from "./api.js";
export { init } from "./ready.js";
