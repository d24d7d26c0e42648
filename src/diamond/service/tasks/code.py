"""The code that a task ran: what its snapshot holds, and how it differed from its commit."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from diamond.core.errors import NotFound, TooLarge
from diamond.core.units import show_bytes
from diamond.service.access.principal import Principal
from diamond.service.platform.http.safe_download import preview_of
from diamond.service.platform.services import Services
from diamond.service.tasks.tasks import load_task

MOST_SHOWN = 2 << 20
MOST_MANIFEST = 64 << 20


async def list_code(services: Services, principal: Principal, task: str) -> dict[str, Any]:
    row = await load_task(services, principal, task)
    source = row["order"].get("code") or {}
    told = {
        name: value
        for name, value in (row["code"] or {}).items()
        if name in ("commit", "dirty", "left_out")
    }
    kind = "snapshot" if source.get("snapshot") else "git" if source.get("git_url") else "none"
    files = await manifest_of(services, source["snapshot"]) if kind == "snapshot" else []
    return {
        **told,
        **{name: source.get(name) or "" for name in ("snapshot", "git_url", "git_commit")},
        "kind": kind,
        "has_diff": bool((row["code"] or {}).get("diff")),
        "files": [_file(one) for one in files],
    }


async def read_code(services: Services, principal: Principal, task: str, path: str) -> bytes:
    """Raises TooLarge beyond what a page can show."""
    row = await load_task(services, principal, task)
    snapshot = (row["order"].get("code") or {}).get("snapshot")
    files = await manifest_of(services, snapshot) if snapshot else []
    found = next((one for one in files if one["path"] == path and "sha256" in one), None)
    if found is None:
        raise NotFound(f"The code of {row['id']} has no file {path!r}", "GET …/code lists them.")
    return await _blob(services, f"sha256:{found['sha256']}", MOST_SHOWN)


async def read_diff(services: Services, principal: Principal, task: str) -> bytes:
    row = await load_task(services, principal, task)
    diff = (row["code"] or {}).get("diff")
    return await _blob(services, diff, MOST_SHOWN * 5) if diff else b""


async def manifest_of(services: Services, snapshot: str) -> list[Mapping[str, Any]]:
    manifest = json.loads(await _blob(services, snapshot, MOST_MANIFEST))
    return list(manifest["files"])


async def _blob(services: Services, digest: str, most: int) -> bytes:
    path = services.blobs.find(digest)
    size = path.stat().st_size
    if size > most:
        raise TooLarge(
            f"{show_bytes(size)} are more than a page shows ({show_bytes(most)})",
            "Fetch it with `diamond get`.",
        )
    return await asyncio.to_thread(path.read_bytes)


def _file(one: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **{name: one[name] for name in ("path", "size", "mode", "link") if name in one},
        "preview": preview_of(one["path"]),
    }
