"""Which files of another's image a person has accepted, and which protocol an endpoint's agent speaks.

Revision ID: 0022
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.add_column("images", sa.Column("accepted", sa.JSON(), nullable=False, server_default="{}"))
    op.add_column(
        "endpoints", sa.Column("protocol", sa.Integer(), nullable=False, server_default="1")
    )
