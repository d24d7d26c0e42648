"""Packing an image from its layers, in the namespace where they are mounted: `builder squash FILE`, called by a build."""

from __future__ import annotations

import json
import os
import struct
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import List

from diamond.runtimes.image_folders import write_json
from diamond.runtimes.squashfs import READABLE, Packed, Unreadable, read_contents
from diamond.runtimes.squashing import Unmergeable, write_merged

_QUIETLY = ["-noappend", "-no-progress", "-quiet"]


@dataclass(frozen=True)
class SquashJob:
    tree: str
    """Where the overlay is mounted."""
    folders: List[str]
    """What it is made of, uppermost first."""
    packed: List[str]
    """Where each of these is packed, or will."""
    target: str
    words: List[str]
    """How mksquashfs compresses."""

    def write(self, file: Path) -> None:
        write_json(file, asdict(self))


class _Failed(Exception):
    """mksquashfs ended with this exit code and message."""

    def __init__(self, code: int) -> None:
        self.code = code


def squash(file: Path) -> int:
    """Each layer is compressed once; a tree that its layers do not tell all of is packed as a whole."""
    job = SquashJob(**json.loads(file.read_text(encoding="utf-8")))
    try:
        pairs = zip(job.folders, job.packed)
        layers = [_layer(folder, Path(packed), job) for folder, packed in pairs]
        write_merged(Path(job.tree), layers, Path(job.target))
    except _Failed as failed:
        return failed.code
    except OSError as error:
        print(error)
        return 1
    except (Unmergeable, Unreadable, RecursionError, struct.error) as why:
        print(f"packed as a whole: {why}")
        return subprocess.call(["mksquashfs", job.tree, job.target, *_QUIETLY, *job.words])
    return 0


def _layer(folder: str, packed: Path, job: SquashJob) -> Packed:
    """Written beside and renamed: another build may want the same one."""
    if not packed.exists():
        half = packed.with_name(f"{packed.name}.{os.getpid()}")
        command = ["mksquashfs", folder, str(half), *_QUIETLY, *READABLE, *job.words]
        code = subprocess.call(command)
        if code:
            half.unlink(missing_ok=True)
            raise _Failed(code)
        half.replace(packed)
    return read_contents(packed)
