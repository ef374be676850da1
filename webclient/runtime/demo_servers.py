"""The MCP servers of `demo`: two that this program starts over stdio, one that listens beside it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

from webclient.demo import HOSTILE, MODELS, OFFICE, TRIPS
from webclient.domain.model import Era, Json
from webclient.runtime.cli_options import DATA_DIR
from webclient.servers.config_file import ServerConfig
from webclient.settings import Settings, load_settings

PORT = 8766
"""The port of the demo, beside that of `serve`."""

FOLDER = "demo"
"""The folder of the demo, in the data folder of `serve`."""

DEFAULTS = {"data_dir": f"{DATA_DIR}/{FOLDER}", "port": str(PORT)}
"""The defaults that differ from those of `serve`, as help shows them."""

DemoServer = Callable[[Path], AbstractContextManager[ServerConfig]]
"""Makes a server, from the data folder, for as long as the block runs."""


def demo_settings(**given: Any) -> Settings:
    """Return the settings of the demo from its options and the environment.

    The environment may be that of `serve`: the demo has a folder within its data folder, and leaves its database alone.
    """
    settings = load_settings(**given)
    own: dict[str, Any] = {"models": settings.models or MODELS}
    if given.get("data_dir") is None:
        own["data_dir"] = settings.data_dir / FOLDER
    if given.get("database_url") is None:
        own["database_url"] = own["database_direct_url"] = None
    if "port" not in settings.model_fields_set:
        own["port"] = PORT
    return settings.model_copy(update=own)


@contextmanager
def trips(data_dir: Path) -> Iterator[ServerConfig]:
    """Yield the server that asks in every way; its questions and its tasks survive a restart."""
    tasks = data_dir / "demo-tasks.sqlite"
    _make_private(tasks)
    env = {"MCP_DEMO_STATE_KEY": _lasting_key(data_dir), "MCP_DEMO_TASKS": str(tasks)}
    if pace := os.environ.get("MCP_DEMO_PACE"):
        env["MCP_DEMO_PACE"] = pace
    transport = {
        "type": "stdio",
        "command": sys.executable,
        "args": ["-m", "webclient.demo"],
        "env": env,
        "cwd": None,
    }
    yield ServerConfig(name=TRIPS, label="Demo trips", transport=transport)


@contextmanager
def hostile(_data_dir: Path) -> Iterator[ServerConfig]:
    """Yield the server that attacks. It pushes its questions, so that it alone decides when, and how many."""
    transport: Json = {
        "type": "stdio",
        "command": sys.executable,
        "args": ["-m", "webclient.demo.hostile"],
        "env": {},
        "cwd": None,
    }
    yield ServerConfig(name=HOSTILE, label="Hostile server", transport=transport, era=Era.PUSH)


@contextmanager
def office(data_dir: Path) -> Iterator[ServerConfig]:
    """Run the server with its own pages and its third party; this program is Alice's client.

    The sockets are opened here and handed over, so that the address is known before the server is up; clients that
    connect meanwhile wait.
    """
    tokens = {"alice": token_urlsafe(32), "bob": token_urlsafe(32)}
    secrets = {"MCP_DEMO_STATE_KEY": _lasting_key(data_dir), "MCP_DEMO_TOKENS": json.dumps(tokens)}
    with socket.create_server(("127.0.0.1", 0)) as site, socket.create_server(("127.0.0.1", 0)) as drive:
        handed = [site.fileno(), drive.fileno()]
        child = subprocess.Popen(  # noqa: S603  our own module
            [sys.executable, "-m", "webclient.demo.office", "--sockets", ",".join(map(str, handed))],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env=os.environ | secrets,
            pass_fds=handed,
            # A signal to the whole group, such as Ctrl-C, is for this program, which ends its connection first.
            start_new_session=True,
        )
        url = f"http://127.0.0.1:{site.getsockname()[1]}/mcp"
    headers = {"Authorization": f"Bearer {tokens['alice']}"}
    try:
        yield ServerConfig(
            name=OFFICE, label="Demo office", transport={"type": "http", "url": url, "headers": headers}, era=Era.PUSH
        )
    finally:
        # It stores nothing and its client has disconnected, so there is nothing to wait for.
        child.kill()
        child.communicate()


SERVERS = (trips, office, hostile)
"""All servers of the demo."""


def _lasting_key(data_dir: Path) -> str:
    path = data_dir / "demo-state-key"
    _make_private(path)
    if not path.stat().st_size:
        path.write_text(token_urlsafe(32), "utf-8")
    return path.read_text("utf-8")


def _make_private(path: Path) -> None:
    # Before there is anything in it: the folder may be open to others.
    path.touch(mode=0o600)
    path.chmod(0o600)
