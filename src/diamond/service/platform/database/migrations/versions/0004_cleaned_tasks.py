"""Remember when a task's run directory was removed, so that nobody looks for its files.

Revision ID: 0004
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("tasks", sa.Column("cleaned", sa.Double()))
