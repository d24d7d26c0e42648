"""Tables of datasets: names, versions, and what uses them. The files of a version are a tree."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from diamond.service.platform.database.columns import ID, TIME, metadata, owner_column

datasets = Table(
    "datasets",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("name", String(100), nullable=False),
    Column("description", Text, nullable=False, default=""),
    Column("license", Text, nullable=False, default=""),
    Column("project", ID, nullable=False, default=""),
    # Ids of the endpoints it may be on; null: no limit.
    Column("endpoints", JSON(none_as_null=True)),
    Column("layout", String(16), nullable=False, default="files"),
    Column("last", Integer, nullable=False, default=0),
    Column("created", TIME, nullable=False),
    Column("updated", TIME, nullable=False),
    UniqueConstraint("owner", "name"),
    Index(None, "owner", "created", "id"),
    Index(None, "project"),
)

dataset_versions = Table(
    "dataset_versions",
    metadata,
    Column("dataset", ID, ForeignKey("datasets.id"), primary_key=True),
    Column("n", Integer, primary_key=True, autoincrement=False),
    owner_column(),
    Column("tree", ID, nullable=False),
    Column("files", BigInteger, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("source", Text, nullable=False, default=""),
    Column("origin", JSON(none_as_null=True)),
    Column("created", TIME, nullable=False),
    UniqueConstraint("dataset", "tree"),
    Index(None, "tree"),
)

dataset_additions = Table(
    "dataset_additions",
    metadata,
    # The scan or transfer of service/trees that does the work: it has the state and the progress.
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("dataset", ID, ForeignKey("datasets.id"), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("endpoint", ID, nullable=False),
    Column("source", Text, nullable=False, default=""),
    # How a source is to be read: server, name of a secret, whether archives are unpacked.
    Column("asked", JSON(none_as_null=True)),
    Column("version", Integer, nullable=False, default=0),
    Column("is_new", Boolean, nullable=False, default=False),
    Column("created", TIME, nullable=False),
    Index(None, "dataset", "created"),
)

dataset_uses = Table(
    "dataset_uses",
    metadata,
    Column("dataset", ID, ForeignKey("datasets.id"), primary_key=True),
    Column("n", Integer, primary_key=True, autoincrement=False),
    Column("task", ID, ForeignKey("tasks.id"), primary_key=True),
    Column("name", Text, primary_key=True),
    owner_column(),
    Index(None, "task"),
)

# How far one is, its scan knows; `content` is a checked core/previews.TreePreview.
tree_previews = Table(
    "tree_previews",
    metadata,
    Column("owner", ID, ForeignKey("users.id"), primary_key=True),
    Column("tree", ID, primary_key=True),
    Column("scan", ID, nullable=False),
    Column("content", JSON(none_as_null=True)),
    Column("created", TIME, nullable=False),
)
