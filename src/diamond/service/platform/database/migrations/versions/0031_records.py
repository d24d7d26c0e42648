"""Records: entries chained by their hashes, the texts that they name, and anchors.

Revision ID: 0031
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")
DIGEST = sa.String(80).with_variant(sa.String(80, collation="C"), "postgresql")


def _owner() -> sa.Column[str]:
    return sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False)


def upgrade() -> None:
    op.create_table(
        "records",
        sa.Column("task", ID, primary_key=True),
        _owner(),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("head", DIGEST, nullable=False),
        sa.Column("changed", sa.Double(), nullable=False),
        sa.Column("anchored", sa.Integer(), nullable=False),
    )
    op.create_index(
        "ix_records_not_anchored",
        "records",
        ["changed"],
        sqlite_where=sa.text("anchored < n"),
        postgresql_where=sa.text("anchored < n"),
    )
    op.create_table(
        "record_entries",
        sa.Column("task", ID, primary_key=True),
        sa.Column("n", sa.Integer(), primary_key=True, autoincrement=False),
        _owner(),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("hash", DIGEST, nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
    )
    op.create_table(
        "record_texts",
        sa.Column("owner", ID, primary_key=True),
        sa.Column("digest", DIGEST, primary_key=True),
        sa.Column("text", sa.Text(), nullable=False),
    )
    op.create_table(
        "anchors",
        sa.Column("n", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("root", DIGEST, nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("before", DIGEST, nullable=False),
        sa.Column("hash", DIGEST, nullable=False),
    )
    op.create_table(
        "anchored_heads",
        sa.Column("anchor", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("task", ID, primary_key=True),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("head", DIGEST, nullable=False),
    )
    op.create_index("ix_anchored_heads_task", "anchored_heads", ["task"])
