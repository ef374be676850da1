"""Modules that the fork server loads before it forks: this program, its demo, and the servers of the tests."""

# ruff: noqa: F401
import asyncio
import gc
import os
from pathlib import Path
from tempfile import TemporaryDirectory

# Loaded by every start, and not before: Alembic, for example, by a database that must be made.
import alembic.command
import anyio._backends._asyncio
import httpcore2
import rich.console
import rich.logging
import sqlalchemy.dialects.sqlite
import uvicorn.lifespan.on
import uvicorn.loops.asyncio
import uvicorn.loops.auto
import uvicorn.protocols.http.auto
import uvicorn.protocols.websockets.auto
from jinja2 import FileSystemBytecodeCache

import tests.mcp_servers.asker.__main__
import tests.mcp_servers.raw
import tests.mcp_servers.statuses
import tests.model.witness
import webclient.__main__
import webclient.demo.__main__
import webclient.demo.hostile.__main__
import webclient.demo.office.__main__
import webclient.demo.server
import webclient.protocol.calls.call_request
import webclient.protocol.session.session
import webclient.runtime.app
import webclient.runtime.cli
import webclient.runtime.serving
import webclient.store.database.migrate
import webclient.web.api
from tests import databases
from webclient.network import tls_context
from webclient.settings import load_settings
from webclient.web.http import environment

# A program loads the certificate authorities when it first connects to a server over HTTP.
tls_context()

# The first program that a test starts may have settings of its own, which are not for those after it.
for name in [name for name in os.environ if name.startswith("WEBCLIENT_")]:
    del os.environ[name]

# What each program would put together for its first page: its routes, its tables, and its templates.
app = webclient.runtime.app.create_app(load_settings(data_dir=Path()))
for route in app.routes:
    route.matches({"type": "http", "method": "GET", "path": "/none", "root_path": "", "headers": []})
webclient.store.database.migrate.newest_tables("sqlite")
if folder := os.environ.pop("COMPILED_TEMPLATES", ""):
    environment.bytecode_cache = FileSystemBytecodeCache(folder)
for template in environment.list_templates():
    environment.get_template(template)

# And the statements of its start.
databases.share_compiled_statements()


async def start_and_stop(folder: Path) -> None:
    """Run a program without a port once."""
    databases.prepare(folder)
    program = webclient.runtime.app.create_app(load_settings(data_dir=folder))
    async with program.router.lifespan_context(program):
        pass


with TemporaryDirectory() as place:
    asyncio.run(start_and_stop(Path(place)))

# Collecting in a child would touch, and so copy, every page that it shares.
gc.collect()
gc.freeze()
