"""Screen-reader announcements for one page, each made once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from webclient.domain.model import Call, ListedRequest, PendingSignIn, RequestState, Stage
from webclient.inbox import soon
from webclient.web.pages.inbox.sign_in_cards import SignInCard

_NOT_BY_THE_PERSON = (
    RequestState.WITHDRAWN,
    RequestState.EXPIRED,
    RequestState.INTERRUPTED,
    RequestState.REFUSED,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """Requests to announce: `new`, `nearing` their deadline, or `ended` without an answer; and the page's `ended_call`.

    The call is announced alone: its result is why the person is on the page. `sign_ins` are wanted since the page is
    open. Those in `arrived` were asked while the page was open: the browser may show a notification for them. In
    `ready` are requests for which a model has written an answer, which the person is to review.
    """

    new: Sequence[ListedRequest]
    nearing: Sequence[ListedRequest]
    ended: Sequence[ListedRequest]
    arrived: Sequence[ListedRequest]
    ended_call: Call | None = None
    sign_ins: Sequence[SignInCard] = ()
    ready: Sequence[ListedRequest] = ()

    def __bool__(self) -> bool:
        """Whether there is anything to announce."""
        return bool(self.new or self.ready or self.nearing or self.ended or self.ended_call or self.sign_ins)


@dataclass(slots=True)
class Announced:
    """The announcements already made on one page, which was `opened` at that time."""

    opened: datetime
    _keys: set[str] = field(default_factory=set)

    def news_of(
        self, requests: Sequence[ListedRequest], call: Call | None = None, sign_ins: Sequence[SignInCard] = ()
    ) -> Announcement:
        """Return what is new of `requests`, the page's `call` and wanted `sign_ins`; remember it as announced."""
        came = [each for each in requests if each.pending and self._is_news(each, each.state) and not each.decided]
        # One at which a model works was seen before, unless it came while the page was open.
        new = [each for each in came if each.stage is Stage.PENDING or each.created_at >= self.opened]
        return Announcement(
            new=new,
            arrived=[each for each in new if each.created_at >= self.opened],
            nearing=[each for each in requests if soon(each) and self._is_news(each, str(each.expires_at))],
            ended=[each for each in requests if each.state in _NOT_BY_THE_PERSON and self._is_news(each, each.state)],
            ended_call=call if call and call.state.ended and self._is_news(call, call.state) else None,
            sign_ins=[
                each
                for each in sign_ins
                if each.sign_in.created_at >= self.opened and self._is_news(each.sign_in, "wanted")
            ],
            ready=[
                each
                for each in requests
                if each.pending and each.stage is Stage.REVIEWING and self._is_news(each, _answer_of(each))
            ],
        )

    def _is_news(self, subject: ListedRequest | Call | PendingSignIn, what: str) -> bool:
        key = f"{subject.id} {what}"
        is_news = key not in self._keys
        self._keys.add(key)
        return is_news


def _answer_of(request: ListedRequest) -> str:
    """Return a name of the run of a model, of which there may be several for one request."""
    return f"answer {request.started_at}"
