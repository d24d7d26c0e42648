"""Upload a folder of this computer to an endpoint: hashed here, packed into pieces, passed through the service."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
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
    if not folder.exists():
        raise BadRequest(f"There is no folder {folder}", "Give a path on this computer.")
    manifest, scanned = _hash(folder, hashed)
    digest = scanned.summary.digest
    _send_manifest(transport, manifest, digest)
    body = {"name": name, "endpoint": on, "digest": digest, "source": str(folder), **about}
    addition = dict(transport.post(f"{API}/datasets/uploads", body, creates=True))
    files = files_of(load_manifest(manifest, digest))
    return _send_rounds(transport, addition, folder, files, sent)


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


def _send_rounds(
    transport: Transport,
    addition: JsonObject,
    folder: Path,
    files: list[FileEntry],
    sent: Heard,
) -> JsonObject:
    """The endpoint asks round by round for what it lacks, until it lacks nothing."""
    base = f"{API}/datasets/uploads/{path_segment(addition['id'])}"
    done = 0
    while addition["state"] in OPEN:
        if addition["round"] > done:
            done = addition["round"]
            _send_round(transport, base, done, folder, files, sent)
        else:
            time.sleep(POLL_SECONDS)
        path = f"{API}/datasets/additions/{path_segment(addition['id'])}"
        addition = dict(transport.get(path))
        sent(addition)
    if addition["state"] != "done":
        raise Conflict(
            str(addition["message"] or f"The upload was {addition['state']}"),
            "The same command continues where it stopped.",
        )
    return addition


def _send_round(
    transport: Transport,
    base: str,
    number: int,
    folder: Path,
    files: list[FileEntry],
    sent: Heard,
) -> None:
    """A round that is over ends quietly: the next one asks for what is still missing."""
    source = Source(str(folder.resolve()), files, is_file=folder.is_file())
    try:
        answer = transport.call("GET", f"{base}/wants", query={"round": number})
        wants = decode_wants(answer.body, files)
        pieces = plan_pieces(files, wants, piece=PIECE, extents=source.extents)
        first = _post(transport, base, number, 0, b"")
        for n, frames in enumerate(pieces):
            if n < first:
                continue
            body = b"".join(source.fill(frames))
            while _post(transport, base, number, n, body) <= n:
                sent(dict(transport.get(base.replace("/uploads/", "/additions/"))))
    except NotFound:
        return
    finally:
        source.close()


def _post(transport: Transport, base: str, number: int, n: int, body: bytes) -> int:
    query = {"round": number, "n": n}
    headers = {"Content-Type": "application/octet-stream"}
    answer = transport.call("POST", f"{base}/pieces", query=query, body=body, headers=headers)
    return int(answer.json()["next"])
