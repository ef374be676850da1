"""The wait for the links of an error -32042: until all are finished, or one of them never will be."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from webclient.i18n import gettext as _
from webclient.inbox import Inbox, link_of
from webclient.model import InputRequest, Json, RequestState


class UnopenedError(Exception):
    """The call ends, as one of the links that it needs was not opened or finished; `error` is the call's."""

    def __init__(self, error: Json) -> None:
        super().__init__(error["message"])
        self.error = error


async def until_finished(inbox: Inbox, requests: Collection[InputRequest], error: Json) -> list[InputRequest]:
    """Wait until every one of these links is finished. Raises UnopenedError as soon as one never will be."""
    newest = await inbox.until(requests, lambda found: bool(_ended(found)) or _all_finished(found))
    for ended in _ended(newest):
        raise UnopenedError({**error, "message": _sentence(ended)})
    return newest


def _all_finished(requests: Sequence[InputRequest]) -> bool:
    return all(request.state is RequestState.COMPLETED for request in requests)


def _ended(requests: Sequence[InputRequest]) -> list[InputRequest]:
    open_or_finished = (RequestState.PENDING, RequestState.WAITING, RequestState.COMPLETED)
    return [request for request in requests if request.state not in open_or_finished]


def _sentence(request: InputRequest) -> str:
    where = link_of(request).host or _("the address")
    if request.given_up:
        return _("You gave up waiting for {where}, which the call needs.").format(where=where)
    if request.state is RequestState.DECLINED:
        return _("You declined to open {where}, which the call needs.").format(where=where)
    if request.state is RequestState.CANCELLED:
        return _("You did not open {where}, which the call needs.").format(where=where)
    sentence = _("The call needs {where}, which was not opened. {reason}")
    return sentence.format(where=where, reason=request.reason or "").rstrip()
