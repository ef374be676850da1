"""Creates the virtual environment that `make` runs with, after a look at all that its goals need.

    python -m scripts.environment VENV CHOSEN GOAL...

CHOSEN is the Python that a person named, or empty. An environment fits if its Python runs, is of the version, at the
place and for the checkout that its stamp names, and is the chosen one; otherwise it is made again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from scripts.needs import missing, provide, provide_shell

ROOT = Path(__file__).parent.parent
WHO = "import os, sys; sys.stdout.buffer.write(os.fsencode('%d.%d\\n%s\\n' % (*sys.version_info[:2], sys.base_prefix)))"
"""Prints version and place of a Python, as bytes: its path may have characters that the locale does not have."""


def main(venv: Path, chosen: str, goals: list[str]) -> None:
    """Create the environment `venv` unless it fits. SystemExit with a sentence says what is missing."""
    command = f"make {' '.join(goals)}"
    python = chosen or _base()
    refuse_read_only(venv, goals, command)
    refuse_unreadable(venv, command)
    if needs := missing(goals):
        provide(needs, command)
    if not {"test", "test-all", "slow", "quick"}.isdisjoint(goals):
        provide_shell()
    stamp = venv / ".python"
    if not _is_ours(venv, stamp, python if chosen else None):
        create(venv, python)
        stamp.write_bytes(_identity(venv))


def refuse_read_only(venv: Path, goals: list[str], command: str) -> None:
    """End with a sentence if a folder that the goals write to cannot be written."""
    if goals != ["demo"] and not os.access(ROOT, os.W_OK):
        sys.exit(f"{ROOT} cannot be written, and {command} writes to it. Run it in a copy of this folder.")
    existing = next(folder for folder in (venv, *venv.absolute().parents) if folder.is_dir())
    if not os.access(existing, os.W_OK):
        sys.exit(
            f"{existing} cannot be written. Choose a folder for packages: {command} VENV=$HOME/.cache/mcp-webclient"
        )


def refuse_unreadable(venv: Path, command: str) -> None:
    """End with a sentence if the locale cannot express the path: Python cannot note it."""
    try:
        str(venv.absolute()).encode()
    except UnicodeEncodeError:
        sys.exit(
            f"{venv.absolute()} has bytes that are not {sys.getfilesystemencoding()}, the encoding of your locale. "
            f"Choose another folder for packages, or another locale: LC_ALL=C.UTF-8 {command}"
        )


def create(venv: Path, python: str) -> None:
    """Create a virtual environment with a current pip, and uv if it can be had."""
    sys.stdout.write(f"Creating the virtual environment {venv} with {python}\n")
    sys.stdout.flush()
    shutil.rmtree(venv, ignore_errors=True)
    _run(python, "-m", "venv", str(venv))
    sys.stdout.write("Installing pip and uv, which install the rest (about 10 seconds)\n")
    sys.stdout.flush()
    install = (str(venv / "bin/python"), "-m", "pip", "install", "-qq", "--disable-pip-version-check")
    # Where uv has no wheel, building it would take minutes and a compiler.
    if not _run(*install, "-c", "constraints.txt", "--only-binary", "uv", "pip", "uv", check=False):
        _run(*install, "-c", "constraints.txt", "pip")


def _is_ours(venv: Path, stamp: Path, chosen: str | None) -> bool:
    identity = _identity(venv)
    return (
        stamp.is_file()
        and stamp.read_bytes() == identity
        and (chosen is None or identity.startswith(_output(chosen, WHO)))
    )


def _identity(venv: Path) -> bytes:
    """Return version and place of the Python of `venv`, and the folders that its files name; b"" if it does not run."""
    who = _output(str(venv / "bin/python"), WHO)
    return who and who + os.fsencode(f"{venv.absolute()}\n{ROOT.absolute()}\n")


def _output(python: str, code: str) -> bytes:
    try:
        return subprocess.run([python, "-c", code], capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return b""


def _base() -> str:
    # This may be the Python of the environment that is to be removed.
    return str(getattr(sys, "_base_executable", sys.executable))


def _run(*command: str, check: bool = True) -> bool:
    """Run a command; if it fails, and is to be checked, SystemExit shows what it said."""
    done = subprocess.run(command, capture_output=check, text=True, encoding="utf-8", check=False, errors="replace")
    if check and done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.returncode == 0


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
