"""Patterns are checked as far as their price allows, and the form says of which that is so."""

from __future__ import annotations

import pytest

from tests.forms.filling import schema_of
from webclient.content.forms import patterns
from webclient.content.forms.fields import read_form
from webclient.content.forms.patterns import Patterns
from webclient.content.forms.validation import check

LIGHT_ONE = "^[A-Z]{3}-%s$"
HEAVY_ONE = r"^\p{L}{1,45}%s$"
HOSTILE_ONE = r"^(\p{L}{90}){90}%s$"


@pytest.mark.parametrize(("pattern", "checked"), [(LIGHT_ONE, 30), (HEAVY_ONE, 6), (HOSTILE_ONE, 0), ("(%s", 0)])
def test_point_15_a_hint_says_whether_its_pattern_is_checked(pattern: str, checked: int) -> None:
    schema = schema_of(**{f"p{n}": {"type": "string", "pattern": pattern % n} for n in range(40)})
    wrong = check(schema, dict.fromkeys(schema["properties"], "?"))
    assert len(wrong) == checked
    unchecked = {field.name for field in read_form(schema).fields if "the server will check it" in field.hint}
    assert unchecked == schema["properties"].keys() - wrong.keys()


def test_a_document_of_hostile_patterns_has_few_of_them_compiled() -> None:
    before = patterns._compiles.cache_info().misses
    document = Patterns()
    assert not any(document.run(HOSTILE_ONE % f"few{n}") for n in range(500))
    assert patterns._compiles.cache_info().misses - before <= 12


def test_patterns_that_cannot_be_read_leave_room_for_others() -> None:
    document = Patterns()
    assert not any(document.run(each) for each in ["(", None, 7, "\ud800", "a" * 10_000])
    assert document.run(LIGHT_ONE)


def test_without_backtracking_a_look_behind_does_not_run() -> None:
    assert Patterns().run("(?<=a)b")
    assert not Patterns(backtracking=False).run("(?<=a)b")
