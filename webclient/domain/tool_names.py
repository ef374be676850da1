"""The rules for names of tools (MCP 2025-11-25, Tools, Tool Names). A tool that breaks them can still be called."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_REGULAR = re.compile(r"[A-Za-z0-9_.-]{1,128}")


def is_regular(name: str) -> bool:
    """Return whether the name has 1 to 128 characters, all of them allowed ones."""
    return _REGULAR.fullmatch(name) is not None


def irregular(names: Iterable[str]) -> list[str]:
    """Return the names that break the rules, each once."""
    return [name for name in dict.fromkeys(names) if not is_regular(name)]


def repeated(names: Iterable[str]) -> list[str]:
    """Return the names that several tools have, each once; they should be unique within a server."""
    return [name for name, count in Counter(names).items() if count > 1]
