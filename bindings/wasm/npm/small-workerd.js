// For Cloudflare's workerd: `robotsParser` alone, from the small module.
import module from "./robots.wasm";
import { engine } from "./engine.js";

engine.startSmall(() => module);

export { robotsParser, robotsParser as default } from "./robots-parser.js";
export { init } from "./ready.js";
