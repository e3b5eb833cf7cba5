// Loads a module where it cannot be read at import: in browsers.

/** Compiles a module from its URL, a response, its bytes, or as it is. */
async function load(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  const response = source instanceof Response ? source : await fetch(source);
  if (!response.ok) throw new Error(`robosieve: ${response.url} cannot be loaded: status ${response.status}`);
  // Not compileStreaming: some servers send another type.
  return WebAssembly.compile(await response.arrayBuffer());
}

/** What loads a module once, and starts it. Without an argument it is that of `usual`. */
export function loader(usual, start) {
  let loading = null;
  return (source = usual()) => {
    loading ??= Promise.resolve(source).then(load).then(start);
    // After a failure it can be tried again.
    return loading.catch((error) => {
      loading = null;
      throw error;
    });
  };
}
