"""Tables of pilots: allocations that run other tasks inside them."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Table

from diamond.service.platform.database.columns import ID, TIME, metadata, owner_column

pilots = Table(
    "pilots",
    metadata,
    # The task that holds the allocation.
    Column("task", ID, ForeignKey("tasks.id"), primary_key=True),
    owner_column(),
    # The pipeline that started it, and ends it; empty: a person did.
    Column("made_for", ID, nullable=False, default=""),
    Column("created", TIME, nullable=False),
    # When it was asked to finish what it runs and go.
    Column("closing", TIME),
    Index(None, "owner", "created", "task"),
)
