"""A card: one input request as the page shows it, with the typed text and the content that would be sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import ceil
from typing import Any, Literal

from webclient.content.forms import (
    DOTS,
    JSON_CONTROL,
    Form,
    Review,
    concealed,
    in_words,
    is_secret_field,
    review,
)
from webclient.content.links import Link
from webclient.content.visible_text import heading_and_rest, visible
from webclient.domain.approvals import APPROVAL
from webclient.domain.executions import Effect
from webclient.domain.i18n import labelled
from webclient.domain.model import AnyRequest, Call, Delivery, InputRequest, Json, Origin, Requester, now
from webclient.inbox import kind_of, soon
from webclient.web.http import in_one_line, render_shared
from webclient.web.pages.inbox.differences import Comparison
from webclient.web.pages.inbox.proposals import Proposal, Suggestion, proposal_of
from webclient.web.pages.sampling.view import SamplingView

LONG_CALL = 20
"""The round of a call from which on each card asks whether the call should go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One input request with what its card shows, whether it waits or has ended.

    `title` is that of the tool or prompt of its call, "" if unknown; `link` is the link that can be opened, `possible`
    are the calls that it may belong to if its server does not say.
    """

    request: InputRequest
    title: str = ""
    link: Link | None = None
    possible: Sequence[Call] = ()

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments of its call, with dots for withheld values."""
        return arguments_of(self.request)

    @property
    def arguments_line(self) -> str:
        """The arguments of its call if all fit beside the name; those of a program's call always stand below it."""
        return "" if self.request.asked_by.is_program else in_one_line(self.arguments)

    @property
    def possible_arguments(self) -> list[tuple[Call, Mapping[str, Any]]]:
        """The calls that it may belong to, each with its arguments as in `arguments`."""
        return [(call, _dotted(call.shown_arguments, call.withheld)) for call in self.possible]

    @property
    def facts(self) -> list[tuple[str, str]]:
        """The names and values that the history shows for its kind."""
        return kind_of(self.request).facts(self.request)

    @property
    def template(self) -> str:
        """The partial for the card."""
        return "requests/_outcome.html"

    @property
    def is_shared(self) -> bool:
        """Whether all pages share its rendering."""
        return False

    def under_its_call(self) -> Card:
        """Return the card for the page of its call."""
        # A pending card is the same on all pages, which share its rendering.
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingCard(Card):
    """The card of a request that waits for the person, also while a decision on it can be undone.

    - `texts` is the typed text by control, None if nothing was typed; `errors` are sentences by property, or "" for
      the whole form, `inside` those by control of fields inside others; `draft` is the sentence on the saved draft;
    - `content` is what would be sent now, `missing` the errors that prevent it; `previewed` shows both at once;
    - `warnings` are the labels of fields that ask for a credential, by property; `secrets`, by property, are sentences
      about typed values that look like one, and must be `confirmed`;
    - `left` are values written as JSON that no field can hold, after the person `switched` back;
    - `others_pending`: another request of its round waits for an answer as well;
    - `decline_message` is the typed message of a decline, `message_error` what is wrong with it;
    - `response` is the typed answer in the place of a tool, `response_error` what is wrong with it;
    - `declined` counts how often the person declined the same; `known` is who asked the last question of its server
      that the person said yes to, as that was then; `reach` is the sentence on a server that cannot be reached;
    - `sampling` is what the card of a sampling request shows; `differences` are those of a proposed call from the last
      one of its tool that the person approved; `asks_anyway`: a rule of administrators asks about such calls.
    """

    form: Form | None = None
    texts: Mapping[str, Sequence[str]] | None = None
    errors: Mapping[str, str] = field(default_factory=dict)
    inside: Mapping[str, str] = field(default_factory=dict)
    focus: str = ""
    content: Mapping[str, Any] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    warnings: Mapping[str, str] = field(default_factory=dict)
    draft: str = ""
    secrets: Mapping[str, str] = field(default_factory=dict)
    confirmed: bool = False
    left: Mapping[str, Any] = field(default_factory=dict)
    switched: bool = False
    decline_message: str = ""
    message_error: str = ""
    response: str = ""
    response_error: str = ""
    declined: int = 0
    known: Requester | None = None
    reach: str = ""
    previewed: bool = False
    others_pending: bool = True
    sampling: SamplingView | None = None
    compared: Comparison | None = None
    asks_anyway: bool = False

    @property
    def runs_out(self) -> datetime | None:
        """The deadline, if it is near."""
        return soon(self.request)

    @property
    def undo_seconds(self) -> int:
        """The seconds in which the decision can still be undone."""
        until = self.request.undo_until
        return max(0, ceil((until - now()).total_seconds())) if until else 0

    @property
    def is_of_long_call(self) -> bool:
        """Whether its call had so many rounds that the card suggests to stop it."""
        return self.request.call_id is not None and (self.request.round or 0) >= LONG_CALL

    @property
    def json(self) -> str | None:
        """The answer as typed in JSON, or None if the card has fields."""
        return self.texts[JSON_CONTROL][-1] if self.texts is not None and JSON_CONTROL in self.texts else None

    @property
    def review(self) -> Review:
        """The comparison of the content with the form: omitted fields and changed defaults."""
        return review(self.form or Form(), self.content, self.missing, self.texts)

    @property
    def to_fill_in(self) -> list[tuple[str, str]]:
        """The fields that still need attention: each label with the id to focus, "" if there is none."""
        place = self.request.id
        if self.json is not None:
            return [(label, f"{place}-{JSON_CONTROL}") for label, _control in self.review.missing]
        return [(label, control and f"{place}-{control}") for label, control in self.review.missing]

    @property
    def takes_message(self) -> bool:
        """Whether a decline can have a message, as in `takes_message`."""
        return takes_message(self.request)

    @property
    def suggests_no(self) -> bool:
        """Whether to suggest declining: for secrets in a form, and for links with a warning."""
        return bool(
            (self.warnings and not self.proposal)
            or self.secrets
            or (self.link and (self.link.blocked or self.link.of("warn")))
        )

    @property
    def saves(self) -> bool:
        """Whether its answer is saved first, because others of its round are pending."""
        return self.request.origin is Origin.ROUND and self.request.total > 1 and self.others_pending

    @property
    def is_confirmation(self) -> bool:
        """Whether there is nothing to fill in: the server asks for a yes or no."""
        return self.form is not None and not (self.form.fields or self.form.unanswerable or self.json is not None)

    @property
    def is_empty(self) -> bool:
        """Whether its form has nothing to show."""
        form = self.form
        return self.is_confirmation and not (form and (form.title or form.description or form.notes))

    @property
    def masked(self) -> frozenset[str]:
        """The controls that may take a credential: their text is hidden while it is typed."""
        fields = self.form.every if self.form and self.warnings else ()
        return frozenset(each.control for each in fields if is_secret_field(each, self.warnings))

    @property
    def folds_form(self) -> bool:
        """Whether the fields are folded: they ask for a credential, and nothing was typed yet."""
        return bool(self.warnings) and self.proposal is None and self.texts is None and not self.errors

    @property
    def proposal(self) -> Proposal | None:
        """What an agent wants to do, if the card asks whether it may."""
        return proposal_of(self.request)

    @property
    def heading(self) -> str:
        """The first line of the server's message, or its beginning."""
        return self._message[0]

    @property
    def more_message(self) -> str:
        """The rest of the server's message."""
        return self._message[1]

    @property
    def claims(self) -> str:
        """The name that the server gives itself, if it differs from the user's label."""
        by = self.request.asked_by
        return by.claims if by.claims and by.claims.casefold() != by.label.casefold() else ""

    @property
    def has_source(self) -> bool:
        """Whether there is an address, or a name that the server gives itself, to show."""
        return bool(self.request.asked_by.address or self.claims)

    @property
    def introduces(self) -> Literal["new", "changed", ""]:
        """Why the card shows address and claimed name unasked; "" if the person has seen the same before."""
        by = self.request.asked_by
        if by.is_agent:
            # The person has given it a token.
            return ""
        if self.known is None:
            return "new"
        return "" if (self.known.address, self.known.claims) == (by.address, by.claims) else "changed"

    @property
    def _message(self) -> tuple[str, str]:
        return heading_and_rest(_message(self.request))

    @property
    def template(self) -> str:
        """The partial of its kind, or that of a decision that can be undone."""
        return "requests/_decided.html" if self.request.undoable else kind_of(self.request).template

    @property
    def is_shared(self) -> bool:
        """Whether all pages share its rendering: nothing was typed, and it is of a length usual for a form."""
        untouched = not (self.texts or self.decline_message or self.errors or self.draft)
        is_typed = self.sampling is not None and bool(self.sampling.typed)
        return untouched and not self.request.undoable and not is_typed and not is_long(self.request)

    @property
    def rendered(self) -> str:
        """The card as HTML, shared with all pages that show the same."""
        return render_shared(self.template, self.request.id, card=self)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeCard(Card):
    """The card of a request that has ended, or whose link was opened.

    `typed` is the text that was not sent, `call` its call if that can be run again, and `notice` a sentence for a
    person who answered too late. `in_timeline`: it stands on the page of its call. `effect` is that of an approval, and
    `suggestion` a rule for calls that are approved unread.
    """

    typed: str = ""
    call: Call | None = None
    notice: str = ""
    in_timeline: bool = False
    effect: Effect | None = None
    suggestion: Suggestion | None = None

    @property
    def can_start_over(self) -> bool:
        """Whether to suggest running the call again: it failed, or waits for a lost answer."""
        lost = self.request.delivery in (Delivery.FAILED, Delivery.UNKNOWN)
        return self.call is not None and (self.call.can_start_over or (lost and not self.call.state.ended))

    @property
    def concealed(self) -> Mapping[str, Any] | None:
        """The sent content with dots for possible secrets; None if it has none."""
        sent = self.request.content
        if not sent or self.request.gone:
            # Values that are no longer stored need no dots.
            return None
        shown = concealed(form_of(self.request), sent, _message(self.request))
        return None if shown == sent else shown

    @property
    def sent(self) -> list[tuple[str, str]]:
        """The content of the answer in words: labels and values, with dots for possible secrets."""
        request = self.request
        if not request.content or kind_of(request).carries_media:
            return []
        return in_words(Form() if is_long(request) else form_of(request), self.shown_content)

    @property
    def shown_content(self) -> Mapping[str, Any]:
        """The content of the answer, with dots for possible secrets."""
        return _dotted(self.concealed or self.request.content or {}, self.request.withheld)

    @property
    def said(self) -> str:
        """The content of the answer in one line; a single value stands for itself."""
        sent = self.sent
        if len(sent) == 1:
            return visible(sent[0][1], SAID)
        return visible(labelled(sent), SAID)

    def under_its_call(self) -> Card:
        """Return the card for the page of its call."""
        # The head of that page has the button to run an ended call again.
        ended = self.call is not None and self.call.state.ended
        return replace(self, call=None if ended else self.call, in_timeline=True)


