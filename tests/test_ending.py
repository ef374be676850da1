"""How the program ends: at a signal, within five seconds, with all that it started."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.process import HANGS, Running, running


def appeared(path: Path) -> str:
    """Wait for a file; return what is in it."""
    deadline = time.monotonic() + HANGS
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} did not appear"
        time.sleep(0.05)
    return path.read_text()


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly_within_five_seconds(tmp_path: Path, signal_number: int) -> None:
    with running(tmp_path, command="demo") as program:
        program.process.send_signal(signal_number)
        assert program.process.wait(timeout=5) == 0


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGKILL])
def test_the_office_of_the_demo_ends_with_it_however_that_comes_about(tmp_path: Path, signal_number: int) -> None:
    with running(tmp_path, command="demo") as program:
        servers = httpx2.get(f"{program.url}/api/v1/servers", headers=program.bearer).json()["servers"]
        [office] = [server["transport"]["url"] for server in servers if server["label"] == "Demo office"]
        assert httpx2.post(office, timeout=HANGS).status_code == 401
        program.process.send_signal(signal_number)
        deadline = time.monotonic() + HANGS
        with suppress(httpx2.TransportError):
            while httpx2.post(office, timeout=HANGS):
                assert time.monotonic() < deadline, "the office still answers"
                time.sleep(0.05)


def test_an_open_stream_does_not_keep_it_from_ending(tmp_path: Path) -> None:
    with (
        running(tmp_path) as program,
        httpx2.stream("GET", f"{program.url}/api/v1/events", headers=program.bearer, timeout=HANGS) as stream,
    ):
        assert stream.status_code == 200
        program.process.send_signal(signal.SIGTERM)
        # The stream ends in order: iterating it would raise if the connection were cut.
        for _ in stream.iter_bytes():
            pass
        assert program.process.wait(timeout=5) == 0


def test_a_second_signal_changes_nothing(tmp_path: Path) -> None:
    with running(tmp_path, command="demo") as program:
        program.process.send_signal(signal.SIGINT)
        program.process.send_signal(signal.SIGINT)
        assert program.process.wait(timeout=5) == 0


SAY_IT_RUNS = """
import os, pathlib, signal, sys, time
def say_it_runs():
    new = pathlib.Path(sys.argv[1] + ".new")
    new.write_text(str(os.getpid()))
    new.rename(sys.argv[1])
"""

STUBBORN = "does not stop when told to"
CHILDREN = {
    "never answers": """
say_it_runs()
for line in sys.stdin:
    pass
""",
    STUBBORN: """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
say_it_runs()
while True:
    time.sleep(1)
""",
}


@contextmanager
def stubborn(folder: Path, child: str = STUBBORN) -> Iterator[tuple[Running, int]]:
    """Run the program with a child of this kind; give both, once the child runs."""
    config, started = folder / "mcp.json", folder / "runs"
    entry = {"command": sys.executable, "args": ["-c", SAY_IT_RUNS + CHILDREN[child], str(started)]}
    config.write_text(json.dumps({"mcpServers": {"box": entry}}))
    with running(folder, "--config", str(config)) as program:
        child_id = int(appeared(started))
        try:
            yield program, child_id
        finally:
            with suppress(ProcessLookupError):
                os.kill(child_id, signal.SIGKILL)


def runs(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("child", CHILDREN)
def test_a_server_that_is_not_helpful_is_stopped_as_well(tmp_path: Path, child: str) -> None:
    with stubborn(tmp_path, child) as (program, child_id):
        program.process.send_signal(signal.SIGTERM)
        assert program.process.wait(timeout=5) == 0
        assert not runs(child_id)


def test_a_request_that_never_ends_and_a_child_that_will_not_stop_do_not_add_up_to_more(tmp_path: Path) -> None:
    with stubborn(tmp_path) as (program, child_id), ExitStack() as clients:
        host = f"Host: 127.0.0.1\r\nAuthorization: Bearer {program.token}\r\n"
        for request in (
            f"POST /api/v1/calls HTTP/1.1\r\n{host}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{{",
            f"GET /stream?page=inbox&since=none HTTP/1.1\r\n{host}\r\n",
        ):
            client = clients.enter_context(socket.create_connection(("127.0.0.1", urlsplit(program.url).port or 0)))
            client.sendall(request.encode())
        # Whoever is answered now came after both.
        assert httpx2.get(f"{program.url}/healthz").status_code == 200
        program.process.send_signal(signal.SIGTERM)
        assert program.process.wait(timeout=5) == 0
        assert not runs(child_id)
