"""How two tasks differ: their specs, and the files of their code."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping

from diamond.core.errors import NotFound
from diamond.service.access.principal import Principal
from diamond.service.composer.spec_text import render
from diamond.service.jobs.jobs import get_job
from diamond.service.jobs.line_diff import Pair, Source, compare_all
from diamond.service.platform.blob_store import BlobStore
from diamond.service.platform.services import Services
from diamond.service.tasks.code import listed_files
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.tasks import load_task

Files = Mapping[str, str]


async def diff_between(services: Services, principal: Principal, task: str, against: str) -> bytes:
    """What was changed from `against` to `task`: the spec as YAML, then each file, as git writes it."""
    tasks = [await load_task(services, principal, name) for name in (against, task)]
    before, after = [await _spec(services, principal, task) for task in tasks]
    old, new = [await _files(services, task) for task in tasks]
    changed = await asyncio.to_thread(lambda: list(_changed(services.blobs, old, new)))
    specs = [Pair("spec of the job", before, after)] if before != after else []
    text = await services.workers.run(principal.user, compare_all, [*specs, *changed])
    return text.encode()


async def _spec(services: Services, principal: Principal, task: TaskRow) -> str:
    return render((await get_job(services, principal, task.job)).spec)


async def _files(services: Services, task: TaskRow) -> Files:
    """Digests by path; for a link, its target."""
    snapshot = task.order.code.snapshot if task.order.code else ""
    files = await listed_files(services, snapshot)
    return {file.path: file.sha256 or f"-> {file.link}" for file in files}


def _changed(blobs: BlobStore, old: Files, new: Files) -> Iterator[Pair]:
    for path in sorted({*old, *new}):
        before, after = old.get(path, ""), new.get(path, "")
        if before != after:
            yield Pair(path, _source(blobs, before), _source(blobs, after))


def _source(blobs: BlobStore, digest: str) -> Source:
    if not digest or digest.startswith("-> "):
        return digest
    try:
        return blobs.find(f"sha256:{digest}")
    except NotFound:
        return None  # Old code is not kept permanently.
