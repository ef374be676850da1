"""Prefills the forms of a retried call with the answers and drafts of the call that it retries.

A prefilled form is never sent by itself. Values that may be secrets are left out.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from webclient.content.forms import JSON_CONTROL, Form, Texts, draftable, fields_from_json, write_json
from webclient.domain.errors import NotFoundError
from webclient.domain.model import Call, InputRequest, Json
from webclient.inbox.kinds import kind_of
from webclient.store import Store

LONGEST_CHAIN = 20
"""Earlier calls that are searched, if a call was retried again and again."""


async def prefilled(store: Store, call: Call, new: Sequence[InputRequest]) -> dict[str, Texts]:
    """Return by request the texts to prefill the forms of new requests with.

    If the call asks the same several times, the first takes the answer to the first, and so on.
    """
    forms = [request for request in new if kind_of(request).has_form]
    if call.retry_of is None or not forms:
        return {}
    there = await store.of(call.user_id).requests.find(call_id=call.id)
    found = {}
    for position, request in enumerate(forms):
        number = len(_same(request, [*there, *forms[:position]]))
        async for earlier in _retried(store, call):
            same = _same(request, await store.of(earlier.user_id).requests.find(call_id=earlier.id))[number:]
            if same and (texts := await _texts_of(store, same[0])):
                found[request.id] = texts
                break
    return found


def texts_to_change(request: InputRequest) -> Texts:
    """Return the texts with which the form is filled in when the answer is changed."""
    found = kind_of(request).form(request)
    if found is None or request.content is None:
        return {}
    return _draftable(request, found.form, request.content)


async def _retried(store: Store, call: Call) -> AsyncIterator[Call]:
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


async def _texts_of(store: Store, request: InputRequest) -> Texts:
    found = kind_of(request).form(request)
    if found is None:
        return {}
    if request.content is not None:
        return _draftable(request, found.form, request.content)
    drafts = await store.of(request.user_id).drafts.find([request.id])
    texts = drafts[request.id].texts if request.id in drafts else {}
    return draftable(found.form, texts, _message(request)) if texts else {}


def _draftable(request: InputRequest, form: Form, content: Json) -> Texts:
    texts = _as_texts(form, {name: each for name, each in content.items() if name not in request.gone})
    return draftable(form, texts, _message(request)) if texts else {}


def _message(request: InputRequest) -> str:
    return str(request.params.get("message", ""))


def _as_texts(form: Form, content: Json) -> Texts:
    written = write_json(content)
    texts, left = fields_from_json(form, written)
    # Values that the fields have no place for would be lost.
    return {JSON_CONTROL: [written]} if left else texts
