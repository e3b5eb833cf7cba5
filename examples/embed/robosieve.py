#!/usr/bin/env python3
"""The command as a module of WebAssembly, run by wasmtime: `pip install wasmtime`, then

    python examples/embed/robosieve.py dist/robosieve.wasm test --ndjson <requests

What follows the module are the command's arguments. It sees the folder it is called in and no other, and no network.
"""
import sys

from wasmtime import Config, Engine, ExitTrap, Linker, Module, Store, WasiConfig


def main() -> int:
    config = Config()
    # The module is compiled once for each version of it: some seconds.
    config.cache = True
    engine = Engine(config)
    wasi = WasiConfig()
    wasi.argv = ["robosieve", *sys.argv[2:]]
    wasi.inherit_stdin()
    wasi.inherit_stdout()
    wasi.inherit_stderr()
    wasi.preopen_dir(".", ".")
    store = Store(engine)
    store.set_wasi(wasi)
    linker = Linker(engine)
    linker.define_wasi()
    instance = linker.instantiate(store, Module.from_file(engine, sys.argv[1]))
    try:
        instance.exports(store)["_start"](store)
    except ExitTrap as end:
        return end.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
