"""Studies: what is searched, its points, and the tasks that try them.

Revision ID: 0043
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "studies",
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("project", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("spec", sa.JSON(), nullable=False),
        sa.Column("code", sa.JSON()),
        sa.Column("plan", sa.JSON(), nullable=False),
        sa.Column("counts", sa.JSON(), nullable=False),
        sa.Column("streak", sa.JSON(), nullable=False),
        sa.Column("warnings", sa.JSON(), nullable=False),
        sa.Column("inputs", sa.JSON(), nullable=False),
        sa.Column("asked", sa.Integer(), nullable=False),
        sa.Column("best", sa.Integer()),
        sa.Column("open", sa.Integer(), nullable=False),
        sa.Column("node_seconds", sa.Double(), nullable=False),
        sa.Column("saved_seconds", sa.Double(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("updated", sa.Double(), nullable=False),
        sa.Column("ended", sa.Double()),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_studies"),
    )
    op.create_index("ix_studies_owner_created_id", "studies", ["owner", "created", "id"])
    op.create_index("ix_studies_project", "studies", ["project"])
    op.create_index("ix_studies_state_open", "studies", ["state", "open"])
    op.create_table(
        "study_trials",
        sa.Column("study", ID, sa.ForeignKey("studies.id"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("params", sa.JSON(), nullable=False),
        sa.Column("space", sa.JSON(), nullable=False),
        sa.Column("values", sa.JSON(), nullable=False),
        sa.Column("spread", sa.Double()),
        sa.Column("steps", sa.JSON(), nullable=False),
        sa.Column("judged", sa.Double()),
        sa.Column("rungs", sa.JSON(), nullable=False),
        sa.Column("cause", sa.String(64), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("origin", sa.String(16), nullable=False),
        sa.Column("attributes", sa.JSON(), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("task", ID, nullable=False),
        sa.Column("reruns", sa.Integer(), nullable=False),
        sa.Column("node_seconds", sa.Double(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("started", sa.Double()),
        sa.Column("ended", sa.Double()),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("study", "number", name="pk_study_trials"),
    )
    op.create_index("ix_study_trials_study_revision", "study_trials", ["study", "revision"])
    op.create_table(
        "study_tasks",
        sa.Column("task", ID, nullable=False),
        sa.Column("study", ID, sa.ForeignKey("studies.id"), nullable=False),
        sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("trial", sa.Integer(), nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("task", name="pk_study_tasks"),
    )
    op.create_index("ix_study_tasks_study_trial", "study_tasks", ["study", "trial"])
