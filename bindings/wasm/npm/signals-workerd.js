// For Cloudflare's workerd: what may be done with a page.
import module from "./signals.wasm";
import { engine } from "./signals.js";

engine.start(module);

export { signals } from "./signals.js";
export { init } from "./ready.js";
