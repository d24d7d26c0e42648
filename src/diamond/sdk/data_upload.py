"""Upload a folder of this computer to an endpoint or the service: hashed here, packed into pieces, taken round by round."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diamond.core.errors import BadRequest, Conflict, NotFound
from diamond.data.manifest import FileEntry, files_of, load_manifest
from diamond.data.packing import Source, plan_pieces
from diamond.data.scanning import Progress, Scanned, scan
from diamond.data.wants import decode_wants
from diamond.sdk.client_config import diamond_home
from diamond.sdk.transport import API, Transport, path_segment

JsonObject = dict[str, Any]
Heard = Callable[[JsonObject], None]
PIECE = 4 << 20
PART = 8 << 20
POLL_SECONDS = 0.3
OPEN = ("waiting", "running")


def upload_folder(
    transport: Transport,
    name: str,
    folder: Path,
    *,
    on: str,
    about: Mapping[str, Any],
    hashed: Heard,
    sent: Heard,
) -> JsonObject:
    """What was hashed and what arrived before is not done again. Raises `BadRequest`, `Conflict`."""
    listed = send_list(transport, folder, hashed)
    body = {"name": name, "endpoint": on, "digest": listed.digest, "source": str(folder), **about}
    addition = dict(transport.post(f"{API}/datasets/uploads", body, creates=True))
    key = path_segment(addition["id"])
    doors = Doors(f"{API}/datasets/additions/{key}", f"{API}/datasets/uploads/{key}")
    return send_rounds(transport, addition, listed, doors, sent)


@dataclass(frozen=True)
class Listed:
    """A folder whose list of files the service has."""

    folder: Path
    digest: str
    files: list[FileEntry]


@dataclass(frozen=True)
class Doors:
    """Paths of the API: how far an upload is, and where its `wants` and `pieces` go."""

    state: str
    upload: str


def send_list(transport: Transport, folder: Path, hashed: Heard) -> Listed:
    """Hash a folder and send its manifest. Raises `BadRequest`."""
    if not folder.exists():
        raise BadRequest(f"There is no folder {folder}", "Give a path on this computer.")
    manifest, scanned = _hash(folder, hashed)
    digest = scanned.summary.digest
    _send_manifest(transport, manifest, digest)
    return Listed(folder, digest, files_of(load_manifest(manifest, digest)))


def _hash(folder: Path, hashed: Heard) -> tuple[Path, Scanned]:
    place = diamond_home() / "data"
    place.mkdir(parents=True, exist_ok=True)
    key = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:32]
    manifest = place / f"{key}.manifest"

    def report(progress: Progress) -> None:
        hashed(
            {
                "state": "running",
                "message": "",
                "bytes": progress.bytes,
                "size": progress.size,
                "seconds_left": progress.seconds_left or None,
            }
        )

    scanned = scan(
        str(folder.resolve()), manifest=manifest, state=place / f"{key}.state", report=report
    )
    if scanned.problems:
        first = scanned.problems[0]
        more = f" and {len(scanned.problems) - 1} more" if len(scanned.problems) > 1 else ""
        raise BadRequest(
            f"{first.path}: {first.why}{more}",
            "Fix or move these files, then run the same command again.",
        )
    return manifest, scanned


def _send_manifest(transport: Transport, manifest: Path, digest: str) -> None:
    size, offset = manifest.stat().st_size, 0
    path = f"{API}/datasets/manifests/{digest}"
    with manifest.open("rb") as source:
        while offset < size:
            source.seek(offset)
            query = {"offset": offset, "size": size}
            answer = transport.call("POST", path, query=query, body=source.read(PART)).json()
            if answer["have"] <= offset and answer["have"] < size:
                raise Conflict("The service rejected the list of files", "Try again.")
            offset = answer["have"]


def send_rounds(
    transport: Transport, upload: JsonObject, listed: Listed, doors: Doors, sent: Heard
) -> JsonObject:
    """The goal asks round by round for what it lacks, until it lacks nothing."""
    done = 0
    while upload["state"] in OPEN:
        if upload["round"] > done:
            done = upload["round"]
            _send_round(transport, doors, done, listed, sent)
        else:
            time.sleep(POLL_SECONDS)
        upload = dict(transport.get(doors.state))
        sent(upload)
    if upload["state"] != "done":
        raise Conflict(
            str(upload["message"] or f"The upload was {upload['state']}"),
            "The same command continues where it stopped.",
        )
    return upload


def _send_round(
    transport: Transport, doors: Doors, number: int, listed: Listed, sent: Heard
) -> None:
    """A round that is over ends quietly: the next one asks for what is still missing."""
    base, folder = doors.upload, listed.folder
    source = Source(str(folder.resolve()), listed.files, is_file=folder.is_file())
    try:
        answer = transport.call("GET", f"{base}/wants", query={"round": number})
        wants = decode_wants(answer.body, listed.files)
        pieces = plan_pieces(listed.files, wants, piece=PIECE, extents=source.extents)
        first = _post(transport, base, number, 0, b"")
        for n, frames in enumerate(pieces):
            if n < first:
                continue
            body = b"".join(source.fill(frames))
            while _post(transport, base, number, n, body) <= n:
                sent(dict(transport.get(doors.state)))
    except NotFound:
        return
    finally:
        source.close()


def _post(transport: Transport, base: str, number: int, n: int, body: bytes) -> int:
    query = {"round": number, "n": n}
    headers = {"Content-Type": "application/octet-stream"}
    answer = transport.call("POST", f"{base}/pieces", query=query, body=body, headers=headers)
    return int(answer.json()["next"])
