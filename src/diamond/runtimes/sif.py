"""A SIF around a squashfs and out of it, without packing anything again: the same bytes, so the same sha256.

Images are kept as squashfs; registries want SIF (ORAS), and people know it.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from diamond.core.errors import EnvironmentFailed
from diamond.runtimes.apptainer import packing_failed
from diamond.runtimes.calls import Call

ARCHITECTURES = {"linux/amd64": "2", "linux/arm64": "4", "linux/ppc64le": "6"}
"""As `apptainer sif add --partarch` numbers them."""
_FILE_SYSTEM, _PRIMARY, _SQUASHFS = "4", "2", "1"


def wrap_sif(image: Path, target: Path, *, platform: str, call: Call) -> None:
    """Write a SIF whose one part is the image. Raises `EnvironmentFailed`."""
    target.unlink(missing_ok=True)
    kind = ["--datatype", _FILE_SYSTEM, "--parttype", _PRIMARY, "--partfs", _SQUASHFS]
    words = [*kind, "--partarch", ARCHITECTURES[platform], "--groupid", "1"]
    for command in (["new", str(target)], ["add", *words, str(target), str(image)]):
        if call.run(["apptainer", "sif", *command], quietly=True):
            target.unlink(missing_ok=True)
            raise packing_failed(list(call.last))


def unwrap_sif(sif: Path, target: Path) -> None:
    """Write the squashfs that a SIF holds. Raises `EnvironmentFailed`."""
    with target.open("wb") as sink:
        words = ["apptainer", "sif", "dump", _part_of(sif), str(sif)]
        done = subprocess.run(words, stdout=sink, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        target.unlink(missing_ok=True)
        raise EnvironmentFailed(f"{sif} could not be read: {done.stderr.decode(errors='replace')}")


def _part_of(sif: Path) -> str:
    """The number of the part that holds the root file system."""
    words = ["apptainer", "sif", "list", str(sif)]
    listed = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    for line in listed.splitlines():
        if "*System" in line and "Squashfs" in line:
            return line.split("|")[0].strip()
    raise EnvironmentFailed(f"{sif} holds no squashfs", "Only SIF files of images can be taken.")
