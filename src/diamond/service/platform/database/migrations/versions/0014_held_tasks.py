"""Find the tasks that a site holds back without reading all that wait.

Revision ID: 0017
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    held = sa.text("phase = 'held'")
    op.create_index(
        "ix_tasks_held",
        "tasks",
        ["owner", "kind", "created", "id"],
        sqlite_where=held,
        postgresql_where=held,
    )
