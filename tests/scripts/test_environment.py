"""A virtual environment stays while it fits, and is created again when it does not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import environment
from tests.scripts import calls, program


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout, in which environments are created without pip, which would come from elsewhere."""
    folder = tmp_path / "it's $HOME 目录"
    try:
        folder.mkdir()
    except UnicodeEncodeError:
        # The encoding of this locale has no Chinese characters.
        folder = tmp_path / "it's $HOME"
        folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(environment, "ROOT", folder)
    monkeypatch.setattr(environment, "create", created)
    return folder


def created(venv: Path, python: str) -> None:
    """Create an environment with a file in it that a new one does not have."""
    shutil.rmtree(venv, ignore_errors=True)
    subprocess.run([python, "-m", "venv", "--without-pip", str(venv)], check=True)


def is_new(venv: str = ".venv", chosen: str = "") -> bool:
    """Run the set-up, and return whether it has created an environment."""
    marker = Path(venv) / "marker"
    environment.main(Path(venv), chosen, ["demo"])
    was_there = marker.exists()
    marker.touch()
    return not was_there


def test_an_environment_that_fits_stays(checkout: Path) -> None:
    assert is_new()
    stamp = (checkout / ".venv/.python").stat().st_mtime_ns
    assert not is_new()
    assert not is_new(chosen=sys.executable)
    assert (checkout / ".venv/.python").stat().st_mtime_ns == stamp


def test_a_moved_checkout_gets_a_new_environment(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_new()
    moved = checkout.rename(checkout.parent / "moved")
    monkeypatch.chdir(moved)
    monkeypatch.setattr(environment, "ROOT", moved)
    assert is_new()
    assert not is_new()


def test_another_checkout_gets_a_new_environment(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    venv = str(checkout / "shared")
    assert is_new(venv)
    monkeypatch.setattr(environment, "ROOT", checkout.parent)
    assert is_new(venv)


def test_an_environment_without_its_python_is_replaced(checkout: Path) -> None:
    assert is_new()
    (checkout / ".venv/bin/python").unlink()
    (checkout / ".venv/bin/python").symlink_to("/nowhere/python3")
    assert is_new()


def test_another_version_of_python_replaces_it(checkout: Path) -> None:
    assert is_new()
    stamp = checkout / ".venv/.python"
    stamp.write_bytes(b"3.9" + stamp.read_bytes()[4:])
    assert is_new()


def test_another_chosen_python_replaces_it(checkout: Path) -> None:
    assert is_new()
    other = program(
        checkout / "other", "python", f'case "$1" in -c) printf "3.99\\n/other\\n";; *) "{sys.executable}" "$@";; esac'
    )
    assert is_new(chosen=str(other))


def test_an_environment_without_a_stamp_is_replaced(checkout: Path) -> None:
    created(checkout / ".venv", sys.executable)
    (checkout / ".venv/marker").touch()
    assert is_new()


def test_a_folder_that_cannot_be_written_is_named(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path) != checkout)
    with pytest.raises(SystemExit) as end:
        environment.main(Path(".venv"), "", ["demo"])
    assert str(checkout) in str(end.value)
    assert "make demo VENV=" in str(end.value)
    with pytest.raises(SystemExit):
        environment.main(checkout.parent / "venv", "", ["test"])
    assert is_new(str(checkout.parent / "venv"))


def test_a_path_that_the_locale_cannot_express_is_named(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As Python gives the bytes of a name in another encoding.
    folder = checkout / "caf\udce9"
    monkeypatch.setattr(environment, "create", pytest.fail)
    with pytest.raises(SystemExit) as end:
        environment.main(folder, "", ["demo"])
    assert "LC_ALL=C.UTF-8 make demo" in str(end.value)


@pytest.mark.parametrize("has_uv", [True, False])
def test_a_new_environment_has_pip_and_uv_where_it_can(tmp_path: Path, has_uv: bool) -> None:
    venv = tmp_path / "venv"
    fails_for_uv = "exit 0" if has_uv else 'case "$*" in *uv*) exit 1;; esac'
    python = program(tmp_path / "template", "python", fails_for_uv)
    maker = program(tmp_path, "maker", f'mkdir -p "{venv}/bin"; cp "{python}" "{venv}/bin/python"')
    environment.create(venv, str(maker))
    said = calls(tmp_path / "template")
    assert said[-1].endswith("pip uv" if has_uv else "constraints.txt pip")


def test_a_python_that_creates_none_shows_its_words(tmp_path: Path) -> None:
    python = program(tmp_path, "python", "echo no space left >&2; exit 1")
    with pytest.raises(SystemExit, match="no space left"):
        environment.create(tmp_path / "venv", str(python))
