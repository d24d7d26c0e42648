"""How long the service keeps logs and curves, how much a person may store, and which tasks are archived.

Revision ID: 0027
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "storage_rules",
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("subject", ID, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("days", sa.Integer()),
        sa.Column("quota", sa.BigInteger()),
        sa.Column("updated", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "subject", name="pk_storage_rules"),
    )
    op.add_column("tasks", sa.Column("archived", sa.Double()))
    op.add_column("tasks", sa.Column("final_metrics", sa.JSON()))
    op.create_index(
        "ix_tasks_not_archived",
        "tasks",
        ["ended", "id"],
        sqlite_where=sa.text("archived IS NULL"),
        postgresql_where=sa.text("archived IS NULL"),
    )
