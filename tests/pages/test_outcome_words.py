"""The words for how a question stands or ended: each fate of each kind, in the list, on the card and in the history."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from tests.forms.filling import Page
from tests.store.rows import listed
from webclient.domain.i18n import speaking
from webclient.domain.languages import LANGUAGES, translations
from webclient.domain.model import (
    Action,
    Delivery,
    Fate,
    InputRequest,
    Json,
    Origin,
    Reason,
    ReasonCode,
    Requester,
    RequestState,
    Via,
    fate_of,
    now,
)
from webclient.web.http.templating import environment, render_text
from webclient.web.pages.inbox.cards import untouched
from webclient.web.pages.inbox.inbox_entries import Row

PARAMS: dict[str, Json] = {
    "form": {"message": "Well?", "requestedSchema": {"type": "object", "properties": {"a": {"type": "string"}}}},
    "confirmation": {"message": "Well?", "requestedSchema": {"type": "object", "properties": {}}},
    "url": {"message": "Well?", "url": "https://example.com/pay", "elicitationId": "e1"},
    "sampling": {"messages": [{"role": "user", "content": {"type": "text", "text": "Well?"}}], "maxTokens": 9},
    "roots": {},
    "of-a-later-version": {"message": "Well?"},
}
REASONS = (None, ReasonCode.ENDED_BY_DEMO, ReasonCode.CALL_CANCELLED)


def requests() -> Iterator[InputRequest]:
    """Yield requests of each kind in every state, with every delivery, source and reason."""
    for kind, state, delivery, via, opened in product(
        PARAMS, RequestState, (None, *Delivery), (None, *Via), (False, True)
    ):
        if state in (RequestState.WAITING, RequestState.COMPLETED) and kind != "url":
            continue
        for reason, total in product(REASONS if state is RequestState.CANCELLED else (None,), (1, 2)):
            for decided in (None, *Action) if state is RequestState.PENDING else (None,):
                yield InputRequest(
                    id="r1",
                    user_id="local",
                    server_id="s1",
                    kind="form" if kind == "confirmation" else kind,
                    parts=1 if kind == "form" else 0,
                    params=PARAMS[kind],
                    origin=Origin.ROUND if total > 1 else Origin.PUSHED,
                    asked_by=Requester(label="box", address="stdio: box"),
                    total=total,
                    state=state,
                    delivery=delivery,
                    via=via,
                    reason=Reason(reason) if reason else None,
                    decided=decided,
                    undo_until=now() if decided else None,
                    opened_at=now() if opened or state is RequestState.WAITING else None,
                    settled_at=None if state is RequestState.PENDING else now(),
                )


def distinct() -> list[InputRequest]:
    """Return one request of each fate, kind, source and round that no longer waits."""
    found = {(fate_of(each), each.kind, each.parts, each.via, each.total): each for each in requests()}
    return [each for each in found.values() if fate_of(each) is not Fate.PENDING]


def row_words(request: InputRequest) -> str:
    """Return the state that a row of the list shows."""
    text = render_text("requests/_row.html", row=Row(request=listed(request)), suffix="", in_group=False)
    [found] = re.findall(r'<span class="request-row__state">(.*?)</span>', text)
    return str(found)


def card_words(request: InputRequest) -> str:
    """Return the sentence in the line of an outcome."""
    return Page(render_text("requests/_outcome_sentence.html", request=request, label="box")).text.strip()


def history_words(request: InputRequest) -> str:
    """Return the outcome among the facts of an entry of the history."""
    macros: Any = environment.get_template("history/_outcome.html").module
    return str(macros.settled_words(fate_of(request), request.via)).strip()


PLACES = {"row": row_words, "card": card_words, "history": history_words}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("tag", LANGUAGES)
def test_no_two_fates_of_a_question_share_their_words(place: str, tag: str) -> None:
    fates: dict[str, set[Fate]] = {}
    with speaking(translations(tag)):
        for request in distinct():
            fates.setdefault(PLACES[place](request), set()).add(fate_of(request))
    assert "" not in fates
    assert {words: found for words, found in fates.items() if len(found) > 1} == {}
    assert set().union(*fates.values()) == {*Fate} - {Fate.PENDING}


def test_lists_and_cards_know_the_same_fate_of_a_question() -> None:
    assert [each for each in requests() if fate_of(listed(each)) is not fate_of(each)] == []


def test_only_a_question_that_a_person_closed_is_dismissed() -> None:
    for request in requests():
        closed = request.state is RequestState.CANCELLED and not request.opened_at and not request.reason
        chosen = closed and request.via is not None
        undoable = request.pending and request.decided is Action.CANCEL
        assert fate_of(request) is not Fate.DISMISSED or chosen or undoable


def test_an_opened_link_is_in_progress_until_it_is_finished() -> None:
    for request in requests():
        if request.state is RequestState.WAITING:
            assert fate_of(request) is Fate.LINK_OPEN
        if request.state is RequestState.COMPLETED:
            assert fate_of(request) in (Fate.LINK_FINISHED, Fate.NOT_DELIVERED, Fate.DELIVERY_UNKNOWN)


def test_every_outcome_of_every_kind_can_be_shown_as_a_card() -> None:
    for request in distinct():
        if not request.pending:
            text = render_text("requests/_card.html", card=untouched(request), calls=[])
            assert f'data-fate="{fate_of(request)}"' in text
