"""The shell's half of the set-up: a Python that is missing or too old is named, with the command that helps."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.mcp_servers import ROOT
from tests.scripts import program

OLD = 'case "$2" in *exit*) exit 1;; esac; echo 3.9'


def prepare(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the script with the programs of this folder alone."""
    command = ["/bin/sh", str(ROOT / "scripts/prepare"), str(path / "venv"), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", check=False, env={"PATH": str(path)}, cwd=ROOT
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A folder of programs without a Python that could be used."""
    program(tmp_path, "python3", OLD)
    return tmp_path


def test_a_python_that_is_too_old_is_named_with_its_version(path: Path) -> None:
    done = prepare(path, "", "demo")
    assert done.returncode == 1
    assert "3.9" in done.stderr
    assert "make demo PYTHON=" in done.stderr
    assert not (path / "venv").exists()


@pytest.mark.parametrize("chosen", ["", "python9"])
def test_a_newer_python_that_is_here_is_proposed(path: Path, chosen: str) -> None:
    program(path, "python3.13", "exit 0")
    done = prepare(path, chosen, "test")
    assert done.returncode == 1
    assert done.stderr.endswith("Run: make test PYTHON=python3.13\n")


def test_a_python_that_does_not_run_is_not_proposed(path: Path) -> None:
    program(path, "python3.13", "exit 127")
    assert "python3.13" not in prepare(path, "", "test").stderr


def test_an_unknown_python_installs_nothing(path: Path) -> None:
    program(path, "apt-get")
    done = prepare(path, "python9", "demo")
    assert (done.returncode, "python9" in done.stderr) == (1, True)
    assert not (path / "calls").read_text("utf-8").count("apt-get")


def test_the_python_of_an_environment_needs_no_other(path: Path) -> None:
    bin_folder = path / "venv/bin"
    program(bin_folder, "python")
    assert prepare(path, "", "demo").returncode == 0
    assert "-m scripts.environment" in (bin_folder / "calls").read_text("utf-8")


def test_a_chosen_python_is_asked_before_the_environment(path: Path) -> None:
    program(path / "venv/bin", "python")
    chosen = f'exec "{sys.executable}" -c "import sys; sys.exit(3)"'
    program(path, "mine", f'case "$1" in -m) {chosen};; esac')
    assert prepare(path, str(path / "mine"), "demo").returncode == 3
