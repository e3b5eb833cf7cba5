"""The package for JavaScript in a new project, and the page in a browser.

Invariant: npm installs from dist/ alone. The page asks its own server only.
"""
import base64
import hashlib
import json
import shutil
import tarfile
import zlib

from . import place
from .place import HERE, ROOT, Failed, Row, expect, run
from .programs import Server

USE = 'console.log(robots("https://a.example/robots.txt", "User-agent: *\\nDisallow: /x").isAllowed("https://a.example/x"), ' \
      'test("User-agent: *\\nDisallow: /x", { agents: "MyBot", urls: ["/x"] }).results[0].line);'
MODULE = f'import {{ test }} from "robosieve";\nimport {{ robotsParser as robots }} from "robosieve/robots-parser";\n{USE}\n'
COMMON = f'const {{ test }} = require("robosieve");\nconst robots = require("robosieve/robots-parser");\n{USE}\n'
ANSWER = r"^false 2$"

# Opens a page, and prints its verdicts when they are there.
VISIT = """
const [driver, executablePath, address] = process.argv.slice(2);
const { chromium } = await import(driver);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage();
await page.goto(address);
await page.waitForFunction(() => /allowed/.test(document.querySelector("#verdicts").innerText), null, { timeout: 30000 });
console.log(await page.innerText("#verdicts"));
await browser.close();
"""


def package(here):
    path = here.artefact("robosieve-VERSION.tgz")
    size = path.stat().st_size
    folder = here.folder
    (folder / "package.json").write_text('{"name": "fresh", "private": true}', encoding="utf-8")
    _, installed = run(["npm", "install", "--offline", "--no-audit", "--no-fund", "--silent", path], cwd=folder)
    for name in ("LICENSE-MIT", "LICENSE-APACHE", "LICENSE-DEPENDENCIES.txt", "index.d.ts", "README.md"):
        if not (folder / "node_modules/robosieve" / name).exists():
            raise Failed(f"{path.name} has no {name}")
    node = run(["node", "--version"])[0].strip()
    for name, text, what in (("a.mjs", MODULE, "import"), ("a.cjs", COMMON, "require")):
        (folder / name).write_text(text, encoding="utf-8")
        output, seconds = run(["node", name], cwd=folder)
        yield Row(path.name, size, HERE, f"Node {node}, {what}", expect(output, ANSWER), installed + seconds)
    # The bundler that the tests of bindings/wasm pin.
    bundler = ROOT / "bindings/wasm/node_modules/.bin/esbuild"
    if bundler.exists():
        (folder / "b.mjs").write_text(MODULE.replace('"robosieve"', '"robosieve/inline"').replace(
            "robots-parser", "robots-parser/inline"), encoding="utf-8")
        _, seconds = run(
            [bundler, "b.mjs", "--bundle", "--format=esm", "--platform=browser", "--outfile=out/b.mjs",
             "--log-level=warning"], cwd=folder)
        output, more = run(["node", "out/b.mjs"], cwd=folder)
        yield Row(path.name, size, HERE, "bundled by esbuild", expect(output, ANSWER), seconds + more)


def page(here):
    path = here.artefact("robosieve-page-VERSION.tar.gz")
    with tarfile.open(path) as archive:
        archive.extractall(here.folder, filter="data")
    folder = here.folder / path.name.removesuffix(".tar.gz")
    listed = dict(reversed(line.split("  ", 1)) for line in (folder / "integrity.txt").read_text().splitlines())
    found = {
        str(file.relative_to(folder)): "sha384-" + base64.b64encode(hashlib.sha384(file.read_bytes()).digest()).decode()
        for file in folder.rglob("*") if file.is_file() and file.name != "integrity.txt"
    }
    if listed != found:
        raise Failed(f"integrity.txt differs from the files: {sorted(set(listed.items()) ^ set(found.items()))[:3]}")
    browser = place.debian_package("chromium", "chromium") or shutil.which("google-chrome")
    if not browser:
        yield Row(path.name, path.stat().st_size, HERE, "only built: no Chromium", f"{len(found)} files", 0)
        return
    question = {"body": "User-agent: *\nDisallow: /cart\n", "agent": "MyBot", "urls": ["/cart/1"]}
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(json.dumps(question).encode()) + packer.flush()
    fragment = "#1." + base64.urlsafe_b64encode(packed).decode().rstrip("=")
    driver = ROOT / "bindings/wasm/node_modules/playwright-core"
    if not driver.exists():
        run([ROOT / "bindings/wasm/tools"])
    script = here.folder / "ask.mjs"
    script.write_text(VISIT, encoding="utf-8")
    with Server(folder) as address:
        output, seconds = run(["node", script, driver / "index.mjs", browser, f"{address}/{fragment}"])
    expect(output, r"(?i)disallowed")
    yield Row(path.name, path.stat().st_size, HERE, "Chromium, from a file server", output, seconds)
