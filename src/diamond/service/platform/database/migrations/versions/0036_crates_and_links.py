"""Crates of others, and links for reviewers.

Revision ID: 0036
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")
DIGEST = sa.String(80).with_variant(sa.String(80, collation="C"), "postgresql")


def _owner() -> sa.Column[str]:
    return sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False)


def upgrade() -> None:
    op.create_table(
        "record_imports",
        sa.Column("id", ID, primary_key=True),
        _owner(),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("digest", DIGEST, nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
    )
    op.create_index(
        "ix_record_imports_owner_created_id", "record_imports", ["owner", "created", "id"]
    )
    op.create_table(
        "record_links",
        sa.Column("id", ID, primary_key=True),
        _owner(),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("tasks", sa.JSON(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.Column("used", sa.Double()),
        sa.UniqueConstraint("hash", name="uq_record_links_hash"),
    )
    op.create_index("ix_record_links_owner_created_id", "record_links", ["owner", "created", "id"])
