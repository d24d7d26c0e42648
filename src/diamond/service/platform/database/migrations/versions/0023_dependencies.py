"""What tasks wait for, many per task; and a plain name for ends that an agent has not heard of.

Revision ID: 0023
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "dependencies",
        sa.Column("task", ID, sa.ForeignKey("tasks.id"), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("target", ID, nullable=False),
        sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("updated", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("task", "kind", "target", name="pk_dependencies"),
    )
    op.create_index("ix_dependencies_target_state", "dependencies", ["target", "state"])
    op.execute(
        "INSERT INTO dependencies (task, kind, target, owner, state, message, created, updated) "
        "SELECT id, CASE WHEN awaits IN (SELECT id FROM image_moves) THEN 'transfer' "
        "WHEN awaits IN (SELECT id FROM scales) THEN 'probe' ELSE 'build' END, "
        "awaits, owner, 'waiting', message, created, updated FROM tasks WHERE awaits IS NOT NULL"
    )
    op.drop_index("ix_tasks_awaits", "tasks")
    op.drop_column("tasks", "awaits")
    op.drop_index("ix_tasks_untold", "tasks")
    op.alter_column("tasks", "untold", new_column_name="unconfirmed")
    op.create_index(
        "ix_tasks_unconfirmed",
        "tasks",
        ["endpoint"],
        sqlite_where=sa.text("unconfirmed"),
        postgresql_where=sa.text("unconfirmed"),
    )
