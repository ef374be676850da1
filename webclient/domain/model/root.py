"""A root: a folder that a user shares with a server."""

from __future__ import annotations

from dataclasses import dataclass

from webclient.domain.model.common import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """A folder by its `file://` URI, with a name if the user gave one (MCP 2025-11-25, Roots, Root)."""

    uri: str
    name: str | None = None

    @property
    def as_json(self) -> Json:
        """The root as servers get it."""
        return {"uri": self.uri} | ({"name": self.name} if self.name else {})
