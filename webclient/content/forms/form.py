"""The form: a schema as a person sees it, in the server's order, as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from webclient.content.forms.field import JSON, NESTING, TEXT_KINDS, Field, Kind, Option, Texts
from webclient.content.forms.writing.dates import COMMON_ZONES
from webclient.content.visible_text import visible

__all__ = ["TEXT_KINDS", "Field", "Form", "Kind", "Option", "Problem", "Texts"]

MOST_ERRORS = 2
"""The most errors that are said at their fields alone, without a summary."""

SECTION = 20
"""The number of fields in a section; a longer form is shown in sections."""


class Problem(NamedTuple):
    """An error in the field whose first control is `focus`; `label` says where it is."""

    focus: str
    label: str
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A schema as a form.

    `texts` are the first texts of its controls. `unanswerable` says why no answer can satisfy the schema, or is None.
    `deep`: it is for the arguments of a call, whose values may nest, and not for an answer. `as_json`: it has no
    fields, because only JSON can express a value. `notes` are sentences about the whole.
    """

    title: str = ""
    description: str = ""
    more: str = ""
    fields: tuple[Field, ...] = ()
    schema: Any = None
    unanswerable: str | None = None
    deep: bool = False
    as_json: bool = False
    notes: tuple[str, ...] = ()
    texts: Texts = field(default_factory=dict)

    @property
    def sections(self) -> list[tuple[int, tuple[Field, ...]]]:
        """The fields in sections, each with the number of its first field."""
        return [(start + 1, self.fields[start : start + SECTION]) for start in range(0, len(self.fields), SECTION)]

    @property
    def takes_files(self) -> bool:
        """Whether any field takes a file, which a browser without scripts uploads."""
        return any(_takes_file(field) for field in self.fields)

    @property
    def asks_time(self) -> bool:
        """Whether any field has a choice of time zone."""
        return any(field.asks_time for field in self.fields)

    @property
    def common_zones(self) -> tuple[str, ...]:
        """Time zones to suggest."""
        return COMMON_ZONES

    @property
    def every(self) -> tuple[Field, ...]:
        """The fields of the root, those of all shapes among them."""
        return tuple(_without_shapes(self.fields))

    def chosen(self, texts: Texts) -> Form:
        """Return the form with the fields of the shape that is chosen in `texts`."""
        shapes = {each.control: each.shape(texts) for each in self.fields if each.kind == "shapes"}
        return replace(self, fields=tuple(_flat(self.fields, shapes))) if shapes else self

    def schema_for(self, texts: Texts) -> Any:
        """Return the schema to check the values by: that of the shape that is chosen in `texts`."""
        shapes = [shape for each in self.fields if each.kind == "shapes" and (shape := each.shape(texts))]
        return shapes[0].schema if shapes else self.schema

    def wrong(self, errors: Mapping[str, str], inside: Mapping[str, str]) -> dict[str, str]:
        """Return the errors by control, from those by property and those by control inside fields."""
        own = {each.control: errors[each.name] for each in self.fields if each.name in errors and not each.spreads}
        return {**inside, **own}

    def problems(self, texts: Texts | None, errors: Mapping[str, str], inside: Mapping[str, str]) -> list[Problem]:
        """Return the errors of all shown fields, in the order of the form."""
        wrong = self.wrong(errors, inside)
        shown = _shown(self.fields, self.texts if texts is None else texts) if inside else _plain(self.fields)
        return [Problem(each.focus, label, wrong[each.control]) for each, label in shown if each.control in wrong]

    def needs_summary(self, errors: Mapping[str, str], inside: Mapping[str, str]) -> bool:
        """Return whether to list the errors above the fields: there are many, or not all are in sight."""
        several = len(errors) > MOST_ERRORS or (len(errors) > 1 and len(self.sections) > 1)
        return several or bool(inside) or bool(self.elsewhere(errors))

    def first_wrong(self, errors: Mapping[str, str], inside: Mapping[str, str]) -> str:
        """Return the control of the first wrong field, which gets the focus; "" if a summary does."""
        if not errors or self.needs_summary(errors, inside):
            return ""
        return next((each.control for each in self.fields if each.name in errors), "")

    def elsewhere(self, errors: Mapping[str, str], inside: Mapping[str, str] | None = None) -> list[tuple[str, str]]:
        """Return errors that belong to no field: the name, made visible, and the sentence.

        One about the whole says nothing more than those `inside` fields.
        """
        known = {field.name for field in self.fields if not field.spreads}
        return [
            (visible(name, 200), error) for name, error in errors.items() if name not in known and (name or not inside)
        ]


def _takes_file(field: Field) -> bool:
    return field.kind == "file" or any(map(_takes_file, field.parts))


def _without_shapes(fields: tuple[Field, ...]) -> Iterator[Field]:
    for each in fields:
        if each.kind == "shapes":
            yield from (inner for shape in each.inner for inner in shape.inner)
        else:
            yield each


def _flat(fields: tuple[Field, ...], shapes: Mapping[str, Field | None]) -> Iterator[Field]:
    for each in fields:
        yield each
        if shape := shapes.get(each.control):
            yield from shape.inner


def _plain(fields: tuple[Field, ...]) -> Iterator[tuple[Field, str]]:
    return ((each, each.label) for each in fields)


def _shown(fields: tuple[Field, ...], texts: Texts, above: str = "") -> Iterator[tuple[Field, str]]:
    """Yield every field with its path of labels, outer ones first."""
    for each in fields:
        label = f"{above}{each.label}"
        yield each, label
        if each.kind in NESTING and each.control + JSON not in texts:
            if each.kind == "shapes":
                shape = each.shape(texts)
                yield from _shown(shape.inner if shape else (), texts, above)
                continue
            inner = each.inner if each.kind == "group" else tuple([entry for _key, entry in each.entries(texts)])
            yield from _shown(inner, texts, f"{label} › ")
