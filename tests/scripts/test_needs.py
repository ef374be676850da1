"""Needs of the system are found at once, named with their packages, and installed only after a sentence."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from scripts import needs
from scripts.needs import CHROMIUM, FONT, NEEDS, NODE, PROXIES, VENV, missing, provide, provide_shell
from tests.mcp_servers import ROOT
from tests.scripts import calls, program


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in the PATH, empty, for a user who is not root."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    return folder


def test_every_goal_with_needs_is_in_the_makefile() -> None:
    text = (ROOT / "Makefile").read_text("utf-8")
    assert [goal for goal in NEEDS if not re.search(rf"^{goal}:", text, re.MULTILINE)] == []


@pytest.mark.usefixtures("path")
def test_the_demo_needs_python_alone() -> None:
    assert missing(["demo"]) == ([] if VENV.is_here() else [VENV])


@pytest.mark.usefixtures("path")
def test_an_empty_system_lacks_all_that_tests_need() -> None:
    assert {CHROMIUM, NODE, FONT} <= set(missing(["test-all", "quick"]))


def test_programs_that_are_here_are_not_missing(path: Path) -> None:
    for name in ("google-chrome", "node", "npm"):
        program(path, name)
    assert {CHROMIUM, NODE}.isdisjoint(missing(["test-all"]))


def test_a_font_of_dejavu_shows_no_chinese(path: Path) -> None:
    program(path, "fc-list", "echo 'DejaVu Sans'")
    assert FONT in missing(["test"])
    program(path, "fc-list", "echo 'DejaVu Sans'; echo 'WenQuanYi Micro Hei'")
    assert FONT not in missing(["test"])


def test_without_sudo_the_sentence_has_the_command(path: Path) -> None:
    program(path, "apt-get")
    with pytest.raises(SystemExit) as end:
        provide([CHROMIUM, NODE], "make test")
    assert "apt-get install -y --no-install-recommends chromium nodejs npm" in str(end.value)
    assert "CHROMIUM=" in str(end.value)
    assert calls(path) == []


def test_another_package_manager_is_named_and_not_run(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    program(path, "dnf")
    with pytest.raises(SystemExit) as end:
        provide([NODE, PROXIES], "make test")
    assert "dnf install -y nodejs npm nginx caddy" in str(end.value)
    assert calls(path) == []


@pytest.mark.usefixtures("path")
def test_an_unknown_system_gets_the_names_alone() -> None:
    with pytest.raises(SystemExit) as end:
        provide([NODE], "make test")
    assert NODE.name in str(end.value)


@pytest.mark.parametrize(("user", "prefix"), [(0, ""), (1000, "sudo ")])
def test_an_installation_is_announced_before_it_begins(
    path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], user: int, prefix: str
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    program(path, "apt-get")
    program(path, "sudo")
    announced: list[str] = []

    def ran(_command: Sequence[str]) -> bool:
        announced.append(capfd.readouterr().out)
        return True

    monkeypatch.setattr(needs, "_ran", ran)
    provide([NODE], "make test")
    assert f"{prefix}apt-get install -y --no-install-recommends nodejs npm" in announced[0]


def test_a_failed_installation_ends_with_the_command(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program(path, "sudo", "exit 1")
    program(path, "apt-get")
    with pytest.raises(SystemExit) as end:
        provide([NODE], "make test")
    assert "nodejs npm" in str(end.value)
    assert calls(path) == ["sudo apt-get update -q"]
    assert "sudo apt-get install" in capfd.readouterr().out


@pytest.mark.parametrize("user", [0, 1000])
def test_the_headless_shell_is_installed_for_root_alone(path: Path, monkeypatch: pytest.MonkeyPatch, user: int) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    program(path, "apt-get")
    program(path, "apt-cache")
    provide_shell()
    assert any(line.startswith("apt-get install") for line in calls(path)) is (user == 0)


def test_a_system_without_the_headless_shell_does_without(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    program(path, "apt-get")
    program(path, "apt-cache", "exit 100")
    provide_shell()
    assert calls(path) == ["apt-cache show chromium-headless-shell"]
