"""Trials of servers that are to be added or changed, with what to try next."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from webclient.domain.i18n import gettext as _
from webclient.domain.model import ReasonCode, Server
from webclient.domain.shares import Places
from webclient.servers.connections import Trial, try_server
from webclient.services import Services
from webclient.web.pages.servers.new_server import NewServer

SHARE = 2
"""Forms of one user whose servers are tried at the same time; those of others never wait for them."""

AT_ONCE = 5
"""Servers of one form that are tried at the same time."""

_trials = Places(SHARE)

_WRONG_PATH = frozenset(
    {
        ReasonCode.HTTP_WEB_PAGE,
        ReasonCode.HTTP_OTHER_CONTENT,
        ReasonCode.HTTP_UNNAMED_CONTENT,
        ReasonCode.HTTP_BAD_REQUEST,
        ReasonCode.HTTP_NOT_FOUND,
        ReasonCode.HTTP_METHOD_NOT_ALLOWED,
        ReasonCode.HTTP_CLIENT_ERROR,
        ReasonCode.HTTP_SERVER_ERROR,
        ReasonCode.HTTP_UNEXPECTED,
    }
)
"""Reasons after which another path of the host may be that of its MCP server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """The trial of a new server."""

    new: NewServer
    trial: Trial

    @property
    def suggestion(self) -> str | None:
        """Another address to try, if only the path seems wrong."""
        fault, url = self.trial.fault, self.new.transport["url"]
        if fault is None or fault.reason.code not in _WRONG_PATH or urlsplit(url).path.rstrip("/"):
            return None
        return f"{url.rstrip('/')}/mcp" if not urlsplit(url).query else None


async def try_new(services: Services, user_id: str, new: Sequence[NewServer]) -> list[Attempt]:
    """Try servers that are not saved, some at the same time. Raises ShareTakenError."""
    sentence = _("Two trials of servers are running for you already. Wait until one has ended, and try again.")
    with _trials.taken(user_id, sentence):
        turns = asyncio.Semaphore(AT_ONCE)
        return await asyncio.gather(*(_try(services, user_id, each, turns) for each in new))


async def _try(services: Services, user_id: str, new: NewServer, turns: asyncio.Semaphore) -> Attempt:
    server = Server(user_id=user_id, label=new.label or new.transport["url"], transport=new.transport, era=new.era)
    async with turns:
        return Attempt(new=new, trial=await try_server(server, services.connections.limits, services.connections.guard))
