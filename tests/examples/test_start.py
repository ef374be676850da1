"""The command that starts an example says why it does not start."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

from tests.mcp_servers import ROOT


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command until it ends."""
    line = [sys.executable, "examples/start.py", *arguments]
    return subprocess.run(
        line, cwd=ROOT, env=os.environ | environment, capture_output=True, encoding="utf-8", check=False
    )


def test_an_example_on_a_used_port_names_the_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as used:
        port = str(used.getsockname()[1])
        ended = run("plain", CHAT_PORT=port)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert f"Port {port}" in ended.stderr


def test_an_unknown_example_gets_the_names_of_all() -> None:
    ended = run("fancy")
    assert ended.returncode == 1
    assert all(name in ended.stderr for name in ("plain", "messenger", "streamlit", "chainlit"))
