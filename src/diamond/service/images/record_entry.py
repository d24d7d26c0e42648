"""What a task's record says about its image."""

from __future__ import annotations

import time

from diamond.provenance import entries as kinds
from diamond.provenance.bodies import ImageUsed
from diamond.provenance.entries import Draft, canonical, digest
from diamond.provenance.public import public, without_secrets
from diamond.service.entries.store import put_texts
from diamond.service.images.rows import ImageRow
from diamond.service.images.store import add_use, image_by_id
from diamond.service.platform.database.engine import Transaction
from diamond.service.tasks.record_entries import record
from diamond.service.tasks.rows import TaskRow


async def note_use(tx: Transaction, task: TaskRow, image: str) -> None:
    """The task runs in this image: it is not cleaned up, and stands in the task's record with its lock."""
    await add_use(tx, image=image, task=task.id, owner=task.owner)
    row = await image_by_id(tx.connection, image)
    if row is None:
        return
    lock = str(row.recipe.get("lock") or "")
    packages = canonical(row.manifest.packages) if row.manifest.packages else ""
    recipe = canonical(row.recipe) if row.recipe else ""
    texts = [(digest(text), text) for text in (lock, packages, recipe) if text]
    await put_texts(tx, task.owner, texts)
    await record(tx, [(task, [_draft(row, task, lock=lock, packages=packages, recipe=recipe)])])


def _draft(row: ImageRow, task: TaskRow, *, lock: str, packages: str, recipe: str) -> Draft:
    manifest = row.manifest
    named = task.order.image
    body = ImageUsed(
        identity=row.identity,
        sha256=named.sha256 if named and named.sha256 else manifest.sha256,
        format=named.format if named and named.format else manifest.format,
        runtime=manifest.runtime,
        platform=row.platform,
        python=manifest.python,
        base=public(without_secrets(manifest.base.get("reference", ""))),
        base_digest=manifest.base.get("digest", "") or str(row.recipe.get("base_digest") or ""),
        lock=digest(lock) if lock else "",
        packages=digest(packages) if packages else "",
        recipe=digest(recipe) if recipe else "",
    )
    return Draft(kinds.IMAGE, time.time(), body)
