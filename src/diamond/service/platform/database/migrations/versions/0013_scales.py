"""Probe runs and their results; the plan of a task.

Revision ID: 0018
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "scales",
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("job", ID, nullable=False),
        sa.Column("for_task", ID, nullable=False),
        sa.Column("endpoint", ID, nullable=False),
        sa.Column("endpoint_name", sa.Text(), nullable=False),
        sa.Column("fits", sa.String(80), nullable=False),
        sa.Column("wanted", sa.JSON(), nullable=False),
        sa.Column("probes", sa.JSON(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("updated", sa.Double(), nullable=False),
        sa.Column("ended", sa.Double()),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name="fk_scales_owner"),
        sa.PrimaryKeyConstraint("id", name="pk_scales"),
    )
    op.create_index("ix_scales_owner_created_id", "scales", ["owner", "created", "id"])
    op.create_index("ix_scales_state", "scales", ["state"])
    op.create_index("ix_scales_owner_fits_created", "scales", ["owner", "fits", "created"])
    op.add_column("tasks", sa.Column("prediction", sa.JSON()))
