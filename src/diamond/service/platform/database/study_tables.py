"""Tables of studies: what is searched, its points, and the tasks that try them."""

from __future__ import annotations

from sqlalchemy import JSON, Column, ForeignKey, Index, Integer, String, Table, Text

from diamond.service.platform.database.columns import ID, TIME, metadata, owner_column

studies = Table(
    "studies",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("project", ID, nullable=False, default=""),
    Column("name", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("message", Text, nullable=False, default=""),
    Column("spec", JSON, nullable=False),
    Column("code", JSON(none_as_null=True)),
    Column("plan", JSON, nullable=False),
    Column("counts", JSON, nullable=False),
    Column("streak", JSON, nullable=False),
    Column("warnings", JSON, nullable=False),
    # What the first trial ran with; later ones are held against it.
    Column("inputs", JSON, nullable=False),
    Column("asked", Integer, nullable=False, default=0),
    # The number of the best trial, with one objective.
    Column("best", Integer),
    # Trials that have not ended.
    Column("open", Integer, nullable=False, default=0),
    Column("node_seconds", TIME, nullable=False, default=0.0),
    Column("saved_seconds", TIME, nullable=False, default=0.0),
    Column("created", TIME, nullable=False),
    Column("updated", TIME, nullable=False),
    Column("ended", TIME),
    Column("version", Integer, nullable=False, default=1),
    Index(None, "owner", "created", "id"),
    Index(None, "project"),
    Index(None, "state", "open"),
)

study_trials = Table(
    "study_trials",
    metadata,
    Column("study", ID, ForeignKey("studies.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    owner_column(),
    Column("state", String(16), nullable=False),
    Column("params", JSON, nullable=False),
    # Dimensions that the program named itself, or that another study had.
    Column("space", JSON, nullable=False),
    Column("values", JSON, nullable=False),
    Column("spread", TIME),
    Column("steps", JSON, nullable=False),
    Column("judged", TIME),
    Column("rungs", JSON, nullable=False),
    Column("cause", String(64), nullable=False, default=""),
    Column("message", Text, nullable=False, default=""),
    Column("origin", String(16), nullable=False),
    Column("attributes", JSON, nullable=False),
    Column("endpoint", Text, nullable=False, default=""),
    Column("task", ID, nullable=False, default=""),
    Column("reruns", Integer, nullable=False, default=0),
    Column("node_seconds", TIME, nullable=False, default=0.0),
    Column("created", TIME, nullable=False),
    Column("started", TIME),
    Column("ended", TIME),
    Column("revision", Integer, nullable=False, default=1),
    Index(None, "study", "revision"),
)

study_tasks = Table(
    "study_tasks",
    metadata,
    Column("task", ID, primary_key=True),
    Column("study", ID, ForeignKey("studies.id"), nullable=False),
    owner_column(),
    Column("trial", Integer, nullable=False),
    Column("repeat", Integer, nullable=False, default=0),
    # Tasks of one trial and repeat, in order; the last one counts.
    Column("n", Integer, nullable=False, default=0),
    Index(None, "study", "trial"),
)
