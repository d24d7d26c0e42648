"""Images of an endpoint by content: put in, found by digest, and verified before anything runs inside.

Only what was built here, or is in a folder that the site or the person named, is found by its recipe too: whatever came
from elsewhere may claim any recipe. Every path is made below the store (`runtimes/below.py`), also one that a manifest names.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

from diamond.core.errors import BadRequest, ImageChanged, NotFound
from diamond.runtimes.below import below, is_below
from diamond.runtimes.image_folders import ImageFolders, read_json, short, write_json
from diamond.runtimes.manifests import (
    SUFFIXES,
    VERSION,
    ImageManifest,
    manifest_data,
    manifest_from,
    stat_of,
)

_CHUNK = 4 * 2**20


def keep_manifest(image_folders: ImageFolders, manifest: ImageManifest) -> ImageManifest:
    """Take an image into the store: its file under its sha256, its manifest, and which recipe it came from."""
    if manifest.format == "venv":
        write_json(_manifest_file(image_folders, manifest), manifest_data(manifest))
        remember(image_folders, manifest)
        return manifest
    packed = Path(manifest.file)
    sha256 = file_sha256(packed)
    target = _store_file(image_folders, sha256, manifest.format)
    packed.chmod(0o444)
    packed.replace(target)
    stat = stat_of(target)
    done = replace(manifest, sha256=sha256, size=stat["size"], file=str(target), stat=stat)
    write_manifest(image_folders, done)
    remember(image_folders, done)
    return done


def receive_image(
    image_folders: ImageFolders, manifest: ImageManifest, file: Path, *, sha256: str = ""
) -> ImageManifest:
    """Take in a file that came from elsewhere, after looking at all of it. Raises `ImageChanged`.

    `sha256` is given by a caller who has already read the whole file.
    """
    if (sha256 or file_sha256(file)) != manifest.sha256:
        file.unlink(missing_ok=True)
        raise ImageChanged(
            f"The file that arrived is not {manifest.sha256[:12]}: it was changed on its way",
            "It was thrown away. Fetch it again.",
        )
    known = find_file(image_folders, manifest.sha256)
    if known is not None and known.is_from_here:
        file.unlink(missing_ok=True)
        return verify(image_folders, known)
    target = _store_file(image_folders, manifest.sha256, manifest.format)
    file.chmod(0o444)
    file.replace(target)
    done = replace(
        manifest,
        file=str(target),
        stat=stat_of(target),
        native="",
        shared=False,
        arrived=True,
        version=VERSION,
    )
    write_manifest(image_folders, done)
    return done


def remove(image_folders: ImageFolders, manifest: ImageManifest) -> int:
    """Forget an image and free its bytes; a file that a group shares stays. Gives what was freed."""
    freed = 0
    if manifest.format == "venv":
        freed = manifest.size
        shutil.rmtree(_venv_home(image_folders, manifest), ignore_errors=True)
    elif not manifest.shared:
        file = _store_file(image_folders, manifest.sha256, manifest.format)
        freed = file.stat().st_size if file.is_file() else 0
        file.unlink(missing_ok=True)
    below(image_folders.store, f"{manifest.sha256}.json").unlink(missing_ok=True)
    pointer = _identity_file(image_folders, manifest.identity, manifest.format)
    pointed = read_json(pointer)
    if pointed and not Path(str(pointed.get("record"))).exists():
        pointer.unlink(missing_ok=True)
    return freed


def write_manifest(image_folders: ImageFolders, manifest: ImageManifest) -> None:
    """What is known of an image."""
    write_json(_manifest_file(image_folders, manifest), manifest_data(manifest))


def remember(image_folders: ImageFolders, manifest: ImageManifest) -> None:
    """Let `find` know which image a recipe has led to, here or in a folder that is trusted for it."""
    file = _identity_file(image_folders, manifest.identity, manifest.format)
    write_json(file, {"record": str(_manifest_file(image_folders, manifest))})


def find(image_folders: ImageFolders, identity: str, formats: List[str]) -> Optional[ImageManifest]:
    """The image that was built here from a recipe, in the first of these formats that is here."""
    for form in formats:
        pointed = read_json(_identity_file(image_folders, identity, form))
        place = str((pointed or {}).get("record"))
        manifest = (
            _read(image_folders, read_json(Path(place)))
            if is_below(image_folders.root, place)
            else None
        )
        if manifest is not None and manifest.is_from_here and _is_there(manifest):
            return manifest if manifest.identity == identity else None
    return None


def find_file(image_folders: ImageFolders, sha256: str) -> Optional[ImageManifest]:
    """The image with this digest."""
    name = sha256.split(":")[-1]
    manifest = _read(image_folders, read_json(below(image_folders.store, f"{name}.json")))
    return (
        manifest if manifest and manifest.sha256 == name and Path(manifest.file).exists() else None
    )


def stored_images(image_folders: ImageFolders) -> Iterator[ImageManifest]:
    for file in [*image_folders.store.glob("*.json"), *image_folders.venvs.glob("*/record.json")]:
        manifest = _read(image_folders, read_json(file))
        if manifest is not None:
            yield manifest


def _read(image_folders: ImageFolders, data: Optional[Dict[str, Any]]) -> Optional[ImageManifest]:
    """A manifest of the store; None for one that is not whole, or names a file elsewhere."""
    try:
        manifest = manifest_from(data) if data is not None else None
        if manifest is None or manifest.shared:
            return manifest
        is_venv = manifest.format == "venv"
        place = (
            _venv_home(image_folders, manifest)
            if is_venv
            else _store_file(image_folders, manifest.sha256, manifest.format)
        )
    except BadRequest:
        return None
    return manifest if str(place) == manifest.file else None


def verify(
    image_folders: ImageFolders, manifest: ImageManifest, *, fully: bool = False
) -> ImageManifest:
    """Make sure that the file is the one that was built or received. Raises `ImageChanged`.

    In full when asked to, or when size, times or inode are not those of the last full look.
    """
    if manifest.format == "venv":
        return manifest
    file = Path(manifest.file)
    if not file.is_file():
        raise NotFound(f"The image file {file.name} is no longer there", "Build it again.")
    stat = stat_of(file)
    if stat == manifest.stat and not fully:
        return manifest
    if stat["size"] != manifest.size or file_sha256(file) != manifest.sha256:
        raise ImageChanged(
            f"The image file {file} is not what its digest says: it was changed or cut off",
            "Remove it, and build or fetch it again.",
        )
    fresh = replace(manifest, stat=stat)
    write_json(_manifest_file(image_folders, manifest), manifest_data(fresh))
    return fresh


def file_sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as source:
        while chunk := source.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _is_there(manifest: ImageManifest) -> bool:
    """The Python that a virtual environment links to may have gone: sites remove old ones."""
    if manifest.format == "venv" and manifest.path:
        return os.access(Path(manifest.path[0]) / "python", os.X_OK)
    return Path(manifest.file).exists()


def _manifest_file(image_folders: ImageFolders, manifest: ImageManifest) -> Path:
    if manifest.format == "venv":
        return below(_venv_home(image_folders, manifest), "record.json")
    return below(image_folders.store, f"{manifest.sha256}.json")


def _venv_home(image_folders: ImageFolders, manifest: ImageManifest) -> Path:
    return below(image_folders.venvs, short(manifest.identity))


def _store_file(image_folders: ImageFolders, sha256: str, form: str) -> Path:
    return below(image_folders.store, f"{sha256}{SUFFIXES[form]}")


def _identity_file(image_folders: ImageFolders, identity: str, form: str) -> Path:
    return below(image_folders.identities, f"{short(identity)}.{form}.json")
