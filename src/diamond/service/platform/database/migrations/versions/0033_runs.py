"""The table of runs: summaries kept with tasks and metrics, imported runs, saved views; edges of lineage; reproductions.

Revision ID: 0033
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")
DIGEST = sa.String(80).with_variant(sa.String(80, collation="C"), "postgresql")


def _owner() -> sa.Column[str]:
    return sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False)


def upgrade() -> None:
    _runs()
    _imports()
    op.create_table(
        "lineage_edges",
        sa.Column("task", ID, sa.ForeignKey("tasks.id"), primary_key=True),
        sa.Column("direction", sa.String(4), primary_key=True),
        sa.Column("kind", sa.String(8), primary_key=True),
        sa.Column("digest", DIGEST, primary_key=True),
        sa.Column("role", sa.String(80), primary_key=True),
        _owner(),
    )
    op.create_index(
        "ix_lineage_edges_digest_direction_task", "lineage_edges", ["digest", "direction", "task"]
    )
    op.create_table(
        "reproductions",
        sa.Column("task", ID, sa.ForeignKey("tasks.id"), primary_key=True),
        _owner(),
        sa.Column("original", DIGEST, nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("asked", sa.JSON(), nullable=False),
        sa.Column("evidence", sa.JSON(), nullable=False),
        sa.Column("verdict", sa.JSON()),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("judged", sa.Double()),
    )
    op.create_index("ix_reproductions_original_judged", "reproductions", ["original", "judged"])
    op.create_index("ix_reproductions_state", "reproductions", ["state"])


def _runs() -> None:
    op.create_table(
        "run_summaries",
        sa.Column("task", ID, sa.ForeignKey("tasks.id"), primary_key=True),
        _owner(),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("metrics", sa.LargeBinary(), nullable=False),
    )
    op.create_table(
        "saved_views",
        sa.Column("id", ID, primary_key=True),
        _owner(),
        sa.Column("project", ID, nullable=False),
        sa.Column("page", sa.String(16), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("query", sa.JSON(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("updated", sa.Double(), nullable=False),
        sa.UniqueConstraint("owner", "page", "name", name="uq_saved_views_owner_page_name"),
    )
    op.create_index("ix_saved_views_project_page", "saved_views", ["project", "page"])


def _imports() -> None:
    op.create_table(
        "imported_runs",
        sa.Column("id", ID, primary_key=True),
        _owner(),
        sa.Column("project", ID, nullable=False),
        sa.Column("source", sa.String(16), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("experiment", sa.Text(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("started", sa.Double()),
        sa.Column("ended", sa.Double()),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("metrics", sa.LargeBinary(), nullable=False),
        sa.Column("digest", DIGEST, nullable=False),
        sa.Column("imported", sa.Double(), nullable=False),
        sa.UniqueConstraint("owner", "source", "key", name="uq_imported_runs_owner_source_key"),
    )
    for column in ("owner", "project"):
        name = f"ix_imported_runs_{column}_created_id"
        op.create_index(name, "imported_runs", [column, "created", "id"])
    op.create_table(
        "imported_curves",
        sa.Column("run", ID, sa.ForeignKey("imported_runs.id"), primary_key=True),
        sa.Column("name", sa.String(250), primary_key=True),
        _owner(),
        sa.Column("data", sa.LargeBinary(), nullable=False),
    )
