"""Tables of pipelines and their steps."""

from __future__ import annotations

from sqlalchemy import JSON, Column, ForeignKey, Index, Integer, String, Table, Text

from diamond.service.platform.database.columns import ID, TIME, metadata, owner_column

pipelines = Table(
    "pipelines",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("project", ID, nullable=False, default=""),
    Column("name", Text, nullable=False),
    Column("spec", JSON, nullable=False),
    Column("code", JSON),
    # Its own file in the code: no part of what a stage does.
    Column("spec_file", Text, nullable=False, default=""),
    Column("forced", JSON, nullable=False),
    # The task of each group's pilot.
    Column("pilots", JSON, nullable=False, default=dict),
    Column("state", String(16), nullable=False, index=True),
    Column("message", Text, nullable=False, default=""),
    Column("created", TIME, nullable=False),
    Column("updated", TIME, nullable=False),
    Column("ended", TIME),
    Column("version", Integer, nullable=False, default=1),
    Index(None, "owner", "created", "id"),
)

pipeline_steps = Table(
    "pipeline_steps",
    metadata,
    Column("pipeline", ID, ForeignKey("pipelines.id"), primary_key=True),
    Column("stage", ID, primary_key=True),
    Column("n", Integer, primary_key=True),
    owner_column(),
    Column("state", String(16), nullable=False),
    Column("message", Text, nullable=False, default=""),
    Column("item", JSON, nullable=False),
    Column("task", ID, nullable=False, default=""),
    Column("tries", Integer, nullable=False, default=0),
    # How often its allocation ended while it ran there.
    Column("lost", Integer, nullable=False, default=0),
    Column("key", ID, nullable=False, default=""),
    Column("outputs", JSON, nullable=False),
    Column("started", TIME),
    Column("ended", TIME),
    Index(None, "owner", "key"),
    Index(None, "task"),
)
