"""Links: opened ones wait here until they are finished or given up; `links_of` adds which sites were opened before."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import partial

from webclient.content.links import Link, site_of
from webclient.domain.errors import ConflictError
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import sentences
from webclient.domain.model import InputRequest, Reason, ReasonCode, RequestState, Via
from webclient.inbox.kinds import kind_of, link_of
from webclient.store import Store
from webclient.store.live import Hub

_Opened = Mapping[str, Mapping[str, datetime]]


class OpenedLinks:
    """The url requests of all users in the state `waiting`."""

    def __init__(self, store: Store, hub: Hub) -> None:
        self._store = store
        self._hub = hub

    async def finished(self, user_id: str, request_id: str, *, via: Via = Via.API) -> InputRequest:
        """Complete a link because the person says, at `via`, that they finished there."""
        reason = Reason(ReasonCode.PERSON_FINISHED)
        completed = await self._move_on(user_id, request_id, RequestState.COMPLETED, reason, via=via)
        if completed is not None:
            return completed
        request = await self._store.of(user_id).requests.get(request_id)
        if request.state is not RequestState.COMPLETED:
            raise ConflictError(
                sentences([_("Only a link that was accepted can be finished."), kind_of(request).describe(request)])
            )
        return request

    async def give_up(
        self,
        user_id: str,
        request_id: str,
        *,
        via: Via | None = Via.API,
        reason: ReasonCode = ReasonCode.PERSON_GAVE_UP,
    ) -> InputRequest:
        """Cancel an opened link for a `reason`: the person says at `via` that they no longer wait."""
        given_up = await self._move_on(user_id, request_id, RequestState.CANCELLED, Reason(reason), via=via)
        if given_up is None:
            request = await self._store.of(user_id).requests.get(request_id)
            raise ConflictError(
                sentences([_("Only a link that was accepted can be given up."), kind_of(request).describe(request)])
            )
        return given_up

    async def notified(self, user_id: str, server_id: str, completed_at: Mapping[str, datetime]) -> None:
        """Complete the waiting links of these elicitation ids; their server reported them at these times.

        An id that is unknown, of another server or user, or completed before, changes nothing (MCP 2025-11-25,
        Elicitation, Completion Notifications: MUST). The id of a link that was not opened yet changes nothing either,
        because a notification is not consent. If a change cannot be written now, it is written as soon as possible,
        even if the connection is lost by then.
        """
        reason = Reason(ReasonCode.SERVER_REPORTED_FINISHED)
        for request in await self._store.of(user_id).links.waiting_for(server_id, completed_at):
            # A link that was opened after the notification is not the one that it reported.
            if request.opened_at and request.opened_at <= completed_at[request.params["elicitationId"]]:
                complete = partial(self._move_on, user_id, request.id, RequestState.COMPLETED, reason)
                await self._store.health.write_soon((request.id, RequestState.COMPLETED), complete)

    async def still_waits(self, request: InputRequest) -> None:
        """Show that the server asked for an opened link again; `request` is its state by then."""
        if request.state is RequestState.COMPLETED:
            reason = Reason(ReasonCode.SERVER_NOT_SATISFIED)
        else:
            reason = Reason(ReasonCode.SERVER_STILL_WAITS)
        if (request.state, request.reason) != (RequestState.WAITING, reason):
            await self._store.health.until_written(
                lambda: self._move_on(request.user_id, request.id, RequestState.WAITING, reason, from_=request.state)
            )

    async def went_on(self, request: InputRequest) -> None:
        """Complete an opened link that the server no longer asks for."""
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
    """Return the links of the user's requests by request id; requests without one are left out."""
    with_link = [request for request in requests if kind_of(request).has_link]
    opened = await _opened(store, user_id, {request.server_id for request in with_link})
    return {request.id: link_of(request, _before(request, opened)) for request in with_link}


async def _opened(store: Store, user_id: str, server_ids: Collection[str]) -> _Opened:
    """Return by server the opened sites, each with the time of its first request."""
    first: dict[str, dict[str, datetime]] = {server_id: {} for server_id in server_ids}
    for server_id, url, created_at in await store.of(user_id).links.opened(server_ids) if server_ids else ():
        site = site_of(url)
        first[server_id][site] = min(created_at, first[server_id].get(site, created_at))
    return first


def _before(request: InputRequest, opened: _Opened) -> Collection[str]:
    # A settled request keeps the findings that it had when it came.
    first = opened[request.server_id].items()
    return {site for site, created_at in first if request.pending or created_at < request.created_at}
