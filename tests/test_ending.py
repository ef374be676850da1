"""How the program ends: at a signal, within five seconds, with all that it started."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.loopback import local, tls
from tests.mcp_servers import entry
from tests.process import HANGS, Running, leading, running


def appeared(path: Path) -> str:
    """Wait for a file; return what is in it."""
    deadline = time.monotonic() + HANGS
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} did not appear"
        time.sleep(0.05)
    return path.read_text("utf-8")


@contextmanager
def with_a_child(folder: Path) -> Iterator[Running]:
    """Run the program with a connected server that is its child."""
    config = folder / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"box": entry("asker")}}), "utf-8")
    with running(folder, "--config", str(config)) as program:
        connected(program)
        yield program


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly_within_five_seconds(tmp_path: Path, signal_number: int) -> None:
    with with_a_child(tmp_path) as program:
        program.process.send_signal(signal_number)
        assert program.ended() == 0


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGKILL])
def test_the_demo_office_always_ends_with_the_demo(tmp_path: Path, signal_number: int) -> None:
    with running(tmp_path, command="demo") as program:
        servers = httpx2.get(f"{program.url}/api/v1/servers", headers=program.bearer, **local()).json()["servers"]
        [office] = [server["transport"]["url"] for server in servers if server["label"] == "Demo office"]
        assert httpx2.post(office, timeout=HANGS, verify=tls()).status_code == 401
        program.process.send_signal(signal_number)
        if signal_number == signal.SIGTERM:
            assert program.ended() == 0
        deadline = time.monotonic() + HANGS
        with suppress(httpx2.TransportError):
            while httpx2.post(office, timeout=HANGS, verify=tls()):
                assert time.monotonic() < deadline, "the office still answers"
                time.sleep(0.05)


def test_a_signal_to_the_group_ends_the_demo_quietly(tmp_path: Path) -> None:
    with leading(tmp_path, command="demo") as program:
        connected(program)
        leader = program.process.pid
        # The office would cut its streams before its client has left, and complain.
        children = Path(f"/proc/{leader}/task/{leader}/children").read_text("utf-8").split()
        [office] = [int(pid) for pid in children if "demo.office" in Path(f"/proc/{pid}/cmdline").read_text("utf-8")]
        assert os.getpgid(office) != leader
        os.killpg(leader, signal.SIGTERM)
        assert program.ended() == 0
        assert "ERROR" not in program.errors.read_text("utf-8")


INTERRUPTED_WHILE_LOADING = """
import sys
MODULE = sys.argv.pop(1)
class Interrupt:
    def find_spec(self, name, path, target=None):
        if name == MODULE:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
from webclient.__main__ import main
main()
"""


@pytest.mark.parametrize("module", ["webclient.runtime.cli", "webclient.runtime.serving"])
def test_ctrl_c_ends_it_silently_also_during_loading(tmp_path: Path, module: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED_WHILE_LOADING, module, "serve", "--data-dir", str(tmp_path / "data")]
    ended = subprocess.run(command, capture_output=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, b"", b"")


def test_an_open_stream_does_not_keep_it_from_ending(tmp_path: Path) -> None:
    with (
        running(tmp_path) as program,
        httpx2.stream(
            "GET", f"{program.url}/api/v1/events", headers=program.bearer, timeout=HANGS, verify=tls()
        ) as stream,
    ):
        assert stream.status_code == 200
        program.process.send_signal(signal.SIGTERM)
        # The stream ends in order: iterating it would raise if the connection were cut.
        for _ in stream.iter_bytes():
            pass
        assert program.ended() == 0


def test_a_second_signal_changes_nothing(tmp_path: Path) -> None:
    with with_a_child(tmp_path) as program:
        program.process.send_signal(signal.SIGINT)
        program.process.send_signal(signal.SIGINT)
        assert program.ended() == 0


SAY_IT_RUNS = """
import os, pathlib, signal, sys, time
def say_it_runs():
    new = pathlib.Path(sys.argv[1] + ".new")
    new.write_text(str(os.getpid()))
    new.rename(sys.argv[1])
"""

STUBBORN = "ignores SIGTERM"
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
    "leaves one behind that does not stop": """
if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    say_it_runs()
    while True:
        time.sleep(1)
for line in sys.stdin:
    pass
""",
}


REFUSED = 1000
"""Refused requests from which a flood is one."""

FULL = """
import json
say_it_runs()
request = json.loads(sys.stdin.readline())
result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "box", "version": "1"}}
print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True:
    time.sleep(1)
