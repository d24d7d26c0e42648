"""Data and the image that are in a crate, brought to the endpoint of a second run: verified, and registered there."""

from __future__ import annotations

import json
import shutil
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from diamond.core.artifacts import PREFIX, plain_digest
from diamond.core.errors import BadRequest, Conflict
from diamond.core.units import show_bytes
from diamond.data.manifest import link_stays_inside
from diamond.provenance.plain_run import DATA, IMAGE, IMAGE_FACTS
from diamond.provenance.record import Record

if TYPE_CHECKING:
    from diamond.sdk.client import Client

JsonObject = dict[str, Any]
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
BASES = {"squashfs": "sif", "": "sif", "docker-archive": "docker-archive"}
"""What an environment calls the file that an image of this format is."""
MOST_FACTS = 1 << 20


def with_inputs(
    client: Client, crate: zipfile.ZipFile, place: Path, record: Record, spec: JsonObject, on: str
) -> JsonObject:
    """The spec, reading what is in the crate. Raises `BadRequest` for bytes that the record does not name."""
    names = [info.filename for info in crate.infolist() if not info.is_dir()]
    data = dict(spec.get("data") or {})
    inputs = record.submitted.inputs if record.submitted else []
    for used in inputs:
        folder = f"{DATA}/{used.name}/"
        if used.tree and any(name.startswith(folder) for name in names):
            unpack_folder(crate, folder, place)
            data[used.name] = _brought(client, place / folder, used.name, used.tree, data, on)
    changed = {**spec, **({"data": data} if data else {})}
    if record.image is not None and IMAGE_FACTS in names:
        changed["environment"] = _image(client, crate, place, record, spec, on)
    return changed


def unpack_folder(crate: zipfile.ZipFile, folder: str, place: Path) -> None:
    """As it was, with its links, empty folders and executable bits; nothing leads out of `place`."""
    members = [info for info in crate.infolist() if info.filename.startswith(folder)]
    size, free = sum(info.file_size for info in members), shutil.disk_usage(place).free
    if size > free:
        raise Conflict(
            f"{folder} takes {show_bytes(size)}, and {show_bytes(free)} are free in {place.parent}",
            "Make room, or set TMPDIR to a larger disk.",
        )
    links = []
    for info in members:
        relative = PurePosixPath(info.filename)
        if ".." in relative.parts or relative.is_absolute():
            raise BadRequest(f"The zip names a file outside of itself: {info.filename[:200]!r}")
        target = place.joinpath(*relative.parts)
        if info.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        elif stat.S_ISLNK(info.external_attr >> 16):
            links.append((target, info.filename.removeprefix(folder), crate.read(info).decode()))
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            with crate.open(info) as source, target.open("xb") as out:
                shutil.copyfileobj(source, out, 1 << 20)
            target.chmod(0o700 if info.external_attr >> 16 & 0o100 else 0o600)
    for target, name, leads_to in links:  # last, so that nothing is written through one
        if not link_stays_inside(name, leads_to):
            raise BadRequest(f"The zip has a link that leads outside of it: {name[:200]!r}")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(leads_to)


def _brought(
    client: Client, folder: Path, name: str, tree: str, given: Mapping[str, Any], on: str
) -> JsonObject:
    options = given.get(name)
    kept = dict(options) if isinstance(options, dict) else {}
    file = kept.pop("file", "")
    for gone in ("tree", "dataset"):
        kept.pop(gone, None)
    dataset = _uploaded(client, f"{name}-from-crate", folder, plain_digest(tree), on)
    if file:
        return {"tree": f"{PREFIX}{plain_digest(tree)}", "file": file}
    return {**kept, "dataset": f"{dataset}@{PREFIX}{plain_digest(tree)}"}


def _uploaded(client: Client, dataset: str, folder: Path, tree: str, on: str) -> str:
    """The name under which exactly this tree is on the endpoint now."""
    done = client.upload_data(dataset, folder, on=on.partition("/")[0])
    digest = plain_digest(str(done["digest"]))
    if tree and digest != tree:
        raise BadRequest(
            f"{folder.name} in the crate is not what the record names: "
            f"it has the digest {digest[:12]}, and the run read {tree[:12]}",
            "Ask whoever sent the crate for another copy.",
        )
    return dataset


def _image(
    client: Client,
    crate: zipfile.ZipFile,
    place: Path,
    record: Record,
    spec: JsonObject,
    on: str,
) -> JsonObject:
    """The very file, entered as it was before."""
    assert record.image is not None
    if crate.getinfo(IMAGE_FACTS).file_size > MOST_FACTS:
        raise BadRequest(f"{IMAGE_FACTS} is too large to be read")
    facts = json.loads(crate.read(IMAGE_FACTS))
    kind = BASES.get(str(facts.get("format")))
    if kind is None:
        raise BadRequest(f"An image of the format {facts.get('format')!r} cannot be entered here")
    unpack_folder(crate, f"{IMAGE}/", place)
    file = next(one for one in (place / IMAGE).iterdir() if one.is_file())
    dataset = f"image-{plain_digest(record.image.sha256)[:12]}"
    _uploaded(client, dataset, place / IMAGE, "", on)
    endpoint = on.partition("/")[0]
    held = client.dataset_places(dataset)["items"]
    there = [one for one in held if not endpoint or one["endpoint"] == endpoint]
    variables = dict(facts.get("variables") or {})
    path = [str(folder) for folder in facts.get("path") or []]
    if path:
        variables["PATH"] = ":".join([*path, SYSTEM_PATH])
    given = spec.get("environment")
    own = dict(given.get("variables") or {}) if isinstance(given, dict) else {}
    environment: JsonObject = {"base": f"{kind}:{there[0]['path']}/{file.name}"}
    return {**environment, "variables": {**variables, **own}}
