"""The review before sending: absent fields, changes from the server's defaults, and numbers that may lose digits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from webclient.content.forms.field import Field
from webclient.content.forms.filling import fitting
from webclient.content.forms.form import Form, Texts
from webclient.content.forms.json_form import JSON_CONTROL
from webclient.content.forms.values import equal
from webclient.content.forms.writing.numbers import LARGEST_EXACT
from webclient.content.visible_text import visible

Comparison = Literal["default", "changed", "left out", "fixed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A field with a default of the server, and how the content compares with it."""

    label: str
    default: Any
    comparison: Comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """The labels of absent fields and the comparison with each default, in the order of the form.

    `inexact` are the labels of numbers of which some servers lose digits. `missing` are the fields that still need
    attention: each label with the control to focus, "" if there is none.
    """

    left_out: tuple[str, ...]
    suggestions: tuple[Suggestion, ...]
    inexact: tuple[str, ...]
    missing: tuple[tuple[str, str], ...] = ()


def review(form: Form, content: Mapping[str, Any], missing: Mapping[str, str], texts: Texts | None = None) -> Review:
    """Compare `content` with the defaults of `form`; `missing` are fields that still need attention.

    `texts` are the typed texts, which say the chosen shape; the content does if it is written as JSON.
    """
    form = fitting(form, content) if texts and JSON_CONTROL in texts else form.chosen(texts or form.texts)
    fields = [field for field in form.fields if not field.spreads]
    wrong = {place for name in missing for place in (name, *_places(name))}
    left_out = (each.label for each in fields if each.name not in content and not {each.name, each.control} & wrong)
    return Review(
        left_out=tuple(left_out),
        suggestions=tuple(_suggestions(form, content, missing)),
        inexact=tuple(_inexact(form, content)),
        missing=tuple(_missing(form, missing)),
    )


def _missing(form: Form, missing: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    by_name = {field.name: field for field in form.fields if not field.spreads}
    yield from ((field.label, field.focus) for name, field in by_name.items() if name in missing)
    by_control = {field.control: field for field in form.fields}
    for name in missing:
        # Of a field inside another one, only the control is known.
        outer = next((by_control[place] for place in _places(name) if place in by_control), None)
        if name and name not in by_name:
            yield (outer.label, outer.focus if outer.control == name else name) if outer else (visible(name, 200), "")


def _places(control: str) -> Iterator[str]:
    """Yield a control and those of the fields that it is in, the innermost first."""
    while control:
        yield control
        control = control.rpartition(".")[0]


def _suggestions(form: Form, content: Mapping[str, Any], missing: Mapping[str, str]) -> Iterator[Suggestion]:
    for field in form.fields:
        if field.default is not None and field.name not in missing:
            yield Suggestion(label=field.label, default=field.default, comparison=_compared(field, content))


def _compared(field: Field, content: Mapping[str, Any]) -> Comparison:
    if field.name not in content:
        return "left out"
    if not equal(content[field.name], field.default):
        return "changed"
    return "fixed" if field.kind == "constant" else "default"


def _inexact(form: Form, content: Mapping[str, Any]) -> Iterator[str]:
    """Yield numbers beyond 2^53, which receivers read differently (RFC 8259 section 6)."""
    labels = {field.name: field.label for field in form.fields}
    for name, value in content.items():
        if _is_inexact(value):
            yield labels.get(name) or visible(name, 200)


def _is_inexact(value: Any) -> bool:
    if isinstance(value, dict | list):
        return any(map(_is_inexact, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int) and abs(value) > LARGEST_EXACT
