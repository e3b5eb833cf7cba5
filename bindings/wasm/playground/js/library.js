// The library, loaded once. `bindings/wasm/build` makes its files.

import * as robosieve from "../robosieve/browser.js";

let loaded = null;

export function library() {
  loaded ??= robosieve.init().then(() => robosieve);
  return loaded;
}
