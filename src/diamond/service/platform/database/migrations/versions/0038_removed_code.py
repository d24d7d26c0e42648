"""Code that its owner removed, how long the code of ended tasks is kept, and how large manifests are.

Revision ID: 0038
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")


def upgrade() -> None:
    op.add_column("storage_rules", sa.Column("code_days", sa.Integer()))
    count = sa.Column("manifest_bytes", sa.BigInteger(), nullable=False, server_default="0")
    op.add_column("trees", count)
    op.create_table(
        "removed_code",
        sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("digest", ID, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("by_rule", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "digest", name="pk_removed_code"),
    )
