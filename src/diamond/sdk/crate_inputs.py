"""Data and the image that are in a crate, brought to the endpoint of a second run: verified, and registered there."""

from __future__ import annotations

import hashlib
import json
import shutil
import stat
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from diamond.core.artifacts import PREFIX, plain_digest
from diamond.core.errors import BadRequest, Conflict
from diamond.core.units import show_bytes
from diamond.data.manifest import LONGEST_PATH, check_path, link_stays_inside
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
    members = _members(crate, folder)
    size, free = sum(info.file_size for info in members.values()), shutil.disk_usage(place).free
    if size > free:
        raise Conflict(
            f"{folder} takes {show_bytes(size)}, and {show_bytes(free)} are free in {place.parent}",
            "Make room, or set TMPDIR to a larger disk.",
        )
    root = place / folder
    links = {name: _leads_to(crate, name, info) for name, info in members.items() if _is_link(info)}
    try:
        _write_members(crate, members, links, root)
    except (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
        raise BadRequest(f"{folder} of the crate cannot be unpacked: {error}") from None


def _write_members(
    crate: zipfile.ZipFile,
    members: Mapping[str, zipfile.ZipInfo],
    links: Mapping[str, str],
    root: Path,
) -> None:
    """All folders before any link, and links last: nothing is ever made or written through a link."""
    root.mkdir(parents=True, exist_ok=True)
    for name, info in members.items():
        made = root / name if info.is_dir() else (root / name).parent
        made.mkdir(parents=True, exist_ok=True)
    for name, info in members.items():
        if info.is_dir() or name in links:
            continue
        with crate.open(info) as source, (root / name).open("xb") as out:
            shutil.copyfileobj(source, out, 1 << 20)
        (root / name).chmod(0o700 if info.external_attr >> 16 & 0o100 else 0o600)
    for name, leads_to in links.items():
        (root / name).symlink_to(leads_to)


def _members(crate: zipfile.ZipFile, folder: str) -> dict[str, zipfile.ZipInfo]:
    """What is below this folder, by path. Raises `BadRequest` for names that no tree has."""
    members: dict[str, zipfile.ZipInfo] = {}
    for info in crate.infolist():
        name = info.filename.removeprefix(folder).removesuffix("/")
        if not info.filename.startswith(folder) or not name:
            continue
        check_path(name)
        if name in members:
            raise BadRequest(f"The zip has the file {info.filename[:200]!r} twice")
        members[name] = info
    solid = {name for name, info in members.items() if not info.is_dir()}
    for name in members:
        if not solid.isdisjoint(str(parent) for parent in PurePosixPath(name).parents):
            raise BadRequest(f"{name[:200]!r} in the zip is below something that is not a folder")
    return members


def _is_link(info: zipfile.ZipInfo) -> bool:
    return not info.is_dir() and stat.S_ISLNK(info.external_attr >> 16)


def _leads_to(crate: zipfile.ZipFile, name: str, info: zipfile.ZipInfo) -> str:
    if info.file_size <= LONGEST_PATH:
        leads_to = crate.read(info).decode(errors="replace")
        if link_stays_inside(name, leads_to):
            return leads_to
    raise BadRequest(f"The zip has a link that leads outside of it: {name[:200]!r}")


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
    facts = _image_facts(crate)
    kind = BASES.get(str(facts.get("format")))
    if kind is None:
        raise BadRequest(f"An image of the format {facts.get('format')!r} cannot be entered here")
    unpack_folder(crate, f"{IMAGE}/", place)
    file = _image_file(place / IMAGE, plain_digest(record.image.sha256))
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


def _image_facts(crate: zipfile.ZipFile) -> JsonObject:
    try:
        facts = json.loads(crate.read(IMAGE_FACTS))
    except (ValueError, RecursionError):
        facts = None
    if not isinstance(facts, dict) or not isinstance(facts.get("variables") or {}, dict):
        raise BadRequest(f"{IMAGE_FACTS} in the crate does not say how its image is entered")
    return facts


def _image_file(folder: Path, wanted: str) -> Path:
    """The one file there, if it is the one that the record names. Raises `BadRequest`."""
    files = list(folder.iterdir())
    if len(files) != 1 or files[0].is_symlink() or not files[0].is_file():
        raise BadRequest(f"The crate must hold one file in {IMAGE}/, and it holds {len(files)}")
    with files[0].open("rb") as source:
        digest = hashlib.file_digest(source, "sha256").hexdigest()
    if digest != wanted:
        raise BadRequest(
            "The image in the crate is not the one that the record names: "
            f"it has the digest {digest[:12]}, and the run used {wanted[:12] or 'none'}",
            "Ask whoever sent the crate for another copy.",
        )
    return files[0]
