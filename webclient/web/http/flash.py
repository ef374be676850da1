"""Feedback after an action, which the next page shows once: without cookies, scripts, or text in an address."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from secrets import token_urlsafe

from starlette.requests import Request
from starlette.responses import RedirectResponse

NAME = "flash"
"""The parameter of an address that names what there is to say."""

MOST = 500
"""Sentences that wait for their page; the oldest goes first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """A `button` that posts `fields` to `action`; the page shows it for `seconds`, and for ever if 0."""

    action: str
    button: str
    fields: Sequence[tuple[str, str]] = ()
    seconds: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Flash:
    """A sentence on an action, and how to undo it, if it can be undone."""

    sentence: str
    undo: Undo | None = None


# In memory: a sentence that a restart loses says nothing that the page does not show as well.
_waiting: OrderedDict[str, Flash] = OrderedDict()


def redirect(address: str, sentence: str, *, undo: Undo | None = None) -> RedirectResponse:
    """Redirect to the page at `address`, which says the sentence once."""
    name = token_urlsafe(9)
    _waiting[name] = Flash(sentence=sentence, undo=undo)
    if len(_waiting) > MOST:
        _waiting.popitem(last=False)
    return RedirectResponse(f"{address}{'&' if '?' in address else '?'}{NAME}={name}", status_code=303)


def take_flash(request: Request) -> Flash | None:
    """Return what the page of this request has to say, and forget it."""
    return _waiting.pop(request.query_params.get(NAME, ""), None)
