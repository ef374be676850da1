"""How much one server may send, and how fast; what is more is cut off, with the name of the setting that says so."""

from __future__ import annotations

from dataclasses import dataclass

from webclient.model import Reason, ReasonCode


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """What is taken of one server; each limit is the setting of that name, in its unit.

    `max_server_requests` counts the requests that wait for an answer at the same time, and
    `max_messages_per_second` is how many messages are read, of all kinds; more wait in the server.
    """

    max_message_bytes: int = 32 * 2**20
    max_message_values: int = 200_000
    max_greeting_bytes: int = 2**20
    max_error_bytes: int = 2**18
    max_state_bytes: int = 2**20
    max_catalog_bytes: int = 4 * 2**20
    max_catalog_entries: int = 1000
    max_server_requests: int = 1250
    max_messages_per_second: int = 500
    connect_seconds: float = 120

    def check_state(self, state: str | None) -> None:
        """Raise TooLargeError when a `requestState` is too large to be kept until somebody has answered."""
        if state is not None and len(state.encode(errors="replace")) > self.max_state_bytes:
            raise TooLargeError("max_state_bytes", self.max_state_bytes)


class TooLargeError(Exception):
    """What a server sent is larger than `most`, which is the setting `name`."""

    def __init__(self, name: str, most: int) -> None:
        self.name = name
        self.most = most
        super().__init__(f"The server sent more than {most:,} (setting {name}).")

    @property
    def reason(self) -> Reason:
        """Why the connection ends on which it came."""
        by_values = self.name == "max_message_values"
        code = ReasonCode.MESSAGE_TOO_MANY_VALUES if by_values else ReasonCode.MESSAGE_TOO_LARGE
        return Reason.of(code, most=self.most, setting=self.name)
