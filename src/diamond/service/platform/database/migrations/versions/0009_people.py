"""Know people by their providers, browsers by their sessions, and write down who did what.

Revision ID: 0013
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")
COUNTER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    _users()
    _credentials()
    _sessions()
    _identities()
    _invitations()
    _device_codes()
    _audit()


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False, server_default="")


def _users() -> None:
    op.add_column("users", _text("email"))
    no = sa.false()
    op.add_column("users", sa.Column("is_admin", sa.Boolean(), nullable=False, server_default=no))
    op.add_column("users", sa.Column("disabled", sa.Double()))
    op.add_column("users", sa.Column("seen", sa.Double()))
    users = sa.table("users", sa.column("id"), sa.column("is_admin"))
    op.execute(sa.update(users).where(users.c.id == "local").values(is_admin=sa.true()))


def _credentials() -> None:
    op.add_column("credentials", _text("scopes"))
    op.add_column("credentials", sa.Column("used", sa.Double()))


def _sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("before_hash", sa.String(64)),
        sa.Column("before_until", sa.Double(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("renewed", sa.Double(), nullable=False),
        sa.Column("seen", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.Column("signed_in", sa.Double(), nullable=False),
        sa.Column("mfa", sa.Boolean(), nullable=False),
        sa.Column("provider", sa.String(64), nullable=False),
        sa.Column("id_token", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("browser", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name="fk_sessions_owner"),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
        sa.UniqueConstraint("hash", name="uq_sessions_hash"),
        sa.UniqueConstraint("before_hash", name="uq_sessions_before_hash"),
    )
    op.create_index("ix_sessions_owner_created", "sessions", ["owner", "created"])
    op.execute(_KEPT)
    op.execute("DELETE FROM credentials WHERE kind = 'session'")


# Browsers that are signed in stay so.
_KEPT = """
INSERT INTO sessions (id, owner, hash, before_until, created, renewed, seen, expires, signed_in, mfa,
                      provider, id_token, address, browser)
SELECT id, owner, hash, 0, created, created, created, expires, created, false, 'link', '', '', ''
FROM credentials WHERE kind = 'session' AND expires IS NOT NULL
"""


def _identities() -> None:
    op.create_table(
        "identities",
        sa.Column("issuer", sa.String(255), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("provider", sa.String(64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("seen", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name="fk_identities_owner"),
        sa.PrimaryKeyConstraint("issuer", "subject", name="pk_identities"),
    )
    op.create_index("ix_identities_owner", "identities", ["owner"])


def _invitations() -> None:
    op.create_table(
        "invitations",
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("project", ID, nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.Column("used", sa.Double()),
        sa.Column("used_by", ID, nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name="fk_invitations_owner"),
        sa.PrimaryKeyConstraint("id", name="pk_invitations"),
        sa.UniqueConstraint("hash", name="uq_invitations_hash"),
    )
    op.create_index("ix_invitations_owner_created", "invitations", ["owner", "created"])


def _device_codes() -> None:
    op.create_table(
        "device_codes",
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("user_code", sa.String(16), nullable=False),
        sa.Column("owner", ID),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["users.id"], name="fk_device_codes_owner"),
        sa.PrimaryKeyConstraint("hash", name="pk_device_codes"),
        sa.UniqueConstraint("user_code", name="uq_device_codes_user_code"),
    )


def _audit() -> None:
    """No foreign key: what was done stays written when the person is gone."""
    op.create_table(
        "audit",
        sa.Column("n", COUNTER, autoincrement=True, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("about", sa.JSON(), nullable=False),
        sa.Column("outcome", sa.String(64), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("credential", ID, nullable=False),
        sa.PrimaryKeyConstraint("n", name="pk_audit"),
    )
    op.create_index("ix_audit_owner_n", "audit", ["owner", "n"])
    op.create_index("ix_audit_at", "audit", ["at"])
    for one in _append_only():
        op.execute(one)


def _append_only() -> list[str]:
    """Neither a fault of ours nor a stolen connection rewrites what was done."""
    if op.get_bind().dialect.name == "sqlite":
        return [
            f"CREATE TRIGGER audit_no_{verb.lower()} BEFORE {verb} ON audit "
            "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
            for verb in ("UPDATE", "DELETE")
        ]
    return [
        "CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$",
        "CREATE TRIGGER audit_no_change BEFORE UPDATE OR DELETE ON audit "
        "FOR EACH ROW EXECUTE FUNCTION audit_is_append_only()",
    ]