DECLINE_MESSAGE = "decline_message"
"""The control of the message of a decline."""

CONFIRMED = "confirmed"
"""The control with which a person confirms sending values that look like credentials."""


def _dotted(values: Mapping[str, Any] | None, withheld: Iterable[str]) -> Json:
    return {**(values or {}), **dict.fromkeys(withheld, DOTS)}


def arguments_of(request: AnyRequest) -> Mapping[str, Any]:
    """Return the arguments of the request's call, with dots for withheld values."""
    during = request.during
    return _dotted(during.arguments, during.withheld) if during else {}


def untouched(request: InputRequest, link: Link | None = None) -> PendingCard | OutcomeCard:
    """Return the card before anything was typed.

    `link` is a url request's link if it is known with more findings than the request alone gives.
    """
    if request.pending:
        return pending_card(request, link)
    return OutcomeCard(request=request, link=(link or kind_of(request).link(request)) if shows_link(request) else None)


def pending_card(request: InputRequest, link: Link | None = None) -> PendingCard:
    """Return the card of a pending request: only the schema's defaults are filled in. `link` as in `untouched`."""
    kind = kind_of(request)
    shown = (link or kind.link(request)) if shows_link(request) else None
    found = kind.form(request)
    if found is None:
        return PendingCard(request=request, link=shown)
    return PendingCard(
        request=request,
        link=shown,
        form=found.form,
        texts=found.first_texts,
        content=found.content,
        missing=found.errors,
        warnings=found.warnings,
    )


def shows_link(request: InputRequest) -> bool:
    """Return whether the card shows a link that can be opened, now or again."""
    return request.open and kind_of(request).has_link


def takes_form(request: InputRequest) -> bool:
    """Return whether the card has a form to fill in."""
    return request.pending and kind_of(request).has_form


def takes_message(request: InputRequest) -> bool:
    """Return whether the asker gets a message with a decline: a program does, and MCP has no place for it."""
    return request.asked_by.is_program or request.kind == APPROVAL


SAID = 160
"""Characters of an answer in one line."""


def form_of(request: InputRequest) -> Form:
    """Return the form of the request; empty if its kind has none."""
    found = kind_of(request).form(request)
    return found.form if found else Form()


def is_long(request: InputRequest) -> bool:
    """Return whether the form is so long that it is checked in a thread (`schema_thread.py`)."""
    return kind_of(request).is_long(request)


def _message(request: InputRequest) -> str:
    return str(request.params.get("message", ""))
