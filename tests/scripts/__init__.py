"""The scripts of the Makefile, with programs of the tests in the PATH; nothing is installed, and no network is used."""

from __future__ import annotations

from pathlib import Path


def program(folder: Path, name: str, script: str = "exit 0") -> Path:
    """Write a program for the shell into `folder`, and return its path. It notes how it is called."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f'#!/bin/sh\necho "{name} $*" >> "{folder}/calls"\n{script}\n', "utf-8")
    path.chmod(0o755)
    return path


def calls(folder: Path) -> list[str]:
    """Return the command lines with which the programs of `folder` were run."""
    path = folder / "calls"
    return path.read_text("utf-8").splitlines() if path.exists() else []
