"""Find what has changed in a project without reading all of it.

Revision ID: 0017
"""

from __future__ import annotations

from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.create_index("ix_tasks_project_updated", "tasks", ["project", "updated"])
