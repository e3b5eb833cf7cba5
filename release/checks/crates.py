"""The packed crates: a consumer, and the command, are built from these files alone.

Invariant: no crate of ours comes from anywhere else than from dist/, since every one of them is patched.
"""
import tarfile
import tomllib

from .place import DIST, EXAMPLE, HERE, ROOT, Failed, Row, expect, run

MAIN = """\
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file: &[u8] = b"User-agent: *\\nDisallow: /cart\\n";
    let sieve = robosieve::Sieve::new(["MyBot"]);
    print!("{}", sieve.run(file)?.text());
    println!("{}", sieve.tester(file)?.test("/cart/1"));
    let _ = robosieve_gate::CrawlerIdentity::new("MyBot", "1.0", "https://example.com/bot")?;
    assert!(robosieve_explain::Crawler::find("GPTBot").is_some());
    assert!(!robosieve_ask::SETTINGS.is_empty());
    assert_eq!(&*robosieve_batch::unpack::unpack_bytes(file.into(), 1000)?, file);
    Ok(())
}
"""


def unpacked(here):
    """Folders of all packed crates, by name, and what makes cargo take them."""
    found = {}
    for path in sorted(DIST.glob(f"robosieve*-{here.version}.crate")):
        with tarfile.open(path) as archive:
            archive.extractall(here.folder / "packed", filter="data")
        name = path.name.removesuffix(f"-{here.version}.crate")
        folder = here.folder / "packed" / path.name.removesuffix(".crate")
        for needed in ("LICENSE-MIT", "LICENSE-APACHE", "README.md"):
            if not (folder / needed).exists():
                raise Failed(f"{path.name} has no {needed}")
        manifest = tomllib.loads((folder / "Cargo.toml").read_text(encoding="utf-8"))
        ours = {one for one in manifest.get("dependencies", {}) if one.startswith("robosieve")}
        if any("path" in manifest["dependencies"][one] for one in ours):
            raise Failed(f"{path.name} names a folder")
        found[name] = folder
    if "robosieve-cli" not in found:
        raise Failed("dist/ has no crates: release/build crates")
    return found, [f"--config=patch.crates-io.{name}.path='{folder}'" for name, folder in found.items()]


def environment():
    """Crates of others are built once. Nobody debugs these programs."""
    return {"CARGO_TARGET_DIR": str(ROOT / "target/release-consumer"), "CARGO_PROFILE_DEV_DEBUG": "0"}


def consumer(here):
    folders, patches = unpacked(here)
    libraries = [name for name in folders if name != "robosieve-cli"]
    folder = here.folder / "consumer"
    (folder / "src").mkdir(parents=True)
    (folder / "src/main.rs").write_text(MAIN, encoding="utf-8")
    dependencies = "".join(f'{name} = "={here.version}"\n' for name in libraries)
    (folder / "Cargo.toml").write_text(
        f'[package]\nname = "consumer"\nedition = "2024"\n\n[dependencies]\n{dependencies}', encoding="utf-8")
    output, seconds = run(["cargo", "run", "--quiet", *patches], cwd=folder, env=environment())
    expect(output, r"(?s)Disallow: /cart\ndisallowed by line 2")
    for name in libraries:
        path = DIST / f"{name}-{here.version}.crate"
        yield Row(path.name, path.stat().st_size, HERE, "a new crate", output if name == "robosieve" else "linked", seconds)
        seconds = 0
    # As on a machine without an operating system: no std, no default features.
    target = "thumbv7em-none-eabi"
    run(["rustup", "target", "add", target])
    _, seconds = run(
        ["cargo", "build", "--quiet", "--no-default-features", "--target", target], cwd=folders["robosieve"],
        env=environment())
    yield Row(f"robosieve-{here.version}.crate", 0, HERE, f"{target}, no_std", "builds", seconds)


def command(here):
    folders, patches = unpacked(here)
    root = here.folder / "installed"
    _, seconds = run(
        ["cargo", "install", "--quiet", "--debug", "--features", "full", "--path", folders["robosieve-cli"], "--root", root, *patches],
        cwd=here.folder, env=environment())
    output, _ = run([root / "bin/robosieve", "test", "--agent", "MyBot", EXAMPLE, "/cart/1"], codes=(1,))
    expect(output, r"disallowed\s+/cart/1\s+line 3")
    path = DIST / f"robosieve-cli-{here.version}.crate"
    yield Row(path.name, path.stat().st_size, HERE, "cargo install, from packed crates", output, seconds)


def oldest(_):
    """The oldest compiler that Cargo.toml promises."""
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    version = manifest["workspace"]["package"]["rust-version"]
    run(["rustup", "toolchain", "install", version, "--profile", "minimal"])
    _, seconds = run(
        ["cargo", f"+{version}", "check", "--quiet", "--locked", "--workspace", "--exclude", "robosieve-bench", "--all-features"],
        env={"CARGO_TARGET_DIR": str(ROOT / "target/release-oldest")})
    yield Row("the workspace", 0, HERE, f"Rust {version}", "compiles", seconds)
