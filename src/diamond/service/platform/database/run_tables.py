"""The tables behind the table of runs, lineage and reproduction."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Column,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from diamond.service.platform.database.columns import DIGEST, ID, TIME, metadata, owner_column

run_summaries = Table(
    "run_summaries",
    metadata,
    Column("task", ID, ForeignKey("tasks.id"), primary_key=True),
    owner_column(),
    # {"params", "data", "code", "image", "nodes", …}: what its order says, small enough to read ten thousand of them.
    Column("facts", JSON, nullable=False),
    # Last, lowest and highest value of each metric over all attempts: platform/packed_metrics.py.
    Column("metrics", LargeBinary, nullable=False),
)

imported_runs = Table(
    "imported_runs",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("project", ID, nullable=False, default=""),
    Column("source", String(16), nullable=False),
    Column("key", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("experiment", Text, nullable=False, default=""),
    Column("state", String(16), nullable=False),
    Column("tags", JSON, nullable=False),
    Column("created", TIME, nullable=False),
    Column("started", TIME),
    Column("ended", TIME),
    Column("facts", JSON, nullable=False),
    Column("metrics", LargeBinary, nullable=False),
    Column("digest", DIGEST, nullable=False),
    Column("imported", TIME, nullable=False),
    UniqueConstraint("owner", "source", "key"),
    Index(None, "owner", "created", "id"),
    Index(None, "project", "created", "id"),
)

imported_curves = Table(
    "imported_curves",
    metadata,
    Column("run", ID, ForeignKey("imported_runs.id"), primary_key=True),
    Column("name", String(250), primary_key=True),
    owner_column(),
    Column("data", LargeBinary, nullable=False),
)

saved_views = Table(
    "saved_views",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("project", ID, nullable=False, default=""),
    Column("page", String(16), nullable=False),
    Column("name", Text, nullable=False),
    Column("query", JSON, nullable=False),
    Column("created", TIME, nullable=False),
    Column("updated", TIME, nullable=False),
    UniqueConstraint("owner", "page", "name"),
    Index(None, "project", "page"),
)

lineage_edges = Table(
    "lineage_edges",
    metadata,
    Column("task", ID, ForeignKey("tasks.id"), primary_key=True),
    Column("direction", String(4), primary_key=True),
    Column("kind", String(8), primary_key=True),
    Column("digest", DIGEST, primary_key=True),
    Column("role", String(80), primary_key=True),
    owner_column(),
    Index(None, "digest", "direction", "task"),
)

reproductions = Table(
    "reproductions",
    metadata,
    Column("task", ID, ForeignKey("tasks.id"), primary_key=True),
    owner_column(),
    # The task that is run again, or the digest of the crate it comes from.
    Column("original", DIGEST, nullable=False),
    Column("endpoint", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("asked", JSON, nullable=False),
    Column("evidence", JSON, nullable=False),
    Column("verdict", JSON),
    Column("created", TIME, nullable=False),
    Column("judged", TIME),
    Index(None, "original", "judged"),
    Index(None, "state"),
)
