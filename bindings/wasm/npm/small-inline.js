// For bundlers, and where no file can be read: `robotsParser` alone, with the small module inside.
import text from "./robots.wasm.js";
import { bytesOf } from "./base64.js";
import { engine } from "./engine.js";

engine.startSmall(() => new WebAssembly.Module(bytesOf(text)));

export { robotsParser, robotsParser as default } from "./robots-parser.js";
export { init } from "./ready.js";
