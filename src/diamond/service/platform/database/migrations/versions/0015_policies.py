"""Know what a machine lets leave, and until when its pairing is good.

Revision ID: 0015
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.add_column("endpoints", sa.Column("policy", sa.JSON(), nullable=False, server_default="{}"))
