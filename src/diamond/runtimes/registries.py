"""Into a registry and out of it: a squashfs as a SIF by ORAS, with its record inside; an archive as an OCI image."""

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
from diamond.runtimes.places import Places
from diamond.runtimes.podman import image_id, storage_words
from diamond.runtimes.records import Record, record_data, record_from
from diamond.runtimes.sif import add_note, read_note, unwrap_sif, wrap_sif
from diamond.runtimes.store import arrived

NOTE = "diamond.json"
"""The record and recipe of an image, as a part of its SIF."""


def push(
    record: Record,
    recipe: Dict[str, Any],
    address: str,
    *,
    places: Places,
    insecure: Sequence[str],
    call: Call,
) -> None:
    """Raises `EnvironmentFailed` with the registry's own words."""
    plain = is_plain_http(Base("docker", address), insecure)
    if record.format == "docker-archive":
        _push_archive(record, address, places, plain=plain, call=call)
        return
    sif = _aside(places, "push", record.sha256)
    try:
        wrap_sif(Path(record.file), sif, platform=record.platform, call=call)
        add_note(sif, NOTE, json.dumps({"record": record_data(record), "recipe": recipe}), call)
        words = ["apptainer", "push", *(["--no-https"] if plain else []), str(sif)]
        _run([*words, f"oras://{address}"], call, f"could not be pushed to {address}")
    finally:
        sif.unlink(missing_ok=True)


def pull(
    address: str, *, places: Places, insecure: Sequence[str], call: Call
) -> Tuple[Record, Dict[str, Any]]:
    """The image that a SIF of Diamond's holds, with the recipe it came from. Raises `EnvironmentFailed`."""
    plain = is_plain_http(Base("oras", address), insecure)
    sif = _aside(places, "pull", address.replace("/", "_"))
    file = sif.with_suffix(".sqfs")
    try:
        words = [
            "apptainer",
            "pull",
            "--disable-cache",
            "--force",
            *(["--no-https"] if plain else []),
        ]
        _run([*words, str(sif), f"oras://{address}"], call, f"{address} could not be pulled")
        told = read_note(sif)
        if told is None:
            raise EnvironmentFailed(
                f"{address} was not pushed by Diamond: what is inside is not known",
                f"Build on it instead: an environment with `base: oras://{address}`.",
            )
        unwrap_sif(sif, file)
        record = replace(record_from(told["record"]), shared=False)
        if record.format != "squashfs":
            raise EnvironmentFailed(f"{address} holds no squashfs", "Push it again.")
        return arrived(places, replace(record, size=file.stat().st_size), file), told["recipe"]
    finally:
        sif.unlink(missing_ok=True)
        file.unlink(missing_ok=True)


def _push_archive(record: Record, address: str, places: Places, *, plain: bool, call: Call) -> None:
    if record.runtime not in ("podman", "docker"):
        raise EnvironmentFailed(
            f"An archive that {record.runtime} made cannot be pushed", "Build it with podman."
        )
    program = [record.runtime, *storage_words(record.runtime, places.root)]
    _run([*program, "load", "--quiet", "--input", record.file], call, "could not be loaded")
    tls = ["--tls-verify=false"] if plain and record.runtime == "podman" else []
    if record.runtime == "docker":
        _run([*program, "tag", image_id(record), address], call, "could not be named")
        _run([*program, "push", address], call, f"could not be pushed to {address}")
    else:
        words = [*program, "push", "--quiet", *tls, image_id(record), f"docker://{address}"]
        _run(words, call, f"could not be pushed to {address}")


def _run(words: List[str], call: Call, failed: str) -> None:
    if not shutil.which(words[0]):
        raise EnvironmentFailed(
            f"{words[0]}, which speaks with the registry, is not on this machine",
            "Load it in the site profile's `modules`, or use an endpoint that has it.",
        )
    call.last.clear()
    if call.run(words):
        said = " / ".join(list(call.last)[-4:])
        raise EnvironmentFailed(
            f"The image {failed}: {said}", "Check the address and your sign-in."
        )


def _aside(places: Places, act: str, name: str) -> Path:
    places.building.mkdir(parents=True, exist_ok=True)
    return places.building / f"{act}-{name}.sif"
