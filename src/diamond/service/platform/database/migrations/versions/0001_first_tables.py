"""The first tables.

Revision ID: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")
COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _events()
    _users()
    _commands()
    _credentials()
    _endpoints()
    _facts()
    _idempotency()
    _jobs()
    _streams()
    _tasks()
    _history()
    _log_streams()
    _metric_series()
    _log_chunks()
    _metric_points()


def _events() -> None:
    op.create_table(
        "events",
        sa.Column("owner", ID, nullable=False),
        sa.Column("n", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("subject", ID, nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "n", name=op.f("pk_events")),
    )
    op.create_index(op.f("ix_events_at"), "events", ["at"], unique=False)


def _users() -> None:
    op.create_table(
        "users",
        sa.Column("id", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("name", name=op.f("uq_users_name")),
    )


def _commands() -> None:
    op.create_table(
        "commands",
        sa.Column("seq", COUNTER, autoincrement=True, nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("endpoint", ID, nullable=False),
        sa.Column("task", ID, nullable=False),
        sa.Column("attempt", ID, nullable=False),
        sa.Column("type", sa.String(length=16), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("sent_at", sa.Double(), nullable=False),
        sa.Column("sent_generation", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name=op.f("fk_commands_owner")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_commands")),
        sa.UniqueConstraint("id", name=op.f("uq_commands_id")),
    )
    op.create_index(
        op.f("ix_commands_endpoint_state_seq"),
        "commands",
        ["endpoint", "state", "seq"],
        unique=False,
    )
    op.create_index(op.f("ix_commands_task"), "commands", ["task"], unique=False)


def _credentials() -> None:
    op.create_table(
        "credentials",
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name=op.f("fk_credentials_owner")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_credentials")),
        sa.UniqueConstraint("hash", name=op.f("uq_credentials_hash")),
        sa.UniqueConstraint("owner", "kind", "name", name=op.f("uq_credentials_owner_kind_name")),
    )


def _endpoints() -> None:
    op.create_table(
        "endpoints",
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("carrier", sa.String(length=8), nullable=False),
        sa.Column("ssh_host", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("since", sa.Double(), nullable=False),
        sa.Column("last_seen", sa.Double(), nullable=True),
        sa.Column("key_hash", sa.String(length=64), nullable=True),
        sa.Column("pairing_hash", sa.String(length=64), nullable=True),
        sa.Column("pairing_expires", sa.Double(), nullable=True),
        sa.Column("confirmed", sa.Boolean(), nullable=False),
        sa.Column("generation", sa.BigInteger(), nullable=False),
        sa.Column("epoch", sa.String(length=64), nullable=False),
        sa.Column("have", sa.BigInteger(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("agent_version", sa.Text(), nullable=False),
        sa.Column("python", sa.Text(), nullable=False),
        sa.Column("stays", sa.String(length=16), nullable=False),
        sa.Column("folders", sa.JSON(), nullable=False),
        sa.Column("cluster", sa.Text(), nullable=False),
        sa.Column("is_default", sa.Boolean(), nullable=False),
        sa.Column("profile", sa.JSON(), nullable=False),
        sa.Column("corrections", sa.JSON(), nullable=False),
        sa.Column("retention", sa.JSON(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name=op.f("fk_endpoints_owner")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_endpoints")),
        sa.UniqueConstraint("key_hash", name=op.f("uq_endpoints_key_hash")),
        sa.UniqueConstraint("owner", "name", name=op.f("uq_endpoints_owner_name")),
        sa.UniqueConstraint("pairing_hash", name=op.f("uq_endpoints_pairing_hash")),
    )
    op.create_index(
        op.f("ix_endpoints_cluster_state"), "endpoints", ["cluster", "state"], unique=False
    )


def _facts() -> None:
    op.create_table(
        "facts",
        sa.Column("owner", ID, nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name=op.f("fk_facts_owner")),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_facts")),
    )


def _idempotency() -> None:
    op.create_table(
        "idempotency",
        sa.Column("owner", ID, nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("request", sa.String(length=64), nullable=False),
        sa.Column("answer", sa.JSON(), nullable=True),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name=op.f("fk_idempotency_owner")),
        sa.PrimaryKeyConstraint("owner", "key", name=op.f("pk_idempotency")),
    )
    op.create_index(op.f("ix_idempotency_created"), "idempotency", ["created"], unique=False)


def _jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("spec", sa.JSON(), nullable=False),
        sa.Column("code", sa.JSON(), nullable=True),
        sa.Column("digest", sa.String(length=80), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name=op.f("fk_jobs_owner")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
    )
    op.create_index(
        op.f("ix_jobs_owner_created_id"), "jobs", ["owner", "created", "id"], unique=False
    )


def _streams() -> None:
    op.create_table(
        "streams",
        sa.Column("owner", ID, nullable=False),
        sa.Column("last", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name=op.f("fk_streams_owner")),
        sa.PrimaryKeyConstraint("owner", name=op.f("pk_streams")),
    )


def _tasks() -> None:
    op.create_table(
        "tasks",
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("job", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("endpoint", ID, nullable=False),
        sa.Column("endpoint_name", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("phase", sa.String(length=24), nullable=False),
        sa.Column("native_state", sa.Text(), nullable=False),
        sa.Column("reason", sa.String(length=32), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("signal", sa.Integer(), nullable=True),
        sa.Column("as_of", sa.Double(), nullable=False),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("attempt", ID, nullable=False),
        sa.Column("attempts", sa.JSON(), nullable=False),
        sa.Column("node", sa.Text(), nullable=False),
        sa.Column("run_dir", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("updated", sa.Double(), nullable=False),
        sa.Column("started", sa.Double(), nullable=True),
        sa.Column("ended", sa.Double(), nullable=True),
        sa.Column("retry_of", ID, nullable=True),
        sa.Column("order", sa.JSON(), nullable=False),
        sa.Column("digest", sa.String(length=80), nullable=False),
        sa.Column("code", sa.JSON(), nullable=True),
        sa.Column("untold", sa.Boolean(), nullable=False),
        sa.Column("history", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["job"], ["jobs.id"], name=op.f("fk_tasks_job")),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name=op.f("fk_tasks_owner")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tasks")),
    )
    op.create_index(op.f("ix_tasks_endpoint_state"), "tasks", ["endpoint", "state"], unique=False)
    op.create_index(op.f("ix_tasks_job"), "tasks", ["job"], unique=False)
    op.create_index(
        op.f("ix_tasks_owner_kind_created_id"),
        "tasks",
        ["owner", "kind", "created", "id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_tasks_owner_kind_endpoint_state_created_id"),
        "tasks",
        ["owner", "kind", "endpoint", "state", "created", "id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_tasks_owner_kind_name_id"), "tasks", ["owner", "kind", "name", "id"], unique=False
    )
    op.create_index(
        op.f("ix_tasks_owner_kind_state_created_id"),
        "tasks",
        ["owner", "kind", "state", "created", "id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_tasks_owner_kind_updated_id"),
        "tasks",
        ["owner", "kind", "updated", "id"],
        unique=False,
    )
    op.create_index(
        "ix_tasks_untold",
        "tasks",
        ["endpoint"],
        unique=False,
        sqlite_where=sa.text("untold"),
        postgresql_where=sa.text("untold"),
    )


def _history() -> None:
    op.create_table(
        "history",
        sa.Column("task", ID, nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("received", sa.Double(), nullable=False),
        sa.Column("type", sa.String(length=32), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name=op.f("fk_history_owner")),
        sa.ForeignKeyConstraint(["task"], ["tasks.id"], name=op.f("fk_history_task")),
        sa.PrimaryKeyConstraint("task", "n", name=op.f("pk_history")),
    )


def _log_streams() -> None:
    op.create_table(
        "log_streams",
        sa.Column("id", COUNTER, autoincrement=True, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("task", ID, nullable=False),
        sa.Column("attempt", ID, nullable=False),
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("stream", sa.String(length=16), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("partial", sa.LargeBinary(), nullable=False),
        sa.Column("bad_lines", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name=op.f("fk_log_streams_owner")),
        sa.ForeignKeyConstraint(["task"], ["tasks.id"], name=op.f("fk_log_streams_task")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_log_streams")),
        sa.UniqueConstraint(
            "task",
            "attempt",
            "run",
            "rank",
            "stream",
            name=op.f("uq_log_streams_task_attempt_run_rank_stream"),
        ),
    )


def _metric_series() -> None:
    op.create_table(
        "metric_series",
        sa.Column("id", COUNTER, autoincrement=True, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("task", ID, nullable=False),
        sa.Column("attempt", ID, nullable=False),
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(length=16), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("stride", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name=op.f("fk_metric_series_owner")),
        sa.ForeignKeyConstraint(["task"], ["tasks.id"], name=op.f("fk_metric_series_task")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_metric_series")),
        sa.UniqueConstraint(
            "task",
            "attempt",
            "run",
            "source",
            "name",
            name=op.f("uq_metric_series_task_attempt_run_source_name"),
        ),
    )


def _log_chunks() -> None:
    op.create_table(
        "log_chunks",
        sa.Column("stream", COUNTER, autoincrement=False, nullable=False),
        sa.Column("start", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name=op.f("fk_log_chunks_owner")),
        sa.ForeignKeyConstraint(["stream"], ["log_streams.id"], name=op.f("fk_log_chunks_stream")),
        sa.PrimaryKeyConstraint("stream", "start", name=op.f("pk_log_chunks")),
    )


def _metric_points() -> None:
    op.create_table(
        "metric_points",
        sa.Column("series", COUNTER, autoincrement=False, nullable=False),
        sa.Column("n", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("step", sa.Double(), nullable=True),
        sa.Column("time", sa.Double(), nullable=True),
        sa.Column("value", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name=op.f("fk_metric_points_owner")),
        sa.ForeignKeyConstraint(
            ["series"], ["metric_series.id"], name=op.f("fk_metric_points_series")
        ),
        sa.PrimaryKeyConstraint("series", "n", name=op.f("pk_metric_points")),
    )
