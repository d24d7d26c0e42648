"""Folders that are pushed as versions of models, and where the copies of a model are kept.

Revision ID: 0040
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")


def upgrade() -> None:
    op.add_column("models", sa.Column("kept_on", ID, nullable=False, server_default=""))
    op.add_column(
        "model_versions", sa.Column("curves", sa.JSON(), nullable=False, server_default="{}")
    )
    op.create_table(
        "model_pushes",
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("model", sa.String(100), nullable=False),
        sa.Column("tree", ID, nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("format", sa.String(32), nullable=False),
        sa.Column("signature", sa.JSON(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer()),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_model_pushes"),
    )
    op.create_index("ix_model_pushes_owner", "model_pushes", ["owner"])
