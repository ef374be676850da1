"""Screen-reader announcements for one page, each made once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from webclient.inbox import soon
from webclient.model import InputRequest, RequestState

_NOT_BY_THE_PERSON = (
    RequestState.WITHDRAWN,
    RequestState.EXPIRED,
    RequestState.INTERRUPTED,
    RequestState.REFUSED,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """Requests to announce: `new`, `nearing` their deadline, or `ended` without an answer."""

    new: Sequence[InputRequest]
    nearing: Sequence[InputRequest]
    ended: Sequence[InputRequest]

    def __bool__(self) -> bool:
        """Whether there is anything to announce."""
        return bool(self.new or self.nearing or self.ended)


@dataclass(slots=True)
class Announced:
    """The announcements already made on one open page."""

    _keys: set[str] = field(default_factory=set)

    def news_of(self, requests: Sequence[InputRequest]) -> Announcement:
        """Return what is new among `requests` and remember it as announced."""
        return Announcement(
            new=[each for each in requests if each.pending and self._is_news(each, each.state)],
            nearing=[each for each in requests if soon(each) and self._is_news(each, str(each.expires_at))],
            ended=[each for each in requests if each.state in _NOT_BY_THE_PERSON and self._is_news(each, each.state)],
        )

    def _is_news(self, request: InputRequest, what: str) -> bool:
        key = f"{request.id} {what}"
        is_news = key not in self._keys
        self._keys.add(key)
        return is_news
