"""The page that asks to confirm an action which ends open work, and names that work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import HTMLResponse

from webclient.http import render
from webclient.i18n import gettext as _
from webclient.i18n import ngettext
from webclient.model import Era, Server
from webclient.pages.page_context import read_page_context
from webclient.pages.posted_form import Posted
from webclient.services import Services

CONFIRMED = "confirmed"
"""The control that the button of the page posts."""


@dataclass(frozen=True, slots=True)
class OpenWork:
    """The number of pending questions and of open calls on a server's connection."""

    questions: int
    calls: int

    def __bool__(self) -> bool:
        return bool(self.questions or self.calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """An action to confirm: posting `fields` to `action` does it, with the `consequences`."""

    title: str
    consequences: Sequence[str]
    action: str
    button: str
    fields: Posted = ()


async def read_open_work(services: Services, server: Server) -> OpenWork:
    """Count the open work on the server's connection."""
    pending = await services.store.of(server.user_id).requests.count_pending()
    return OpenWork(pending.get(server.id, 0), await services.store.of(server.user_id).calls.count_open(server.id))


def lost_work(found: OpenWork) -> list[str]:
    """Return the sentences on what the end of the connection does to open work."""
    questions = ngettext(
        "{n} question is waiting for you. It will be interrupted: the server gets no answer.",
        "{n} questions are waiting for you. They will be interrupted: the server gets no answers.",
        found.questions,
    )
    calls = ngettext(
        "{n} call is running. It will be interrupted; you can run it again later.",
        "{n} calls are running. They will be interrupted; you can run them again later.",
        found.calls,
    )
    return [
        *([questions.format(n=found.questions)] if found.questions else []),
        *([calls.format(n=found.calls)] if found.calls else []),
        *([] if found else [_("No questions are waiting, and no calls are running.")]),
    ]


def era_change(server: Server, era: Era, found: OpenWork, *, action: str) -> Confirmation:
    """Return the confirmation of `action`, which reconnects the server in another era."""
    return Confirmation(
        title=_("Reconnect {label}?").format(label=server.label),
        consequences=[
            _("The protocol version is negotiated when connecting, so the server will be reconnected."),
            *lost_work(found),
        ],
        action=action,
        button=_("Reconnect"),
        fields=[("era", era)],
    )


async def ask_to_confirm(
    request: Request, services: Services, server: Server, confirmation: Confirmation, *, status: int = 200
) -> HTMLResponse:
    """Return the page that asks for the confirmation."""
    page_context = await read_page_context(services, server.user_id)
    return render(
        request,
        "servers/confirmation.html",
        status=status,
        page_context=page_context,
        server=server,
        confirmation=confirmation,
    )
