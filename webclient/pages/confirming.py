"""Before something ends that a person may still want: a page that says what will happen, with a button that does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import HTMLResponse

from webclient.http.templating import render
from webclient.i18n import gettext as _
from webclient.i18n import ngettext
from webclient.model import Era, Server
from webclient.pages.page_context import read_page_context
from webclient.pages.posted import Posted
from webclient.services import Services

CONFIRMED = "confirmed"
"""The control with which the page's button says that what will happen was read."""


@dataclass(frozen=True, slots=True)
class Open:
    """How much is open on a server's connection: questions that wait for the person, and calls under way."""

    questions: int
    calls: int

    def __bool__(self) -> bool:
        return bool(self.questions or self.calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """What is to be confirmed: posting `fields` to `action` does it, and then all that `happens` does."""

    title: str
    happens: Sequence[str]
    action: str
    button: str
    fields: Posted = ()


async def open_on(services: Services, server: Server) -> Open:
    """Return how much is open on the server's connection."""
    pending = await services.store.requests.count_pending(server.user_id)
    return Open(pending.get(server.id, 0), await services.store.calls.count_open(server.user_id, server.id))


def cut_off(found: Open) -> list[str]:
    """Return, in sentences, what the end of the connection does to what is open on it."""
    questions = ngettext(
        "{n} question waits for you. It will be cut off: the server gets no answer.",
        "{n} questions wait for you. They will be cut off: the server gets no answers.",
        found.questions,
    )
    calls = ngettext(
        "{n} call is under way. It will be interrupted; you can run it again later.",
        "{n} calls are under way. They will be interrupted; you can run them again later.",
        found.calls,
    )
    return [
        *([questions.format(n=found.questions)] if found.questions else []),
        *([calls.format(n=found.calls)] if found.calls else []),
        *([] if found else [_("Nothing is open on it.")]),
    ]


def changing_era(server: Server, era: Era, found: Open, *, action: str) -> Confirmation:
    """Return what is to be confirmed before `action` connects the server in another era."""
    return Confirmation(
        title=_("Reconnect {label}?").format(label=server.label),
        happens=[_("The era is negotiated when connecting, so the server will be reconnected."), *cut_off(found)],
        action=action,
        button=_("Reconnect"),
        fields=[("era", era)],
    )


async def page(
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
