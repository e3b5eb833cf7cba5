// For Node, Deno and Bun: the gate, with its module from the file next to this one.
import { readFileSync } from "node:fs";
import { engine } from "./gate.js";

engine.start(new WebAssembly.Module(readFileSync(new URL("./gate.wasm", import.meta.url))));

export { Gate } from "./gate.js";
