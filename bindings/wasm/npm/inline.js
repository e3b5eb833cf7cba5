// For bundlers, and where no file can be read: everything, with the module inside.
import text from "./robosieve.wasm.js";
import { bytesOf } from "./base64.js";
import { engine } from "./engine.js";

engine.start(new WebAssembly.Module(bytesOf(text)));

export * from "./api.js";
export { default } from "./api.js";
export { init } from "./ready.js";
