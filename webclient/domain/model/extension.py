"""The extensions of MCP that this program implements, and which of them are announced to a server.

Each has a switch for each server. An extension that comes with a later version is on.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum

from webclient.domain.model.common import Json


class Extension(StrEnum):
    """An extension, by the identifier under which its document has it announced (SEP-2133)."""

    CLIENT_CREDENTIALS = "io.modelcontextprotocol/oauth-client-credentials"
    ENTERPRISE = "io.modelcontextprotocol/enterprise-managed-authorization"
    TASKS = "io.modelcontextprotocol/tasks"

    @property
    def settings(self) -> Json:
        """The settings that are announced with it; the documents of all of them have none."""
        return {}

    @property
    def needs_http(self) -> bool:
        """Whether it is about HTTP alone: its document is about authorization, which stdio does not have."""
        return self in _AUTHORIZATION

    @property
    def is_modern(self) -> bool:
        """Whether it exists in 2026-07-28 alone; in 2025-11-25 tasks are a capability (SEP-2663)."""
        return self is Extension.TASKS


_AUTHORIZATION = frozenset({Extension.CLIENT_CREDENTIALS, Extension.ENTERPRISE})


def extensions_for(*, http: bool, modern: bool, off: Collection[Extension] = ()) -> tuple[Extension, ...]:
    """Return the extensions to announce to a server: not those that its user has switched `off`."""
    return tuple(
        each
        for each in Extension
        if each not in off and (http or not each.needs_http) and (modern or not each.is_modern)
    )


def known_extensions(names: Collection[str]) -> tuple[Extension, ...]:
    """Return the extensions of these names; a later version may have stored others."""
    return tuple(each for each in Extension if each in names)
