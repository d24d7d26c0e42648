"""Carry a person's question to whichever service process an agent calls.

Revision ID: 0006
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")
COUNTER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "relay_requests",
        sa.Column("id", ID, nullable=False),
        _owner("relay_requests"),
        sa.Column("endpoint", ID, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("taken", sa.Boolean(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_relay_requests"),
    )
    op.create_index("ix_relay_requests_endpoint_taken", "relay_requests", ["endpoint", "taken"])
    op.create_table(
        "relay_answers",
        sa.Column("n", COUNTER, autoincrement=True, nullable=False),
        _owner("relay_answers"),
        sa.Column("request", ID, nullable=False),
        sa.Column("ok", sa.Boolean(), nullable=False),
        sa.Column("more", sa.Boolean(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("n", name="pk_relay_answers"),
    )
    op.create_index("ix_relay_answers_request_n", "relay_answers", ["request", "n"])
    if op.get_bind().dialect.name == "postgresql":
        # Not worth a log for replay: after a crash nobody waits for them.
        op.execute("ALTER TABLE relay_requests SET UNLOGGED")
        op.execute("ALTER TABLE relay_answers SET UNLOGGED")


def _owner(table: str) -> sa.Column[str]:
    return sa.Column(
        "owner", ID, sa.ForeignKey("users.id", name=f"fk_{table}_owner"), nullable=False
    )
