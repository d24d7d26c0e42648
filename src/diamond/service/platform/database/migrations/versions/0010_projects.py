"""Share work: projects with their members, and things shared one by one.

Revision ID: 0014
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")


def upgrade() -> None:
    _projects()
    _members()
    _shares()
    for table in ("jobs", "tasks"):
        op.add_column(table, sa.Column("project", ID, nullable=False, server_default=""))
    op.create_index("ix_jobs_project_created_id", "jobs", ["project", "created", "id"])
    columns = ["project", "kind", "created", "id"]
    op.create_index("ix_tasks_project_kind_created_id", "tasks", columns)


def _projects() -> None:
    op.create_table(
        "projects",
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("archived", sa.Double()),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name="fk_projects_owner"),
        sa.PrimaryKeyConstraint("id", name="pk_projects"),
        sa.UniqueConstraint("owner", "name", name="uq_projects_owner_name"),
    )


def _members() -> None:
    op.create_table(
        "members",
        sa.Column("project", ID, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["project"], ["projects.id"], name="fk_members_project"),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name="fk_members_owner"),
        sa.PrimaryKeyConstraint("project", "owner", name="pk_members"),
    )
    op.create_index("ix_members_owner", "members", ["owner"])


def _shares() -> None:
    op.create_table(
        "shares",
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("thing", ID, nullable=False),
        sa.Column("with_kind", sa.String(16), nullable=False),
        sa.Column("with_id", ID, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name="fk_shares_owner"),
        sa.PrimaryKeyConstraint("kind", "thing", "with_kind", "with_id", name="pk_shares"),
    )
    columns = ["with_kind", "with_id", "kind"]
    op.create_index("ix_shares_with_kind_with_id_kind", "shares", columns)
