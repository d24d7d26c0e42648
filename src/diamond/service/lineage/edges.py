"""Edges, written in the transaction that makes a task, settles its order or registers what it made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import delete

from diamond.core.artifacts import plain_digest
from diamond.service.lineage.rows import Direction, EdgeRow, Kind
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import values_of
from diamond.service.platform.database.tables import lineage_edges

LONGEST_ROLE = 80


async def add_inputs(tx: Transaction, task: str, owner: str, order: Mapping[str, Any]) -> None:
    """Of an order in its JSON form. Adding what is there already changes nothing."""
    await _add(tx, input_edges(task, owner, order))


async def add_output(
    tx: Transaction, task: str, owner: str, *, digest: str, role: str, kind: Kind = Kind.TREE
) -> None:
    edge = EdgeRow(task, Direction.OUT.value, kind.value, plain_digest(digest), _role(role), owner)
    await _add(tx, [edge])


async def settle_image(tx: Transaction, task: str, owner: str, order: Mapping[str, Any]) -> None:
    """The image that it waited for is known now."""
    of = lineage_edges.c
    gone = delete(lineage_edges).where(
        of.task == task, of.direction == Direction.IN.value, of.kind == Kind.IMAGE.value
    )
    await tx.connection.execute(gone)
    await _add(tx, input_edges(task, owner, order))


def input_edges(task: str, owner: str, order: Mapping[str, Any]) -> list[EdgeRow]:
    code, image = order.get("code") or {}, order.get("image") or {}
    trees = order.get("trees") or {}
    used = [
        (Kind.CODE, code.get("snapshot") or code.get("git_commit") or "", "code"),
        (Kind.IMAGE, image.get("identity") or image.get("sha256") or "", "image"),
        *((Kind.TREE, tree.get("digest") or "", name) for name, tree in trees.items()),
    ]
    return [
        EdgeRow(task, Direction.IN.value, kind.value, plain_digest(digest), _role(role), owner)
        for kind, digest, role in used
        if digest
    ]


def _role(text: str) -> str:
    return text[:LONGEST_ROLE]


async def _add(tx: Transaction, edges: Sequence[EdgeRow]) -> None:
    await tx.insert_new(lineage_edges, [values_of(edge) for edge in edges])
