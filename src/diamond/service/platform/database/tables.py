# ruff: noqa: F403
"""The tables. Every row has an owner; names are unique per owner.

Changed only together with a migration in `diamond/service/platform/database/migrations/versions`.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from diamond.service.platform.database.columns import *
from diamond.service.platform.database.columns import (
    COUNTER,
    DIGEST,
    ID,
    TIME,
    metadata,
    owner_column,
    partial_index,
)
from diamond.service.platform.database.dataset_tables import *
from diamond.service.platform.database.model_tables import *
from diamond.service.platform.database.people_tables import *
from diamond.service.platform.database.pilot_tables import *
from diamond.service.platform.database.pipeline_tables import *
from diamond.service.platform.database.record_tables import *
from diamond.service.platform.database.result_tables import *
from diamond.service.platform.database.run_tables import *
from diamond.service.platform.database.study_tables import *

endpoints = Table(
    "endpoints",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("name", String(64), nullable=False),
    Column("carrier", String(8), nullable=False),
    Column("ssh_host", Text, nullable=False, default=""),
    Column("state", String(16), nullable=False),
    Column("since", TIME, nullable=False),
    Column("last_seen", TIME),
    Column("key_hash", String(64), unique=True),
    Column("pairing_hash", String(64), unique=True),
    Column("pairing_expires", TIME),
    Column("confirmed", Boolean, nullable=False),
    Column("generation", BigInteger, nullable=False, default=0),
    Column("epoch", String(64), nullable=False, default=""),
    Column("have", BigInteger, nullable=False, default=0),
    Column("host", Text, nullable=False, default=""),
    Column("user", Text, nullable=False, default=""),
    Column("agent_version", Text, nullable=False, default=""),
    Column("protocol", Integer, nullable=False, default=1),
    Column("python", Text, nullable=False, default=""),
    Column("stays", String(16), nullable=False, default=""),
    Column("folders", JSON, nullable=False, default=dict),
    Column("cluster", Text, nullable=False, default=""),
    Column("is_default", Boolean, nullable=False, default=False),
    Column("profile", JSON, nullable=False, default=dict),
    Column("corrections", JSON, nullable=False, default=dict),
    Column("retention", JSON, nullable=False, default=dict),
    Column("policy", JSON, nullable=False, default=dict),
    Column("secrets", JSON),
    Column("created", TIME, nullable=False),
    UniqueConstraint("owner", "name"),
    Index(None, "cluster", "state"),
)

jobs = Table(
    "jobs",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("name", Text, nullable=False),
    Column("spec", JSON, nullable=False),
    Column("code", JSON),
    Column("digest", String(80), nullable=False),
    Column("project", ID, nullable=False, default=""),
    Column("assignment", ID, nullable=False, default=""),
    Column("created", TIME, nullable=False),
    Index(None, "owner", "created", "id"),
    Index(None, "project", "created", "id"),
)

tasks = Table(
    "tasks",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("job", ID, ForeignKey("jobs.id"), nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("endpoint", ID, nullable=False),
    Column("endpoint_name", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("phase", String(24), nullable=False),
    Column("native_state", Text, nullable=False, default=""),
    Column("reason", String(32), nullable=False, default=""),
    Column("message", Text, nullable=False, default=""),
    Column("exit_code", Integer),
    Column("signal", Integer),
    Column("as_of", TIME, nullable=False),
    Column("cancel_requested", Boolean, nullable=False, default=False),
    Column("attempt", ID, nullable=False),
    Column("attempts", JSON, nullable=False),
    Column("chain", JSON),
    Column("node", Text, nullable=False, default=""),
    Column("run_dir", Text, nullable=False, default=""),
    Column("created", TIME, nullable=False),
    Column("updated", TIME, nullable=False),
    Column("started", TIME),
    Column("ended", TIME),
    Column("cleaned", TIME),
    Column("retry_of", ID),
    # The task of the pilot that it runs in; empty: a batch job of its own.
    Column("pilot", ID, nullable=False, default=""),
    Column("order", JSON, nullable=False),
    Column("digest", String(80), nullable=False),
    Column("code", JSON),
    Column("project", ID, nullable=False, default=""),
    Column("prediction", JSON),
    Column("node_seconds", TIME, nullable=False, default=0.0),
    Column("bytes", BigInteger, nullable=False, default=0),
    Column("unconfirmed", Boolean, nullable=False, default=False),
    Column("history", Integer, nullable=False, default=0),
    Column("version", Integer, nullable=False, default=1),
    Column("depends", Integer, nullable=False, default=0),
    Column("archived", TIME),
    Column("final_metrics", JSON),
    Column("tags", JSON, nullable=False, default=list),
    Column("note", Text, nullable=False, default=""),
    Index(None, "owner", "kind", "created", "id"),
    Index(None, "owner", "kind", "state", "created", "id"),
    Index(None, "owner", "kind", "endpoint", "state", "created", "id"),
    Index(None, "owner", "kind", "updated", "id"),
    Index(None, "owner", "kind", "ended", "id"),
    Index(None, "owner", "kind", "name", "id"),
    Index(None, "owner", "kind", "name", "created", "id"),
    Index(None, "endpoint", "state"),
    Index(None, "project", "kind", "created", "id"),
    Index(None, "project", "updated"),
    partial_index("ix_tasks_pilot", "pilot", "created", "id", where="pilot <> ''"),
    partial_index("ix_tasks_unconfirmed", "endpoint", where="unconfirmed"),
    partial_index("ix_tasks_not_archived", "ended", "id", where="archived IS NULL"),
    partial_index("ix_tasks_held", "owner", "kind", "created", "id", where="phase = 'held'"),
)

dependencies = Table(
    "dependencies",
    metadata,
    Column("task", ID, ForeignKey("tasks.id"), primary_key=True),
    Column("kind", String(16), primary_key=True),
    Column("target", ID, primary_key=True),
    owner_column(),
    Column("state", String(16), nullable=False),
    Column("message", Text, nullable=False, default=""),
    Column("created", TIME, nullable=False),
    Column("updated", TIME, nullable=False),
    Index(None, "target", "state"),
)

scales = Table(
    "scales",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("name", Text, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("state", String(16), nullable=False, index=True),
    Column("message", Text, nullable=False, default=""),
    Column("job", ID, nullable=False),
    Column("for_task", ID, nullable=False, default=""),
    Column("endpoint", ID, nullable=False),
    Column("endpoint_name", Text, nullable=False),
    Column("fits", String(80), nullable=False),
    Column("wanted", JSON, nullable=False),
    Column("probes", JSON, nullable=False),
    Column("result", JSON, nullable=False),
    Column("created", TIME, nullable=False),
    Column("updated", TIME, nullable=False),
    Column("ended", TIME),
    Column("version", Integer, nullable=False, default=1),
    Index(None, "owner", "created", "id"),
    Index(None, "owner", "fits", "created"),
)

name_endings = Table(
    "name_endings",
    metadata,
    Column("owner", ID, ForeignKey("users.id"), primary_key=True),
    Column("ending", ID, primary_key=True),
    Column("name", Text, primary_key=True),
    sqlite_with_rowid=False,
)

history = Table(
    "history",
    metadata,
    Column("task", ID, ForeignKey("tasks.id"), primary_key=True),
    Column("n", Integer, primary_key=True),
    owner_column(),
    Column("at", TIME, nullable=False),
    Column("received", TIME, nullable=False),
    Column("type", String(32), nullable=False),
    Column("message", Text, nullable=False, default=""),
    Column("data", JSON, nullable=False),
)

streams = Table(
    "streams",
    metadata,
    Column("owner", ID, ForeignKey("users.id"), primary_key=True),
    Column("last", BigInteger, nullable=False),
)

events = Table(
    "events",
    metadata,
    Column("owner", ID, primary_key=True),
    Column("n", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", String(16), nullable=False),
    Column("subject", ID, nullable=False),
    Column("data", JSON, nullable=False),
    Column("at", TIME, nullable=False, index=True),
)

commands = Table(
    "commands",
    metadata,
    Column("seq", COUNTER, primary_key=True, autoincrement=True),
    Column("id", ID, nullable=False, unique=True),
    owner_column(),
    Column("endpoint", ID, nullable=False),
    Column("task", ID, nullable=False, default="", index=True),
    Column("attempt", ID, nullable=False, default=""),
    Column("type", String(16), nullable=False),
    Column("data", JSON, nullable=False),
    Column("state", String(8), nullable=False),
    Column("created", TIME, nullable=False),
    Column("sent_at", TIME, nullable=False, default=0.0),
    Column("sent_generation", BigInteger, nullable=False, default=0),
    Index(None, "endpoint", "state", "seq"),
)

relay_requests = Table(
    "relay_requests",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("endpoint", ID, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("taken", Boolean, nullable=False),
    Column("created", TIME, nullable=False),
    Index(None, "endpoint", "taken"),
)

relay_answers = Table(
    "relay_answers",
    metadata,
    Column("n", COUNTER, primary_key=True, autoincrement=True),
    owner_column(),
    Column("request", ID, nullable=False),
    Column("ok", Boolean, nullable=False),
    Column("more", Boolean, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("created", TIME, nullable=False),
    Index(None, "request", "n"),
)

idempotency = Table(
    "idempotency",
    metadata,
    Column("owner", ID, ForeignKey("users.id"), primary_key=True),
    Column("key", String(64), primary_key=True),
    Column("request", String(64), nullable=False),
    Column("answer", JSON),
    Column("created", TIME, nullable=False, index=True),
)

log_streams = Table(
    "log_streams",
    metadata,
    Column("id", COUNTER, primary_key=True, autoincrement=True),
    owner_column(),
    Column("task", ID, ForeignKey("tasks.id"), nullable=False),
    Column("attempt", ID, nullable=False),
    Column("run", Integer, nullable=False),
    Column("rank", Integer, nullable=False),
    Column("stream", String(16), nullable=False),
    Column("size", BigInteger, nullable=False, default=0),
    Column("partial", LargeBinary, nullable=False, default=b""),
    Column("bad_lines", Integer, nullable=False, default=0),
    UniqueConstraint("task", "attempt", "run", "rank", "stream"),
)

log_chunks = Table(
    "log_chunks",
    metadata,
    Column("stream", COUNTER, ForeignKey("log_streams.id"), primary_key=True, autoincrement=False),
    Column("start", BigInteger, primary_key=True, autoincrement=False),
    owner_column(),
    Column("length", Integer, nullable=False),
    Column("data", LargeBinary, nullable=False),
)

partition_hours = Table(
    "partition_hours",
    metadata,
    Column("endpoint", ID, primary_key=True),
    Column("partition", String(200), primary_key=True),
    Column("hour", Integer, primary_key=True, autoincrement=False),
    owner_column(),
    Column("samples", Integer, nullable=False),
    Column("busy", TIME, nullable=False),
    Column("pending", TIME, nullable=False),
)

metric_series = Table(
    "metric_series",
    metadata,
    Column("id", COUNTER, primary_key=True, autoincrement=True),
    owner_column(),
    Column("task", ID, ForeignKey("tasks.id"), nullable=False),
    Column("attempt", ID, nullable=False),
    Column("run", Integer, nullable=False),
    Column("source", String(16), nullable=False),
    Column("name", Text, nullable=False),
    Column("count", BigInteger, nullable=False, default=0),
    Column("stride", BigInteger, nullable=False, default=1),
    Column("first_step", TIME),
    Column("last", TIME),
    Column("last_step", TIME),
    Column("last_time", TIME),
    Column("low", TIME),
    Column("low_step", TIME),
    Column("high", TIME),
    Column("high_step", TIME),
    UniqueConstraint("task", "attempt", "run", "source", "name"),
)

metric_chunks = Table(
    "metric_chunks",
    metadata,
    Column(
        "series", COUNTER, ForeignKey("metric_series.id"), primary_key=True, autoincrement=False
    ),
    Column("start", BigInteger, primary_key=True, autoincrement=False),
    owner_column(),
    Column("length", Integer, nullable=False),
    Column("data", LargeBinary, nullable=False),
)

settings = Table(
    "settings",
    metadata,
    Column("owner", ID, ForeignKey("users.id"), primary_key=True),
    Column("name", String(32), primary_key=True),
    Column("value", JSON, nullable=False),
)

notifications = Table(
    "notifications",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("key", Text, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("title", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("task", ID, nullable=False, default=""),
    Column("endpoint", Text, nullable=False, default=""),
    Column("in_page", Boolean, nullable=False),
    Column("at", TIME, nullable=False),
    Column("read", TIME),
    UniqueConstraint("owner", "key"),
    Index(None, "owner", "at", "id"),
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("id", COUNTER, primary_key=True, autoincrement=True),
    owner_column(),
    Column("notification", ID, ForeignKey("notifications.id"), nullable=False, index=True),
    Column("channel", String(8), nullable=False),
    Column("state", String(8), nullable=False),
    Column("tries", Integer, nullable=False, default=0),
    Column("due", TIME, nullable=False),
    Column("error", Text, nullable=False, default=""),
    Index(None, "state", "due"),
)

images = Table(
    "images",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("name", String(100)),
    Column("identity", DIGEST, nullable=False),
    Column("platform", String(32), nullable=False),
    Column("recipe", JSON, nullable=False),
    Column("manifest", JSON, nullable=False),
    # Of an image that was taken from somebody: {sha256 of a file: the image it belongs to}, as it was accepted.
    Column("accepted", JSON, nullable=False, default=dict),
    Column("build", ID),
    Column("created", TIME, nullable=False),
    Column("updated", TIME, nullable=False),
    UniqueConstraint("owner", "identity"),
    UniqueConstraint("owner", "name"),
    Index(None, "owner", "created", "id"),
)

artifacts = Table(
    "artifacts",
    metadata,
    Column("owner", ID, ForeignKey("users.id"), primary_key=True),
    Column("digest", ID, primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("is_complete", Boolean, nullable=False, default=False),
    Column("created", TIME, nullable=False),
    Column("used", TIME, nullable=False),
    Index(None, "owner", "kind", "created", "digest"),
)

artifact_places = Table(
    "artifact_places",
    metadata,
    Column("owner", ID, ForeignKey("users.id"), primary_key=True),
    Column("digest", ID, primary_key=True),
    Column("place", ID, primary_key=True),
    Column("subject", ID, primary_key=True),
    Column("path", Text, nullable=False, default=""),
    Column("format", String(24), nullable=False, default=""),
    Column("detail", JSON, nullable=False),
    Column("at", TIME, nullable=False),
    Index(None, "subject"),
    Index(None, "place"),
)

storage_rules = Table(
    "storage_rules",
    metadata,
    Column("kind", String(16), primary_key=True),
    Column("subject", ID, primary_key=True),
    Column("owner", ID, nullable=False),
    Column("days", Integer),
    Column("quota", BigInteger),
    Column("updated", TIME, nullable=False),
    Column("code_days", Integer),
)

removed_code = Table(
    "removed_code",
    metadata,
    Column("owner", ID, ForeignKey("users.id"), primary_key=True),
    Column("digest", ID, primary_key=True),
    Column("at", TIME, nullable=False),
    Column("by_rule", Boolean, nullable=False),
)

image_wishes = Table(
    "image_wishes",
    metadata,
    Column("owner", ID, ForeignKey("users.id"), primary_key=True),
    Column("endpoint", ID, primary_key=True),
    Column("key", DIGEST, primary_key=True),
    Column("build", ID, nullable=False, index=True),
    Column("image", ID, ForeignKey("images.id")),
)

image_uses = Table(
    "image_uses",
    metadata,
    Column("image", ID, ForeignKey("images.id"), primary_key=True),
    Column("task", ID, ForeignKey("tasks.id"), primary_key=True),
    owner_column(),
)

image_moves = Table(
    "image_moves",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("kind", String(8), nullable=False),
    Column("image", ID, index=True),
    Column("endpoint", ID, nullable=False),
    Column("source", ID),
    Column("reference", Text, nullable=False, default=""),
    Column("name", Text, nullable=False, default=""),
    Column("sha256", ID, nullable=False, default=""),
    Column("manifest", JSON, nullable=False),
    Column("words", Text, nullable=False, default=""),
    Column("state", String(16), nullable=False),
    Column("bytes", BigInteger, nullable=False, default=0),
    Column("size", BigInteger, nullable=False, default=0),
    Column("message", Text, nullable=False, default=""),
    Column("created", TIME, nullable=False),
    Column("started", TIME),
    Column("updated", TIME, nullable=False),
    Index(None, "owner", "created", "id"),
)

trees = Table(
    "trees",
    metadata,
    Column("owner", ID, ForeignKey("users.id"), primary_key=True),
    Column("digest", ID, primary_key=True),
    Column("size", BigInteger, nullable=False),
    Column("files", BigInteger, nullable=False),
    Column("entries", BigInteger, nullable=False),
    Column("has_manifest", Boolean, nullable=False, default=False),
    Column("created", TIME, nullable=False),
    Column("manifest_bytes", BigInteger, nullable=False, default=0),
)

scans = Table(
    "scans",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("endpoint", ID, nullable=False, index=True),
    Column("act", String(16), nullable=False),
    Column("path", Text, nullable=False),
    Column("tree", ID, nullable=False, default=""),
    Column("state", String(16), nullable=False),
    Column("bytes", BigInteger, nullable=False, default=0),
    Column("size", BigInteger, nullable=False, default=0),
    Column("files", BigInteger, nullable=False, default=0),
    Column("files_done", BigInteger, nullable=False, default=0),
    Column("seconds_left", TIME),
    Column("message", Text, nullable=False, default=""),
    Column("named", JSON, nullable=False),
    # What a source was when it was read (core/data_messages.Origin).
    Column("origin", JSON(none_as_null=True)),
    Column("created", TIME, nullable=False),
    Column("started", TIME),
    Column("updated", TIME, nullable=False),
    Index(None, "owner", "created", "id"),
)

tree_transfers = Table(
    "tree_transfers",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("tree", ID, nullable=False),
    Column("source", ID),
    Column("goal", ID, nullable=False, index=True),
    Column("way", String(16), nullable=False),
    Column("ways", JSON, nullable=False, default=list),
    Column("tried", JSON, nullable=False, default=dict),
    Column("layout", String(16), nullable=False),
    Column("words", Text, nullable=False, default=""),
    Column("state", String(16), nullable=False),
    Column("round", Integer, nullable=False, default=0),
    Column("bytes", BigInteger, nullable=False, default=0),
    Column("size", BigInteger, nullable=False, default=0),
    Column("moved", BigInteger, nullable=False, default=0),
    Column("files", BigInteger, nullable=False, default=0),
    Column("files_done", BigInteger, nullable=False, default=0),
    Column("rate", TIME, nullable=False, default=0.0),
    Column("message", Text, nullable=False, default=""),
    Column("created", TIME, nullable=False),
    Column("started", TIME),
    Column("updated", TIME, nullable=False),
    Index(None, "owner", "created", "id"),
    Index(None, "tree", "goal"),
    Index(None, "source"),
)
