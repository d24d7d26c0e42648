"""Keep people's notification settings, their notifications, and what is still to be sent.

Revision ID: 0008
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")
COUNTER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    _settings()
    _notifications()
    _deliveries()


def _settings() -> None:
    op.create_table(
        "settings",
        sa.Column("owner", ID, nullable=False),
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name="fk_settings_owner"),
        sa.PrimaryKeyConstraint("owner", "name", name="pk_settings"),
    )


def _notifications() -> None:
    op.create_table(
        "notifications",
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("task", ID, nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("in_page", sa.Boolean(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("read", sa.Double()),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name="fk_notifications_owner"),
        sa.PrimaryKeyConstraint("id", name="pk_notifications"),
        sa.UniqueConstraint("owner", "key", name="uq_notifications_owner_key"),
    )
    op.create_index("ix_notifications_owner_at_id", "notifications", ["owner", "at", "id"])


def _deliveries() -> None:
    op.create_table(
        "deliveries",
        sa.Column("id", COUNTER, autoincrement=True, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("notification", ID, nullable=False),
        sa.Column("channel", sa.String(8), nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("due", sa.Double(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name="fk_deliveries_owner"),
        sa.ForeignKeyConstraint(
            ["notification"], ["notifications.id"], name="fk_deliveries_notification"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_deliveries"),
    )
    op.create_index("ix_deliveries_notification", "deliveries", ["notification"])
    op.create_index("ix_deliveries_state_due", "deliveries", ["state", "due"])
