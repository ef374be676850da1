"""The arguments of a call, whole on every page that shows them: long ones fold, and what is missing is counted."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import reduce
from typing import Any

import pytest

from tests.forms.filling import Page
from webclient.content.visible_text import LONGEST
from webclient.domain.model import (
    CallContext,
    CallKind,
    InputRequest,
    Json,
    Requester,
    RequesterKind,
    RequestState,
    now,
)
from webclient.web.http.argument_rows import MOST_CHARACTERS, MOST_ROWS, SHOWN, argument_rows
from webclient.web.http.templating import render_text
from webclient.web.pages.inbox.cards import untouched

LETTER = "Dear Ann,\n\n" + "please pay. " * 100 + "The last word is: NOW"


def request_of(arguments: Json, kind: RequesterKind = RequesterKind.PROGRAM, **more: Any) -> InputRequest:
    return InputRequest(
        id="r1",
        user_id="local",
        server_id="p1",
        kind="form",
        params={"message": "Run it?", "requestedSchema": {"type": "object", "properties": {}}},
        asked_by=Requester(kind=kind, label="Agent", address=""),
        during=CallContext(kind=CallKind.TOOL, name="pay", arguments=arguments),
        **more,
    )


def settled(request: InputRequest) -> InputRequest:
    return replace(request, state=RequestState.DECLINED, settled_at=now())


def shown(request: InputRequest, template: str = "requests/_card.html") -> str:
    return render_text(template, card=untouched(request), calls=[], search_words=())


@pytest.mark.parametrize("kind", RequesterKind)
@pytest.mark.parametrize(
    ("template", "is_settled"),
    [("requests/_card.html", False), ("requests/_card.html", True), ("history/_request_entry.html", True)],
    ids=["card", "outcome", "history"],
)
def test_cards_outcomes_and_history_show_whole_arguments(
    kind: RequesterKind, template: str, *, is_settled: bool
) -> None:
    request = request_of({"body": LETTER, "rows": [{"to": f"account {n}"} for n in range(40)]}, kind)
    page = shown(settled(request) if is_settled else request, template)
    parts = re.findall(r'<span class="lines" dir="auto" lang="">(.*?)</span>', page, re.DOTALL)
    assert "".join(parts).replace("…", "").count("please pay. ") == 100
    assert "NOW" in page
    assert "account 39" in page


def test_a_long_value_folds_and_counts_its_hidden_characters() -> None:
    [row] = argument_rows({"body": "x" * 1_000}).shown
    assert (len(row.value.shown.rstrip("…")), row.value.hidden) == (300, 700)
    assert row.value.shown.rstrip("…") + row.value.rest.lstrip("…") == "x" * 1_000
    assert ">Show 700 more characters<" in shown(request_of({"body": "x" * 1_000}))


def test_a_huge_value_counts_the_characters_beyond_the_page() -> None:
    [row] = argument_rows({"body": "x" * (LONGEST + 5_000)}).shown
    assert row.value.hidden >= LONGEST + 5_000 - 300
    assert "(5000 more characters)" in row.value.rest


def test_many_arguments_fold_and_none_is_lost() -> None:
    rows = argument_rows({f"name {n}": n for n in range(100)})
    assert (len(rows.shown), len(rows.folded), rows.omitted) == (SHOWN, 100 - SHOWN, 0)
    page = shown(request_of({f"name {n}": n for n in range(100)}))
    assert "name 99" in page
    assert f">Show {100 - SHOWN} more arguments<" in page


@pytest.mark.parametrize(
    "arguments", [{f"n{n}": n for n in range(10 * MOST_ROWS)}, {f"n{n}": "x" * LONGEST for n in range(100)}]
)
def test_arguments_too_long_for_a_page_are_counted(arguments: Json) -> None:
    rows = argument_rows(arguments)
    assert rows.omitted > 0
    assert len(rows.shown) + len(rows.folded) + rows.omitted == len(arguments)
    page = shown(request_of(arguments))
    assert len(page) < 2 * MOST_CHARACTERS
    assert "are too long for this page" in page


def _nested(levels: int, inside: Any) -> Any:
    return reduce(lambda inner, _level: [inner], range(levels), inside)


@pytest.mark.parametrize(
    "arguments",
    [
        {"to": "x" * 250_000 + "END"},
        {"to": [*range(30_000), "END"]},
        {"to": _nested(100, "END")},
        {"to": ["x" * 3_000 + "END"]},
        {f"n{n}": n for n in range(5_000)} | {"to": "END"},
        {"x" * 250_000 + "END": 1},
    ],
    ids=["text", "list", "deep", "inside", "keys", "name"],
)
def test_arguments_of_an_approval_are_whole(arguments: Json) -> None:
    rows = argument_rows(arguments, whole=True)
    texts = [folded for row in (*rows.shown, *rows.folded) for folded in (row.name, row.value)]
    assert len(rows.shown) + len(rows.folded) == len(arguments)
    assert rows.omitted == 0
    shown = "".join(each.shown.removesuffix("…") + each.rest.removeprefix("…") for each in texts)
    assert ("END" in shown, "more" in shown) == (True, False)
    # No line for each value, indented to its depth.
    assert len(shown) < 2 * len(json.dumps(arguments)) + 1_000


def test_line_breaks_of_a_value_stay() -> None:
    command = "ls\nrm -rf /"
    assert f'<span class="lines" dir="auto" lang="">{command}</span>' in shown(request_of({"command": command}))


def test_hostile_names_and_values_are_text() -> None:
    arguments = {
        "<script>a</script>": "</dd><script>b</script>",
        "bidi\u202e": "pay \u202eAnn\x00",
        "": "",
        "s": "\u200b",
    }
    page = Page(html := shown(request_of(arguments)))
    assert not page.all("script")
    assert "⟦U+202E⟧Ann⟦U+0000⟧" in page.text
    assert not re.search("[\u202e\u200b\x00]", html)


def test_long_arguments_of_a_servers_call_fold() -> None:
    short, long = ({"order": 4711, "note": "x" * n} for n in (20, 60))
    line = f"pay(order: 4711, note: {'x' * 20})"
    assert line in shown(request_of(short, RequesterKind.SERVER))
    assert "pairs" not in shown(request_of(short, RequesterKind.SERVER))
    folded = shown(request_of(long, RequesterKind.SERVER))
    assert ">2 arguments<" in folded
    assert "x" * 60 in folded
    # Of a program's call they are what the person decides on, so each has its own row.
    assert line not in shown(request_of(short))
    assert "4711" in shown(request_of(short))
