"""Texts and JSON that PostgreSQL refuses, and servers may send."""

from __future__ import annotations

import json
from math import inf, nan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.rows import SECRET_KEYS, a_request
from webclient.domain.model import Call, CallKind, RequestState
from webclient.store import HistoryFilter, Store
from webclient.store.database.postgresql_text import read_json, read_text, write_json, write_text

pytestmark = pytest.mark.anyio


async def test_texts_that_it_refuses_come_back_as_they_were(url: str) -> None:
    """NUL, half a surrogate pair and NaN, which servers may send, also beside what is searched."""
    store = Store(Path("nowhere"), url=url, secret_keys=SECRET_KEYS)
    await store.open()
    ada = store.of("ada")
    params = {"message": "a\0b\ud800\ufdd0\\u0000\\ufdd00041", "n": [nan, -inf, "NaN"], "url": "https://a.example/\0"}
    request = a_request(params=params, server_id="gone")
    await ada.requests.add(request)
    call = Call(user_id="ada", server_id="s1", server_label="tra\0vel", kind=CallKind.TOOL, name="bo\0ok")
    await ada.calls.add(call)
    assert await ada.calls.get(call.id) == call
    stored = (await ada.requests.get(request.id)).params
    assert json.dumps(stored) == json.dumps(params)
    assert await ada.requests.settle(request.id, to=RequestState.WAITING, opened_at=request.created_at)
    assert await ada.links.opened(["gone"]) == [("gone", params["url"], request.created_at)]
    assert await ada.history.labels_of_removed([]) == {"gone": "travel"}
    assert (await ada.history.page(HistoryFilter(text="travel"), limit=10)).entries
    await store.close()


_ANY_TEXT = st.text(st.characters(codec=None) | st.sampled_from('\0\ufdd0\ud800\udc00\\"u0d'))


@given(_ANY_TEXT.filter(lambda given: not any("\ud800" <= each <= "\udfff" for each in given)))
def test_any_text_comes_back(given: str) -> None:
    assert "\0" not in write_text(given)
    assert read_text(write_text(given)) == given


_LEAVES = _ANY_TEXT | st.floats() | st.none()


@given(st.recursive(_LEAVES, lambda inner: st.lists(inner) | st.dictionaries(_ANY_TEXT, inner)))
def test_any_json_comes_back(given: object) -> None:
    written = write_json(given)
    json.loads(written, parse_constant=pytest.fail)
    assert json.dumps(read_json(written)) == json.dumps(given)
