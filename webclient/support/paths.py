"""Paths of templates and static files: inside the package in a wheel, beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent.parent


def shipped(name: str) -> Path:
    """Return the folder `name` ("templates" or "static") that came with this installation."""
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


TEMPLATES = shipped("templates")
STATIC = shipped("static")
