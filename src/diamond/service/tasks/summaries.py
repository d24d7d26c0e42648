"""What the table of runs knows of each task, kept in the transaction that makes or settles the task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import bindparam, insert, update

from diamond.core.artifacts import plain_digest
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import Columns, JsonObject
from diamond.service.platform.database.tables import run_summaries
from diamond.service.platform.packed_metrics import Entry, pack_metrics
from diamond.service.tasks.rows import TaskRow

_ADD = insert(run_summaries)
_SETTLE = (
    update(run_summaries)
    .where(run_summaries.c.task == bindparam("of_task"))
    .values(facts=bindparam("new_facts"))
)
LONGEST_TEXT = 500
"""Of a parameter: longer ones are cut in the table; the order has them whole."""


async def add_summary(tx: Transaction, task: TaskRow) -> None:
    if task.kind in ("run", "trial"):
        await tx.connection.execute(_ADD, summary_of(task))


async def settle_summary(tx: Transaction, task: TaskRow) -> None:
    """Its image or its node count is known now."""
    await tx.connection.execute(_SETTLE, {"of_task": task.id, "new_facts": facts_of(task)})


def summary_of(task: TaskRow, metrics: Mapping[str, Entry] = {}) -> Columns:
    return {
        "task": task.id,
        "owner": task.owner,
        "facts": facts_of(task),
        "metrics": pack_metrics(metrics),
    }


def facts_of(task: TaskRow) -> JsonObject:
    """Of the stored order, without decoding all of it."""
    order: dict[str, Any] = task.order_json
    resources, code, image = (order.get(name) or {} for name in ("resources", "code", "image"))
    facts: JsonObject = {
        "params": {name: _short(value) for name, value in (order.get("params") or {}).items()},
        "data": {name: _short(value) for name, value in _data(order).items()},
        "code": code.get("snapshot") or "",
        "commit": code.get("git_commit") or (task.code or {}).get("commit") or "",
        "image": image.get("identity") or "",
        "nodes": resources.get("nodes", 1),
        "gpus": resources.get("gpus_per_node", 0) * resources.get("nodes", 1),
        "launch": (order.get("launch") or {}).get("kind", "single"),
    }
    return {name: value for name, value in facts.items() if value not in ("", {})}


def _data(order: Mapping[str, Any]) -> dict[str, Any]:
    """Paths, and digests of versions."""
    trees = order.get("trees") or {}
    digests = {name: f"sha256:{plain_digest(tree['digest'])}" for name, tree in trees.items()}
    return {**(order.get("data") or {}), **digests}


def _short(value: Any) -> Any:
    return (
        f"{value[:LONGEST_TEXT]}…"
        if isinstance(value, str) and len(value) > LONGEST_TEXT
        else value
    )
