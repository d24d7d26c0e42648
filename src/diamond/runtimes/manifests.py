"""What is known about an image: a small JSON manifest beside its file."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Dict, List

from diamond.core.decoding import (
    Absolute,
    Digest,
    Hex,
    ImageFormat,
    Kind,
    Line,
    MaybeDigest,
    Variable,
    decode,
)

RuntimeName = Annotated[
    str,
    Kind("apptainer|singularity|charliecloud|podman|docker|venv", "the name of a runtime"),
]
VERSION = 2
SUFFIXES = {"squashfs": ".sqfs", "docker-archive": ".tar", "venv": ""}


@dataclass(frozen=True)
class ImageManifest:
    identity: Digest
    format: ImageFormat
    runtime: RuntimeName
    """Which runtime built it."""
    sha256: Hex
    """Of the file, in hex; of the installed list for a virtual environment."""
    size: int
    platform: Line
    file: str
    """The file, or the folder of a virtual environment; absolute."""
    base: Dict[str, str] = field(default_factory=dict)
    """`reference` as the person wrote it, and `digest`."""
    python: str = ""
    packages: Dict[str, Dict[str, str]] = field(default_factory=dict)
    """`python` and `system`: names with versions."""
    variables: Dict[Variable, str] = field(default_factory=dict)
    labels: Dict[str, str] = field(default_factory=dict)
    path: List[Absolute] = field(default_factory=list)
    """Folders in front of PATH inside."""
    built: Dict[str, Any] = field(default_factory=dict)
    """`at`, `host`, `user`, `build`, `seconds`."""
    stat: Dict[str, int] = field(default_factory=dict)
    """Size, times and inode as they were when the file was last verified in full."""
    native: MaybeDigest = ""
    """The id that the runtime itself knows it by (podman, docker); read again from the file before it is entered."""
    shared: bool = False
    """Whether the file is in a folder that a group of people writes."""
    arrived: bool = False
    """Whether the file came from elsewhere: it is known by its digest alone, whatever recipe it claims."""
    version: int = VERSION

    @property
    def is_from_here(self) -> bool:
        """Built by this agent, so that its recipe is believed. Manifests of version 1 do not say where a file came from."""
        return self.format == "venv" or (self.version >= VERSION and not self.arrived)


PUBLIC = ("identity", "sha256", "format", "platform", "size", "runtime")
"""What may leave a machine that lets only states leave."""


def manifest_data(manifest: ImageManifest) -> Dict[str, Any]:
    return asdict(manifest)


def public_manifest_data(manifest: ImageManifest) -> Dict[str, Any]:
    """That there is such a file, and nothing of what is in it or where it is."""
    data = manifest_data(manifest)
    return {**{name: data[name] for name in (*PUBLIC, "arrived", "version")}, "file": ""}


def manifest_from(data: Any) -> ImageManifest:
    """A manifest that somebody wrote. Raises `BadRequest`."""
    manifest = decode(ImageManifest, data, "record")
    return replace(manifest, version=data.get("version") or 1)


def stat_of(path: Path) -> Dict[str, int]:
    """What changes when somebody touches the file."""
    status = path.stat()
    return {
        "size": status.st_size,
        "mtime_ns": status.st_mtime_ns,
        "ctime_ns": status.st_ctime_ns,
        "inode": status.st_ino,
    }
