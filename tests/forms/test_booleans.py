"""Yes, no, and not answered (points 24 and 25)."""

from __future__ import annotations

import pytest

from tests.forms.filling import Page, answer, field_of, form_of, post, render

BOOLEAN = {"type": "boolean"}


def checked(html: str) -> list[str | None]:
    """Return the values of the radios that are on."""
    return [each["value"] for each in Page(html).all("input") if "checked" in each]


def test_point_24_an_optional_boolean_has_three_answers() -> None:
    form = form_of(it=BOOLEAN)
    assert checked(render(form)) == [""]
    assert post(form).content == {}
    assert post(form, {"f0": ["yes"]}).content == {"it": True}
    assert post(form, {"f0": ["no"]}).content == {"it": False}


def test_point_24_a_required_boolean_is_open_until_it_is_chosen() -> None:
    form = form_of("it", it=BOOLEAN)
    assert checked(render(form)) == []
    assert post(form).errors == {"it": "Choose Yes or No."}
    assert "Not answered" not in render(form)


def test_point_24_required_does_not_mean_true() -> None:
    assert answer(BOOLEAN, "no") is False


@pytest.mark.parametrize(("default", "shown"), [(True, "yes"), (False, "no")])
def test_point_24_a_default_is_shown_and_sent(default: bool, shown: str) -> None:
    form = form_of(it={**BOOLEAN, "default": default})
    assert checked(render(form)) == [shown]
    assert post(form).content == {"it": default}
    assert post(form, {"f0": [""]}).content == {}


@pytest.mark.parametrize("default", ["true", "false", 1, 0, None, []])
def test_point_25_a_default_that_is_not_boolean_is_ignored(default: object) -> None:
    assert field_of({**BOOLEAN, "default": default}).default is None


def test_a_boolean_that_is_neither_is_refused() -> None:
    assert isinstance(answer(BOOLEAN, "true"), ValueError)
