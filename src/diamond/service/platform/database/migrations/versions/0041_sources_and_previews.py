"""Where versions of datasets were fetched from, and previews of their files.

Revision ID: 0041
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")


def upgrade() -> None:
    op.add_column("scans", sa.Column("origin", sa.JSON()))
    op.add_column("dataset_versions", sa.Column("origin", sa.JSON()))
    op.add_column("dataset_additions", sa.Column("asked", sa.JSON()))
    op.create_table(
        "tree_previews",
        sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("tree", ID, nullable=False),
        sa.Column("scan", ID, nullable=False),
        sa.Column("content", sa.JSON()),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "tree", name="pk_tree_previews"),
    )
