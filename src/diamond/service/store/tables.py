"""The tables. Every row has an owner; names are unique per owner.

Changed only together with a migration in `diamond/service/migrations/versions`.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

# Ids compare by bytes everywhere, so that a prefix is a range of the index.
ID = String(64).with_variant(String(64, collation="C"), "postgresql")
DIGEST = String(80).with_variant(String(80, collation="C"), "postgresql")
COUNTER = BigInteger().with_variant(Integer, "sqlite")
TIME: Double[float] = Double()

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _owner() -> Column[str]:
    return Column("owner", ID, ForeignKey("users.id"), nullable=False)


users = Table(
    "users",
    metadata,
    Column("id", ID, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("email", Text, nullable=False, default=""),
    Column("is_admin", Boolean, nullable=False, default=False),
    Column("disabled", TIME),
    Column("seen", TIME),
    Column("created", TIME, nullable=False),
)

facts = Table(
    "facts",
    metadata,
    _owner(),
    Column("name", String(64), nullable=False, primary_key=True),
    Column("value", Text, nullable=False),
)

credentials = Table(
    "credentials",
    metadata,
    Column("id", ID, primary_key=True),
    _owner(),
    Column("kind", String(16), nullable=False),
    Column("name", Text, nullable=False),
    Column("hash", String(64), nullable=False, unique=True),
    Column("created", TIME, nullable=False),
    Column("expires", TIME),
    Column("scopes", Text, nullable=False, default=""),
    Column("used", TIME),
    UniqueConstraint("owner", "kind", "name"),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", ID, primary_key=True),
    _owner(),
    Column("hash", String(64), nullable=False, unique=True),
    Column("before_hash", String(64), unique=True),
    Column("before_until", TIME, nullable=False, default=0.0),
    Column("created", TIME, nullable=False),
    Column("renewed", TIME, nullable=False),
    Column("seen", TIME, nullable=False),
    Column("expires", TIME, nullable=False),
    Column("signed_in", TIME, nullable=False),
    Column("mfa", Boolean, nullable=False, default=False),
    Column("provider", String(64), nullable=False, default=""),
    Column("id_token", Text, nullable=False, default=""),
    Column("address", Text, nullable=False, default=""),
    Column("browser", Text, nullable=False, default=""),
    Index(None, "owner", "created"),
)

identities = Table(
    "identities",
    metadata,
    Column("issuer", String(255), primary_key=True),
    Column("subject", String(255), primary_key=True),
    _owner(),
    Column("provider", String(64), nullable=False),
    Column("name", Text, nullable=False, default=""),
    Column("email", Text, nullable=False, default=""),
    Column("created", TIME, nullable=False),
    Column("seen", TIME, nullable=False),
    Index(None, "owner"),
)

invitations = Table(
    "invitations",
    metadata,
    Column("id", ID, primary_key=True),
    _owner(),
    Column("hash", String(64), nullable=False, unique=True),
    Column("email", Text, nullable=False, default=""),
    Column("project", ID, nullable=False, default=""),
    Column("role", String(16), nullable=False, default=""),
    Column("created", TIME, nullable=False),
    Column("expires", TIME, nullable=False),
    Column("used", TIME),
    Column("used_by", ID, nullable=False, default=""),
    Index(None, "owner", "created"),
)

device_codes = Table(
    "device_codes",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("user_code", String(16), nullable=False, unique=True),
    Column("owner", ID, ForeignKey("users.id")),
    Column("state", String(16), nullable=False),
    Column("name", Text, nullable=False),
    Column("scopes", Text, nullable=False, default=""),
    Column("address", Text, nullable=False, default=""),
    Column("created", TIME, nullable=False),
    Column("expires", TIME, nullable=False),
)

projects = Table(
    "projects",
    metadata,
    Column("id", ID, primary_key=True),
    _owner(),
    Column("name", String(64), nullable=False),
    Column("title", Text, nullable=False, default=""),
    Column("created", TIME, nullable=False),
    Column("archived", TIME),
    UniqueConstraint("owner", "name"),
)

members = Table(
    "members",
    metadata,
    Column("project", ID, ForeignKey("projects.id"), primary_key=True),
    Column("owner", ID, ForeignKey("users.id"), primary_key=True),
    Column("role", String(16), nullable=False),
    Column("created", TIME, nullable=False),
    Index(None, "owner"),
)

shares = Table(
    "shares",
    metadata,
    Column("kind", String(16), primary_key=True),
    Column("thing", ID, primary_key=True),
    Column("with_kind", String(16), primary_key=True),
    Column("with_id", ID, primary_key=True),
    _owner(),
    Column("created", TIME, nullable=False),
    Index(None, "with_kind", "with_id", "kind"),
)

audit = Table(
    "audit",
    metadata,
    Column("n", COUNTER, primary_key=True, autoincrement=True),
    Column("owner", ID, nullable=False),
    Column("at", TIME, nullable=False),
    Column("name", Text, nullable=False, default=""),
    Column("action", Text, nullable=False),
    Column("about", JSON, nullable=False),
    Column("outcome", String(64), nullable=False),
    Column("address", Text, nullable=False, default=""),
    Column("credential", ID, nullable=False, default=""),
    Index(None, "owner", "n"),
    Index(None, "at"),
)

endpoints = Table(
    "endpoints",
    metadata,
    Column("id", ID, primary_key=True),
    _owner(),
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
    _owner(),
    Column("name", Text, nullable=False),
    Column("spec", JSON, nullable=False),
    Column("code", JSON),
    Column("digest", String(80), nullable=False),
    Column("project", ID, nullable=False, default=""),
    Column("created", TIME, nullable=False),
    Index(None, "owner", "created", "id"),
    Index(None, "project", "created", "id"),
)

tasks = Table(
    "tasks",
    metadata,
    Column("id", ID, primary_key=True),
    _owner(),
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
    Column("awaits", ID, index=True),
    Column("order", JSON, nullable=False),
    Column("digest", String(80), nullable=False),
    Column("code", JSON),
    Column("project", ID, nullable=False, default=""),
    Column("prediction", JSON),
    Column("untold", Boolean, nullable=False, default=False),
    Column("history", Integer, nullable=False, default=0),
    Column("version", Integer, nullable=False, default=1),
    Index(None, "owner", "kind", "created", "id"),
    Index(None, "owner", "kind", "state", "created", "id"),
    Index(None, "owner", "kind", "endpoint", "state", "created", "id"),
    Index(None, "owner", "kind", "updated", "id"),
    Index(None, "owner", "kind", "ended", "id"),
    Index(None, "owner", "kind", "name", "id"),
    Index(None, "owner", "kind", "name", "created", "id"),
    Index(None, "endpoint", "state"),
    Index(None, "project", "kind", "created", "id"),
    Index(
        "ix_tasks_untold",
        "endpoint",
        sqlite_where=text("untold"),
        postgresql_where=text("untold"),
    ),
    Index(
        "ix_tasks_held",
        "owner",
        "kind",
        "created",
        "id",
        sqlite_where=text("phase = 'held'"),
        postgresql_where=text("phase = 'held'"),
    ),
)

scales = Table(
    "scales",
    metadata,
    Column("id", ID, primary_key=True),
    _owner(),
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
    _owner(),
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
    _owner(),
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
    _owner(),
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
    _owner(),
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
    _owner(),
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
    _owner(),
    Column("length", Integer, nullable=False),
    Column("data", LargeBinary, nullable=False),
)

metric_series = Table(
    "metric_series",
    metadata,
    Column("id", COUNTER, primary_key=True, autoincrement=True),
    _owner(),
    Column("task", ID, ForeignKey("tasks.id"), nullable=False),
    Column("attempt", ID, nullable=False),
    Column("run", Integer, nullable=False),
    Column("source", String(16), nullable=False),
    Column("name", Text, nullable=False),
    Column("count", BigInteger, nullable=False, default=0),
    Column("stride", BigInteger, nullable=False, default=1),
    UniqueConstraint("task", "attempt", "run", "source", "name"),
)

metric_chunks = Table(
    "metric_chunks",
    metadata,
    Column(
        "series", COUNTER, ForeignKey("metric_series.id"), primary_key=True, autoincrement=False
    ),
    Column("start", BigInteger, primary_key=True, autoincrement=False),
    _owner(),
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
    _owner(),
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
    _owner(),
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
    _owner(),
    Column("name", String(100)),
    Column("identity", DIGEST, nullable=False),
    Column("platform", String(32), nullable=False),
    Column("recipe", JSON, nullable=False),
    Column("record", JSON, nullable=False),
    Column("build", ID),
    Column("created", TIME, nullable=False),
    Column("updated", TIME, nullable=False),
    UniqueConstraint("owner", "identity"),
    UniqueConstraint("owner", "name"),
    Index(None, "owner", "created", "id"),
)

image_copies = Table(
    "image_copies",
    metadata,
    Column("image", ID, ForeignKey("images.id"), primary_key=True),
    Column("endpoint", ID, primary_key=True),
    Column("format", String(24), primary_key=True),
    _owner(),
    Column("sha256", ID, nullable=False),
    Column("record", JSON, nullable=False),
    Column("at", TIME, nullable=False),
    Index(None, "owner", "sha256"),
    Index(None, "endpoint"),
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
    _owner(),
)

image_moves = Table(
    "image_moves",
    metadata,
    Column("id", ID, primary_key=True),
    _owner(),
    Column("kind", String(8), nullable=False),
    Column("image", ID, index=True),
    Column("endpoint", ID, nullable=False),
    Column("source", ID),
    Column("reference", Text, nullable=False, default=""),
    Column("name", Text, nullable=False, default=""),
    Column("sha256", ID, nullable=False, default=""),
    Column("record", JSON, nullable=False),
    Column("words", Text, nullable=False, default=""),
    Column("state", String(8), nullable=False),
    Column("bytes", BigInteger, nullable=False, default=0),
    Column("size", BigInteger, nullable=False, default=0),
    Column("message", Text, nullable=False, default=""),
    Column("created", TIME, nullable=False),
    Column("updated", TIME, nullable=False),
    Index(None, "owner", "created", "id"),
)
