"""A form as it was left, for a person to read and copy."""

from __future__ import annotations

from tests.forms.filling import form_of, post
from webclient.content.forms.json_form import parse_json
from webclient.content.forms.plain_text import as_plain_text

FORM = form_of(
    n={"type": "number", "title": "Price"},
    sure={"type": "boolean", "title": "Sure"},
    one={"oneOf": [{"const": 1, "title": "First"}, {"const": 2, "title": "Second"}], "title": "One"},
    few={"type": "array", "items": {"enum": ["a", "b"]}, "title": "Few"},
    fixed={"const": "v1"},
)


def test_each_label_stands_beside_what_was_typed_or_chosen() -> None:
    parsed = post(FORM, {"f0": ["2.5"], "f1": ["no"], "f2": ["1"], "f3": ["0", "1"]})
    assert as_plain_text(FORM, parsed) == "Price: 2.5\nSure: No\nOne: Second\nFew: a, b"


def test_plain_text_has_unreadable_values_as_typed() -> None:
    parsed = post(FORM, {"f0": ["2,5 "], "f1": ["maybe"], "f2": ["7"], "f3": ["9"]})
    assert as_plain_text(FORM, parsed) == "Price: 2,5"


def test_json_is_as_it_was_written() -> None:
    assert as_plain_text(FORM, parse_json(FORM, '{"n": ')) == '{"n": '
