"""Tables of models: names, versions, aliases."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from diamond.service.platform.database.columns import COUNTER, ID, TIME, metadata, owner_column

models = Table(
    "models",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("name", String(100), nullable=False),
    Column("description", Text, nullable=False, default=""),
    Column("license", String(100), nullable=False, default=""),
    Column("intended_use", Text, nullable=False, default=""),
    Column("card", Text, nullable=False, default=""),
    Column("tags", Text, nullable=False, default=""),
    Column("newest", Integer, nullable=False, default=0),
    Column("kept_on", ID, nullable=False, default="", server_default=""),
    Column("created", TIME, nullable=False),
    Column("updated", TIME, nullable=False),
    UniqueConstraint("owner", "name"),
    Index(None, "owner", "updated", "id"),
)

model_versions = Table(
    "model_versions",
    metadata,
    Column("model", ID, ForeignKey("models.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    owner_column(),
    Column("tree", ID, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("files", Integer, nullable=False),
    Column("task", ID, index=True),
    Column("result", String(100), nullable=False, default=""),
    Column("format", String(32), nullable=False, default=""),
    Column("signature", JSON, nullable=False),
    Column("metrics", JSON, nullable=False),
    Column("curves", JSON, nullable=False, server_default="{}"),
    Column("note", Text, nullable=False, default=""),
    Column("tags", Text, nullable=False, default=""),
    Column("created", TIME, nullable=False),
    Column("created_by", ID, nullable=False),
    Index(None, "owner", "tree"),
)

model_aliases = Table(
    "model_aliases",
    metadata,
    Column("model", ID, ForeignKey("models.id"), primary_key=True),
    Column("alias", String(40), primary_key=True),
    owner_column(),
    Column("version", Integer, nullable=False),
    Column("moved_by", ID, nullable=False),
    Column("at", TIME, nullable=False),
)

model_alias_moves = Table(
    "model_alias_moves",
    metadata,
    Column("id", COUNTER, primary_key=True, autoincrement=True),
    Column("model", ID, ForeignKey("models.id"), nullable=False, index=True),
    owner_column(),
    Column("alias", String(40), nullable=False),
    Column("before", Integer),
    Column("version", Integer),
    Column("moved_by", ID, nullable=False),
    Column("at", TIME, nullable=False),
)

model_pushes = Table(
    "model_pushes",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("model", String(100), nullable=False),
    Column("tree", ID, nullable=False),
    Column("source", Text, nullable=False),
    Column("format", String(32), nullable=False),
    Column("signature", JSON, nullable=False),
    Column("note", Text, nullable=False),
    Column("tags", Text, nullable=False),
    Column("version", Integer),
    Column("created", TIME, nullable=False),
    Index(None, "owner"),
)
