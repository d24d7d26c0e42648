"""The code that a task ran: what its snapshot holds, and how it differed from its commit."""

from __future__ import annotations

import asyncio

from diamond.core.errors import BadRequest, Conflict, NotFound, TooLarge
from diamond.core.order import Code
from diamond.core.units import show_bytes
from diamond.service.access.principal import Principal
from diamond.service.code.manifests import ListedFile, read_manifest
from diamond.service.code.schemas import CodeFacts, CodeFile, CodeListing
from diamond.service.code.store import find_removed
from diamond.service.platform.http.safe_download import preview_of
from diamond.service.platform.services import Services
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.tasks import load_task

MOST_SHOWN = 2 << 20


async def list_code(services: Services, principal: Principal, task: str) -> CodeListing:
    row = await load_task(services, principal, task)
    source, facts = row.order.code or Code(), _facts(row)
    async with services.store.read() as connection:
        removed = await find_removed(connection, row.owner, source.snapshot)
    files = await listed_files(services, source.snapshot) if removed is None else []
    return CodeListing(
        kind="snapshot" if source.snapshot else "git" if source.git_url else "none",
        snapshot=source.snapshot,
        git_url=source.git_url,
        git_commit=source.git_commit,
        commit=facts.commit,
        dirty=facts.dirty,
        has_diff=bool(facts.diff),
        left_out=facts.left_out,
        files=[_shown(file) for file in files],
        removed=removed.at if removed else None,
    )


async def read_code(services: Services, principal: Principal, task: str, path: str) -> bytes:
    """Raises TooLarge beyond what a page can show."""
    row = await load_task(services, principal, task)
    snapshot = row.order.code.snapshot if row.order.code else ""
    files = await listed_files(services, snapshot)
    digest = next((file.sha256 for file in files if file.path == path and file.sha256), "")
    if not digest:
        raise NotFound(f"The code of {row.id} has no file {path!r}", "GET …/code lists them.")
    return await _blob(services, digest, MOST_SHOWN)


async def read_diff(services: Services, principal: Principal, task: str) -> bytes:
    diff = _facts(await load_task(services, principal, task)).diff
    return await _blob(services, diff, MOST_SHOWN * 5) if diff else b""


async def listed_files(services: Services, snapshot: str) -> list[ListedFile]:
    """None without a snapshot."""
    try:
        return (await read_manifest(services.blobs, snapshot)).files if snapshot else []
    except BadRequest as error:
        raise Conflict(
            f"The snapshot {snapshot} of this task is not a list of files: {error.message}",
            "Submit the job again with `diamond run`.",
        ) from None


def _facts(task: TaskRow) -> CodeFacts:
    return CodeFacts.model_validate(task.code or {})


async def _blob(services: Services, digest: str, most: int) -> bytes:
    path = services.blobs.find(digest)
    size = path.stat().st_size
    if size > most:
        raise TooLarge(
            f"{show_bytes(size)} are more than a page shows ({show_bytes(most)})",
            "Fetch it with `diamond get`.",
        )
    return await asyncio.to_thread(path.read_bytes)


def _shown(file: ListedFile) -> CodeFile:
    return CodeFile(
        path=file.path,
        size=file.size,
        mode=file.mode,
        link=file.link,
        preview=preview_of(file.path),
    )
