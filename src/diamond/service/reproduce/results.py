"""Digests of what a run left in `artifacts/`, hashed where it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from diamond.core.errors import DiamondError, EndpointAway
from diamond.service.endpoints.ask_agent import require_files, require_online
from diamond.service.output.schemas import FileEntry
from diamond.service.platform.services import Services
from diamond.service.tasks.rows import TaskRow

FOLDER = "artifacts"
PATIENCE_SECONDS = 30.0
"""For the first answer of an endpoint."""
MOST_FILES = 500
MOST_BYTES = 20 << 30
"""Above either, hashing takes too long while a person waits; such results are registered as data instead."""


@dataclass(frozen=True)
class Hashed:
    files: dict[str, str] | None
    """By path below artifacts/. None: not known."""
    why: str = ""
    """Why not."""
    is_final: bool = True
    """False: the endpoint is away, and may answer later."""


async def hash_results(
    services: Services, task: TaskRow, *, patience: float = PATIENCE_SECONDS
) -> Hashed:
    try:
        require_files(task)
        await require_online(services, task)
        async with asyncio.timeout(patience):
            top = await _folder(services, task, "")
        return await _hashed(services, task, top)
    except TimeoutError:
        why = f"{task.endpoint_name} is online but did not answer within {patience:g} s"
        return Hashed(None, why, is_final=False)
    except EndpointAway as error:
        return Hashed(None, error.message, is_final=False)
    except DiamondError as error:
        return Hashed(None, error.message)


async def _hashed(services: Services, task: TaskRow, top: Sequence[FileEntry]) -> Hashed:
    """A folder that is not there holds no results."""
    entries: list[FileEntry] = []
    size = 0
    async for entry in _walk(services, task, top):
        entries.append(entry)
        size += entry.size or 0
        if len(entries) > MOST_FILES or size > MOST_BYTES:
            return Hashed(None, f"{FOLDER}/ of {task.id} is too large to hash here")
    files = {}
    for entry in entries:
        facts = await services.relay.ask_json(
            task.endpoint, "stat-file", task=task.id, path=entry.path
        )
        name = entry.path.removeprefix(f"{FOLDER}/")
        files[name] = str(facts["sha256"]).removeprefix("sha256:")
    return Hashed(files)


async def _walk(
    services: Services, task: TaskRow, top: Sequence[FileEntry]
) -> AsyncIterator[FileEntry]:
    pending = [FOLDER] if any(e.path == FOLDER and e.kind == "folder" for e in top) else []
    while pending:
        for entry in await _folder(services, task, pending.pop()):
            if entry.kind == "folder":
                pending.append(entry.path)
            elif entry.kind == "file":
                yield entry


async def _folder(services: Services, task: TaskRow, path: str) -> list[FileEntry]:
    entries: list[FileEntry] = []
    start: object = 0
    while isinstance(start, int) and len(entries) <= MOST_FILES * 4:
        answer = await services.relay.ask_json(
            task.endpoint, "list-files", task=task.id, path=path, start=start
        )
        entries += [FileEntry.model_validate(entry) for entry in answer.get("items", [])]
        start = answer.get("next")
    return entries
