// For Cloudflare's workerd: it compiles modules itself, and starts them at import.
import module from "./robosieve.wasm";
import { engine } from "./engine.js";

engine.start(module);

export * from "./api.js";
export { default } from "./api.js";
export { init } from "./ready.js";
