"""Download files of a task: resumable, verified, and never written outside the target folder."""

from __future__ import annotations

import hashlib
import http.client
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from diamond.core.errors import BadRequest, Conflict, NotFound, ServiceUnreachable
from diamond.sdk.transport import API, LOST, Transport, path_segment

CHUNK = 1 << 20
TRIES = 5
DIGEST_SECONDS = 900.0
"""The endpoint hashes a large file completely before it sends the first byte."""


def download(transport: Transport, task: str, path: str, dest: Path) -> Path:
    """Download one file to exactly `dest`, resuming from a `.part` file next to it.

    The file gets its final name only if its SHA-256 matches the one from the endpoint.
    """
    dest.parent.mkdir(parents=True, exist_ok=True)
    part = dest.with_name(dest.name + ".part")
    if part.is_symlink() or (dest.exists() and not dest.is_file()):
        raise Conflict(f"{dest} is not a regular file", "Choose another destination.")
    for tries in range(TRIES):
        try:
            etag = _fetch(transport, task, path, part)
            break
        except ServiceUnreachable:
            if tries == TRIES - 1:
                raise
    _check(part, etag, path)
    part.replace(dest)
    return dest


def download_folder(
    transport: Transport,
    task: str,
    files: Iterable[tuple[str, str]],
    top: Path,
    say: Callable[[str], None],
) -> list[Path]:
    """Download each file to its place below `top`. Unreadable files are reported after the others."""
    written, failed = [], []
    for path, relative in files:
        target = path_inside(top, relative)
        try:
            written.append(download(transport, task, path, target))
        except BadRequest:
            say(f"Skipped: {relative} (not a regular file)")
        except NotFound as error:
            failed.append(error.message)
    if failed:
        raise NotFound(
            f"{len(failed)} of {len(written) + len(failed)} files could not be downloaded: {'; '.join(failed[:5])}",
            f"The others are in {top}.",
        )
    return written


def destination_for(path: str, dest: Path | None, *, folder: bool = False) -> Path:
    """Where a file goes: into `dest` if that is a folder (or ends in /), else to `dest`; default: the current folder."""
    name = path.rstrip("/").rsplit("/", 1)[-1]
    if name in ("", ".", ".."):
        raise BadRequest(f"{path!r} is not a file name", "List the files: diamond files TASK")
    if dest is None:
        return Path(name)
    return dest / name if folder or dest.is_dir() else dest


def path_inside(folder: Path, relative: str) -> Path:
    """`folder/relative`; raises if that leads outside the folder, even through a link."""
    target = folder / relative
    real, top = os.path.realpath(target), os.path.realpath(folder)
    if real != top and not real.startswith(top.rstrip("/") + "/"):
        raise BadRequest(f"{relative!r} leads outside of {folder}", "Nothing was written.")
    return target


def _fetch(transport: Transport, task: str, path: str, part: Path) -> str:
    """Append the missing bytes to `part`; returns the file's ETag."""
    mark = part.with_name(part.name + ".etag")
    known = mark.read_text() if mark.exists() and part.exists() else ""
    # One byte is requested again, so that a complete part is not an invalid range.
    have = max(part.stat().st_size - 1, 0) if known else 0
    headers = {"Accept": "*/*", **({"Range": f"bytes={have}-"} if have else {})}
    target = f"{API}/tasks/{path_segment(task)}/files/content"
    patient = Transport(transport.address, timeout=DIGEST_SECONDS)
    response, connection = patient.open(target, query={"path": path}, headers=headers)
    try:
        if connection.sock:
            connection.sock.settimeout(transport.timeout)
        etag = response.headers.get("ETag", "")
        if response.status == 206 and etag != known:
            part.unlink()
            return _fetch(transport, task, path, part)
        mark.write_text(etag)
        _write(response, part, have if response.status == 206 else 0)
        mark.unlink()
        return etag
    finally:
        connection.close()


def _write(response: http.client.HTTPResponse, part: Path, offset: int) -> None:
    left = int(response.headers.get("Content-Length") or -1)
    with part.open("r+b" if offset else "wb") as file:
        file.seek(offset)
        try:
            while chunk := response.read(CHUNK):
                file.write(chunk)
                left -= len(chunk)
        except LOST as error:
            raise _interrupted() from error
        file.truncate()
    if left > 0:
        raise _interrupted()


def _interrupted() -> ServiceUnreachable:
    return ServiceUnreachable(
        "The connection was lost", "Run the same command again: the download resumes."
    )


def _check(part: Path, etag: str, path: str) -> None:
    wanted = etag.removeprefix("W/").strip('"').removeprefix("sha256:")
    if not wanted:
        raise NotFound(f"The endpoint sent no checksum for {path}", "Try again.")
    digest = hashlib.sha256()
    with part.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    if digest.hexdigest() != wanted:
        part.unlink()
        raise Conflict(
            f"{path} changed or was damaged during the download",
            "Run the same command again.",
        )
