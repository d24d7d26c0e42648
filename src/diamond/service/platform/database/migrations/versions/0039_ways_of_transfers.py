"""Which ways a transfer of data may take, and which failed.

Revision ID: 0039
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"


def upgrade() -> None:
    for name, empty in (("ways", "[]"), ("tried", "{}")):
        column = sa.Column(name, sa.JSON(), nullable=False, server_default=empty)
        op.add_column("tree_transfers", column)
