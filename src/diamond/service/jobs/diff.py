"""How two tasks differ: their specs, and the files of their code."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from difflib import unified_diff

from diamond.core.errors import NotFound
from diamond.service.access.principal import Principal
from diamond.service.composer.spec_text import render
from diamond.service.jobs.jobs import get_job
from diamond.service.platform.services import Services
from diamond.service.tasks.code import listed_files
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.tasks import load_task

MOST_BYTES = 512 << 10
"""Of one file: the time to compare lines grows faster than their number."""
MOST_SHOWN = 2 << 20
Files = Mapping[str, str]


async def diff_between(services: Services, principal: Principal, task: str, against: str) -> bytes:
    """What was changed from `against` to `task`: the spec as YAML, then each file, as git writes it."""
    tasks = [await load_task(services, principal, name) for name in (against, task)]
    before, after = [await _spec(services, principal, task) for task in tasks]
    old, new = [await _files(services, task) for task in tasks]

    def compare() -> bytes:
        parts = [_line_diff("spec of the job", before, after), *_changed(services, old, new)]
        return _bounded("".join(parts)).encode()

    return await asyncio.to_thread(compare)


async def _spec(services: Services, principal: Principal, task: TaskRow) -> str:
    return render((await get_job(services, principal, task.job)).spec)


async def _files(services: Services, task: TaskRow) -> Files:
    """Digests by path; for a link, its target."""
    snapshot = task.order.code.snapshot if task.order.code else ""
    files = await listed_files(services, snapshot)
    return {file.path: file.sha256 or f"-> {file.link}" for file in files}


def _changed(services: Services, old: Files, new: Files) -> Iterator[str]:
    for path in sorted({*old, *new}):
        before, after = old.get(path, ""), new.get(path, "")
        if before != after:
            texts = [_text(services, digest) for digest in (before, after)]
            yield f"diff {path}\n" + _file_diff(path, *texts)


def _text(services: Services, digest: str) -> str | None:
    """A file's text; None if it cannot be shown line by line."""
    if not digest or digest.startswith("-> "):
        return digest
    try:
        path = services.blobs.find(f"sha256:{digest}")
    except NotFound:
        return None  # Old code is not kept permanently.
    data = path.read_bytes() if path.stat().st_size <= MOST_BYTES else b"\0"
    return None if b"\0" in data else data.decode(errors="replace")


def _file_diff(path: str, before: str | None, after: str | None) -> str:
    if before is None or after is None:
        return f"{path} differs, and cannot be shown line by line\n"
    return _line_diff(path, before, after)


def _line_diff(path: str, before: str, after: str) -> str:
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
