"""The cost of a request: it is read once, its keywords are bounded, and a long one is checked in a thread."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from webclient.content.forms import validation
from webclient.content.forms.references import UnreadableError, find
from webclient.content.forms.sanitize import MOST_NODES, UncheckableError, checkable
from webclient.content.forms.validation import check
from webclient.support.schema_thread import LONG, is_long, run_schema_work

pytestmark = pytest.mark.anyio

LARGEST = 262_144
"""Bytes of the largest question."""


def _conditions(count: int) -> dict[str, Any]:
    return {"allOf": [{"if": {"properties": {"a": {"const": n}}}, "then": {"required": ["b"]}} for n in range(count)]}


def test_a_schema_is_read_once_however_often_it_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []

    def counted(schema: Any, **options: Any) -> Any:
        read.append(schema)
        return checkable(schema, **options)

    monkeypatch.setattr(validation, "checkable", counted)
    schema = {"type": "object", "properties": {"once": {"type": "string", "minLength": 3}}}
    for text in ("a", "ab", "abc"):
        check(schema, {"once": text})
    assert len(read) == 1


@pytest.mark.parametrize(
    "schema",
    [
        _conditions(MOST_NODES // 3),
        {"required": [str(n) for n in range(MOST_NODES + 1)]},
        {"oneOf": [{"required": ["x"]} for _n in range(MOST_NODES)]},
    ],
)
def test_more_keywords_than_are_checked_end_in_a_sentence(schema: dict[str, Any]) -> None:
    assert len(json.dumps(schema)) < 6 * LARGEST
    with pytest.raises(UncheckableError):
        checkable(schema)
    [sentence] = check(schema, {}).values()
    assert "too large" in sentence


def test_conditions_that_a_real_form_has_are_checked() -> None:
    assert check(_conditions(100), {"a": 7}) == {"b": "Required"}


def test_a_place_in_a_list_is_found_by_its_number_alone() -> None:
    """RFC 6901 section 4: digits without leading zeros."""
    root = {"a": list(range(2000))}
    assert find(root, "#/a/999") == 999
    for wrong in ("01", "-1", "1000", "x", "9" * 5000, "²"):
        with pytest.raises(UnreadableError):
            find(root, f"#/a/{wrong}")


async def test_only_what_is_long_is_judged_in_a_thread() -> None:
    here = threading.get_ident()
    assert await run_schema_work(threading.get_ident, long=False) == here
    assert await run_schema_work(threading.get_ident, long=True) != here
    assert not is_long({"description": "x" * (LONG // 2)})
    assert is_long({"description": "x" * LONG})
