"""The review before sending: the fields left out, and the fate of each suggestion."""

from __future__ import annotations

from tests.forms.filling import form_of
from webclient.content.forms.review import review
from webclient.content.forms.validation import prefilled

FORM = form_of(
    "code",
    code={"type": "string", "title": "Booking code"},
    site={"type": "string", "title": "Website"},
    count={"type": "integer", "title": "Travellers", "default": 2},
    sure={"type": "boolean", "title": "Sure", "default": True},
    extras={"type": "array", "items": {"enum": ["bag", "bike"]}, "title": "Extras", "default": ["bag"]},
    version={"const": "v1", "title": "Version"},
)
MISSING = {"code": "Required"}


def comparisons(content: dict[str, object]) -> list[tuple[str, str]]:
    """Return what became of each suggestion, by label."""
    found = review(FORM, content, MISSING)
    return [(suggestion.label, suggestion.comparison) for suggestion in found.suggestions]


def test_an_untouched_form_is_all_defaults_and_omits_the_rest() -> None:
    content = prefilled(FORM)
    assert review(FORM, content, MISSING).left_out == ("Website",)
    assert comparisons(content) == [
        ("Travellers", "default"),
        ("Sure", "default"),
        ("Extras", "default"),
        ("Version", "fixed"),
    ]


def test_changed_and_cleared_defaults_are_listed_in_the_review() -> None:
    content = {"code": "A", "count": 3, "sure": 1, "version": "v1"}
    found = review(FORM, content, {})
    assert found.left_out == ("Website", "Extras")
    assert [(each.default, each.comparison) for each in found.suggestions] == [
        (2, "changed"),
        (True, "changed"),
        (["bag"], "left out"),
        ("v1", "fixed"),
    ]


def test_a_field_with_an_error_is_not_listed_as_left_out() -> None:
    found = review(FORM, {}, {"code": "x", "count": "Type a number."})
    assert "Booking code" not in found.left_out
    assert "Travellers" not in [each.label for each in found.suggestions]
