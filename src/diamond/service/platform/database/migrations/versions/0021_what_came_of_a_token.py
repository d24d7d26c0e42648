"""By which token or browser another way in was made, so that it ends with a stolen one; and programs that are answered by a redirect.

Revision ID: 0021
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")


def upgrade() -> None:
    for table in ("credentials", "sessions", "device_codes"):
        op.add_column(table, sa.Column("maker", ID, nullable=False, server_default=""))
    for name, kind in (("redirect", sa.Text()), ("word_hash", sa.String(64))):
        op.add_column("device_codes", sa.Column(name, kind, nullable=False, server_default=""))