"""
"""A child that reads no more once it is connected."""


@contextmanager
def stubborn(folder: Path, child: str = STUBBORN) -> Iterator[tuple[Running, int]]:
    """Run the program with a child of this kind; give both, once the child runs."""
    config, started = folder / "mcp.json", folder / "runs"
    code = SAY_IT_RUNS + CHILDREN.get(child, child)
    entry = {"command": sys.executable, "args": ["-c", code, str(started)], "era": "2025-11-25"}
    config.write_text(json.dumps({"mcpServers": {"box": entry}}), "utf-8")
    with running(folder, "--config", str(config)) as program:
        child_id = int(appeared(started))
        try:
            yield program, child_id
        finally:
            with suppress(ProcessLookupError):
                os.kill(child_id, signal.SIGKILL)


def runs(process_id: int) -> bool:
    try:
        stat = Path(f"/proc/{process_id}/stat").read_text("utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False
    # One that has ended, and whose new parent has not taken note of it yet, is a zombie.
    return stat.rpartition(")")[2].split()[0] != "Z"


def connected(program: Running) -> str:
    """Wait until all servers are connected; return the id of the first."""
    deadline = time.monotonic() + HANGS
    while True:
        servers = httpx2.get(f"{program.url}/api/v1/servers", headers=program.bearer, **local()).json()["servers"]
        if all(server["state"] == "connected" for server in servers):
            return str(servers[0]["id"])
        assert time.monotonic() < deadline, servers
        time.sleep(0.05)


@pytest.mark.parametrize("child", CHILDREN)
def test_a_server_that_is_not_helpful_is_stopped_as_well(tmp_path: Path, child: str) -> None:
    with stubborn(tmp_path, child) as (program, child_id):
        program.process.send_signal(signal.SIGTERM)
        assert program.ended() == 0
        assert not runs(child_id)


def test_a_child_that_reads_nothing_is_stopped(tmp_path: Path) -> None:
    """It is more than its pipe holds, so neither a call nor its cancellation goes out, and each takes its time."""
    with stubborn(tmp_path, FULL) as (program, child_id):
        call = {"server_id": connected(program), "kind": "tool", "name": "x", "arguments": {"text": "x" * 200_000}}
        for _call in range(2):
            sent = httpx2.post(f"{program.url}/api/v1/calls", json=call, headers=program.bearer, **local())
            assert sent.status_code == 202
        program.process.send_signal(signal.SIGTERM)
        assert program.ended() == 0
        assert not runs(child_id)


def test_an_endless_request_and_a_stubborn_child_end_together(tmp_path: Path) -> None:
    with stubborn(tmp_path) as (program, child_id), ExitStack() as clients:
        host = f"Host: 127.0.0.1\r\nAuthorization: Bearer {program.token}\r\n"
        for request in (
            f"POST /api/v1/calls HTTP/1.1\r\n{host}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{{",
            f"GET /stream?page=inbox&since=none HTTP/1.1\r\n{host}\r\n",
        ):
            client = clients.enter_context(socket.create_connection(("127.0.0.1", urlsplit(program.url).port or 0)))
            client.sendall(request.encode())
        # A client that is answered now came after both.
        assert httpx2.get(f"{program.url}/healthz", **local()).status_code == 200
        program.process.send_signal(signal.SIGTERM)
        assert program.ended() == 0
        assert not runs(child_id)


def flooded(program: Running, tool: str) -> None:
    """Wait until many questions of a flood are refused; pings have no state to wait for."""
    if tool == "ping":
        time.sleep(2)
        return
    deadline = time.monotonic() + HANGS
    while refused(program) < REFUSED:
        assert time.monotonic() < deadline, "few are refused"
        time.sleep(0.1)


def refused(program: Running) -> int:
    """Return how many requests were refused."""
    found = httpx2.get(
        f"{program.url}/api/v1/requests",
        params={"state": "refused"},
        headers=program.bearer,
        verify=tls(),
        timeout=HANGS,
    ).json()
    return sum(entry.get("count", 1) for entry in found["requests"])


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_flood_does_not_keep_it_from_ending(tmp_path: Path, transport: str) -> None:
    """Some of its questions wait and a thousand are refused, or thousands of pings are answered, when it is to end."""
    command = [sys.executable, "-m", "tests.mcp_servers.attacker", "--transport", transport]
    with ExitStack() as stack:
        entry = {"command": command[0], "args": command[1:], "cwd": str(Path.cwd())}
        if transport == "http":
            server = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8"))
            stack.callback(server.kill)
            assert server.stdout is not None
            entry = {"url": server.stdout.readline().removeprefix("Listening: ").strip()}
        config = tmp_path / "mcp.json"
        config.write_text(json.dumps({"mcpServers": {"box": entry | {"era": "2025-11-25"}}}), "utf-8")
        program = stack.enter_context(running(tmp_path, "--config", str(config)))
        tool = "create" if transport == "stdio" else "ping"
        call = {"server_id": connected(program), "kind": "tool", "name": tool}
        assert (
            httpx2.post(f"{program.url}/api/v1/calls", json=call, headers=program.bearer, **local()).status_code == 202
        )
        flooded(program, tool)
        program.process.send_signal(signal.SIGTERM)
        assert program.ended() == 0
