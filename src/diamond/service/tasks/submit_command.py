"""What an agent gets with a submit command: `task.json` and the grant of its chain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diamond.service.chains.granting import grant_of
from diamond.service.endpoints.commands import Command

BESIDE = ("continues", "signature", "person")
"""What `task.json` has beside the order; it lies in the column `chain`."""


def task_json(row: Mapping[str, Any]) -> dict[str, Any]:
    """`task.json` of the run directory."""
    chain = row.get("chain") or {}
    beside = {name: chain[name] for name in BESIDE if chain.get(name)}
    return {
        "version": 1,
        "task": row["id"],
        "job": row["job"],
        "name": row["name"],
        "kind": row["kind"],
        "owner": row["owner"],
        "order": row["order"],
        "created": row["created"],
        **beside,
    }


def submit_command(row: Mapping[str, Any]) -> Command:
    data = {"number": 1, "task_json": task_json(row), **grant_of(row)}
    return Command(
        "submit", row["endpoint"], row["owner"], task=row["id"], attempt=row["attempt"], data=data
    )
