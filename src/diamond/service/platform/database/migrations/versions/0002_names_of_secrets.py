"""Remember the names of an endpoint's secrets, so that a spec can be checked while it is away.

Revision ID: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("endpoints", sa.Column("secrets", sa.JSON()))
