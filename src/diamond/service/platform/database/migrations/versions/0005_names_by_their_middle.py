"""Find tasks by a part of their name through an index: keep every ending of every name.

Revision ID: 0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

ENDING_LENGTH = 32
NAMES_AT_ONCE = 500
ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")


def upgrade() -> None:
    op.create_index(
        "ix_tasks_owner_kind_name_created_id", "tasks", ["owner", "kind", "name", "created", "id"]
    )
    table = op.create_table(
        "name_endings",
        sa.Column("owner", ID, sa.ForeignKey("users.id", name="fk_name_endings_owner")),
        sa.Column("ending", ID),
        sa.Column("name", sa.Text()),
        sa.PrimaryKeyConstraint("owner", "ending", "name", name="pk_name_endings"),
        sqlite_with_rowid=False,
    )
    _fill(table)


def _fill(table: sa.Table) -> None:
    connection = op.get_bind()
    tasks = sa.table("tasks", sa.column("owner"), sa.column("name"))
    known = connection.execute(sa.select(tasks.c.owner, tasks.c.name).distinct())
    for names in known.partitions(NAMES_AT_ONCE):
        connection.execute(
            sa.insert(table),
            [
                {"owner": owner, "ending": ending, "name": name}
                for owner, name in names
                for ending in _endings(name)
            ],
        )


def _endings(name: str) -> set[str]:
    """As `service/platform/database/name_index.py` does it today; a migration stays as it was."""
    lower = "".join(one.lower() if one.isascii() else one for one in name)
    return {lower[at : at + ENDING_LENGTH] for at in range(len(lower))}
