"""Tables of what runs leave behind."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Column, ForeignKey, Index, Integer, String, Table, Text

from diamond.service.platform.database.columns import ID, TIME, metadata, owner_column

results = Table(
    "results",
    metadata,
    Column("task", ID, ForeignKey("tasks.id"), primary_key=True),
    Column("name", String(100), primary_key=True),
    owner_column(),
    Column("path", Text, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("format", String(32), nullable=False, default=""),
    Column("signature", JSON, nullable=False),
    Column("state", String(16), nullable=False),
    Column("message", Text, nullable=False, default=""),
    Column("scan", ID, nullable=False, default="", index=True),
    Column("tree", ID, nullable=False, default=""),
    Column("size", BigInteger, nullable=False, default=0),
    Column("files", Integer, nullable=False, default=0),
    Column("created", TIME, nullable=False),
    Index(None, "owner", "tree"),
)
