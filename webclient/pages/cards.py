"""A card: one input request as a person meets it, with what they typed so far and what would be sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from webclient.consent import Link
from webclient.forms import (
    DOTS,
    JSON_CONTROL,
    Form,
    Parsed,
    Review,
    Texts,
    concealed,
    posted_texts,
    review,
    typed_secrets,
)
from webclient.inbox import kind_of, soon
from webclient.model import Call, Delivery, InputRequest, Json

LONG_CALL = 20
"""The round of a call from which on each card asks whether the call should go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One input request to be shown.

    `texts` is what was typed, None before anybody did; `errors` maps property names, or "" for the whole, to
    sentences. `content` is what would be sent as the form stands, and `missing` what still stops it.
    `draft` says what of it is kept. `secrets` are sentences on what was typed and looks like a credential, to be
    confirmed before it is sent. `left` is what was written as JSON and has no place in the fields, after `switched`.
    `link` is what a url request asks to open, as long as it can be opened from here. `declined` is how often the person
    declined the same before. `typed` is what had been typed when the question ended without an answer, `call` the call
    of a settled one, if it can be run again. `possible` are the calls of which it may be, where its server
    does not say. `reach` says when the server of a pending one cannot be reached.
    `notice` is said once to whoever came too late; `previewed`: somebody asked to see what would be sent.
    """

    request: InputRequest
    form: Form | None = None
    texts: Mapping[str, Sequence[str]] | None = None
    errors: Mapping[str, str] = field(default_factory=dict)
    content: Mapping[str, Any] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    draft: str = ""
    secrets: Mapping[str, str] = field(default_factory=dict)
    confirmed: bool = False
    left: Mapping[str, Any] = field(default_factory=dict)
    switched: bool = False
    link: Link | None = None
    declined: int = 0
    typed: str = ""
    call: Call | None = None
    possible: Sequence[Call] = ()
    reach: str = ""
    notice: str = ""
    previewed: bool = False

    @property
    def runs_out(self) -> datetime | None:
        """When the question is cancelled for want of an answer, if that is soon."""
        return soon(self.request)

    @property
    def is_of_long_call(self) -> bool:
        """Whether its call has come so far that the person is asked whether it should go on."""
        asked = self.request
        return asked.call_id is not None and (asked.round or 0) >= LONG_CALL

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments of the call during which it is asked, with dots for those that are withheld."""
        during = self.request.during
        return _dotted(during.arguments, during.withheld) if during else {}

    @property
    def possible_arguments(self) -> list[tuple[Call, Mapping[str, Any]]]:
        """Each call that may be the one during which it is asked, with its arguments in the same way."""
        return [(call, _dotted(call.shown_arguments, call.withheld)) for call in self.possible]

    @property
    def json(self) -> str | None:
        """The answer as it is written in JSON, or None while it is filled in as fields."""
        return self.texts[JSON_CONTROL][-1] if self.texts is not None and JSON_CONTROL in self.texts else None

    @property
    def review(self) -> Review:
        """What would be left out, and what became of the server's suggestions."""
        return review(self.form or Form(), self.content, self.missing)

    @property
    def can_start_over(self) -> bool:
        """Whether the way on is to run the call again: a fault ended it, or it waits for an answer that was lost."""
        lost = self.request.delivery is Delivery.FAILED
        return self.call is not None and (self.call.can_start_over or (lost and not self.call.state.ended))

    def under_its_call(self) -> Card:
        """Return it as it stands on the page of its call, whose head shows the way on once the call has ended."""
        return replace(self, call=None) if self.call is not None and self.call.state.ended else self

    @property
    def concealed(self) -> Mapping[str, Any] | None:
        """What was sent, with dots for what may be a secret; None if nothing of it may be."""
        sent = self.request.content
        if not sent or self.request.gone:
            # What is no longer kept needs no dots.
            return None
        shown = concealed(form_of(self.request), sent, _message(self.request))
        return None if shown == sent else shown

    @property
    def suggests_no(self) -> bool:
        """Whether declining is the suggested way: for secrets in a form, and for links that must not be opened."""
        return bool(self.warnings or self.secrets or (self.link and self.link.blocked))

    @property
    def template(self) -> str:
        """The partial that shows it: a settled question folds, whatever its kind was."""
        if not self.request.pending:
            return "requests/_outcome.html"
        return kind_of(self.request).template

    @property
    def facts(self) -> list[tuple[str, str]]:
        """What else the history shows of it."""
        return kind_of(self.request).facts(self.request)


CONFIRMED = "confirmed"
"""The control with which a person says that what looks like a credential is meant to be sent."""


def _dotted(arguments: Json | None, withheld: Iterable[str]) -> Json:
    return {**(arguments or {}), **dict.fromkeys(withheld, DOTS)}


def untouched(request: InputRequest, link: Link | None = None) -> Card:
    """Return the card as it is before anybody typed: the schema's defaults, and nothing else.

    `link` is that of a url request, if more is known of it than the request itself tells.
    """
    kind = kind_of(request)
    shown = (link or kind.link(request)) if shows_link(request) else None
    found = kind.form(request) if request.pending else None
    if found is None:
        return Card(request=request, link=shown)
    return Card(
        request=request,
        link=shown,
        form=found.form,
        content=found.content,
        missing=found.errors,
        warnings=tuple(found.warnings.values()),
    )


def shows_link(request: InputRequest) -> bool:
    """Whether the card shows a link that can be opened, now or again."""
    return request.open and kind_of(request).has_link


def takes_form(request: InputRequest) -> bool:
    """Whether the card has a form to fill in."""
    return request.pending and kind_of(request).has_form


def filled(
    request: InputRequest, parsed: Parsed, errors: Mapping[str, str] | None = None, *, confirmed: bool = False
) -> Card:
    """Return the card as it was typed, with `errors` at its fields; `confirmed`: it may be sent with credentials."""
    found = kind_of(request).form(request)
    return Card(
        request=request,
        form=found.form if found else None,
        warnings=tuple(found.warnings.values()) if found else (),
        texts=parsed.texts,
        errors=errors or {},
        content=parsed.content,
        missing=parsed.errors,
        secrets=typed_secrets(parsed.content, found.form) if confirmed and found else {},
        confirmed=confirmed,
    )


def as_posted(card: Card) -> Sequence[tuple[str, str]]:
    """Return what a browser would post of the card as it was typed."""
    return [(name, text) for name, typed in (card.texts or {}).items() for text in typed]


def texts_of(form: Form, posted: Sequence[tuple[str, str]]) -> Texts:
    """Return what was posted to a card's controls, without judging it."""
    written = next((text for name, text in posted if name == JSON_CONTROL), None)
    return posted_texts(form, posted) if written is None else {JSON_CONTROL: [written]}


def stopped(request: InputRequest, parsed: Parsed) -> Card | None:
    """Return the card that asks once more before what looks like a credential is sent; None if nothing does."""
    secrets = typed_secrets(parsed.content, form_of(request))
    return replace(filled(request, parsed), secrets=secrets) if secrets else None


def form_of(request: InputRequest) -> Form:
    """Return the form that a request asks to be filled in; an empty one if its kind has none."""
    found = kind_of(request).form(request)
    return found.form if found else Form()


def is_long(request: InputRequest) -> bool:
    """Whether its form is so long that it is read and judged in a thread (see `schema_thread.py`)."""
    return kind_of(request).is_long(request)


def _message(request: InputRequest) -> str:
    return str(request.params.get("message", ""))
