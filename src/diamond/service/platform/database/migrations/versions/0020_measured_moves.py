"""When the first bytes of a transferred image arrived: the speed since then estimates the next transfer.

Revision ID: 0020
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0018"


def upgrade() -> None:
    op.add_column("image_moves", sa.Column("started", sa.Double()))
