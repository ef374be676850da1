"""The parts of a server's status that change while its session is open: silence, and stray lines of a child."""

from __future__ import annotations

from webclient.content.masking import mask_secrets
from webclient.domain.model import Json, now
from webclient.protocol.endpoint import Endpoint


class ShownStatus:
    """Sets the fields of the status of `endpoint` that change while a session is open."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    def startup(self, output: str | None) -> None:
        """Show what a child has written while it starts."""
        output = output and mask_secrets(self._endpoint.secrets, output)
        if output != self._endpoint.status.startup_output:
            self._endpoint.set_status(startup_output=output)

    def skipped(self, skipped: Json) -> None:
        """Show which lines of a child were not messages."""
        first = mask_secrets(self._endpoint.secrets, skipped["first"])
        self._endpoint.set_status(skipped=skipped | {"first": first})

    def silence(self, silent: bool) -> None:
        """Show whether the server does not answer."""
        if silent != (self._endpoint.status.quiet_since is not None):
            self._endpoint.set_status(quiet_since=now() if silent else None)
