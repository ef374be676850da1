"""The real program as a process: what it prints, what it refuses, and how it ends."""

from __future__ import annotations

import ctypes
import json
import os
import re
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

PROGRAM = [sys.executable, "-m", "webclient.cli"]
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1
HANGS = 60
"""Seconds after which something that should have ended is taken to hang."""


@dataclass
class Running:
    """A process that is ready, and what it said so far."""

    process: subprocess.Popen[str]
    ready: str
    errors: Path

    @property
    def url(self) -> str:
        """Where it serves."""
        parts = urlsplit(self.ready.removeprefix("Ready: "))
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def token(self) -> str:
        """The token of the ready line."""
        return parse_qs(urlsplit(self.ready).query)["token"][0]

    @property
    def bearer(self) -> dict[str, str]:
        """What a script sends."""
        return {"Authorization": f"Bearer {self.token}"}

    def end(self, signal_number: int = signal.SIGTERM) -> str:
        """Tell it to end; return what else it wrote to standard output."""
        self.process.send_signal(signal_number)
        output, _ = self.process.communicate(timeout=HANGS)
        return output


def environment(**more: str) -> dict[str, str]:
    """Return our environment without settings of the program."""
    return {name: value for name, value in os.environ.items() if not name.startswith("WEBCLIENT_")} | more


@contextmanager
def running(folder: Path, *arguments: str, command: str = "serve", **env: str) -> Iterator[Running]:
    """Run the program on a free port until the block ends."""
    errors = folder / "stderr"
    program = [*PROGRAM, command, "--port", "0", "--data-dir", str(folder / "data"), *arguments]
    with (
        errors.open("w") as stderr,
        subprocess.Popen(program, stdout=subprocess.PIPE, stderr=stderr, text=True, env=environment(**env)) as process,
    ):
        try:
            assert process.stdout is not None
            ready = process.stdout.readline().rstrip("\n")
            assert ready, errors.read_text()
            yield Running(process, ready, errors)
        finally:
            if process.poll() is None:
                process.kill()


def refused(*arguments: str, **env: str) -> str:
    """Run the program with something that is wrong; return the one sentence that it says."""
    done = subprocess.run(
        [*PROGRAM, "serve", *arguments],
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
        env=environment(**env),
        preexec_fn=_obey_permissions,
    )
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    (sentence,) = done.stderr.splitlines()
    return sentence


def _obey_permissions() -> None:
    # Root may write what is read-only until CAP_DAC_OVERRIDE is dropped (capabilities(7)); others never could.
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE)


def appeared(path: Path) -> str:
    """Wait for a file; return what is in it."""
    deadline = time.monotonic() + HANGS
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} did not appear"
        time.sleep(0.05)
    return path.read_text()


def test_the_ready_line_is_a_link_that_signs_in(tmp_path: Path) -> None:
    with running(tmp_path) as program, httpx2.Client() as browser:
        assert re.fullmatch(r"Ready: http://127\.0\.0\.1:[1-9]\d*/login\?token=[\w-]{43}", program.ready)
        assert browser.get(f"{program.url}/healthz").status_code == 200
        assert browser.get(f"{program.url}/").status_code == 401
        assert browser.get(program.ready.removeprefix("Ready: ")).status_code == 200
        assert browser.get(f"{program.url}/").status_code == 200


def test_standard_output_carries_the_ready_line_alone_and_no_log_the_token(tmp_path: Path) -> None:
    with running(tmp_path) as program:
        httpx2.get(program.ready.removeprefix("Ready: "))
        httpx2.get(f"{program.url}/nowhere", params={"token": program.token}, headers=program.bearer)
        assert program.end() == ""
        assert program.token not in program.errors.read_text()
        assert "wrong-guess" not in program.errors.read_text()


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


def test_the_servers_of_the_config_are_there(tmp_path: Path) -> None:
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"box": {"url": "http://127.0.0.1:9/mcp", "label": "My box"}}}))
    with running(tmp_path, "--config", str(config)) as program:
        servers = httpx2.get(f"{program.url}/api/v1/servers", headers=program.bearer).json()["servers"]
        assert [server["label"] for server in servers] == ["My box"]


def test_the_demo_brings_its_servers(tmp_path: Path) -> None:
    with running(tmp_path, command="demo") as program:
        servers = httpx2.get(f"{program.url}/api/v1/servers", headers=program.bearer).json()["servers"]
        assert [server["label"] for server in servers] == ["Demo trips", "Demo office"]


