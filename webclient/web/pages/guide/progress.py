"""The progress of each user in the guided demo, in memory: after a restart only what still runs is known."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from fastapi import Request

from webclient.domain.model import InputRequest

PATH = "/demo"
"""The address of the guide."""


@dataclass(slots=True)
class GuideProgress:
    """The scenes of one user: the last one that was run, the newest call of each, and those seen to the end.

    `resumed`: the calls that an earlier process left open have been looked for.
    """

    scene: str = ""
    calls: dict[str, str] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    resumed: bool = False
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def clear(self) -> None:
        """Return to the beginning."""
        self.scene = ""
        self.calls.clear()
        self.seen.clear()


class Guide:
    """The progress of all users; its size is bounded by the number of scenes and users."""

    def __init__(self) -> None:
        self._progress: dict[str, GuideProgress] = {}

    def of(self, user_id: str) -> GuideProgress:
        """Return the progress of a user."""
        return self._progress.setdefault(user_id, GuideProgress())


def address_after(http_request: Request, request: InputRequest) -> str | None:
    """Return the page of the scene to which the request belongs, or None."""
    guide: Guide | None = http_request.app.state.guide
    if guide is None or request.call_id is None:
        return None
    calls = guide.of(request.user_id).calls
    scene = next((key for key, call_id in calls.items() if call_id == request.call_id), None)
    return f"{PATH}?scene={scene}" if scene else None
