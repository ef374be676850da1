"""The lowest and the newest Python that can be had are tested; one that cannot be had is named and passed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import pythons
from scripts.pythons import LOWEST, NEWEST, first, installed
from tests.mcp_servers import ROOT
from tests.scripts import program


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in the PATH, on a system that is not Debian's."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setattr(pythons, "DEBIAN", tmp_path / "debian")
    monkeypatch.setattr(pythons, "ROOT", tmp_path)
    return tmp_path


def test_the_lowest_version_is_the_one_of_the_project() -> None:
    assert f'requires-python = ">=3.{LOWEST}"' in (ROOT / "pyproject.toml").read_text("utf-8")


def test_a_python_of_the_path_comes_before_that_of_pyenv(path: Path) -> None:
    of_pyenv = program(path / "pyenv/versions/3.12.1/bin", "python3")
    assert installed(12) == [str(of_pyenv)]
    of_path = program(path, "python3.12")
    assert installed(12) == [str(of_path)]


def test_a_python_that_does_not_run_is_passed_over(path: Path) -> None:
    program(path, "python3.13", "exit 127")
    of_pyenv = program(path / "pyenv/versions/3.13.0/bin", "python3")
    assert installed(13) == [str(of_pyenv)]


def test_a_version_that_cannot_be_had_is_named(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    python = program(path, "python3.12")
    assert first(range(NEWEST, 11, -1)) == (12, [str(python)])
    assert f"3.{NEWEST} " in capsys.readouterr().out
    assert first([]) is first([NEWEST]) is None


@pytest.mark.parametrize("fails", [False, True])
def test_a_failure_on_one_version_is_the_exit_code(monkeypatch: pytest.MonkeyPatch, fails: bool) -> None:
    tested: list[int] = []

    def passed(minor: int, _command: object) -> bool:
        tested.append(minor)
        return not (fails and minor == LOWEST)

    monkeypatch.setattr(pythons, "here", lambda: 12)
    monkeypatch.setattr(pythons, "installed", lambda _minor: ["python"])
    monkeypatch.setattr(pythons, "passed", passed)
    if fails:
        with pytest.raises(SystemExit, match="1"):
            pythons.main()
    else:
        pythons.main()
    assert tested == [LOWEST, NEWEST]