def test_the_token_can_come_from_the_environment_and_stands_quoted_in_the_link(tmp_path: Path) -> None:
    with running(tmp_path, WEBCLIENT_TOKEN="a b&c=d/e?f#g long") as program:
        assert program.ready.endswith("/login?token=a%20b%26c%3Dd%2Fe%3Ff%23g%20long")
        assert httpx2.get(program.ready.removeprefix("Ready: ")).status_code == 200


def test_a_short_token_is_warned_of_without_being_shown(tmp_path: Path) -> None:
    with running(tmp_path, "--token", "shorty") as program:
        program.end()
        assert "guessed" in program.errors.read_text()
        assert "shorty" not in program.errors.read_text()


def test_everywhere_is_reached_by_loopback_and_by_the_allowed_name_only(tmp_path: Path) -> None:
    with running(tmp_path, "--host", "0.0.0.0", "--allowed-host", "box.example.com") as program:  # noqa: S104
        assert program.url.startswith("http://127.0.0.1:")
        status = {
            host: httpx2.get(f"{program.url}/healthz", headers={"Host": host}).status_code
            for host in ("box.example.com", "evil.example")
        }
        assert status == {"box.example.com": 200, "evil.example": 400}


def test_the_data_folder_is_for_nobody_else(tmp_path: Path) -> None:
    with running(tmp_path):
        assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


def test_a_data_folder_that_is_open_to_others_is_left_so_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data").chmod(0o755)
    with running(tmp_path) as program:
        assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o755
        program.end()
        assert "chmod 700" in program.errors.read_text()


def test_a_port_that_is_taken_is_refused(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        sentence = refused("--port", port, "--data-dir", str(tmp_path))
    assert port in sentence
    assert "--port 0" in sentence


def test_a_config_that_is_wrong_is_refused_with_its_place(tmp_path: Path) -> None:
    config = tmp_path / "mcp.json"
    config.write_text('{"mcpServers": {"box": {}}}')
    sentence = refused("--config", str(config), "--data-dir", str(tmp_path))
    assert sentence.startswith(f'{config}: server "box": has neither')


def test_a_data_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "data folder" in refused("--data-dir", str(tmp_path / "file" / "data"))


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--host", "0.0.0.0"], "--allowed-host"),  # noqa: S104
        (["--port", "70000"], "WEBCLIENT_PORT"),
        (["--token", ""], "WEBCLIENT_TOKEN"),
        (["--allowed-host", "*"], "allowed host"),
        (["--embed-origin", "http://chat.example.com"], "https://"),
    ],
)
def test_a_setting_that_is_wrong_is_refused(arguments: list[str], word: str) -> None:
    assert word in refused(*arguments)


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGKILL])
def test_a_data_folder_is_for_one_program_at_a_time_and_free_when_that_has_ended(
    tmp_path: Path, signal_number: int
) -> None:
    with running(tmp_path) as program:
        assert "in use by another mcp-webclient" in refused("--data-dir", str(tmp_path / "data"), "--port", "0")
        program.end(signal_number)
    with running(tmp_path) as program:
        assert httpx2.get(f"{program.url}/healthz").status_code == 200


def test_a_database_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    with running(tmp_path) as program:
        program.end()
    with closing(sqlite3.connect(tmp_path / "data" / "webclient.sqlite3")) as db, db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
    assert "newer version" in refused("--data-dir", str(tmp_path / "data"))


@pytest.mark.parametrize("is_new", [True, False])
def test_a_data_folder_that_cannot_be_written_is_refused(tmp_path: Path, is_new: bool) -> None:
    folder = tmp_path / "data"
    if is_new:
        folder.mkdir(mode=0o700)
    else:
        with running(tmp_path) as program:
            program.end()
        (folder / "webclient.sqlite3").chmod(0o400)
    folder.chmod(0o500)
    try:
        assert "could not be made ready" in refused("--data-dir", str(folder))
    finally:
        folder.chmod(0o700)


def test_a_setting_that_is_wrong_in_the_environment_is_refused() -> None:
    assert "WEBCLIENT_PORT" in refused(WEBCLIENT_PORT="many")


def test_every_option_is_explained() -> None:
    for command in ("serve", "demo"):
        done = subprocess.run(
            [*PROGRAM, command, "--help"],
            capture_output=True,
            text=True,
            check=True,
            env=environment(COLUMNS="200", TERM="dumb"),
        )
        options = {
            "--host",
            "--port",
            "--token",
            "--config",
            "--data-dir",
            "--allowed-host",
            "--embed-origin",
            "--help",
        }
        assert set(re.findall(r"^[ │|]+(--[a-z-]+)", done.stdout, re.MULTILINE)) == options
