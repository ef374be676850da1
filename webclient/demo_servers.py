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

from webclient.config_file import ServerConfig
from webclient.demo import HOSTILE, OFFICE, TRIPS
from webclient.model import Era, Json

DemoServer = Callable[[Path], AbstractContextManager[ServerConfig]]
"""Makes a server, from the data folder, for as long as the block runs."""


@contextmanager
def trips(data_dir: Path) -> Iterator[ServerConfig]:
    """Yield the server that asks in every way; its questions and its tasks survive a restart."""
    env = {"MCP_DEMO_STATE_KEY": _lasting_key(data_dir), "MCP_DEMO_TASKS": str(data_dir / "demo-tasks.sqlite")}
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


def _lasting_key(data_dir: Path) -> str:
    path = data_dir / "demo-state-key"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(token_urlsafe(32), "utf-8")
    path.chmod(0o600)
    return path.read_text("utf-8")
