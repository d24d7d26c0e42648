"""What is known about an image's file is its manifest; a record says how a result came about.

Revision ID: 0029
"""

from __future__ import annotations

from alembic import op

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    for table in ("images", "image_moves"):
        op.execute(f"ALTER TABLE {table} RENAME COLUMN record TO manifest")
