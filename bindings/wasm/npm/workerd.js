// For Cloudflare's workerd: it compiles modules itself, and starts them at import.
import module from "./robosieve.wasm";
import { start } from "./engine.js";

start(module);

export * from "./api.js";

/** For programs that run in browsers too: there it loads the module. */
export async function init() {}
