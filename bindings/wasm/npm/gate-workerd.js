// For Cloudflare's workerd: the gate.
import module from "./gate.wasm";
import { engine } from "./gate.js";

engine.start(module);

export { Gate } from "./gate.js";
