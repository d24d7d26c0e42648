"""Folders in which people keep images together: looked in first, and one file for all of them.

A group's own is written by its members; one of the whole site is read alone.

It is group-writable, with the sticky bit: nobody removes or replaces another's file. A member could still change a file of
their own after others have verified it, so such a file is checked again at every start (`runtimes/entering.py`).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat as modes
from dataclasses import replace
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Tuple

from diamond.core.errors import BadRequest, EnvironmentFailed
from diamond.runtimes.below import below
from diamond.runtimes.image_folders import ImageFolders, read_json, short, write_whole
from diamond.runtimes.manifests import (
    SUFFIXES,
    ImageManifest,
    manifest_data,
    manifest_from,
    stat_of,
)
from diamond.runtimes.store import remember, write_manifest

FOLDER_MODE, FILE_MODE = 0o3770, 0o440
"""Of the group alone; new files get the folder's group."""
SHARED = ("squashfs",)
"""podman keeps its own storage beside an archive, and a virtual environment is not a file."""
_HEX = re.compile(r"[0-9a-f]{64}")
_CHUNK = 4 * 2**20


def shared_folders(fact: object) -> List[str]:
    """One folder or several, as the profile's fact `build.shared` names them."""
    listed = fact if isinstance(fact, list) else [fact]
    return [str(folder) for folder in listed if folder]


def group_folders(folders: Sequence[str], own: ImageFolders) -> List[ImageFolders]:
    """Where to look, in this order. Raises `EnvironmentFailed` for a folder that is not there."""
    for folder in folders:
        if not Path(folder).is_dir():
            raise EnvironmentFailed(
                f"The shared image folder {folder} is not there",
                "Make it, writable for the group: mkdir -m 3770 FOLDER; chgrp GROUP FOLDER.",
            )
    return [ImageFolders(Path(folder), own.tmp) for folder in folders]


def writable_shared_folder(folders: Sequence[str], own: ImageFolders) -> Optional[ImageFolders]:
    """The first writable one. New images go there, and other builds of the same recipe wait for them."""
    for image_folders in group_folders(folders, own):
        if os.access(image_folders.root, os.W_OK | os.X_OK):
            for place in (image_folders.store, image_folders.identities):
                _make(place)
        if all(
            os.access(path, os.W_OK | os.X_OK)
            for path in (image_folders.store, image_folders.identities)
        ):
            return image_folders
    return None


def share(group: ImageFolders, own: ImageFolders, manifest: ImageManifest) -> ImageManifest:
    """Move a file that was built here into the group's folder; one's own manifest leads there.

    It stays one's own where the folder is full, or where something else is under its name.
    """
    if manifest.format not in SHARED:
        return manifest
    target = group.store / f"{manifest.sha256}{SUFFIXES[manifest.format]}"
    source = Path(manifest.file)
    is_new = not os.path.lexists(target)
    if is_new and not _laid(source, target):
        return manifest
    looked = (manifest.sha256, stat_of(target)) if is_new else _looked_at(target)
    if looked is None or looked[0] != manifest.sha256:
        return manifest
    if source != target:
        source.unlink(missing_ok=True)
    done = replace(manifest, file=str(target), stat=looked[1], shared=True)
    _publish(group, done)
    write_manifest(own, done)
    remember(own, done)
    return done


def take_shared(
    image_folders: Sequence[ImageFolders], own: ImageFolders, identity: str, formats: List[str]
) -> Optional[ImageManifest]:
    """An image that another member of the group built from this recipe, verified in full, or None."""
    for group in image_folders:
        for pointer in sorted(group.identities.glob(f"{short(identity)}.*.json")):
            pointed = read_json(pointer) or {}
            sha256 = str(pointed.get("sha256", ""))
            if pointed.get("format") not in formats or not _HEX.fullmatch(sha256):
                continue
            manifest = take_shared_file([group], own, sha256)
            if manifest is not None and manifest.identity == identity:
                remember(own, manifest)
                return manifest
    return None


def take_shared_file(
    image_folders: Sequence[ImageFolders], own: ImageFolders, sha256: str
) -> Optional[ImageManifest]:
    """The file with this digest in one of the folders, verified through the open file."""
    taken = (_taken(group, own, sha256) for group in image_folders)
    return next((manifest for manifest in taken if manifest is not None), None)


def _taken(group: ImageFolders, own: ImageFolders, sha256: str) -> Optional[ImageManifest]:
    """None for one that is not what it says."""
    try:
        manifest = manifest_from(read_json(below(group.store, f"{sha256}.json")))
        file = below(group.store, f"{sha256}{SUFFIXES[manifest.format]}")
    except BadRequest:
        return None
    looked = _looked_at(file) if manifest.format in SHARED else None
    if looked is None or looked[0] != sha256:
        return None
    done = replace(manifest, sha256=sha256, file=str(file), stat=looked[1], shared=True)
    write_manifest(own, done)
    return done


def unpublish(file: Path) -> None:
    """Remove a file of this person from the group's folder, with the entries that point to it."""
    pointers = file.parents[1].joinpath("identities").glob(f"*.{file.stem[:12]}.json")
    for path in [*pointers, file.with_suffix(".json"), file]:
        try:
            path.unlink()
        except OSError:
            continue


def _looked_at(file: Path) -> Optional[Tuple[str, Dict[str, int]]]:
    """The digest of a file and how it stood; None if it is not a plain file or changed meanwhile."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as source:
        before = os.fstat(descriptor)
        if not modes.S_ISREG(before.st_mode):
            return None
        digest = hashlib.sha256()
        while chunk := source.read(_CHUNK):
            digest.update(chunk)
        if _times(os.fstat(descriptor)) != _times(before):
            return None
    return digest.hexdigest(), _times(before)


def _times(status: os.stat_result) -> Dict[str, int]:
    return {
        "size": status.st_size,
        "mtime_ns": status.st_mtime_ns,
        "ctime_ns": status.st_ctime_ns,
        "inode": status.st_ino,
    }


def _make(folder: Path) -> None:
    if not folder.is_dir():
        folder.mkdir(exist_ok=True)
        if folder.stat().st_uid == os.geteuid():
            folder.chmod(FOLDER_MODE)


def _laid(source: Path, target: Path) -> bool:
    """By copying: a file that is renamed would keep its maker's group."""
    aside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with source.open("rb") as read, aside.open("wb") as write:
            while chunk := read.read(_CHUNK):
                write.write(chunk)
        aside.chmod(FILE_MODE)
        aside.replace(target)
    except OSError:
        aside.unlink(missing_ok=True)
        return False
    return True


def _publish(group: ImageFolders, manifest: ImageManifest) -> None:
    """For the others: what it is, and which recipe led to it. What somebody has said already stays."""
    manifest_file = group.store / f"{manifest.sha256}.json"
    pointer = group.identities / f"{short(manifest.identity)}.{manifest.sha256[:12]}.json"
    leads = {"sha256": manifest.sha256, "format": manifest.format}
    for file, value in ((manifest_file, manifest_data(manifest)), (pointer, leads)):
        if not file.exists():
            write_whole(file, _json(value))
            file.chmod(FILE_MODE)


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False) + "\n").encode()
