"""Static programs, Debian packages, the script that installs, and the image.

Invariant: the program runs where nothing else is: in a root that holds it alone, and in a bare Debian.
"""
import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import tarfile
import threading
import time
import urllib.request
import zipfile

from . import place
from .place import EXAMPLE, HERE, ROOT, Failed, Row, expect, run

FIRST = ["test", "--agent", "MyBot", "/robots.txt", "/cart/1", "/cart/help"]
ANSWER = r"disallowed\s+/cart/1\s+line 3: Disallow: /cart"
BUILT = f"{HERE}, by zig"
# The processors of a release, with Debian's names; fewer if TARGETS names fewer, as for release/build.
NAMES = {"x86_64": "amd64", "aarch64": "arm64"}
PROCESSORS = [target.split("-")[0] for target in os.environ.get("TARGETS", "").split()] or list(NAMES)


def other_processor():
    """What runs a program of the other processor here, if anything does."""
    return place.debian_package("qemu-aarch64-static", "qemu-user-static")


def has_the_page(program):
    """The command serves the page, down to its module, from files that are inside it."""
    with subprocess.Popen([program, "page", "--no-open"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as served:
        try:
            address = served.stdout.readline().strip()
            if not address:
                raise Failed(f"{program} has no page")
            with urllib.request.urlopen(f"{address}robosieve/robosieve.wasm", timeout=30) as answer:
                if answer.read(4) != b"\0asm":
                    raise Failed(f"{program}: its page has no module")
        finally:
            served.kill()


def binary(here):
    for processor in PROCESSORS:
        path = here.artefact(f"robosieve-VERSION-{processor}-linux.tar.gz")
        began = time.monotonic()
        with tarfile.open(path) as archive:
            archive.extractall(here.folder, filter="data")
        folder = here.folder / path.name.removesuffix(".tar.gz")
        for needed in ("LICENSE-MIT", "LICENSE-DEPENDENCIES.txt", "man/robosieve.1", "completions/_robosieve"):
            if not (folder / needed).exists():
                raise Failed(f"{path.name} has no {needed}")
        root = here.folder / f"root-{processor}"
        root.mkdir()
        shutil.copy(folder / "robosieve", root)
        shutil.copy(EXAMPLE, root / "robots.txt")
        where, emulator = "a root that has nothing else", []
        if processor != os.uname().machine:
            emulator = other_processor()
            if not emulator:
                yield Row(path.name, path.stat().st_size, BUILT, "only built", "", time.monotonic() - began)
                continue
            shutil.copy(emulator, root / "emulator")
            where, emulator = "the same, with qemu", ["/emulator"]
        if os.geteuid() == 0:
            command = ["chroot", root, *emulator, "/robosieve", *FIRST]
        else:
            where = "an empty environment"
            command = ["env", "-i", root / "robosieve", *FIRST[:3], root / "robots.txt", *FIRST[4:]]
        output, _ = run(command, codes=(1,))
        if processor == os.uname().machine:
            has_the_page(root / "robosieve")
        yield Row(path.name, path.stat().st_size, BUILT, where, expect(output, ANSWER), time.monotonic() - began)


def windows(here):
    path = here.artefact("robosieve-VERSION-x86_64-windows.zip")
    began = time.monotonic()
    with zipfile.ZipFile(path) as archive:
        archive.extractall(here.folder)
    folder = here.folder / path.stem
    program = folder / "robosieve.exe"
    imports, _ = run(["x86_64-w64-mingw32-objdump", "-p", program])
    foreign = [name for name in re.findall(r"DLL Name: (\S+)", imports) if re.match(r"lib|zlib|sqlite", name, re.IGNORECASE)]
    if foreign:
        raise Failed(f"{path.name} needs {', '.join(foreign)}, which Windows has not")
    yield Row(path.name, path.stat().st_size, f"{HERE}, by mingw", "only built; .ci/windows runs a build under Wine", "", time.monotonic() - began)


def bare_debian(here, architecture="amd64"):
    """A fresh root of Debian, from a cache of its packages."""
    cache = ROOT / "target/release-debian"
    cache.mkdir(parents=True, exist_ok=True)
    base = cache / f"bookworm-{architecture}.tar"
    if not base.exists():
        made = here.folder / "base"
        run(["debootstrap", "--variant=minbase", "--cache-dir", cache, "bookworm", made])
        run(["tar", "-C", made, "-cf", base, "."])
        shutil.rmtree(made)
    root = here.folder / "debian"
    root.mkdir()
    run(["tar", "-C", root, "-xf", base])
    return root


def deb(here):
    names = {NAMES[processor]: f"robosieve_VERSION_{NAMES[processor]}.deb" for processor in PROCESSORS}
    lintian = place.debian_package("lintian", "lintian")
    for name in names.values():
        path = here.artefact(name)
        if not lintian:
            yield Row(path.name, path.stat().st_size, BUILT, "not looked at: no lintian", "", 0)
        else:
            output, seconds = run([lintian, "--fail-on", "error,warning", path], env={"LC_ALL": "C.UTF-8"})
            yield Row(path.name, path.stat().st_size, BUILT, "lintian", output or "no error, no warning", seconds)
    if os.geteuid() != 0 or not place.debian_package("debootstrap", "debootstrap"):
        yield Row("deb", 0, BUILT, "only built: no root, no debootstrap", "", 0)
        return
    if "amd64" not in names:
        return
    path = here.artefact(names["amd64"])
    root = bare_debian(here)
    began = time.monotonic()
    shutil.copy(path, root / "robosieve.deb")
    shutil.copy(EXAMPLE, root / "robots.txt")
    run(["chroot", root, "dpkg", "-i", "/robosieve.deb"])
    output, _ = run(["chroot", root, "robosieve", *FIRST], codes=(1,))
    expect(output, ANSWER)
    seconds = time.monotonic() - began
    run(["chroot", root, "dpkg", "-r", "robosieve"])
    if (root / "usr/bin/robosieve").exists():
        raise Failed("dpkg -r leaves the program")
    yield Row(path.name, path.stat().st_size, BUILT, "dpkg -i in a bare Debian 12", output, seconds)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Server:
    """A file server on loopback, while the block lasts."""

    def __init__(self, folder):
        handler = functools.partial(Quiet, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_port}"

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def install(here):
    """The script installs what has its sum, and refuses everything else without leaving a file."""
    script = ROOT / "release/install.sh"
    name = here.artefact(f"robosieve-VERSION-{os.uname().machine}-linux.tar.gz").name
    release = here.folder / "release"
    release.mkdir()
    shutil.copy(place.DIST / name, release)
    shutil.copy(place.DIST / "SHA256SUMS", release)
    sums = (release / "SHA256SUMS").read_text(encoding="utf-8")

    def attempt(what, codes, *more):
        to = here.folder / what.replace(" ", "-")
        temporary = here.folder / "temporary"
        temporary.mkdir(exist_ok=True)
        # As for a careful user, and as where no home is.
        command = ["env", "-u", "HOME", "sh", "-c", 'umask 077; exec sh "$@"', "sh", script, "--from", address, "--to", to]
        done = run([*command, *more], codes=codes, env={"TMPDIR": str(temporary)})
        if list(temporary.iterdir()):
            raise Failed(f"{what}: temporary files are left")
        return to, done

    with Server(release) as address:
        to, (_, seconds) = attempt("as released", (0,))
        output, _ = run([to / "robosieve", "--version"])
        expect(output, here.version)
        if (to / "robosieve").stat().st_mode & 0o777 != 0o755:
            raise Failed("not everybody can start the program")
        if [path.name for path in to.iterdir()] != ["robosieve"]:
            raise Failed(f"{to} has something else, too")
        yield Row("install.sh", script.stat().st_size, "", "an empty folder", output, seconds)
        line = next(line for line in sums.splitlines() if line.endswith(f"  {name}"))
        other = "0" * 64 + line[64:]
        damaged = {
            "a wrong sum": sums.replace(line, other),
            "no sum": sums.replace(line + "\n", ""),
            "two sums": sums + line.replace(here.version, "9.9.9") + "\n",
            "an empty list": "",
        }
        for what, text in damaged.items():
            (release / "SHA256SUMS").write_text(text, encoding="utf-8")
            to, _ = attempt(what, (1,))
            if to.exists():
                raise Failed(f"{what}: {to} was made")
        (release / "SHA256SUMS").write_text(sums, encoding="utf-8")
        attempt("a tag", (0,), "--version", f"v{here.version}")
        attempt("no place", (1,), "--from", here.folder / "none")
        to, _ = attempt("another version", (1,), "--version", "9.9.9")
        if to.exists():
            raise Failed("another version than the one asked for was installed")
        (here.folder / "a-folder/robosieve").mkdir(parents=True)
        to, _ = attempt("a folder", (1,))
        if list((to / "robosieve").iterdir()):
            raise Failed("the program was put into a folder of its name")
        (release / name).write_bytes((release / name).read_bytes()[:-1])
        to, (_, seconds) = attempt("an archive that is cut", (1,))
        if to.exists():
            raise Failed("a cut archive was installed")
        refused = ", ".join([*damaged, "another version", "a folder of this name", "an archive that is cut"])
        yield Row("install.sh", 0, "", "refuses, and leaves nothing", refused, seconds)


def image(here):
    """The image's layout: every file has the name of its sum and the size that is said, and the program starts."""
    path = here.artefact("robosieve-VERSION-oci.tar")
    began = time.monotonic()
    folder = here.folder / "image"
    with tarfile.open(path) as archive:
        archive.extractall(folder, filter="data")
    if json.loads((folder / "oci-layout").read_text()) != {"imageLayoutVersion": "1.0.0"}:
        raise Failed("oci-layout is not 1.0.0")

    def blob(of):
        data = folder / "blobs" / of["digest"].replace(":", "/")
        found, _ = run(["sha256sum", data])
        if data.stat().st_size != of["size"] or found.split()[0] != of["digest"].removeprefix("sha256:"):
            raise Failed(f"{of['digest']} is another file")
        return data

    (top,) = json.loads((folder / "index.json").read_text())["manifests"]
    platforms = {}
    for entry in json.loads(blob(top).read_text())["manifests"]:
        manifest = json.loads(blob(entry).read_text())
        config = json.loads(blob(manifest["config"]).read_text())
        root = here.folder / entry["platform"]["architecture"]
        for layer in manifest["layers"]:
            with tarfile.open(blob(layer)) as archive:
                archive.extractall(root, filter="data")
        platforms[entry["platform"]["architecture"]] = (root, config)
    if sorted(platforms) != ["amd64", "arm64"]:
        raise Failed(f"the image is for {sorted(platforms)}")
    root, config = platforms[NAMES[os.uname().machine]]
    if config["config"]["User"].split(":")[0] == "0" or config["config"]["Entrypoint"] != ["/robosieve"]:
        raise Failed("the image runs as root, or something else than the program")
    if os.geteuid() == 0:
        command = ["chroot", "--userspec", config["config"]["User"], root, "/robosieve", "test", "--agent", "MyBot", "-",
                   *FIRST[4:]]
        output, _ = run(command, codes=(1,), stdin=EXAMPLE.read_text(encoding="utf-8"))
        output = expect(output, ANSWER)
        where = "its layers as a root, as its user"
    else:
        where, output = "layout only: no root", "whole"
    yield Row(path.name, path.stat().st_size, HERE, where, output, time.monotonic() - began)
