"""A folder on the service's side becomes a snapshot: what a browser sent, or a recipe."""

from __future__ import annotations

import asyncio
import shutil
import tarfile
from pathlib import Path, PurePosixPath

from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException

from diamond.code.folder_listing import MOST_LEVELS, Chosen
from diamond.code.snapshots import (
    DEFAULT_SIZE_LIMIT,
    MADE_BY_TOOLS_WORDS,
    Snapshot,
    take_snapshot,
)
from diamond.core.code_facts import CodeFacts
from diamond.core.errors import BadRequest, TooLarge
from diamond.core.ids import new_id
from diamond.core.units import show_bytes
from diamond.service.code.manifests import read_snapshot
from diamond.service.code.ownership import record_snapshot
from diamond.service.code.schemas import UploadPlan
from diamond.service.platform.services import Services
from diamond.service.storage.storage import require_room

MOST_FILES = 20_000
MOST_BYTES = DEFAULT_SIZE_LIMIT
ALLOWANCE = 64 << 20
"""What a form or an archive adds to the files it carries."""
_BLOCK = 1 << 20


async def take_upload(
    services: Services, owner: str, request: Request, *, strip: bool
) -> CodeFacts:
    """Files of a form or a tar, unpacked into a scratch folder and stored as `diamond run` stores one."""
    aside = services.settings.scratch / new_id("u")
    aside.mkdir()
    try:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "multipart/form-data":
            await _lay_out_form(request, aside / "code", strip=strip)
        elif kind in ("application/x-tar", "application/octet-stream"):
            await _lay_out_tar(request, aside, strip=strip)
        else:
            raise BadRequest(
                f"A folder cannot be sent as {kind or 'no content type'!r}",
                "Send multipart/form-data with a file for each part, or application/x-tar.",
            )
        return await keep_folder(services, owner, aside / "code")
    finally:
        await asyncio.to_thread(shutil.rmtree, aside, ignore_errors=True)


def upload_plan(chosen: Chosen) -> UploadPlan:
    """Which files to send: not what tools made, what is ignored, or keys."""
    left_out = list(chosen.left_out)
    if chosen.made_by_tools:
        left_out.append((", ".join(sorted(chosen.made_by_tools)), MADE_BY_TOOLS_WORDS))
    return UploadPlan(take=chosen.take, left_out=[f"{path} ({why})" for path, why in left_out])


async def keep_folder(services: Services, owner: str, folder: Path) -> CodeFacts:
    """Store a folder as a snapshot of this person; what must not be sent is left out and named in the facts."""
    snapshot = await asyncio.to_thread(take_snapshot, folder, with_git=False)
    await require_room(services, owner, _facts(snapshot).bytes)

    def keep() -> CodeFacts:
        for digest, path in snapshot.files.items():
            services.blobs.add(path, digest)
        _keep_manifest(services, snapshot)
        return _facts(snapshot)

    facts = await asyncio.to_thread(keep)
    await record_snapshot(services, owner, await read_snapshot(services.blobs, facts.snapshot))
    return facts


def _keep_manifest(services: Services, snapshot: Snapshot) -> None:
    if services.blobs.missing([snapshot.digest]):
        aside = services.settings.scratch / new_id("m")
        aside.write_bytes(snapshot.manifest)
        services.blobs.add(aside, snapshot.digest)
        aside.unlink()


def _facts(snapshot: Snapshot) -> CodeFacts:
    return CodeFacts(
        snapshot=snapshot.digest,
        left_out=tuple(f"{path} ({why})" for path, why in snapshot.left_out),
        files=len(snapshot.files),
        bytes=snapshot.size,
    )


async def _lay_out_form(request: Request, folder: Path, *, strip: bool) -> None:
    folder.mkdir()
    size = 0
    try:
        async with request.form(max_files=MOST_FILES, max_fields=100) as form:
            files = [part for part in form.getlist("files") if isinstance(part, UploadFile)]
            for file in files:
                size += file.size or 0
                _check_size(size)
                target = _place(folder, file.filename or "", strip=strip)
                with target.open("wb") as out:
                    while block := await file.read(_BLOCK):
                        out.write(block)
    except MultiPartException as error:
        raise BadRequest(f"The form cannot be read: {error.message}") from None
    if not files:
        raise BadRequest("The form holds no files", "Each part is a file named `files`.")


async def _lay_out_tar(request: Request, aside: Path, *, strip: bool) -> None:
    archive, folder, size = aside / "code.tar", aside / "code", 0
    folder.mkdir()
    with archive.open("wb") as out:
        async for block in request.stream():
            size += len(block)
            _check_size(size - ALLOWANCE)
            out.write(block)
    await asyncio.to_thread(_unpack, archive, folder, strip)


def _unpack(archive: Path, folder: Path, strip: bool) -> None:
    """Plain files only, wherever their names would lead."""
    try:
        with tarfile.open(archive, "r:") as tar:
            for number, member in enumerate(tar):
                source = tar.extractfile(member) if member.isfile() else None
                if number >= MOST_FILES:
                    raise TooLarge(f"More than {MOST_FILES} files", "Leave out what is not code.")
                if source is not None:
                    target = _place(folder, member.name, strip=strip)
                    with target.open("wb") as out:
                        shutil.copyfileobj(source, out)
                    target.chmod(0o755 if member.mode & 0o100 else 0o644)
    except (tarfile.TarError, EOFError) as error:
        raise BadRequest(f"This is not a whole tar archive: {error}") from None


def _place(folder: Path, name: str, *, strip: bool) -> Path:
    """Where a file of this name goes; raises BadRequest for one that leads out."""
    parts = [part for part in PurePosixPath(name.replace("\\", "/")).parts if part != "."]
    parts = parts[1:] if strip and len(parts) > 1 else parts
    if not parts or ".." in parts or parts[0] == "/" or any("\0" in part for part in parts):
        raise BadRequest(f"{name!r} is not a path in a folder", "Send relative paths.")
    if len(parts) > MOST_LEVELS:
        raise BadRequest(
            f"{name[:200]!r} is more than {MOST_LEVELS} folders deep", "Send a flatter folder."
        )
    target = folder.joinpath(*parts)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadRequest(f"{name!r} cannot be laid out: {error.strerror}") from None
    return target


def _check_size(size: int) -> None:
    if size > MOST_BYTES:
        raise TooLarge(
            f"The folder has more than {show_bytes(MOST_BYTES)}",
            "Leave out what is not code; give data by its path under `data:`.",
        )
