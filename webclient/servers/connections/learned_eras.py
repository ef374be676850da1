"""Remembers the transport and the eras of a server, as connecting has shown them, for the next time."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace

from webclient.domain.model import Era, Json
from webclient.protocol import Endpoint
from webclient.store import StorageError, Store


async def remember(store: Store, endpoint: Endpoint, news: Json) -> None:
    """Save `news`, the arguments of `learned`, and the detected transport."""
    endpoint.server = replace(endpoint.server, learned=learned(endpoint.server.learned, **news))
    with suppress(StorageError):  # then it is detected again after the next start
        await store.of(endpoint.server.user_id).servers.learn(endpoint.server)
    kind, server = endpoint.transport["type"], endpoint.server
    if kind != server.transport["type"]:
        endpoint.server = replace(server, transport={**server.transport, "type": kind})
        with suppress(StorageError):  # then it is detected again after the next start
            await store.of(endpoint.server.user_id).servers.change(endpoint.server)


def learned(
    before: Json, *, speaks: Collection[Era] = (), lacks: Collection[Era] = (), silent: bool | None = None
) -> Json:
    """Merge news into `{speaks, lacks, silent}`; where they contradict, the newest counts.

    `silent`: the server does not answer `server/discover`; None if that was not tried.
    """
    if silent is None:
        silent = bool(before.get("silent")) and Era.ROUNDS not in speaks
    spoken = ({Era(era) for era in before.get("speaks", ())} | set(speaks)) - set(lacks)
    missing = ({Era(era) for era in before.get("lacks", ())} | set(lacks)) - set(speaks)
    return {"speaks": sorted(spoken), "lacks": sorted(missing), "silent": silent}


def also_speaks(known: Json, version: str | None) -> Era | None:
    """Return another era that the server is known to speak besides protocol `version`, or None."""
    now = Era.ROUNDS if version == Era.ROUNDS else Era.PUSH
    return next((Era(era) for era in known.get("speaks", ()) if era != now), None)
