"""Keep how far a chain of attempts has come, what it may spend and which follow-up is queued.

Revision ID: 0011
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.add_column("tasks", sa.Column("chain", sa.JSON()))
