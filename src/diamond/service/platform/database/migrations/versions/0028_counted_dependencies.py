"""How many things each task depends on, so that a list asks only for those of tasks that have any.

Revision ID: 0028
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    op.add_column("tasks", sa.Column("depends", sa.Integer(), nullable=False, server_default="0"))
    op.execute(
        "UPDATE tasks SET depends = (SELECT COUNT(*) FROM dependencies WHERE task = tasks.id) "
        "WHERE id IN (SELECT task FROM dependencies)"
    )
