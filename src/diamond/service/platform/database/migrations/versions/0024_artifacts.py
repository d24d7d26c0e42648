"""Artifacts: whose bytes they are, and where they are. Files of images and code of jobs become such.

Files inside a snapshot are recorded when somebody first asks for them (`is_complete`).

Revision ID: 0024
"""

from __future__ import annotations

import re

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"

_FILE = re.compile(r'"digest": ?"sha256:([0-9a-f]{64})"')
ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "artifacts",
        sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("digest", ID, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("is_complete", sa.Boolean(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("used", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "digest", name="pk_artifacts"),
    )
    op.create_index(
        "ix_artifacts_owner_kind_created_digest",
        "artifacts",
        ["owner", "kind", "created", "digest"],
    )
    op.create_table(
        "artifact_places",
        sa.Column("owner", ID, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("digest", ID, nullable=False),
        sa.Column("place", ID, nullable=False),
        sa.Column("subject", ID, nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("format", sa.String(24), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "digest", "place", "subject", name="pk_artifact_places"),
    )
    op.create_index("ix_artifact_places_subject", "artifact_places", ["subject"])
    op.create_index("ix_artifact_places_place", "artifact_places", ["place"])
    _take_over_images()
    for field, kind in (("snapshot", "snapshot"), ("diff", "file")):
        _take_over_code("jobs", field, kind)
        _take_over_code("assignments", field, kind)
    _take_over_files_of_recipes()
    op.execute(
        "INSERT INTO artifact_places (owner, digest, place, subject, path, format, detail, at) "
        "SELECT owner, digest, 'service', '', '', '', '{}', created FROM artifacts "
        "WHERE kind <> 'image'"
    )
    op.drop_table("image_copies")


def _take_over_images() -> None:
    size, file = _member("record", "size"), _member("record", "file")
    op.execute(
        "INSERT INTO artifacts (owner, digest, kind, size, is_complete, created, used) "
        f"SELECT owner, sha256, 'image', MAX(CAST({size} AS BIGINT)), {_false()}, MIN(at), MAX(at) "
        "FROM image_copies GROUP BY owner, sha256"
    )
    op.execute(
        "INSERT INTO artifact_places (owner, digest, place, subject, path, format, detail, at) "
        f"SELECT owner, sha256, endpoint, image, COALESCE(MAX({file}), ''), MAX(format), "
        "MAX(CAST(record AS TEXT))"
        f"{'' if _is_sqlite() else '::json'}, MAX(at) "
        "FROM image_copies GROUP BY owner, sha256, endpoint, image"
    )


def _take_over_code(table: str, field: str, kind: str) -> None:
    """The owner of a job or an assignment has its code; its size is the reported size of the whole folder."""
    digest, size = _member("code", field), _member("code", "bytes")
    bytes_ = f"MAX(COALESCE(CAST({size} AS BIGINT), 0))" if kind == "snapshot" else "0"
    op.execute(
        "INSERT INTO artifacts (owner, digest, kind, size, is_complete, created, used) "
        f"SELECT owner, SUBSTR({digest}, 8), '{kind}', {bytes_}, {_false()}, MIN(created), "
        f"MAX(created) FROM {table} WHERE {digest} LIKE 'sha256:%' AND LENGTH({digest}) = 71 "
        f"GROUP BY owner, {digest} ON CONFLICT DO NOTHING"
    )


def _take_over_files_of_recipes() -> None:
    """Files that people added to images; the size of each is not known here."""
    statements = (
        "SELECT owner, CAST(recipe AS TEXT) AS recipe, created FROM images",
        "SELECT owner, CAST(\"order\" AS TEXT) AS recipe, created FROM tasks WHERE kind = 'build'",
    )
    add = sa.text(
        "INSERT INTO artifacts (owner, digest, kind, size, is_complete, created, used) VALUES "
        f"(:owner, :digest, 'file', 0, {_false()}, :created, :created) ON CONFLICT DO NOTHING"
    )
    for statement in statements:
        for row in op.get_bind().execute(sa.text(statement)).all():
            for digest in set(_FILE.findall(row.recipe or "")):
                values = {"owner": row.owner, "digest": digest, "created": row.created}
                op.get_bind().execute(add, values)


def _member(column: str, name: str) -> str:
    return f"json_extract({column}, '$.{name}')" if _is_sqlite() else f"{column}->>'{name}'"


def _false() -> str:
    return "0" if _is_sqlite() else "false"


def _is_sqlite() -> bool:
    return op.get_bind().dialect.name == "sqlite"
