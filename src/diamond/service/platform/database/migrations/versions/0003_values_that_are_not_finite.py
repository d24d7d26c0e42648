"""Let a metric's point have no value: the program logged NaN or an infinity.

Revision ID: 0003
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    with op.batch_alter_table("metric_points") as table:
        table.alter_column("value", existing_type=sa.Double(), nullable=True)
