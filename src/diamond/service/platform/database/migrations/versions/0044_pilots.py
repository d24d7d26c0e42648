"""Pilots: allocations that run other tasks inside them.

Revision ID: 0044
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "pilots",
        sa.Column("task", ID, sa.ForeignKey("tasks.id"), nullable=False),
        sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("made_for", ID, nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("closing", sa.Double()),
        sa.PrimaryKeyConstraint("task", name="pk_pilots"),
    )
    op.create_index("ix_pilots_owner_created_task", "pilots", ["owner", "created", "task"])
    op.add_column("tasks", sa.Column("pilot", ID, nullable=False, server_default=""))
    op.create_index(
        "ix_tasks_pilot",
        "tasks",
        ["pilot", "created", "id"],
        sqlite_where=sa.text("pilot <> ''"),
        postgresql_where=sa.text("pilot <> ''"),
    )
    op.add_column("pipelines", sa.Column("pilots", sa.JSON(), nullable=False, server_default="{}"))
    op.add_column(
        "pipeline_steps", sa.Column("lost", sa.Integer(), nullable=False, server_default="0")
    )
