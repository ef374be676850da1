"""What connecting has shown of a server, remembered for the next time: its transport, and the eras that it speaks."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace

from webclient.model import Era, Json
from webclient.protocol import Endpoint
from webclient.store import StorageError, Store


async def remember(store: Store, endpoint: Endpoint, news: Json) -> None:
    """Keep `news`, the arguments of `learned`, and the transport that a server turned out to speak."""
    endpoint.server = replace(endpoint.server, learned=learned(endpoint.server.learned, **news))
    with suppress(StorageError):  # then it is found again after the next start
        await store.of(endpoint.server.user_id).servers.learn(endpoint.server)
    kind, server = endpoint.transport["type"], endpoint.server
    if kind != server.transport["type"]:
        endpoint.server = replace(server, transport={**server.transport, "type": kind})
        with suppress(StorageError):  # then it is found again after the next start
            await store.of(endpoint.server.user_id).servers.change(endpoint.server)


def learned(before: Json, *, speaks: Collection[Era] = (), lacks: Collection[Era] = (), silent: bool = False) -> Json:
    """Return `{speaks, lacks, silent}` with what is new; the newest counts where it contradicts what was known.

    `silent`: the server leaves `server/discover` without an answer.
    """
    spoken = ({Era(era) for era in before.get("speaks", ())} | set(speaks)) - set(lacks)
    missing = ({Era(era) for era in before.get("lacks", ())} | set(lacks)) - set(speaks)
    return {"speaks": sorted(spoken), "lacks": sorted(missing), "silent": silent}


def also_speaks(known: Json, version: str | None) -> Era | None:
    """Return the era that the server speaks besides that of protocol `version`, if that is known."""
    now = Era.ROUNDS if version == Era.ROUNDS else Era.PUSH
    return next((Era(era) for era in known.get("speaks", ()) if era != now), None)
