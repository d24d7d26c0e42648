"""Tags and a note for each task; the last, lowest and highest value of each curve, so that a table of tasks reads no points.

Revision ID: 0030
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"

VALUES = ("first_step", "last", "last_step", "last_time", "low", "low_step", "high", "high_step")


def upgrade() -> None:
    op.add_column("tasks", sa.Column("tags", sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("tasks", sa.Column("note", sa.Text(), nullable=False, server_default=""))
    for name in VALUES:
        op.add_column("metric_series", sa.Column(name, sa.Double()))
