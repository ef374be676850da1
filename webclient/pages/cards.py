"""A card: one input request as a person meets it, with what they typed so far and what would be sent."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from webclient import schema_thread
from webclient.consent import Link
from webclient.forms.check import check, prefilled
from webclient.forms.fields import read_form
from webclient.forms.form import Form
from webclient.forms.json_form import CONTROL, parse_json
from webclient.forms.parse import Parsed, parse
from webclient.forms.review import Review, review
from webclient.forms.secrets import DOTS, asks_for_secret, concealed, typed_secrets
from webclient.i18n import language
from webclient.inbox import link_of
from webclient.inbox.deadlines import soon
from webclient.model import Call, Delivery, InputRequest, Json, RequestKind, RequestState
from webclient.schema_thread import LONG

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

    input_request: InputRequest
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
        return soon(self.input_request)

    @property
    def is_of_long_call(self) -> bool:
        """Whether its call has come so far that the person is asked whether it should go on."""
        asked = self.input_request
        return asked.call_id is not None and (asked.round or 0) >= LONG_CALL

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments of the call during which it is asked, with dots for those that are withheld."""
        during = self.input_request.during
        return _dotted(during.arguments, during.withheld) if during else {}

    @property
    def possible_arguments(self) -> list[tuple[Call, Mapping[str, Any]]]:
        """Each call that may be the one during which it is asked, with its arguments in the same way."""
        return [(call, _dotted(call.shown_arguments, call.withheld)) for call in self.possible]

    @property
    def json(self) -> str | None:
        """The answer as it is written in JSON, or None while it is filled in as fields."""
        return self.texts[CONTROL][-1] if self.texts is not None and CONTROL in self.texts else None

    @property
    def review(self) -> Review:
        """What would be left out, and what became of the server's suggestions."""
        return review(self.form or Form(), self.content, self.missing)

    @property
    def can_start_over(self) -> bool:
        """Whether the way on is to run the call again: a fault ended it, or it waits for an answer that was lost."""
        lost = self.input_request.delivery is Delivery.FAILED
        return self.call is not None and (self.call.can_start_over or (lost and not self.call.state.ended))

    def under_its_call(self) -> Card:
        """Return it as it stands on the page of its call, whose head shows the way on once the call has ended."""
        return replace(self, call=None) if self.call is not None and self.call.state.ended else self

    @property
    def concealed(self) -> Mapping[str, Any] | None:
        """What was sent, with dots for what may be a secret; None if nothing of it may be."""
        sent = self.input_request.content
        if not sent or self.input_request.gone:
            # What is no longer kept needs no dots.
            return None
        shown = concealed(form_of(self.input_request), sent, _message(self.input_request))
        return None if shown == sent else shown

    @property
    def suggests_no(self) -> bool:
        """Whether declining is the suggested way: for secrets in a form, and for links that must not be opened."""
        return bool(self.warnings or self.secrets or (self.link and self.link.blocked))

    @property
    def template(self) -> str:
        """The partial that shows it: a settled question folds, whatever its kind was."""
        if not self.input_request.pending:
            return "requests/outcome.html"
        return TEMPLATES.get(self.input_request.kind, "requests/other.html")


CONFIRMED = "confirmed"
"""The control with which a person says that what looks like a credential is meant to be sent."""

KEPT = 256
"""How many forms stay prepared: a server asks the same again and again, and every page shows every card."""

KEPT_LONG = 3
"""The same for long ones: each may have a thousand fields, or tens of thousands of options, and then takes 10 MB."""

TEMPLATES = {RequestKind.FORM: "requests/card.html", RequestKind.URL: "requests/url.html"}


def _dotted(arguments: Json | None, withheld: Iterable[str]) -> Json:
    return {**(arguments or {}), **dict.fromkeys(withheld, DOTS)}


def untouched(input_request: InputRequest, link: Link | None = None) -> Card:
    """Return the card as it is before anybody typed: the schema's defaults, and nothing else.

    `link` is that of a url request, if more is known of it than the request itself tells.
    """
    if shows_link(input_request):
        return Card(input_request=input_request, link=link or link_of(input_request))
    if not input_request.pending or input_request.kind is not RequestKind.FORM:
        return Card(input_request=input_request)
    form, content, missing, warnings = _prepared(input_request)
    return Card(
        input_request=input_request,
        form=form,
        content=content,
        missing=missing,
        warnings=warnings,
    )


def shows_link(input_request: InputRequest) -> bool:
    """Whether the card shows a link that can be opened, now or again."""
    open_states = (RequestState.PENDING, RequestState.WAITING)
    return input_request.kind is RequestKind.URL and input_request.state in open_states


def filled(input_request: InputRequest, parsed: Parsed, errors: Mapping[str, str], *, confirmed: bool = False) -> Card:
    """Return the card as it was typed, with `errors` at its fields; `confirmed`: it may be sent with credentials."""
    form, _content, _missing, warnings = _prepared(input_request)
    return Card(
        input_request=input_request,
        form=form,
        texts=parsed.texts,
        errors=errors,
        content=parsed.content,
        missing=parsed.errors,
        warnings=warnings,
        secrets=typed_secrets(parsed.content, form) if confirmed else {},
        confirmed=confirmed,
    )


def as_posted(card: Card) -> Sequence[tuple[str, str]]:
    """Return what a browser would post of the card as it was typed."""
    return [(name, text) for name, typed in (card.texts or {}).items() for text in typed]


def read_posted(input_request: InputRequest, posted: Sequence[tuple[str, str]]) -> Parsed:
    """Return what was posted to the form of a pending input request, as fields or as JSON."""
    form = form_of(input_request)
    written = next((text for name, text in posted if name == CONTROL), None)
    return parse(form, posted) if written is None else parse_json(form, written)


def stopped(input_request: InputRequest, parsed: Parsed) -> Card | None:
    """Return the card that asks once more before what looks like a credential is sent; None if nothing does."""
    secrets = typed_secrets(parsed.content, form_of(input_request))
    return replace(filled(input_request, parsed, errors={}), secrets=secrets) if secrets else None


def form_of(input_request: InputRequest) -> Form:
    """Return the form that a form request asks to be filled in."""
    return _prepared(input_request)[0]


def is_long(input_request: InputRequest) -> bool:
    """Whether its form is so long that it is read and judged in a thread (see `schema_thread.py`)."""
    return schema_thread.is_long(input_request.params.get("requestedSchema"))


def _message(input_request: InputRequest) -> str:
    return str(input_request.params.get("message", ""))


_Prepared = tuple[Form, Mapping[str, Any], Mapping[str, str], Sequence[str]]
"""A form, what would be sent of it as nobody touched it, what stops that, and the warnings to be shown with it."""


def _prepared(input_request: InputRequest) -> _Prepared:
    schema = json.dumps(input_request.params.get("requestedSchema") or {})
    kept = _kept_long if len(schema) > LONG else _kept
    return kept(schema, _message(input_request), language())


@lru_cache(maxsize=KEPT)
def _kept(schema: str, message: str, _language: str) -> _Prepared:
    return _prepare(schema, message)


@lru_cache(maxsize=KEPT_LONG)
def _kept_long(schema: str, message: str, _language: str) -> _Prepared:
    return _prepare(schema, message)


def _prepare(schema: str, message: str) -> _Prepared:
    form = read_form(json.loads(schema))
    content = prefilled(form)
    return form, content, check(form.schema, content), tuple(asks_for_secret(form, message).values())
