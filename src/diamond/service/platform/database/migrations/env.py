"""Run by Alembic on the connection that `diamond.service.platform.database.migrate` hands over."""

from __future__ import annotations

from alembic import context

from diamond.service.platform.database.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=False,
)
context.run_migrations()
