"""The agent as one file: a zipapp of the parts it needs, with the same bytes each time it is built."""

from __future__ import annotations

import hashlib
import io
import marshal
import sys
import zipfile
from functools import lru_cache
from importlib.util import MAGIC_NUMBER, source_hash
from pathlib import Path

import diamond
from diamond.agent.disk import write_whole

PACKAGES = (
    "core",
    "schedulers",
    "images",
    "runtimes",
    "launchers",
    "agent",
    "code",
    "training",
    "frames",
    "planning",
    "data",
    "pilots",
)
SHEBANG = b"#!/usr/bin/env python3\n"
_MAIN = """\
import sys

if sys.argv[1:2] == ["build"]:  # a builder needs nothing of the agent
    from diamond.runtimes.builder import main

    sys.exit(main(sys.argv[2:]))
if sys.argv[1:2] == ["data"]:  # nor does what reads a folder of data
    from diamond.data.job import main

    sys.exit(main(sys.argv[2:]))
from diamond.agent.__main__ import main

sys.exit(main())
"""
BUILDER = (
    *("diamond/__init__", "diamond/core/", "diamond/data/"),
    *("diamond/images/", "diamond/runtimes/"),
)
_EPOCH = (1980, 1, 1, 0, 0, 0)


def build_bundle(target: Path) -> str:
    """Write the agent's file and return its SHA-256 in hex."""
    content = bundle_bytes()
    write_whole(target, content, mode=0o755)
    return hashlib.sha256(content).hexdigest()


def bundle_bytes() -> bytes:
    buffer = io.BytesIO()
    buffer.write(SHEBANG)
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_entry("__main__.py"), _MAIN)
        for name, file in bundle_files().items():
            archive.writestr(_entry(name), file.read_bytes())
    return buffer.getvalue()


def with_bytecode(content: bytes) -> bytes:
    """The same file with the builder compiled for this very Python; another one takes the sources beside it.

    A builder is started for every build, and spent half of its time on compiling itself.
    """
    buffer = io.BytesIO(content)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        for name in archive.namelist():
            if name.startswith(BUILDER) and name.endswith(".py"):
                archive.writestr(_entry(f"{name}c"), _bytecode(archive.read(name), name))
    return buffer.getvalue()


def _bytecode(source: bytes, name: str) -> bytes:
    """Unchecked hash-based, as in PEP 552: Python does not read the source again."""
    code = compile(source, name, "exec", dont_inherit=True)
    head = MAGIC_NUMBER + (1).to_bytes(4, "little") + source_hash(source)
    return head + marshal.dumps(code)


def builder_file(folder: Path) -> str:
    """The builder as one file, named by content: an upgraded agent leaves the file of running builds alone."""
    content = _bundle()
    named = f"{hashlib.sha256(content).hexdigest()[:16]}-{sys.implementation.cache_tag}"
    target = folder / f"builder-{named}.pyz"
    if not target.is_file():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(target, with_bytecode(content), mode=0o700)
    return str(target)


@lru_cache
def _bundle() -> bytes:
    """The agent's own file if it runs from one; else made from the installed parts."""
    for place in Path(diamond.__file__).parents:
        if place.is_file():
            return place.read_bytes()
    return bundle_bytes()


def bundle_files() -> dict[str, Path]:
    """What the bundle carries: names in the archive with the installed files."""
    root = Path(diamond.__file__).parent
    files = [root / "__init__.py"]
    for package in PACKAGES:
        files += (file for file in (root / package).rglob("*") if file.suffix in (".py", ".sh"))
    return {f"diamond/{file.relative_to(root).as_posix()}": file for file in sorted(files)}


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry
