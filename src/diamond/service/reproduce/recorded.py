"""What the record of a run tells: the entries put together, and texts that they name by digest."""

from __future__ import annotations

import json

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import BadRequest
from diamond.provenance.record import Record, assemble
from diamond.service.entries import store as entry_store


async def record_of(connection: AsyncConnection, task: str) -> Record:
    """Empty if somebody broke it; its check names the place."""
    kept = await entry_store.entries_of(connection, task)
    try:
        return assemble(row.entry for row in kept)
    except BadRequest:
        return Record(())


async def packages_of(connection: AsyncConnection, owner: str, found: Record) -> dict[str, str]:
    """All that the program could load, else what its image holds."""
    digests = [facts.packages for facts in found.facts if facts.packages]
    digests += [found.image.packages] if found.image and found.image.packages else []
    texts = await entry_store.read_texts(connection, owner, digests) if digests else {}
    for digest in digests:
        packages = _read_packages(texts.get(digest, ""))
        if packages:
            return packages
    return {}


async def recipe_of(connection: AsyncConnection, owner: str, found: Record) -> dict[str, object]:
    """The recipe of its image with the lock; {} if it ran in none, or before recipes were recorded."""
    digest = found.image.recipe if found.image else ""
    texts = await entry_store.read_texts(connection, owner, [digest]) if digest else {}
    try:
        data = json.loads(texts.get(digest, "{}"))
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def _read_packages(text: str) -> dict[str, str]:
    try:
        data = json.loads(text or "{}")
    except ValueError:
        return {}
    if not isinstance(data, dict):
        return {}
    nested = [value for value in data.values() if isinstance(value, dict)]
    flat = {name: value for name, value in data.items() if isinstance(value, str)}
    return {**flat, **{name: str(version) for part in nested for name, version in part.items()}}
