"""The tables of people: who they are, what they share, what they may use, what they did."""

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

from diamond.service.platform.database.columns import COUNTER, ID, TIME, metadata, owner_column

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
    owner_column(),
    Column("name", String(64), nullable=False, primary_key=True),
    Column("value", Text, nullable=False),
)

credentials = Table(
    "credentials",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("kind", String(16), nullable=False),
    Column("name", Text, nullable=False),
    Column("hash", String(64), nullable=False, unique=True),
    Column("created", TIME, nullable=False),
    Column("expires", TIME),
    Column("scopes", Text, nullable=False, default=""),
    Column("used", TIME),
    Column("maker", ID, nullable=False, default=""),
    UniqueConstraint("owner", "kind", "name"),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
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
    Column("maker", ID, nullable=False, default=""),
    Index(None, "owner", "created"),
)

identities = Table(
    "identities",
    metadata,
    Column("issuer", String(255), primary_key=True),
    Column("subject", String(255), primary_key=True),
    owner_column(),
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
    owner_column(),
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
    Column("maker", ID, nullable=False, default=""),
    Column("redirect", Text, nullable=False, default=""),
    Column("word_hash", String(64), nullable=False, default=""),
)

projects = Table(
    "projects",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("name", String(64), nullable=False),
    Column("title", Text, nullable=False, default=""),
    Column("created", TIME, nullable=False),
    Column("archived", TIME),
    Column("course", JSON(none_as_null=True)),
    Column("endpoints", JSON(none_as_null=True)),
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
    owner_column(),
    Column("created", TIME, nullable=False),
    Index(None, "with_kind", "with_id", "kind"),
)

limits = Table(
    "limits",
    metadata,
    Column("kind", String(16), primary_key=True),
    Column("subject", ID, primary_key=True),
    owner_column(),
    Column("node_hours", TIME),
    Column("running_tasks", Integer),
    Column("storage_bytes", BigInteger),
    Column("updated", TIME, nullable=False),
)

announcements = Table(
    "announcements",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("text", Text, nullable=False),
    Column("level", String(16), nullable=False),
    Column("starts", TIME),
    Column("ends", TIME),
    Column("created", TIME, nullable=False),
)

assignments = Table(
    "assignments",
    metadata,
    Column("id", ID, primary_key=True),
    owner_column(),
    Column("project", ID, ForeignKey("projects.id"), nullable=False),
    Column("name", String(64), nullable=False),
    Column("title", Text, nullable=False, default=""),
    Column("text", Text, nullable=False, default=""),
    Column("spec", JSON, nullable=False),
    Column("code", JSON),
    Column("due", TIME),
    Column("created", TIME, nullable=False),
    UniqueConstraint("project", "name"),
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
