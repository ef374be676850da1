"""The demo that `serve` starts for a person who presses a button: one, on this machine, and no longer than needed."""

from __future__ import annotations

import os
import re
import select
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.loopback import local
from tests.process import HANGS, Running, leading, running
from webclient.settings import load_settings
from webclient.store import lock_data_dir

PAGE = {"Accept": "text/html"}


def run_demo(program: Running) -> httpx2.Response:
    """Press the button."""
    return httpx2.post(f"{program.url}/run-demo", headers=program.bearer | PAGE, **local() | {"timeout": HANGS})


def link_of(response: httpx2.Response) -> str:
    """Return the address to which the page sends the browser on."""
    assert response.status_code == 200, response.text
    found = re.search(r'http-equiv="refresh" content="0;url=([^"]+)"', response.text)
    assert found
    return found[1]


def children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()]


def until_gone(pid: int) -> None:
    """Wait until a process has ended."""
    with suppress(ProcessLookupError):
        handle = os.pidfd_open(pid)
        try:
            assert select.select([handle], [], [], HANGS)[0]
        finally:
            os.close(handle)


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Running]:
    """The program without servers, as a newcomer has it."""
    with leading(tmp_path) as program:
        yield program


def test_the_button_leads_to_one_demo_that_ends_with_us(program: Running) -> None:
    assert 'action="/run-demo"' in httpx2.get(program.url, headers=program.bearer | PAGE, **local()).text
    link = link_of(run_demo(program))
    assert httpx2.get(link, **local()).status_code == 200
    assert link_of(run_demo(program)) == link
    [demo] = children(program.process.pid)
    assert program.end() == ""
    until_gone(demo)


def test_the_demo_ends_if_its_parent_is_killed(program: Running) -> None:
    link_of(run_demo(program))
    [demo] = children(program.process.pid)
    program.end(signal.SIGKILL)
    until_gone(demo)


def test_a_demo_that_was_ended_is_started_again(program: Running) -> None:
    before = link_of(run_demo(program))
    [demo] = children(program.process.pid)
    os.kill(demo, signal.SIGKILL)
    until_gone(demo)
    # The program hears of the end in a moment.
    while (after := link_of(run_demo(program))) == before:
        pass
    assert httpx2.get(after, **local()).status_code == 200


def test_a_demo_that_does_not_start_says_why(tmp_path: Path, program: Running) -> None:
    folder = tmp_path / "data" / "demo"
    folder.mkdir()
    with lock_data_dir(folder):
        response = run_demo(program)
    assert response.status_code == 409
    assert "data folder" in response.text
    assert children(program.process.pid) == []


@pytest.mark.parametrize(
    "given",
    [
        {"host": "0.0.0.0", "allowed_hosts": ["box.example.com"]},  # noqa: S104
        {"public_url": "https://box.example.com"},
        {"trusted_proxies": ["127.0.0.1"]},
        {"identity": ["local", "proxy"], "auth_header": "Remote-User", "trusted_proxies": ["127.0.0.1"]},
    ],
)
def test_only_the_person_of_this_machine_runs_the_demo(given: dict[str, Any]) -> None:
    assert load_settings().runs_demo
    assert not load_settings(**given).runs_demo


def test_where_it_cannot_run_a_sentence_stays(tmp_path: Path) -> None:
    with running(tmp_path, "--public-url", "https://box.example.com") as program:
        page = httpx2.get(program.url, headers=program.bearer | PAGE, **local()).text
        assert 'action="/run-demo"' not in page
        assert "mcp-webclient demo" in page
        assert run_demo(program).status_code == 404


def test_a_demo_that_ends_before_its_agent_prints_no_traceback(tmp_path: Path) -> None:
    with running(tmp_path, command="demo") as program:
        options = local() | {"timeout": HANGS}
        scene = httpx2.post(
            f"{program.url}/demo/run", data={"scene": "agent"}, headers=program.bearer | PAGE, **options
        )
        assert scene.status_code == 303, scene.text
        program.end()
    assert "Traceback" not in program.errors.read_text("utf-8")
