"""The steps of the last sign-ins to each server, for its page: addresses, statuses and decisions, never a secret."""

from __future__ import annotations

from collections import defaultdict, deque
from urllib.parse import urlsplit, urlunsplit

from webclient.domain.model import Reason, ServerKey, SignInStep, SignInStepKind

MOST_STEPS = 40
"""Steps that are remembered for each server; a sign-in has about eight."""


class Trace:
    """The newest steps of each server, in memory only."""

    def __init__(self) -> None:
        self._steps: dict[ServerKey, deque[SignInStep]] = defaultdict(lambda: deque(maxlen=MOST_STEPS))

    def add(
        self,
        key: ServerKey,
        kind: SignInStepKind,
        url: str,
        status: int | None = None,
        *,
        milliseconds: int | None = None,
        found: str = "",
        reason: Reason | None = None,
    ) -> None:
        """Remember a step; all parts of the address that could be secret are left out."""
        self._steps[key].append(
            SignInStep(
                kind=kind,
                url=without_query(url),
                status=status,
                milliseconds=milliseconds,
                found=found,
                reason=reason,
            )
        )

    def of(self, key: ServerKey) -> tuple[SignInStep, ...]:
        """Return the steps of a server, oldest first."""
        return tuple(self._steps.get(key, ()))

    def forget(self, key: ServerKey) -> None:
        """Forget the steps of a server."""
        self._steps.pop(key, None)


def without_query(url: str) -> str:
    """Return an address without user, query and fragment."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
