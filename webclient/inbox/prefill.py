"""What was answered, or typed, in a call that is started over, for the same questions of the new call.

It is filled in and never sent by itself. What may be a secret is not carried.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from webclient.errors import NotFoundError
from webclient.forms import JSON_CONTROL, Form, Texts, draftable, fields_from_json, write_json
from webclient.inbox.kinds import kind_of
from webclient.model import Call, InputRequest, Json
from webclient.store import Store

LONGEST_CHAIN = 20
"""Calls that are looked at when one was started over again and again."""


async def prefill(store: Store, call: Call, request: InputRequest) -> Texts | None:
    """Return what the form of a new question of `call` is filled in with; None for nothing.

    Of several same questions, the first takes what was said to the first, and so on.
    """
    if call.retry_of is None or not kind_of(request).has_form:
        return None
    number = len(_same(request, await store.of(call.user_id).requests.find(call_id=call.id)))
    async for earlier in _started_over(store, call):
        asked = _same(request, await store.of(earlier.user_id).requests.find(call_id=earlier.id))[number:]
        if asked and (said := await _said(store, asked[0])):
            return said
    return None


async def _started_over(store: Store, call: Call) -> AsyncIterator[Call]:
    for _turn in range(LONGEST_CHAIN):
        if call.retry_of is None:
            return
        try:
            call = await store.of(call.user_id).calls.get(call.retry_of)
        except NotFoundError:
            return
        yield call


def _same(request: InputRequest, among: Sequence[InputRequest]) -> list[InputRequest]:
    return [each for each in among if each.digest == request.digest]


async def _said(store: Store, request: InputRequest) -> Texts:
    found = kind_of(request).form(request)
    if found is None:
        return {}
    form = found.form
    drafts = await store.of(request.user_id).drafts.find([request.id])
    if request.content is not None:
        said = _as_texts(form, {name: each for name, each in request.content.items() if name not in request.gone})
    else:
        said = drafts[request.id].texts if request.id in drafts else {}
    return draftable(form, said, str(request.params.get("message", ""))) if said else {}


def _as_texts(form: Form, content: Json) -> Texts:
    written = write_json(content)
    held, left = fields_from_json(form, written)
    # What the fields have no place for would be lost in them.
    return {JSON_CONTROL: [written]} if left else held
