"""Kinds that this client does not support: they are refused, and shown as they came."""

from __future__ import annotations

from webclient.domain.model import Json
from webclient.inbox.kinds.kind import Kind


class UnsupportedKind(Kind):
    """No server may ask for it, and it cannot be accepted."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def template(self) -> str:
        """The template that shows the parameters as they came."""
        return "requests/kinds/unsupported.html"

    def takes(self, method: str, params: Json) -> bool:
        """Return False: it is the kind of stored requests only."""
        del method, params
        return False
