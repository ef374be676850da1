"""The content of a notice: who asks, how many questions wait, and where the card is; nothing of the questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webclient.i18n import gettext as _
from webclient.i18n import listed, ngettext
from webclient.model import Json, WaitingRequest
from webclient.settings import Settings
from webclient.visible_text import visible

MOST_NAMED = 5
"""Servers that a notice names; the others are in its count."""

LONGEST_NAME = 80
"""Characters of the name of a server; a push service takes 4 kB in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The content of a notice: the labels of who asks, the number of questions, and the one that it leads to.

    Without a request it is a test.
    """

    asked_by: tuple[str, ...] = ()
    count: int = 0
    request_id: str = ""

    @property
    def path(self) -> str:
        """The path of the card below our address; that of the settings for a test."""
        return f"requests/{self.request_id}" if self.request_id else "notifications"


def content_of(waiting: Sequence[WaitingRequest], request_id: str) -> Content:
    """Return the content for what waits; it leads to this request, or the oldest if that is settled."""
    first = next((each for each in waiting if each.id == request_id), waiting[0])
    labels = dict.fromkeys(each.asked_by[:LONGEST_NAME] for each in (first, *waiting))
    return Content(asked_by=tuple(labels)[:MOST_NAMED], count=len(waiting), request_id=first.id)


def sentences_of(content: Content) -> Json:
    """Return the title and the body of a notice, in the language of the context."""
    if not content.request_id:
        title, body = _("Test notification"), _("This browser gets notifications from mcp-webclient.")
        return {"title": title, "body": body}
    body = ngettext("{n} question waits", "{n} questions wait", content.count).format(n=content.count)
    # Hidden characters in a label would show as nothing, or turn its direction around.
    label = listed(visible(each, LONGEST_NAME) for each in content.asked_by)
    return {"title": _("{label} is waiting for you").format(label=label), "body": body}


def link_to(settings: Settings, path: str) -> str:
    """Return the address of one of our pages for a reader outside of the browser."""
    return f"{settings.public_url or f'http://127.0.0.1:{settings.port}'}/{path}"
