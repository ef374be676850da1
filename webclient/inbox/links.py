"""The links of url requests, looked at with what is known of their server and of what was opened for it before."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from webclient.consent import Link, analyse, site_of
from webclient.model import InputRequest, RequestKind
from webclient.store import Store

_Opened = Mapping[str, Mapping[str, datetime]]


def link_of(request: InputRequest, opened: Collection[str] | None = None) -> Link:
    """Return the link that a url request asks to be opened; `opened` as in `analyse`."""
    url = request.params.get("url")
    address = request.asked_by.address
    server_url = address if address.startswith(("http://", "https://")) else None
    return analyse(url if isinstance(url, str) else "", server_url=server_url, opened=opened)


async def links_of(store: Store, user_id: str, requests: Sequence[InputRequest]) -> dict[str, Link]:
    """Return the links of those of the user's requests that are url requests, by the request's id."""
    asking = [request for request in requests if request.kind is RequestKind.URL]
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
