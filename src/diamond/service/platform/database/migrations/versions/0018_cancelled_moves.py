"""Cancelled image transfers: room for a longer word for their state.

Revision ID: 0018
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    with op.batch_alter_table("image_moves") as table:
        table.alter_column(
            "state", existing_type=sa.String(8), type_=sa.String(16), existing_nullable=False
        )
