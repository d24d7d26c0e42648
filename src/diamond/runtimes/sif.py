"""A SIF around a squashfs and out of it, without packing anything again: the same bytes, so the same sha256.

Images are kept as squashfs; registries want SIF (ORAS), and people know it.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Dict, List, Optional

from diamond.core.errors import EnvironmentFailed
from diamond.runtimes.calls import Call
from diamond.runtimes.failures import packing_failed

ARCHITECTURES = {"linux/amd64": "2", "linux/arm64": "4", "linux/ppc64le": "6"}
"""As `apptainer sif add --partarch` numbers them."""
_MAGIC = b"hsqs"
_FILE_SYSTEM, _PRIMARY, _SQUASHFS, _JSON = "4", "2", "1", "6"


def wrap_sif(image: Path, target: Path, *, platform: str, call: Call) -> None:
    """Write a SIF whose one part is the image. Raises `EnvironmentFailed`."""
    target.unlink(missing_ok=True)
    kind = ["--datatype", _FILE_SYSTEM, "--parttype", _PRIMARY, "--partfs", _SQUASHFS]
    arguments = [*kind, "--partarch", ARCHITECTURES[platform], "--groupid", "1"]
    for command in (["new", str(target)], ["add", *arguments, str(target), str(image)]):
        if call.run(["apptainer", "sif", *command], quietly=True):
            target.unlink(missing_ok=True)
            raise packing_failed(list(call.last))


def unwrap_sif(sif: Path, target: Path) -> None:
    """Write the squashfs that a SIF holds. Raises `EnvironmentFailed`."""
    with target.open("wb") as sink:
        command = ["apptainer", "sif", "dump", _part_of(sif), str(sif)]
        done = subprocess.run(command, stdout=sink, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        target.unlink(missing_ok=True)
        raise EnvironmentFailed(f"{sif} could not be read: {done.stderr.decode(errors='replace')}")


def squashfs_start(file: Path) -> Optional[int]:
    """Where the root file system begins in a squashfs or a SIF around one; None for anything else."""
    with file.open("rb") as source:
        if source.read(4) == _MAGIC:
            return 0
    for line in _parts(file):
        if "*System" in line and "Squashfs" in line:
            return int(line.split("|")[3].split("-")[0])
    return None


def add_note(sif: Path, name: str, text: str, call: Call) -> None:
    """Add a part of JSON; the root file system stays as it is. Raises `EnvironmentFailed`."""
    note = sif.with_name(name)
    note.write_text(text, encoding="utf-8")
    command = ["--datatype", _JSON, "--filename", name, "--groupid", "1"]
    try:
        if call.run(["apptainer", "sif", "add", *command, str(sif), str(note)], quietly=True):
            raise packing_failed(list(call.last))
    finally:
        note.unlink(missing_ok=True)


def read_note(sif: Path) -> Optional[Dict[str, Any]]:
    """The JSON that `add_note` added; None where there is none."""
    for line in _parts(sif):
        if "GenericJSON" not in line and "JSON" not in line:
            continue
        command = ["apptainer", "sif", "dump", line.split("|")[0].strip(), str(sif)]
        done = subprocess.run(command, capture_output=True, check=False)
        try:
            part = json.loads(done.stdout)
        except ValueError:
            continue
        if isinstance(part, dict) and {"record", "recipe"} <= set(part):
            return part
    return None


def _parts(sif: Path) -> List[str]:
    command = ["apptainer", "sif", "list", str(sif)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()


def _part_of(sif: Path) -> str:
    """The number of the part that holds the root file system."""
    for line in _parts(sif):
        if "*System" in line and "Squashfs" in line:
            return line.split("|")[0].strip()
    raise EnvironmentFailed(f"{sif} holds no squashfs", "Only SIF files of images can be taken.")
