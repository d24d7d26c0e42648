"""Datasets: names with immutable versions, what is on its way to become one, and what uses them.

Revision ID: 0037
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "datasets",
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("license", sa.Text(), nullable=False),
        sa.Column("project", ID, nullable=False),
        sa.Column("endpoints", sa.JSON()),
        sa.Column("layout", sa.String(16), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("updated", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_datasets"),
        sa.UniqueConstraint("owner", "name", name="uq_datasets_owner_name"),
    )
    op.create_index("ix_datasets_owner_created_id", "datasets", ["owner", "created", "id"])
    op.create_index("ix_datasets_project", "datasets", ["project"])
    op.create_table(
        "dataset_versions",
        sa.Column("dataset", ID, sa.ForeignKey("datasets.id"), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("tree", ID, nullable=False),
        sa.Column("files", sa.BigInteger(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("dataset", "n", name="pk_dataset_versions"),
        sa.UniqueConstraint("dataset", "tree", name="uq_dataset_versions_dataset_tree"),
    )
    op.create_index("ix_dataset_versions_tree", "dataset_versions", ["tree"])
    op.create_table(
        "dataset_additions",
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("dataset", ID, sa.ForeignKey("datasets.id"), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("endpoint", ID, nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("is_new", sa.Boolean(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_dataset_additions"),
    )
    op.create_index(
        "ix_dataset_additions_dataset_created", "dataset_additions", ["dataset", "created"]
    )
    op.create_table(
        "dataset_uses",
        sa.Column("dataset", ID, sa.ForeignKey("datasets.id"), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("task", ID, sa.ForeignKey("tasks.id"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False),
        sa.PrimaryKeyConstraint("dataset", "n", "task", "name", name="pk_dataset_uses"),
    )
    op.create_index("ix_dataset_uses_task", "dataset_uses", ["task"])
