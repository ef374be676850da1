"""Earlier requests: who is known by a yes, and what was answered to the same question or a similar one."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.store.rows import BY, a_request
from webclient.domain.model import CallContext, CallKind, InputRequest, Json, RequestState, Via, now
from webclient.store import Store

pytestmark = pytest.mark.anyio

YES: dict[str, Any] = {"state": RequestState.ACCEPTED, "via": Via.PAGE}
FORM: Json = {"type": "object", "properties": {"name": {"type": "string"}}}


def accepted(message: str, *, call: str = "book", days: int = 0, **fields: Any) -> InputRequest:
    """Return a form that was answered so many days ago, with these fields changed."""
    during = CallContext(kind=CallKind.TOOL, name=call)
    params = {"message": message, "requestedSchema": FORM}
    return a_request(**(YES | {"params": params, "during": during, "created_at": ago(days)} | fields))


def ago(days: int) -> datetime:
    return now() - timedelta(days=days)


async def test_the_last_yes_on_a_page_tells_who_is_known(store: Store) -> None:
    opened = replace(BY, claims="Opened")
    rows = [
        a_request(**YES, created_at=now() - timedelta(days=2)),
        a_request(**YES | {"state": RequestState.COMPLETED}, asked_by=opened, created_at=now() - timedelta(days=1)),
        # None of these is a yes that this person gave on a page.
        a_request(**YES | {"state": RequestState.DECLINED}, asked_by=replace(BY, claims="Declined")),
        a_request(**YES | {"via": Via.API}, asked_by=replace(BY, claims="A program")),
        a_request(**YES | {"via": Via.RULE}, asked_by=replace(BY, claims="A rule")),
        a_request(**YES, user_id="bob", asked_by=replace(BY, claims="Bob")),
        a_request(**YES, server_id="s2", asked_by=replace(BY, claims="Another")),
    ]
    for row in rows:
        await store.of(row.user_id).requests.add(row)
    pending = [a_request(), a_request(server_id="s2"), a_request(server_id="s3")]
    known = (await store.of("ada").changes.around_cards([], pending)).known
    assert known == {"s1": opened, "s2": replace(BY, claims="Another")}


async def test_the_same_question_is_counted_and_its_last_answer_found(store: Store) -> None:
    last = accepted("Hotel?", days=1, content={"name": "Ada"})
    rows = [
        accepted("Hotel?", days=3),
        last,
        accepted("Hotel?", days=2, state=RequestState.COMPLETED),
        # None of these is a yes of this person to the same question.
        accepted("Hotel?", state=RequestState.DECLINED),
        accepted("Hotel?", via=Via.API),
        accepted("Hotel?", call="cancel"),
        accepted("Hotel?", server_id="s2"),
        accepted("Hotel?", user_id="bob"),
    ]
    for row in rows:
        await store.of(row.user_id).requests.add(row)
    found = await store.of("ada").earlier_requests.answers(accepted("Hotel?"))
    assert (found.count, found.last, found.alike) == (3, last, ())


async def test_other_questions_of_the_same_call_are_found(store: Store) -> None:
    lisbon, basel = accepted("Lisbon?", days=1), accepted("Basel?", days=2)
    long: Json = {"message": "x" * 30_000, "requestedSchema": FORM}
    for row in [basel, lisbon, accepted("Oslo?", call="cancel"), accepted("Long?", params=long)]:
        await store.of(row.user_id).requests.add(row)
    found = await store.of("ada").earlier_requests.answers(accepted("Rome?"))
    assert (found.count, found.last, found.alike) == (0, None, (lisbon, basel))
    without_call = await store.of("ada").earlier_requests.answers(accepted("Rome?", during=None))
    assert without_call.alike == ()
