"""Pipelines: stages whose steps are tasks, or the results of earlier ones.

Revision ID: 0042
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "pipelines",
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("project", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("spec", sa.JSON(), nullable=False),
        sa.Column("code", sa.JSON()),
        sa.Column("spec_file", sa.Text(), nullable=False),
        sa.Column("forced", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("updated", sa.Double(), nullable=False),
        sa.Column("ended", sa.Double()),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_pipelines"),
    )
    op.create_index("ix_pipelines_owner_created_id", "pipelines", ["owner", "created", "id"])
    op.create_index("ix_pipelines_state", "pipelines", ["state"])
    op.create_table(
        "pipeline_steps",
        sa.Column("pipeline", ID, sa.ForeignKey("pipelines.id"), nullable=False),
        sa.Column("stage", ID, nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("item", sa.JSON(), nullable=False),
        sa.Column("task", ID, nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("key", ID, nullable=False),
        sa.Column("outputs", sa.JSON(), nullable=False),
        sa.Column("started", sa.Double()),
        sa.Column("ended", sa.Double()),
        sa.PrimaryKeyConstraint("pipeline", "stage", "n", name="pk_pipeline_steps"),
    )
    op.create_index("ix_pipeline_steps_owner_key", "pipeline_steps", ["owner", "key"])
    op.create_index("ix_pipeline_steps_task", "pipeline_steps", ["task"])
