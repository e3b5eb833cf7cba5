// For Node: `robotsParser` alone, from the small module. The module is started at import.
import { readFileSync } from "node:fs";
import { initSync } from "./wasm-robots.js";

// What `require` returns is the function itself, as that of robots-parser.
export { robotsParser, robotsParser as default, robotsParser as "module.exports" } from "./small.js";
initSync({ module: readFileSync(new URL("./wasm-robots_bg.wasm", import.meta.url)) });

/** For programs that run in browsers too: there it loads the module. */
export const init = async () => {};
