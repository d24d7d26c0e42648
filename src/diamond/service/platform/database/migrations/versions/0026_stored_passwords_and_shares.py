"""Passwords and tokens in stored URLs of repositories and packages; shares of students' work in courses.

Revision ID: 0026
"""

from __future__ import annotations

import re
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0024"

USER = r"(?!gh[pousr]_|github_pat_|glpat-|hf_)[\w.-]{1,19}@"
IN_A_URL = re.compile(
    rf"((?:git\+)?https?://)(?!{USER})[^/\s]+@|(\w+://)[^/\s:@]*:[^/\s]+@", re.IGNORECASE
)
NAMES = frozenset({"code", "git_url", "requirements", "message"})
COLUMNS = {
    "jobs": (("id",), ("spec",)),
    "tasks": (("id",), ("order", "message")),
    "history": (("task", "n"), ("message", "data")),
    "scales": (("id",), ("probes",)),
    "assignments": (("id",), ("spec",)),
    "images": (("id",), ("recipe",)),
    "commands": (("seq",), ("data",)),
    "idempotency": (("owner", "key"), ("answer",)),
}
TEXTS = frozenset({"message"})
END_SHARES = """
DELETE FROM shares WHERE kind = 'job' AND thing IN (
  SELECT jobs.id FROM jobs JOIN projects ON projects.id = jobs.project
  WHERE CAST(projects.course AS TEXT) NOT IN ('null', '') AND NOT EXISTS (
    SELECT 1 FROM members
    WHERE members.project = jobs.project AND members.owner = jobs.owner AND members.role = 'manager'))
"""


def upgrade() -> None:
    op.execute(END_SHARES)
    connection = op.get_bind()
    for name, (keys, columns) in COLUMNS.items():
        kinds = [(column, sa.Text() if column in TEXTS else sa.JSON()) for column in columns]
        table = sa.table(
            name, *(sa.column(key) for key in keys), *(sa.column(*kind) for kind in kinds)
        )
        for column in columns:
            _clean(connection, table, keys, column)


def _clean(
    connection: sa.Connection, table: sa.TableClause, keys: tuple[str, ...], column: str
) -> None:
    stored = table.c[column]
    suspicious = sa.cast(stored, sa.Text()).like("%://%@%")
    query = sa.select(*(table.c[key] for key in keys), stored).where(suspicious)
    for *values, content in connection.execute(query).all():
        cleaned = _without_credentials(content, column)
        if cleaned != content:
            which = [table.c[key] == value for key, value in zip(keys, values, strict=True)]
            connection.execute(sa.update(table).where(*which).values({column: cleaned}))


def _without_credentials(value: Any, name: str) -> Any:
    """Commands are left as they are: they would no longer do what they did."""
    if isinstance(value, dict):
        return {key: _without_credentials(one, key) for key, one in value.items()}
    if isinstance(value, list):
        return [_without_credentials(one, name) for one in value]
    if isinstance(value, str) and name in NAMES:
        return IN_A_URL.sub(lambda found: found[1] or found[2], value)
    return value
