"""Turns errors of the validator into sentences: what is wrong and what would be right."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import jsonschema_rs

from webclient.content.visible_text import visible
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import listed, ngettext

_FEW = 6


def sentence(error: jsonschema_rs.ValidationError) -> str:
    """Return `error` as a sentence for the person who gave the value."""
    details = error.kind.as_dict()
    write = _SENTENCES.get(error.kind.name)
    return write(details, error.instance) if write else _("This does not match the server's schema.")


def _format_sentence(name: str, value: Any) -> str:
    if isinstance(value, str) and value != value.strip():
        return _("Remove the spaces before or after it.")
    return {
        "email": _("Enter an email address, like name@example.com."),
        "uri": _("Enter a full URL, like https://example.com/page."),
        "date": _("Enter an existing date as YYYY-MM-DD, like 2026-12-24."),
        "date-time": _("Enter an existing date, a time and a time zone, like 2026-12-24T18:30:00+01:00."),
    }.get(name, _("This does not have the format that the server asked for."))


def _type_sentence(names: list[str]) -> str:
    sentences = {
        "string": _("Expected a text."),
        "number": _("Expected a number."),
        "integer": _("Expected a whole number."),
        "boolean": _("Expected yes or no (true or false)."),
        "array": _("Expected a list."),
        "object": _("Expected an object."),
        "null": _("Expected nothing (null)."),
    }
    if len(names) == 1 and names[0] in sentences:
        return sentences[names[0]]
    return _("Expected a value of one of these types: {types}.").format(types=listed(names))


def _too_short(details: dict[str, Any], value: Any) -> str:
    return ngettext(
        "Enter at least {n} character ({seen} so far).",
        "Enter at least {n} characters ({seen} so far).",
        details["limit"],
    ).format(n=details["limit"], seen=len(value))


def _too_long(details: dict[str, Any], value: Any) -> str:
    return ngettext(
        "Enter at most {n} character (now {seen}).",
        "Enter at most {n} characters (now {seen}).",
        details["limit"],
    ).format(n=details["limit"], seen=len(value))


def _too_few(details: dict[str, Any], value: Any) -> str:
    return ngettext(
        "Choose at least {n} ({seen} so far).", "Choose at least {n} ({seen} so far).", details["limit"]
    ).format(n=details["limit"], seen=len(value))


def _too_many(details: dict[str, Any], value: Any) -> str:
    return ngettext("Choose at most {n} (now {seen}).", "Choose at most {n} (now {seen}).", details["limit"]).format(
        n=details["limit"], seen=len(value)
    )


def _too_few_fields(details: dict[str, Any], _value: Any) -> str:
    return ngettext("Fill in at least {n} field.", "Fill in at least {n} fields.", details["limit"]).format(
        n=details["limit"]
    )


def _too_many_fields(details: dict[str, Any], _value: Any) -> str:
    return ngettext("Fill in at most {n} field.", "Fill in at most {n} fields.", details["limit"]).format(
        n=details["limit"]
    )


def _none_fits(details: dict[str, Any], _value: Any) -> str:
    """Name the fields if each alternative lacks one."""
    errors = [error.kind for branch in details["context"] for error in branch]
    if not all(kind.name == "required" for kind in errors):
        return _("This does not match the server's schema.")
    names = dict.fromkeys(visible(kind.as_dict()["property"], 60) for kind in errors[:_FEW])
    return _("The server requires one of these: {names}.").format(names=listed(names))


def _one_of(details: dict[str, Any], _value: Any) -> str:
    if sum(not errors for errors in details["context"]) > 1:
        return _("This fits several of the options, and the server accepts only what fits one of them.")
    return _("This does not match the server's schema.")


def _not_listed(details: dict[str, Any], _value: Any) -> str:
    options = details.get("options", [details.get("expected_value")])
    shown = listed(visible(json.dumps(option, ensure_ascii=False), 40) for option in options[:_FEW])
    if len(options) > _FEW:
        return _("This is not one of the options, such as {options}.").format(options=shown)
    return _("Choose one of: {options}.").format(options=shown)


_SENTENCES: dict[str, Callable[[dict[str, Any], Any], str]] = {
    "minLength": _too_short,
    "maxLength": _too_long,
    "minItems": _too_few,
    "maxItems": _too_many,
    "minProperties": _too_few_fields,
    "maxProperties": _too_many_fields,
    "anyOf": _none_fits,
    "oneOf": _one_of,
    "enum": _not_listed,
    "const": _not_listed,
    "type": lambda details, _value: _type_sentence(details["types"]),
    "format": lambda details, value: _format_sentence(details["format"], value),
    "pattern": lambda details, _value: _("This does not match the format {pattern}.").format(
        pattern=visible(details["pattern"], 100)
    ),
    "minimum": lambda details, _value: _("Enter {n} or more.").format(n=details["limit"]),
    "maximum": lambda details, _value: _("Enter {n} or less.").format(n=details["limit"]),
    "exclusiveMinimum": lambda details, _value: _("Enter more than {n}.").format(n=details["limit"]),
    "exclusiveMaximum": lambda details, _value: _("Enter less than {n}.").format(n=details["limit"]),
    "multipleOf": lambda details, _value: _("Enter a multiple of {n}.").format(n=details["multiple_of"]),
    "uniqueItems": lambda _details, _value: _("The same value appears twice; each may appear once."),
    "falseSchema": lambda _details, _value: _("The server accepts nothing here. Leave it out."),
    "not": lambda _details, _value: _("This does not match the server's schema, or cannot be checked. Leave it out."),
}
