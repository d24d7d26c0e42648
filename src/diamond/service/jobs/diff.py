"""How two tasks differ: what was asked for, and the files of their code."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from difflib import unified_diff

from diamond.core.errors import NotFound
from diamond.service.access.principal import Principal
from diamond.service.composer.spec_text import render
from diamond.service.jobs import submit as jobs
from diamond.service.platform.services import Services
from diamond.service.tasks.code import manifest_of
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.tasks import load_task

MOST_BYTES = 512 << 10
"""Of one file: lines are compared with each other, which grows faster than their number."""
MOST_SHOWN = 2 << 20
Files = Mapping[str, str]


async def diff_between(services: Services, principal: Principal, task: str, against: str) -> bytes:
    """What was changed from `against` to `task`: the spec as YAML, then each file, as git writes it."""
    rows = [await load_task(services, principal, one) for one in (against, task)]
    before, after = [await _spec(services, principal, row) for row in rows]
    old, new = [await _files(services, row) for row in rows]

    def compare() -> bytes:
        parts = [_texts("spec of the job", before, after), *_changed(services, old, new)]
        return _bounded("".join(parts)).encode()

    return await asyncio.to_thread(compare)


async def _spec(services: Services, principal: Principal, row: TaskRow) -> str:
    job = await jobs.get_job(services, principal, row.job)
    return render(job.spec)


async def _files(services: Services, row: TaskRow) -> Files:
    """Digests by path; a link counts by where it leads."""
    snapshot = row.order.code.snapshot if row.order.code else ""
    files = await manifest_of(services, snapshot) if snapshot else []
    return {file.path: file.sha256 or f"-> {file.link}" for file in files}


def _changed(services: Services, old: Files, new: Files) -> Iterator[str]:
    for path in sorted({*old, *new}):
        before, after = old.get(path, ""), new.get(path, "")
        if before != after:
            texts = [_text(services, one) for one in (before, after)]
            yield f"diff {path}\n" + _words(path, *texts)


def _text(services: Services, digest: str) -> str | None:
    """A file's text; None where it is not one that can be shown line by line."""
    if not digest or digest.startswith("-> "):
        return digest
    try:
        path = services.blobs.find(f"sha256:{digest}")
    except NotFound:
        return None  # Code of long ago is not kept for ever.
    data = path.read_bytes() if path.stat().st_size <= MOST_BYTES else b"\0"
    return None if b"\0" in data else data.decode(errors="replace")


def _words(path: str, before: str | None, after: str | None) -> str:
    if before is None or after is None:
        return f"{path} differs, and cannot be shown line by line\n"
    return _texts(path, before, after)


def _texts(path: str, before: str, after: str) -> str:
    lines = unified_diff(
        before.splitlines(),
        after.splitlines(),
        f"a/{path}" if before else "/dev/null",
        f"b/{path}" if after else "/dev/null",
        lineterm="",
    )
    return "".join(f"{line}\n" for line in lines)


def _bounded(text: str) -> str:
    if len(text) <= MOST_SHOWN:
        return text
    return text[:MOST_SHOWN] + "\n… more differs than a page shows\n"
