"""The sentence on an action, which the next page shows once."""

from __future__ import annotations

from starlette.requests import Request

from webclient.web.http import Undo, redirect
from webclient.web.http.flash import MOST, NAME, take_flash


def page(address: str) -> Request:
    path, _mark, query = address.partition("?")
    return Request({"type": "http", "method": "GET", "path": path, "query_string": query.encode(), "headers": []})


def test_a_sentence_is_shown_once_and_only_by_its_name() -> None:
    address = redirect("/servers?q=x", "Saved.", undo=(undo := Undo(action="/undo", button="Undo"))).headers["location"]
    assert address.startswith(f"/servers?q=x&{NAME}=")
    for other in ("/", f"/?{NAME}=", f"/?{NAME}=Saved.", f"{address}x"):
        assert take_flash(page(other)) is None
    said = take_flash(page(address))
    assert said is not None
    assert (said.sentence, said.undo) == ("Saved.", undo)
    assert take_flash(page(address)) is None


def test_sentences_that_are_never_shown_fill_no_memory() -> None:
    first, *others = [redirect("/", str(n)).headers["location"] for n in range(MOST + 1)]
    assert take_flash(page(first)) is None
    assert all(take_flash(page(each)) for each in others)
