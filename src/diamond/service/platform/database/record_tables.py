"""The tables of records: entries, the texts they name, and anchors."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Column, Index, Integer, String, Table, Text, text

from diamond.service.platform.database.columns import DIGEST, ID, TIME, metadata, owner_column

# No foreign key to tasks: a record outlives what it is about, and an imported one has no task.
records = Table(
    "records",
    metadata,
    Column("task", ID, primary_key=True),
    owner_column(),
    Column("n", Integer, nullable=False),
    Column("head", DIGEST, nullable=False),
    Column("changed", TIME, nullable=False),
    Column("anchored", Integer, nullable=False, default=0),
    Index(
        "ix_records_not_anchored",
        "changed",
        sqlite_where=text("anchored < n"),
        postgresql_where=text("anchored < n"),
    ),
)

record_entries = Table(
    "record_entries",
    metadata,
    Column("task", ID, primary_key=True),
    Column("n", Integer, primary_key=True, autoincrement=False),
    owner_column(),
    Column("at", TIME, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("line", Text, nullable=False),
    Column("hash", DIGEST, nullable=False),
    Column("sealed", Text, nullable=False, default=""),
)

record_texts = Table(
    "record_texts",
    metadata,
    Column("owner", ID, primary_key=True),
    Column("digest", DIGEST, primary_key=True),
    Column("text", Text, nullable=False),
)

anchors = Table(
    "anchors",
    metadata,
    Column("n", BigInteger, primary_key=True, autoincrement=False),
    Column("at", TIME, nullable=False),
    Column("root", DIGEST, nullable=False),
    Column("count", Integer, nullable=False),
    Column("before", DIGEST, nullable=False),
    Column("hash", DIGEST, nullable=False),
)

anchored_heads = Table(
    "anchored_heads",
    metadata,
    Column("anchor", BigInteger, primary_key=True, autoincrement=False),
    Column("task", ID, primary_key=True),
    Column("n", Integer, nullable=False),
    Column("head", DIGEST, nullable=False),
    Index(None, "task"),
)

record_imports = Table(
    "record_imports",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("name", Text, nullable=False),
    Column("digest", DIGEST, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("content", JSON, nullable=False),
    Column("created", TIME, nullable=False),
    Index(None, "owner", "created", "id"),
)

record_links = Table(
    "record_links",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("hash", String(64), nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("tasks", JSON, nullable=False),
    Column("options", JSON, nullable=False),
    Column("created", TIME, nullable=False),
    Column("expires", TIME, nullable=False),
    Column("uses", Integer, nullable=False, default=0),
    Column("used", TIME),
    Index(None, "owner", "created", "id"),
)
