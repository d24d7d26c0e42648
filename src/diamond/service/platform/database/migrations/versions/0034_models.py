"""Results of runs; models: names with versions, aliases that move, and who moved them.

Revision ID: 0034
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")
COUNTER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "results",
        sa.Column("task", ID, sa.ForeignKey("tasks.id", name="fk_results_task"), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        _owner("results"),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("format", sa.String(32), nullable=False),
        sa.Column("signature", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("scan", ID, nullable=False),
        sa.Column("tree", ID, nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("files", sa.Integer(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("task", "name", name="pk_results"),
    )
    op.create_index("ix_results_scan", "results", ["scan"])
    op.create_index("ix_results_owner_tree", "results", ["owner", "tree"])
    op.create_table(
        "models",
        sa.Column("id", ID, nullable=False),
        _owner("models"),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("license", sa.String(100), nullable=False),
        sa.Column("intended_use", sa.Text(), nullable=False),
        sa.Column("card", sa.Text(), nullable=False),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("newest", sa.Integer(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("updated", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_models"),
        sa.UniqueConstraint("owner", "name", name="uq_models_owner_name"),
    )
    op.create_index("ix_models_owner_updated_id", "models", ["owner", "updated", "id"])
    op.create_table(
        "model_versions",
        _model("model_versions"),
        sa.Column("number", sa.Integer(), nullable=False),
        _owner("model_versions"),
        sa.Column("tree", ID, nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("files", sa.Integer(), nullable=False),
        sa.Column("task", ID),
        sa.Column("result", sa.String(100), nullable=False),
        sa.Column("format", sa.String(32), nullable=False),
        sa.Column("signature", sa.JSON(), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("created_by", ID, nullable=False),
        sa.PrimaryKeyConstraint("model", "number", name="pk_model_versions"),
    )
    op.create_index("ix_model_versions_task", "model_versions", ["task"])
    op.create_index("ix_model_versions_owner_tree", "model_versions", ["owner", "tree"])
    op.create_table(
        "model_aliases",
        _model("model_aliases"),
        sa.Column("alias", sa.String(40), nullable=False),
        _owner("model_aliases"),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("moved_by", ID, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("model", "alias", name="pk_model_aliases"),
    )
    op.create_table(
        "model_alias_moves",
        sa.Column("id", COUNTER, autoincrement=True, nullable=False),
        _model("model_alias_moves"),
        _owner("model_alias_moves"),
        sa.Column("alias", sa.String(40), nullable=False),
        sa.Column("before", sa.Integer()),
        sa.Column("version", sa.Integer()),
        sa.Column("moved_by", ID, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_model_alias_moves"),
    )
    op.create_index("ix_model_alias_moves_model", "model_alias_moves", ["model"])


def _owner(table: str) -> sa.Column[str]:
    key = sa.ForeignKey("users.id", name=f"fk_{table}_owner")
    return sa.Column("owner", ID, key, nullable=False)


def _model(table: str) -> sa.Column[str]:
    key = sa.ForeignKey("models.id", name=f"fk_{table}_model")
    return sa.Column("model", ID, key, nullable=False)
