"""Into a registry and out of it: a squashfs as a SIF by ORAS, with its manifest inside; an archive as an OCI image."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

from diamond.core.errors import EnvironmentFailed
from diamond.images.bases import Base
from diamond.runtimes.addresses import is_plain_http
from diamond.runtimes.calls import Call
from diamond.runtimes.image_folders import ImageFolders
from diamond.runtimes.manifests import ImageManifest, manifest_data, manifest_from
from diamond.runtimes.podman import image_id, storage_words
from diamond.runtimes.sif import add_note, read_note, unwrap_sif, wrap_sif
from diamond.runtimes.store import receive_image

NOTE = "diamond.json"
"""The manifest and recipe of an image, as a part of its SIF."""


def push(
    manifest: ImageManifest,
    recipe: Dict[str, Any],
    address: str,
    *,
    image_folders: ImageFolders,
    insecure: Sequence[str],
    call: Call,
) -> None:
    """Raises `EnvironmentFailed` with the registry's own words."""
    plain = is_plain_http(Base("docker", address), insecure)
    if manifest.format == "docker-archive":
        _push_archive(manifest, address, image_folders, plain=plain, call=call)
        return
    sif = _aside(image_folders, "push", manifest.sha256)
    try:
        wrap_sif(Path(manifest.file), sif, platform=manifest.platform, call=call)
        add_note(sif, NOTE, json.dumps({"record": manifest_data(manifest), "recipe": recipe}), call)
        command = ["apptainer", "push", *(["--no-https"] if plain else []), str(sif)]
        _run([*command, f"oras://{address}"], call, f"could not be pushed to {address}")
    finally:
        sif.unlink(missing_ok=True)


def pull(
    address: str, *, image_folders: ImageFolders, insecure: Sequence[str], call: Call
) -> Tuple[ImageManifest, Dict[str, Any]]:
    """The image that a SIF of Diamond's holds, with the recipe it came from. Raises `EnvironmentFailed`."""
    plain = is_plain_http(Base("oras", address), insecure)
    sif = _aside(image_folders, "pull", address.replace("/", "_"))
    file = sif.with_suffix(".sqfs")
    try:
        command = [
            "apptainer",
            "pull",
            "--disable-cache",
            "--force",
            *(["--no-https"] if plain else []),
        ]
        _run([*command, str(sif), f"oras://{address}"], call, f"{address} could not be pulled")
        note = read_note(sif)
        if note is None:
            raise EnvironmentFailed(
                f"{address} was not pushed by Diamond: what is inside is not known",
                f"Build on it instead: an environment with `base: oras://{address}`.",
            )
        unwrap_sif(sif, file)
        manifest = replace(manifest_from(note["record"]), shared=False)
        if manifest.format != "squashfs":
            raise EnvironmentFailed(f"{address} holds no squashfs", "Push it again.")
        return receive_image(
            image_folders, replace(manifest, size=file.stat().st_size), file
        ), note["recipe"]
    finally:
        sif.unlink(missing_ok=True)
        file.unlink(missing_ok=True)


def _push_archive(
    manifest: ImageManifest, address: str, image_folders: ImageFolders, *, plain: bool, call: Call
) -> None:
    if manifest.runtime not in ("podman", "docker"):
        raise EnvironmentFailed(
            f"An archive that {manifest.runtime} made cannot be pushed", "Build it with podman."
        )
    program = [manifest.runtime, *storage_words(manifest.runtime, image_folders.root)]
    _run([*program, "load", "--quiet", "--input", manifest.file], call, "could not be loaded")
    tls = ["--tls-verify=false"] if plain and manifest.runtime == "podman" else []
    if manifest.runtime == "docker":
        _run([*program, "tag", image_id(manifest), address], call, "could not be named")
        _run([*program, "push", address], call, f"could not be pushed to {address}")
    else:
        command = [*program, "push", "--quiet", *tls, image_id(manifest), f"docker://{address}"]
        _run(command, call, f"could not be pushed to {address}")


def _run(command: List[str], call: Call, failed: str) -> None:
    if not shutil.which(command[0]):
        raise EnvironmentFailed(
            f"{command[0]}, which speaks with the registry, is not on this machine",
            "Load it in the site profile's `modules`, or use an endpoint that has it.",
        )
    call.last.clear()
    if call.run(command):
        said = " / ".join(list(call.last)[-4:])
        raise EnvironmentFailed(
            f"The image {failed}: {said}", "Check the address and your sign-in."
        )


def _aside(image_folders: ImageFolders, act: str, name: str) -> Path:
    image_folders.building.mkdir(parents=True, exist_ok=True)
    return image_folders.building / f"{act}-{name}.sif"
