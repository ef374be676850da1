"""The terminal: which browser opens with which link, and that none opens without a screen."""

from __future__ import annotations

import stat
from pathlib import Path

import httpx2
import pytest

from tests.loopback import local
from tests.process import running
from tests.tables import each_row
from webclient.runtime import greeting

SCREEN = {"DISPLAY": ":0"}


@each_row(
    ("environment", "platform", "found"),
    [
        (SCREEN, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({}, "linux", False),
        ({"DISPLAY": ""}, "linux", False),
        ({}, "darwin", True),
        ({}, "win32", True),
        (SCREEN | {"CI": "true"}, "linux", False),
        ({"CI": "1"}, "darwin", False),
        (SCREEN | {"CI": "false"}, "linux", True),
        (SCREEN | {"SSH_CONNECTION": "203.0.113.1 1 203.0.113.2 22"}, "linux", False),
    ],
)
def test_a_browser_needs_a_screen_and_a_person(environment: dict[str, str], platform: str, found: bool) -> None:
    assert greeting.has_browser(environment, platform) == found


@pytest.mark.parametrize(
    ("wanted", "at_terminal", "screen", "opens"),
    [
        (None, True, True, True),
        (None, False, True, False),
        (None, True, False, False),
        (False, True, True, False),
        (True, False, True, True),
        (True, True, False, False),
    ],
)
def test_a_browser_opens_if_wanted_or_at_a_terminal(
    monkeypatch: pytest.MonkeyPatch, *, wanted: bool | None, at_terminal: bool, screen: bool, opens: bool
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: at_terminal)
    monkeypatch.setattr(greeting, "has_browser", lambda _environment: screen)
    assert greeting.will_open(wanted) == opens


@pytest.fixture
def browser(tmp_path: Path) -> Path:
    """A program that is started as the browser; it writes its argument into a file, and noise elsewhere."""
    path = tmp_path / "browser"
    path.write_text(
        f'#!/bin/sh\necho noise; printf %s "$1" > {tmp_path}/part && mv {tmp_path}/part {tmp_path}/opened\n', "utf-8"
    )
    path.chmod(stat.S_IRWXU)
    return path


def test_the_browser_gets_a_link_that_works_once(tmp_path: Path, browser: Path) -> None:
    """Command lines can be read by other users, so the token is not in it."""
    opened = tmp_path / "opened"
    environment = {"DISPLAY": ":0", "CI": "", "SSH_CONNECTION": "", "BROWSER": str(browser)}
    with running(tmp_path, "--open", **environment) as program:
        while not opened.exists():
            assert program.process.poll() is None
        link = opened.read_text("utf-8")
        assert link.startswith(program.url)
        assert program.token not in link
        assert [httpx2.get(link, **local()).status_code for _ in range(2)] == [200, 403]
        assert httpx2.get(program.ready.removeprefix("Ready: "), **local()).status_code == 200
        assert program.end() == ""


@pytest.mark.slow
def test_no_browser_opens_without_a_display_or_with_no_open(tmp_path: Path, browser: Path) -> None:
    for arguments, display in (([], ":0"), (["--no-open"], ":0"), (["--open"], "")):
        environment = {"DISPLAY": display, "WAYLAND_DISPLAY": "", "BROWSER": str(browser)}
        with running(tmp_path, *arguments, **environment) as program:
            children = Path(f"/proc/{program.process.pid}/task/{program.process.pid}/children")
            assert "browser" not in "".join(_commands(children))
            program.end()
        assert not (tmp_path / "opened").exists()


def _commands(children: Path) -> list[str]:
    return [Path(f"/proc/{pid}/cmdline").read_text("utf-8") for pid in children.read_text("utf-8").split()]


@pytest.mark.slow
def test_the_terminal_says_what_to_do_without_the_token(tmp_path: Path) -> None:
    with running(tmp_path, command="demo") as program:
        program.end()
        said = program.errors.read_text("utf-8").splitlines()
    assert len(said) == 2
    assert "Ctrl-C" in said[-1]
    assert program.token not in "".join(said)
