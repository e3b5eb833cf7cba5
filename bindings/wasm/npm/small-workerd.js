// For Cloudflare's workerd: `robotsParser` alone, from the small module. The module is started at import.
import module from "./wasm-robots_bg.wasm";
import { initSync } from "./wasm-robots.js";

export { robotsParser, robotsParser as default } from "./small.js";
initSync({ module });

/** For programs that run in browsers too: there it loads the module. */
export const init = async () => {};
