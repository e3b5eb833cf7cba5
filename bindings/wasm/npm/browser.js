// For browsers, and everything else: call `await init()` first.
import { start, isStarted } from "./engine.js";

export * from "./api.js";

/**
 * Loads the module. Without an argument, from the file beside this one.
 */
export async function init(source = new URL("./robosieve.wasm", import.meta.url)) {
  if (!isStarted()) start(await compiled(await source));
}

async function compiled(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  const response = source instanceof Response ? source : await fetch(source);
  if (!response.ok) throw new Error(`robosieve.wasm cannot be loaded: status ${response.status} of ${response.url}`);
  // Not compileStreaming: some servers send another type.
  return WebAssembly.compile(await response.arrayBuffer());
}
