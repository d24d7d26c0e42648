"""Bringing a base to the machine: as a file with a digest, and unpacked where a runtime needs folders."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Callable, List

from diamond.core.errors import EnvironmentFailed
from diamond.images.bases import FILES, Base, read_base
from diamond.images.plan import BASE
from diamond.images.recipe import Recipe
from diamond.runtimes.base import NotBegun
from diamond.runtimes.calls import Call
from diamond.runtimes.image_folders import ImageFolders, read_json, short, write_json
from diamond.runtimes.namespaces import as_root, has_sub_ids, remove_tree
from diamond.runtimes.store import find, find_file

_MACHINES = {0x3E: "linux/amd64", 0xB7: "linux/arm64", 0x15: "linux/ppc64le"}
NEEDED_FOLDERS = ("mnt", "tmp", "proc", "sys", "dev", "etc", "var/tmp", "root", "home", "opt")
NEEDED_FILES = ("etc/passwd", "etc/group", "etc/hosts", "etc/resolv.conf")


def base_file(image_folders: ImageFolders, base: Base) -> Path:
    """The file that a base of this machine is; an image of Diamond's own is one too."""
    if base.kind in FILES:
        return Path(base.address).expanduser()
    manifest = find(image_folders, base.address, ["squashfs", "docker-archive"])
    manifest = manifest or find_file(image_folders, base.address)
    if manifest is None:
        raise NotBegun(
            BASE,
            f"The image {base.address[:19]}… that this one builds on is not on this machine",
            "Build or fetch it here first.",
        )
    return Path(manifest.file)


def unpacked(
    recipe: Recipe, image_folders: ImageFolders, call: Call, unpack: Callable[[Base, Path], int]
) -> Path:
    """The base as a folder, made once for each digest. `unpack` fills the folder that it is given."""
    home = image_folders.bases / short(recipe.base_digest)
    rootfs = home / "rootfs"
    if read_json(home / "base.json"):
        return rootfs
    base = read_base(recipe.environment.base)
    aside = home.with_name(f"{home.name}.new")
    remove_tree(aside)
    aside.mkdir(parents=True)
    if unpack(base, aside / "rootfs"):
        lines = list(call.last)
        remove_tree(aside)
        raise failed_base(base.reference, lines)
    _make_usable(aside / "rootfs", call)
    check_platform(aside / "rootfs", recipe.platform, base.reference)
    write_json(aside / "base.json", {"reference": base.reference, "digest": recipe.base_digest})
    remove_tree(home)
    aside.rename(home)
    return rootfs


def untar(archive: Path, target: Path, call: Call, *, owners: bool = True) -> int:
    """Unpack a root file system; owners are kept if wanted, where this account has ids for them."""
    target.mkdir(parents=True)
    command = ["tar", "-xf", str(archive), "-C", str(target), "--exclude=./dev/*"]
    if owners and has_sub_ids():
        return call.run(as_root([*command, "--same-owner", "--numeric-owner"]))
    return call.run([*command, "--no-same-owner"])


def unsquash(image: Path, target: Path, call: Call, *, owners: bool = True, start: int = 0) -> int:
    """`start` is where the squashfs begins in the file."""
    command = ["unsquashfs", "-no-progress", "-quiet", "-offset", str(start), "-dest", str(target)]
    command.append(str(image))
    return call.run(as_root(command) if owners and has_sub_ids() else command, quietly=True)


def failed_base(reference: str, lines: List[str]) -> EnvironmentFailed:
    said = "\n".join(f"    {line}" for line in lines[-10:])
    return NotBegun(
        BASE,
        f"The base image {reference} could not be fetched or unpacked:\n{said}",
        "Check its name, and that this machine may reach it.",
    )


def check_platform(rootfs: Path, platform: str, reference: str) -> None:
    """Compare the base's own shell with the machine. Raises `EnvironmentFailed`."""
    actual = _platform(rootfs)
    if actual and actual != platform:
        raise NotBegun(
            BASE,
            f"The base image {reference} is for {actual}, this machine is {platform}",
            f"Name a base that exists for {platform}, or build on an endpoint with {actual}.",
        )


def _platform(rootfs: Path) -> str:
    for name in ("bin/sh", "usr/bin/sh", "bin/busybox", "bin/bash", "usr/bin/env"):
        program = _resolved(rootfs, name)
        if program is None:
            continue
        with program.open("rb") as source:
            head = source.read(20)
        if head[:4] == b"\x7fELF":
            return _MACHINES.get(struct.unpack("<H", head[18:20])[0], "another kind of machine")
    return ""


def _resolved(rootfs: Path, name: str, depth: int = 10) -> Path | None:
    """A path inside, links followed as from inside."""
    place = rootfs / name
    while place.is_symlink() and depth:
        link = str(place.readlink())
        place = rootfs / link.lstrip("/") if link.startswith("/") else place.parent / link
        depth -= 1
    return place if place.is_file() else None


def _make_usable(rootfs: Path, call: Call) -> None:
    """Every base gets the image_folders that runtimes bind over; a tiny one may lack them."""
    lines = [f"mkdir -p {' '.join(NEEDED_FOLDERS)}", "chmod 1777 tmp var/tmp"]
    lines += [f"[ -e {name} ] || [ -L {name} ] || : >{name}" for name in NEEDED_FILES]
    call.run(as_root(["sh", "-euc", "\n".join(lines)]), folder=rootfs)
    if not (rootfs / "mnt").is_dir():
        for name in NEEDED_FOLDERS:
            (rootfs / name).mkdir(parents=True, exist_ok=True)
        for name in NEEDED_FILES:
            (rootfs / name).touch()
