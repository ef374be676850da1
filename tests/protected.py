"""A core with the asking server behind a proxy that checks tokens, and a sign-in that a test completes by hand."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.house import House, config, house
from tests.mcp_servers import running
from tests.mcp_servers.token_proxy import TokenProxy, token_proxy
from tests.sign_in import SignInByHand
from webclient.domain.model import LOCAL_USER, Call, CallState, Era

TOKEN = "first-token-of-the-proxy"
ANOTHER = "other-token-of-the-proxy"


@dataclass(frozen=True, slots=True)
class Protected:
    """The `proxy` before the server "it", the user's `sign_in` to it, and the running core."""

    proxy: TokenProxy
    sign_in: SignInByHand
    rooms: House

    async def waiting(self, call: Call) -> Call:
        """Wait until the user is asked to sign in, and the call waits for that."""
        return await waiting(self.sign_in, self.rooms, call)


async def waiting(sign_in: SignInByHand, rooms: House, call: Call) -> Call:
    """Wait until the user is asked, and the store has the call as waiting."""
    await sign_in.wanted.wait()

    async def look() -> Call | None:
        newest = await rooms.services.store.of(LOCAL_USER).calls.get(call.id)
        return newest if newest.state is CallState.INPUT_REQUIRED else None

    return await rooms.until(look)


@asynccontextmanager
async def protected(
    folder: Path,
    *,
    era: Era = Era.AUTO,
    transport: Literal["http", "sse"] = "http",
    token: str | None = None,
    renewed: Sequence[str] = (),
    prepare: Callable[[TokenProxy], object] = lambda _proxy: None,
) -> AsyncIterator[Protected]:
    """Run a server behind a proxy that accepts `TOKEN`, and a core.

    It connects with `token`, which can be `renewed` to these, and `prepare` changes the proxy before the core starts.
    """
    async with running(transport=transport) as server, token_proxy(server.address) as proxy:
        proxy.tokens = {TOKEN}
        prepare(proxy)
        sign_in = SignInByHand(token, renewed)
        async with core(folder, proxy, sign_in, era, transport) as rooms:
            yield Protected(proxy, sign_in, rooms)


@asynccontextmanager
async def core(
    folder: Path,
    proxy: TokenProxy,
    sign_in: SignInByHand,
    era: Era = Era.AUTO,
    transport: Literal["http", "sse"] = "http",
) -> AsyncIterator[House]:
    """Run a core with the server behind the proxy."""
    async with house(folder, [config("it", {"type": transport, "url": proxy.address}, era)], sign_in=sign_in) as rooms:
        yield rooms
