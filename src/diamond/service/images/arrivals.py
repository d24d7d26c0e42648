"""An image that exists: it is stored, and the tasks that waited for it continue."""

from __future__ import annotations

import logging
import time
from dataclasses import asdict, replace

from diamond.core import ids
from diamond.core.decoding import decode
from diamond.core.errors import BadRequest
from diamond.core.order import Image, order_from
from diamond.core.task import Reason
from diamond.runtimes.manifests import ImageManifest, manifest_from
from diamond.service.images import request_store, store
from diamond.service.images.build_steps import BuildLine
from diamond.service.images.record_entry import note_use
from diamond.service.images.rows import CopyRow, ImageRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject
from diamond.service.platform.event_log import News, publish
from diamond.service.tasks.dependency_store import waiting_for
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.stepping import Steps

log = logging.getLogger(__name__)


async def store_image(
    tx: Transaction,
    *,
    owner: str,
    endpoint: str,
    manifest: ImageManifest,
    recipe: JsonObject,
    name: str = "",
    build: str | None = None,
) -> str:
    """The image's id; the copy on this endpoint is the newest. An older image loses the name to this one.

    With a `build` it is the owner's own from here on: files of others, accepted before, no longer count.
    """
    now = time.time()
    known = await store.image_of_identity(tx.connection, owner, manifest.identity)
    if name and not (known and known.name == name):
        await store.free_name(tx, owner, name)
    if known is None:
        image = ImageRow(
            id=ids.new_id(ids.IMAGE),
            owner=owner,
            name=name or None,
            identity=manifest.identity,
            platform=manifest.platform,
            recipe=recipe,
            manifest=manifest,
            build=build,
            created=now,
            updated=now,
        )
        await store.add_image(tx, image)
    else:
        accepted = {} if build else known.accepted
        image = replace(
            known, name=name or known.name, manifest=manifest, accepted=accepted, updated=now
        )
        await store.save_image(tx, image)
    await store_copy(tx, owner=owner, endpoint=endpoint, image=image.id, manifest=manifest)
    await publish(tx, owner, [News("image", image.id)])
    return image.id


async def store_built_image(tx: Transaction, task: TaskRow, line: BuildLine) -> None:
    """What a build reports at its end: the image, and with it the tasks that waited."""
    try:
        # By a policy of its machine, a manifest may come without the place of its file.
        manifest = manifest_from({"file": "", **(line.record or {})})
    except BadRequest as error:
        log.warning("the image that %s reports cannot be read: %s", task.id, error.message)
        return
    recipe = line.recipe
    if recipe is None:
        build = task.order.build
        environment = asdict(build.environment) if build else {}
        recipe = {"environment": environment, "platform": manifest.platform}
    image = await store_image(
        tx,
        owner=task.owner,
        endpoint=task.endpoint,
        manifest=manifest,
        recipe=recipe,
        name=task.name,
        build=task.id,
    )
    await request_store.fulfil_requests(tx, task.id, image)
    await release(tx, task.id, image, manifest)


async def store_copy(
    tx: Transaction, *, owner: str, endpoint: str, image: str, manifest: ImageManifest
) -> None:
    copy = CopyRow(
        image=image,
        endpoint=endpoint,
        format=manifest.format,
        owner=owner,
        sha256=manifest.sha256,
        manifest=manifest,
        at=time.time(),
    )
    await store.put_copy(tx, copy)


def image_of(manifest: ImageManifest) -> Image:
    """As an order names it: by its file, with what it sets inside. A virtual environment stays the agent's own."""
    file = {"identity": manifest.identity, "sha256": manifest.sha256, "format": manifest.format}
    inside = {"variables": manifest.variables, "path": manifest.path}
    return decode(Image, file if manifest.format == "venv" else {**file, **inside}, "image")


async def release(tx: Transaction, what: str, image: str, manifest: ImageManifest) -> None:
    """The tasks that waited for this build or transfer get the image in their orders, and are submitted if nothing else is missing."""
    for row in await waiting_for(tx.connection, what):
        if row.cancel_requested:
            continue
        order = {**row.order_json, "image": asdict(image_of(manifest))}
        ready = replace(row, order_json=order, digest=order_from(order).digest)
        await note_use(tx, ready, image)
        steps = Steps(row.owner)
        await steps.meet(tx, ready, what, "the image is there")
        await steps.save(tx)


async def fail_waiting(tx: Transaction, what: str, message: str) -> None:
    for row in await waiting_for(tx.connection, what):
        steps = Steps(row.owner)
        await steps.fail(tx, row, what, message, Reason.ENVIRONMENT)
        await steps.save(tx)
