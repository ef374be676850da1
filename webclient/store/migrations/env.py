"""Runs the migrations on the connection that `store.database.database` hands over."""

from __future__ import annotations

from alembic import context

from webclient.store.database.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
