"""The content of a notice: who asks, how much waits, and where the card is; nothing of the questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webclient.content.visible_text import visible
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import listed, ngettext
from webclient.domain.model import Json, WaitingRequest
from webclient.settings import Settings

MOST_NAMED = 5
"""Servers that a notice names; the others are in its count."""

LONGEST_NAME = 80
"""Characters of the name of a server; a push service takes 4 kB in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The content of a notice: the labels of who asks, how many questions and sign-ins wait, and where it leads.

    `request_id` is that of a sign-in if `is_sign_in`. Without one it is a test.
    """

    asked_by: tuple[str, ...] = ()
    count: int = 0
    sign_ins: int = 0
    request_id: str = ""
    is_sign_in: bool = False

    @property
    def path(self) -> str:
        """The path of the card below our address; that of the settings for a test."""
        if not self.request_id:
            return "notifications"
        return f"sign-ins/{self.request_id}" if self.is_sign_in else f"requests/{self.request_id}"


def content_of(waiting: Sequence[WaitingRequest], request_id: str) -> Content:
    """Return the content for what waits; it leads to this request, or the oldest if that is settled."""
    first = next((each for each in waiting if each.id == request_id), waiting[0])
    labels = dict.fromkeys(each.asked_by[:LONGEST_NAME] for each in (first, *waiting))
    sign_ins = sum(each.is_sign_in for each in waiting)
    return Content(
        asked_by=tuple(labels)[:MOST_NAMED],
        count=len(waiting) - sign_ins,
        sign_ins=sign_ins,
        request_id=first.id,
        is_sign_in=first.is_sign_in,
    )


def sentences_of(content: Content) -> Json:
    """Return the title and the body of a notice, in the language of the context."""
    if not content.request_id:
        title, body = _("Test notification"), _("This browser gets notifications from mcp-webclient.")
        return {"title": title, "body": body}
    lines = []
    if content.sign_ins:
        sentence = ngettext("{n} server wants you to sign in", "{n} servers want you to sign in", content.sign_ins)
        lines.append(sentence.format(n=content.sign_ins))
    if content.count:
        sentence = ngettext("{n} question waits", "{n} questions wait", content.count)
        lines.append(sentence.format(n=content.count))
    # Hidden characters in a label would show as nothing, or turn its direction around.
    label = listed(visible(each, LONGEST_NAME) for each in content.asked_by)
    return {"title": _("{label} is waiting for you").format(label=label), "body": "\n".join(lines)}


def link_to(settings: Settings, path: str) -> str:
    """Return the address of one of our pages for a reader outside of the browser."""
    return f"{settings.public_url or f'http://127.0.0.1:{settings.port}'}/{path}"
