// For Node: `robotsParser` alone, from the small module.
import { readFileSync } from "node:fs";
import { engine } from "./engine.js";

engine.startSmall(() => new WebAssembly.Module(readFileSync(new URL("./robots.wasm", import.meta.url))));

export { robotsParser, robotsParser as default } from "./robots-parser.js";
export { init } from "./ready.js";
