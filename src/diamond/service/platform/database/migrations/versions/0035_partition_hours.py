"""How busy each partition was, hour by hour.

Revision ID: 0035
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "partition_hours",
        sa.Column("endpoint", ID, primary_key=True),
        sa.Column("partition", sa.String(200), primary_key=True),
        sa.Column("hour", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("samples", sa.Integer(), nullable=False),
        sa.Column("busy", sa.Double(), nullable=False),
        sa.Column("pending", sa.Double(), nullable=False),
    )
