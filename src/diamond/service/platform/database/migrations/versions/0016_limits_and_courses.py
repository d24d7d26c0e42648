"""Bound what people and projects use, say things to everybody, and teach courses.

Revision ID: 0016
"""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")


def upgrade() -> None:
    _limits()
    _announcements()
    _assignments()
    op.add_column("projects", sa.Column("course", sa.JSON()))
    op.add_column("projects", sa.Column("endpoints", sa.JSON()))
    op.add_column("jobs", sa.Column("assignment", ID, nullable=False, server_default=""))
    op.add_column(
        "tasks", sa.Column("node_seconds", sa.Double(), nullable=False, server_default="0")
    )
    op.add_column("tasks", sa.Column("bytes", sa.BigInteger(), nullable=False, server_default="0"))
    _fill_node_seconds()


def _limits() -> None:
    op.create_table(
        "limits",
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("subject", ID, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("node_hours", sa.Double()),
        sa.Column("running_tasks", sa.Integer()),
        sa.Column("storage_bytes", sa.BigInteger()),
        sa.Column("updated", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name="fk_limits_owner"),
        sa.PrimaryKeyConstraint("kind", "subject", name="pk_limits"),
    )


def _announcements() -> None:
    op.create_table(
        "announcements",
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("level", sa.String(16), nullable=False),
        sa.Column("starts", sa.Double()),
        sa.Column("ends", sa.Double()),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name="fk_announcements_owner"),
        sa.PrimaryKeyConstraint("id", name="pk_announcements"),
    )


def _assignments() -> None:
    op.create_table(
        "assignments",
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("project", ID, nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("spec", sa.JSON(), nullable=False),
        sa.Column("code", sa.JSON()),
        sa.Column("due", sa.Double()),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name="fk_assignments_owner"),
        sa.ForeignKeyConstraint(["project"], ["projects.id"], name="fk_assignments_project"),
        sa.PrimaryKeyConstraint("id", name="pk_assignments"),
        sa.UniqueConstraint("project", "name", name="uq_assignments_project_name"),
    )


def _fill_node_seconds() -> None:
    """Of attempts that have ended."""
    tasks = sa.table(
        "tasks",
        sa.column("id"),
        sa.column("attempts", sa.JSON()),
        sa.column("order", sa.JSON()),
        sa.column("node_seconds"),
    )
    connection = op.get_bind()
    found = connection.execute(sa.select(tasks.c.id, tasks.c.attempts, tasks.c.order))
    changes = [{"key": row[0], "used": _used(row[1], row[2])} for row in found]
    changes = [one for one in changes if one["used"]]
    if changes:
        by_key = sa.update(tasks).where(tasks.c.id == sa.bindparam("key"))
        connection.execute(by_key.values(node_seconds=sa.bindparam("used")), changes)


def _used(attempts: Any, order: Any) -> float:
    entries = json.loads(attempts) if isinstance(attempts, str) else attempts or []
    asked = json.loads(order) if isinstance(order, str) else order or {}
    nodes = int((asked.get("resources") or {}).get("nodes") or 1)
    return nodes * sum(_lasted(one) for one in entries)


def _lasted(entry: dict[str, Any]) -> float:
    began = entry.get("arrived") or entry.get("started")
    if began is None or entry.get("ended") is None:
        return 0.0
    return max(0.0, float(entry["ended"]) - float(began))
