"""An image that exists: it is written down, and the tasks that waited for it go on."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from diamond.core import ids
from diamond.core.decoding import decode
from diamond.core.order import Image, order_from
from diamond.core.task import Reason
from diamond.service.images import request_store as wishes
from diamond.service.images import store as rows
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import News, publish
from diamond.service.tasks.dependency_store import waiting_for
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.stepping import Steps

Data = Mapping[str, Any]


async def keep_image(
    tx: Transaction,
    *,
    owner: str,
    endpoint: str,
    record: Data,
    recipe: Data,
    name: str = "",
    build: str | None = None,
) -> str:
    """The image's id; the copy on this endpoint is the newest. A name moves on from an older image.

    With a `build` it is the person's own from here on: files of others, accepted before, are no longer taken.
    """
    now, identity = time.time(), str(record["identity"])
    known = await rows.image_of_identity(tx.connection, owner, identity)
    image = str(known["id"]) if known else ids.new_id(ids.IMAGE)
    if name and not (known and known["name"] == name):
        await rows.free_name(tx, owner, name)
    values = {"record": dict(record), "updated": now, **({"name": name} if name else {})}
    if build:
        values["accepted"] = {}
    if known:
        await rows.change_image(tx, image, values)
    else:
        fresh = {
            "id": image,
            "owner": owner,
            "name": None,
            "identity": identity,
            "recipe": dict(recipe),
            "platform": str(record["platform"]),
            "build": build,
            "created": now,
            **values,
        }
        await rows.add_image(tx, fresh)
    await keep_copy(tx, owner=owner, endpoint=endpoint, image=image, record=record)
    await publish(tx, owner, [News("image", image)])
    return image


async def take_built(tx: Transaction, task: TaskRow, line: Data) -> None:
    """What a build tells at its end: the image, and with it the tasks that waited."""
    record, build = line["record"], task.order.build
    recipe = line.get("recipe") or {
        "environment": asdict(build.environment) if build else {},
        "platform": record["platform"],
    }
    image = await keep_image(
        tx,
        owner=task.owner,
        endpoint=task.endpoint,
        record=record,
        recipe=recipe,
        name=task.name,
        build=task.id,
    )
    await wishes.grant_wishes(tx, task.id, image)
    await release(tx, task.id, image, record)


async def keep_copy(
    tx: Transaction, *, owner: str, endpoint: str, image: str, record: Data
) -> None:
    row = {
        "image": image,
        "endpoint": endpoint,
        "format": str(record["format"]),
        "owner": owner,
        "sha256": str(record["sha256"]),
        "record": dict(record),
        "at": time.time(),
    }
    await rows.put_copy(tx, row)


def image_of(record: Data) -> Image:
    """As an order names it: by its file, with what it sets inside. A virtual environment stays the agent's own."""
    names: tuple[str, ...] = ("identity", "sha256", "format")
    if record["format"] != "venv":
        names += ("variables", "path")
    return decode(Image, {name: record.get(name) for name in names}, "image")


async def release(tx: Transaction, what: str, image: str, record: Data) -> None:
    """The tasks that waited for this build or transfer get the image in their orders, and are submitted if nothing else is missing."""
    for row in await waiting_for(tx.connection, what):
        if row.cancel_requested:
            continue
        order = {**row.order_json, "image": asdict(image_of(record))}
        ready = replace(row, order_json=order, digest=order_from(order).digest)
        await rows.add_use(tx, image=image, task=row.id, owner=row.owner)
        steps = Steps(row.owner)
        await steps.meet(tx, ready, what, "the image is there")
        await steps.save(tx)


async def fail_waiting(tx: Transaction, what: str, message: str) -> None:
    for row in await waiting_for(tx.connection, what):
        steps = Steps(row.owner)
        await steps.fail(tx, row, what, message, Reason.ENVIRONMENT)
        await steps.save(tx)
