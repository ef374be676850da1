"""Passes `notifications/elicitation/complete` on to the agents of 2025-11-25 that have opened the link.

An agent gets it once for each link that was passed on to it, and for no other link.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass

from webclient.domain.model import InputRequest, Json, ServerKey

COMPLETED = "notifications/elicitation/complete"

MOST_LINKS = 100
"""Links of one user that are remembered; of more, the oldest are forgotten."""

Tell = Callable[[str, Json], None]
"""Sends a notification to an agent: its method and its parameters, during the call or after it."""


@dataclass(frozen=True, slots=True)
class _Passed:
    request_id: str
    server_id: str
    elicitation_id: object
    tell: Tell


class PassedLinks:
    """The links of all users."""

    def __init__(self) -> None:
        self._of_users: defaultdict[str, deque[_Passed]] = defaultdict(lambda: deque(maxlen=MOST_LINKS))

    def add(self, request: InputRequest, tell: Tell) -> None:
        """Remember a link that is passed on, and how to notify its agent."""
        if elicitation_id := request.params.get("elicitationId"):
            passed = _Passed(request.id, request.server_id, elicitation_id, tell)
            self._of_users[request.user_id].append(passed)

    def remove(self, request: InputRequest) -> None:
        """Remove a link that its agent has not opened."""
        self._remove(request.user_id, lambda passed: passed.request_id == request.id)

    def completed(self, server_key: ServerKey, params: Json) -> None:
        """Notify the agents that have opened this link (MCP 2025-11-25, Elicitation, Completion Notifications)."""
        user_id, server_id = server_key
        elicitation_id = params.get("elicitationId")
        for passed in self._remove(
            user_id, lambda passed: passed.server_id == server_id and passed.elicitation_id == elicitation_id
        ):
            passed.tell(COMPLETED, params)

    def _remove(self, user_id: str, belongs: Callable[[_Passed], bool]) -> list[_Passed]:
        theirs = self._of_users.pop(user_id, deque())
        if others := [each for each in theirs if not belongs(each)]:
            self._of_users[user_id].extend(others)
        return [each for each in theirs if belongs(each)]
