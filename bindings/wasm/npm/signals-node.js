// For Node, Deno and Bun: what may be done with a page, with its module from the file next to this one.
import { readFileSync } from "node:fs";
import { engine } from "./signals.js";

engine.start(new WebAssembly.Module(readFileSync(new URL("./signals.wasm", import.meta.url))));

export { signals } from "./signals.js";
export { init } from "./ready.js";
