"""Trees of data: what is known of them, scans that make them, and transfers that bring them to endpoints.

Revision ID: 0032
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "trees",
        sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("digest", ID, nullable=False),
        *_counts("size", "files", "entries"),
        sa.Column("has_manifest", sa.Boolean(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "digest", name="pk_trees"),
    )
    op.create_table(
        "scans",
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("endpoint", ID, nullable=False),
        sa.Column("act", sa.String(16), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("tree", ID, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        *_counts("bytes", "size", "files", "files_done"),
        sa.Column("seconds_left", sa.Double()),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("named", sa.JSON(), nullable=False),
        *_times(),
        sa.PrimaryKeyConstraint("id", name="pk_scans"),
    )
    op.create_index("ix_scans_endpoint", "scans", ["endpoint"])
    op.create_index("ix_scans_owner_created_id", "scans", ["owner", "created", "id"])
    op.create_table(
        "tree_transfers",
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("tree", ID, nullable=False),
        sa.Column("source", ID),
        sa.Column("goal", ID, nullable=False),
        sa.Column("way", sa.String(16), nullable=False),
        sa.Column("layout", sa.String(16), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        *_counts("bytes", "size", "moved", "files", "files_done"),
        sa.Column("rate", sa.Double(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        *_times(),
        sa.PrimaryKeyConstraint("id", name="pk_tree_transfers"),
    )
    op.create_index("ix_tree_transfers_goal", "tree_transfers", ["goal"])
    op.create_index("ix_tree_transfers_source", "tree_transfers", ["source"])
    op.create_index("ix_tree_transfers_tree_goal", "tree_transfers", ["tree", "goal"])
    op.create_index(
        "ix_tree_transfers_owner_created_id", "tree_transfers", ["owner", "created", "id"]
    )


def _counts(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.BigInteger(), nullable=False) for name in names]


def _times() -> list[sa.Column[float]]:
    return [
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("started", sa.Double()),
        sa.Column("updated", sa.Double(), nullable=False),
    ]
