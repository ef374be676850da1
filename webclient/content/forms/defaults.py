"""Finds the valid defaults of a form, and the fields for which an empty text or list is valid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from webclient.content.forms.field import Field, Kind
from webclient.content.forms.schema import Schema
from webclient.content.forms.validation import valid_names
from webclient.content.forms.values import has_type, is_json, is_list_of_texts, is_single, is_typable, same
from webclient.content.visible_text import hides_something, visible
from webclient.domain.i18n import gettext as _


def with_defaults(root: Schema, fields: tuple[Field, ...]) -> tuple[Field, ...]:
    """Return the fields with their valid defaults, and with `may_be_empty` where that is valid.

    Two checks do for all fields at any depth; the second is for fields with both a default and an empty value.
    """
    listed = dict(_listed(fields))
    judge = _with_nested(root, listed)
    candidates = {key: value for key, field in listed.items() if (value := _suggested(field)) is not None}
    empties = {
        key: _EMPTY[field.kind]
        for key, field in listed.items()
        if field.kind in _EMPTY and (field.required or key in candidates)
    }
    fitting = valid_names(judge, {**empties, **candidates})
    again = valid_names(judge, {key: empty for key, empty in empties.items() if key in candidates})
    sound = {key: default for key, default in candidates.items() if key in fitting}
    allowed = (fitting - candidates.keys()) | again

    def completed(key: str, field: Field) -> Field:
        parts = tuple([completed(each, part) for each, part in _parts(key, field)]) if field.parts else ()
        return _completed(field._replace(parts=parts), sound.get(key), is_allowed=key in allowed)

    return tuple([completed(_key(field, index), field) for index, field in enumerate(fields)])


def _listed(fields: tuple[Field, ...]) -> Iterator[tuple[str, Field]]:
    """Yield every field by its name in the schema, or by a made-up key if it is inside another field."""
    waiting = [(_key(field, index), field) for index, field in enumerate(fields)]
    while waiting:
        key, field = waiting.pop()
        yield key, field
        waiting += _parts(key, field)


_NESTED = "\0"
"""The first character of made-up keys."""


def _key(field: Field, index: int) -> str:
    return f"{_NESTED}{index}" if field.spreads else field.name


def _parts(key: str, field: Field) -> list[tuple[str, Field]]:
    return [(f"{_NESTED}{key}.{index}", part) for index, part in enumerate(field.parts)]


def _with_nested(root: Schema, listed: Mapping[str, Field]) -> Schema:
    nested = {key: field.schema for key, field in listed.items() if key.startswith(_NESTED)}
    if not nested:
        return root
    properties = root.get("properties")
    return {**root, "properties": {**(properties if isinstance(properties, Mapping) else {}), **nested}}


_SHAPES: dict[Kind, type] = {"group": dict, "map": dict, "list": list}
_EMPTY: dict[Kind, Any] = {"text": "", "textarea": "", "choices": [], "lines": [], "list": [], "map": {}}
"""Empty values that may be valid; an address is never empty."""


_TYPES: dict[Kind, str] = {"boolean": "boolean", "integer": "integer", "number": "number"}


def _completed(field: Field, default: Any, *, is_allowed: bool) -> Field:
    if field.kind in ("constant", "unfillable"):
        return field
    may_be_empty = is_allowed and (field.required or default is not None)
    if default is None and not may_be_empty:
        return field
    return field._replace(
        default=default,
        may_be_empty=may_be_empty,
        constraints=(*field.constraints, *_of_hidden(default)),
    )


def _of_hidden(default: Any) -> list[str]:
    """Return a sentence that shows hidden characters: the text of a field is sent as it is."""
    if not isinstance(default, str) or not hides_something(default):
        return []
    return [_("The suggested text contains hidden characters: {text}").format(text=visible(default, 200))]


def _suggested(field: Field) -> Any:
    """Return the value that the server suggests, or its only option."""
    if "default" in field.schema and (value := holdable(field, field.schema["default"])) is not None:
        return value
    alone = field.kind == "choice" and field.required and len(field.options) == 1
    return field.options[0].value if alone else None


def holdable(field: Field, value: Any) -> Any:
    """Return `value` as the control of `field` can show it, valid or not; None if it cannot."""
    match field.kind:
        case "constant" | "unfillable":
            return None
        case "group" | "map" | "list" | "json":
            return value if is_json(value) and isinstance(value, _SHAPES.get(field.kind, object)) else None
        case "choice":
            return next((o.value for o in field.options if same(o.value, value)), None)
        case "choices" | "lines":
            return _holdable_list(field, value)
        case "integer" if isinstance(value, float) and value.is_integer():
            return int(value)
        case _:
            fits = is_single(value) and has_type(value, _TYPES.get(field.kind, "string"))
            return value if fits and (not isinstance(value, str) or is_typable(value)) else None


def _holdable_list(field: Field, value: Any) -> list[str] | None:
    """Return `value` as a list of texts; a single text counts as a list of one."""
    listed = [value] if isinstance(value, str) else value
    if not is_list_of_texts(listed):
        return None
    if field.kind == "lines":
        return listed if all(each and not set("\r\n\0") & set(each) for each in listed) else None
    known = {option.value for option in field.options}
    return listed if known.issuperset(listed) and len(set(listed)) == len(listed) else None
