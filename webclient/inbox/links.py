"""Links: which were opened, which are waited for, and how that ends; with what is known of each from before."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import partial

from webclient.consent import Link, site_of
from webclient.errors import ConflictError
from webclient.i18n import gettext as _
from webclient.inbox.kinds import kind_of, link_of
from webclient.live import Hub
from webclient.model import InputRequest, Reason, ReasonCode, RequestState, Via
from webclient.store import Store

_Opened = Mapping[str, Mapping[str, datetime]]


class OpenedLinks:
    """The url requests that are `waiting`, of all users of this process."""

    def __init__(self, store: Store, hub: Hub) -> None:
        self._store = store
        self._hub = hub

    async def finished(self, user_id: str, request_id: str, *, via: Via = Via.API) -> InputRequest:
        """Record that the person is done at the page that a url request sent them to; `via` is where they say so."""
        reason = Reason(ReasonCode.PERSON_FINISHED)
        completed = await self._move_on(user_id, request_id, RequestState.COMPLETED, reason, via=via)
        if completed is not None:
            return completed
        request = await self._store.of(user_id).requests.get(request_id)
        if request.state is not RequestState.COMPLETED:
            raise ConflictError(
                _("Only a link that was accepted can be finished; {what}").format(
                    what=kind_of(request).describe(request)
                )
            )
        return request

    async def give_up(self, user_id: str, request_id: str, *, via: Via = Via.API) -> InputRequest:
        """Record that the person no longer waits for what comes of an opened link; `via` is where they say so."""
        reason = Reason(ReasonCode.PERSON_GAVE_UP)
        given_up = await self._move_on(user_id, request_id, RequestState.CANCELLED, reason, via=via)
        if given_up is None:
            request = await self._store.of(user_id).requests.get(request_id)
            raise ConflictError(
                _("Only a link that was accepted can be given up; {what}").format(
                    what=kind_of(request).describe(request)
                )
            )
        return given_up

    async def notified(self, user_id: str, server_id: str, told: Mapping[str, datetime]) -> None:
        """Complete the links that wait for these ids: their server said at that time that the person is done there.

        An id that is unknown, of another server or user, or told before, changes nothing (MCP 2025-11-25, Elicitation,
        Completion Notifications: MUST). Nor does that of a link which nobody agreed to open yet: it is no consent.
        What cannot be written now is written as soon as it can, whatever becomes of the connection meanwhile.
        """
        reason = Reason(ReasonCode.SERVER_REPORTED_FINISHED)
        for request in await self._store.of(user_id).links.waiting_for(server_id, told):
            # What was agreed to after the notification is not what it told of.
            if request.opened_at and request.opened_at <= told[request.params["elicitationId"]]:
                complete = partial(self._move_on, user_id, request.id, RequestState.COMPLETED, reason)
                await self._store.health.write_soon((request.id, RequestState.COMPLETED), complete)

    async def still_waits(self, request: InputRequest) -> None:
        """Show that the server asked for an opened link once more; `request` is how it stood when it asked."""
        if request.state is RequestState.COMPLETED:
            reason = Reason(ReasonCode.SERVER_NOT_SATISFIED)
        else:
            reason = Reason(ReasonCode.SERVER_STILL_WAITS)
        if (request.state, request.reason) != (RequestState.WAITING, reason):
            await self._store.health.until_written(
                lambda: self._move_on(request.user_id, request.id, RequestState.WAITING, reason, from_=request.state)
            )

    async def went_on(self, request: InputRequest) -> None:
        """Record that the server no longer waits for an opened link."""
        reason = Reason(ReasonCode.SERVER_CONTINUED)
        await self._store.health.until_written(
            lambda: self._move_on(request.user_id, request.id, RequestState.COMPLETED, reason)
        )

    async def _move_on(
        self,
        user_id: str,
        request_id: str,
        state: RequestState,
        reason: Reason,
        *,
        from_: RequestState = RequestState.WAITING,
        via: Via | None = None,
    ) -> InputRequest | None:
        moved = await self._store.of(user_id).requests.settle(
            request_id, to=state, reason=reason, from_=(from_,), ended_via=via
        )
        if moved is not None:
            self._hub.publish(user_id, "request", request_id)
        return moved


async def links_of(store: Store, user_id: str, requests: Sequence[InputRequest]) -> dict[str, Link]:
    """Return the links of those of the user's requests that have one, by the request's id."""
    asking = [request for request in requests if kind_of(request).has_link]
    opened = await _opened(store, user_id, {request.server_id for request in asking})
    return {request.id: link_of(request, _before(request, opened)) for request in asking}


async def _opened(store: Store, user_id: str, server_ids: Collection[str]) -> _Opened:
    """When each site was first sent to by each server, of those that the person then opened."""
    first: dict[str, dict[str, datetime]] = {server_id: {} for server_id in server_ids}
    for server_id, url, asked in await store.of(user_id).links.opened(server_ids) if server_ids else ():
        site = site_of(url)
        first[server_id][site] = min(asked, first[server_id].get(site, asked))
    return first


def _before(request: InputRequest, opened: _Opened) -> Collection[str]:
    # What was settled keeps what was true of it when it was asked.
    first = opened[request.server_id].items()
    return {site for site, asked in first if request.pending or asked < request.created_at}
