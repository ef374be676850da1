"""A browser is found where people have one: by CHROMIUM, in the PATH, or among those of Playwright."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.browser import find_chromium
from tests.scripts import program


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in the PATH, and an empty home beside it."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.delenv("PLAYWRIGHT_BROWSERS_PATH", raising=False)
    return tmp_path / "bin"


def test_the_browser_that_is_named_comes_first(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(path, "chromium")
    mine = program(path.parent / "mine", "chrome")
    monkeypatch.setenv("CHROMIUM", str(mine))
    assert find_chromium() == find_chromium(headless_shell=True) == str(mine)


def test_a_named_browser_that_is_missing_is_not_replaced(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(path, "chromium")
    monkeypatch.setenv("CHROMIUM", "/nowhere/chrome")
    assert find_chromium() is None


def test_the_headless_shell_is_for_those_who_want_it(path: Path) -> None:
    chromium, shell = program(path, "chromium"), program(path, "chromium-headless-shell")
    assert (find_chromium(), find_chromium(headless_shell=True)) == (str(chromium), str(shell))


def test_google_chrome_serves_without_a_headless_shell(path: Path) -> None:
    chrome = program(path, "google-chrome")
    assert find_chromium() == find_chromium(headless_shell=True) == str(chrome)


@pytest.mark.parametrize("is_elsewhere", [False, True])
def test_browsers_of_playwright_are_found(path: Path, monkeypatch: pytest.MonkeyPatch, is_elsewhere: bool) -> None:
    cache = path.parent / ("elsewhere" if is_elsewhere else ".cache/ms-playwright")
    if is_elsewhere:
        monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(cache))
    chrome = program(cache / "chromium-1200/chrome-linux64", "chrome")
    shell = program(cache / "chromium_headless_shell-1200/chrome-headless-shell-linux64", "chrome-headless-shell")
    assert (find_chromium(), find_chromium(headless_shell=True)) == (str(chrome), str(shell))


@pytest.mark.usefixtures("path")
def test_a_machine_without_a_browser_has_none() -> None:
    assert find_chromium() is find_chromium(headless_shell=True) is None
