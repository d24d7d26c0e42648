"""Images as the API shows them, and the one that a word means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict, NotFound
from diamond.images.comparing import build_differences
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal, Role
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.images import request_store as wishes
from diamond.service.images import store as rows
from diamond.service.images.rows import ImageRow
from diamond.service.images.shared import shared_called
from diamond.service.platform.database.rows import Row

MOVE_FIELDS = (
    "id",
    "kind",
    "image",
    "reference",
    "words",
    "state",
    "bytes",
    "size",
    "message",
    "created",
    "updated",
)


async def find_image(
    connection: AsyncConnection, principal: Principal, text: str, action: Action = Action.READ
) -> ImageRow:
    """By name, id, or the beginning of a digest."""
    found = await rows.images_called(connection, principal.user, text)
    found = found or await shared_called(connection, principal.user, text)
    if len(found) > 1:
        some = ", ".join(str(row["name"] or row["identity"][:19]) for row in found)
        raise Conflict(f"{text} means several images", f"Which one: {some}?")
    if not found:
        raise NotFound(f"There is no image {text!r}", "`diamond image list` lists what there is.")
    require(principal, action, owner=found[0]["owner"], shared=Role.VIEWER, what="image")
    return found[0]


async def show_images(connection: AsyncConnection, found: Sequence[Row]) -> list[dict[str, Any]]:
    """Each with its copies, moves and uses, by a few questions for all."""
    ids = [row["id"] for row in found]
    if not ids:
        return []
    copies = await rows.copies_of(connection, ids)
    moves = await wishes.shown_moves(connection, ids)
    uses = await rows.count_uses(connection, ids)
    names = await _endpoint_names(connection, copies, moves)
    return [
        _show(row, copies[row["id"]], moves[row["id"]], uses.get(row["id"], (0, 0)), names)
        for row in found
    ]


async def show_image(connection: AsyncConnection, row: Row) -> dict[str, Any]:
    return (await show_images(connection, [row]))[0]


async def show_shared(connection: AsyncConnection, found: Sequence[Row]) -> list[dict[str, Any]]:
    """To others than the owner: what is inside, not on which machines of hers it lies or who used it."""
    shown = await show_images(connection, found)
    nothing = {"copies": [], "moves": [], "uses": 0, "in_use": 0, "differences": []}
    hidden = ("host", "user")
    return [
        {**one, **nothing, "built": {k: v for k, v in one["built"].items() if k not in hidden}}
        for one in shown
    ]


async def show_move(connection: AsyncConnection, row: Row) -> dict[str, Any]:
    places = {one for one in (row["endpoint"], row["source"]) if one}
    found = await endpoints_by_id(connection, places)
    return _move(row, {key: one["name"] for key, one in found.items()})


async def _endpoint_names(
    connection: AsyncConnection,
    copies: Mapping[str, Sequence[Row]],
    moves: Mapping[str, Sequence[Row]],
) -> dict[str, str]:
    places = {row["endpoint"] for some in (*copies.values(), *moves.values()) for row in some}
    places |= {row["source"] for some in moves.values() for row in some if row["source"]}
    found = await endpoints_by_id(connection, places) if places else {}
    return {key: row["name"] for key, row in found.items()}


def _show(
    row: Row,
    copies: Sequence[Row],
    moves: Sequence[Row],
    uses: tuple[int, int],
    names: dict[str, str],
) -> dict[str, Any]:
    record: Mapping[str, Any] = row["record"]
    packages = record.get("packages") or {}
    built = {"runtime": record.get("runtime", ""), **(record.get("built") or {})}
    shown = {name: row[name] for name in ("id", "owner", "identity", "platform", "build")}
    return {
        **shown,
        "name": row["name"] or "",
        "environment": row["recipe"].get("environment") or {},
        "base": record.get("base") or {},
        "python": record.get("python", ""),
        "size": record.get("size", 0),
        "packages": sum(len(some) for some in packages.values()),
        "labels": record.get("labels") or {},
        "built": {name: built.get(name) for name in _BUILT if built.get(name) is not None},
        "created": row["created"],
        "updated": row["updated"],
        "copies": [_copy(one, names) for one in copies if one["endpoint"] in names],
        "moves": [_move(one, names) for one in moves],
        "uses": uses[0],
        "in_use": uses[1],
        "differences": build_differences([one["record"] for one in copies]),
    }


_BUILT = ("at", "seconds", "host", "user", "runtime")


def _copy(row: Row, names: Mapping[str, str]) -> dict[str, Any]:
    record = row["record"]
    return {
        "endpoint": names[row["endpoint"]],
        "format": row["format"],
        "sha256": row["sha256"],
        "size": record.get("size", 0),
        "file": record.get("file", ""),
        "runtime": record.get("runtime", ""),
        "shared": bool(record.get("shared")),
        "at": row["at"],
    }


def _move(row: Row, names: Mapping[str, str]) -> dict[str, Any]:
    shown = {name: row[name] for name in MOVE_FIELDS}
    endpoint, source = names.get(row["endpoint"], ""), names.get(row["source"] or "", "")
    return {**shown, "endpoint": endpoint, "source": source}
