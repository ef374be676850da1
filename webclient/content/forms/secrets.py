"""Credentials in forms: which fields ask for one, and which values must not be shown or stored.

Form mode must not carry secrets (MCP 2025-11-25, Elicitation), so a field that asks for one gets a warning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from webclient.content.forms.form import Field, Form
from webclient.content.secrets import (
    LONGEST_NAME,
    asks_for_credential,
    describes_secret,
    looks_secret,
    names_secret,
    readings,
)
from webclient.domain.i18n import gettext as _

TYPED = frozenset({"text", "textarea", "lines", "integer", "number", "uri"})
"""Kinds into which a secret could be typed; asking whether a person *has* a password does not ask for it."""

DOTS = "••••••••"

_PIN_CODE = re.compile(r"\bpin code\b")
_ADDRESS = re.compile(r"\b(?:address|city|district|locality|postal|state|street|town)\b")


def asks_for_secret(form: Form, message: str = "") -> dict[str, str]:
    """Return the labels of fields that ask for a credential, by name; "" stands for `message`.

    A PIN code beside other parts of an address counts as an Indian postal code.
    """
    fields = [field for field in form.every if not _PIN_CODE.search(_words(field.name))]
    if len(fields) == len(form.every) or not any(_ADDRESS.search(_words(field.name)) for field in fields):
        fields = list(form.every)
    found = {field.name: field.label for field in fields if _asks(field)}
    if not found and asks_for_credential(message) and any(field.kind in TYPED for field in form.every):
        found[""] = ""
    return found


def typed_secrets(content: Mapping[str, Any], form: Form | None = None) -> dict[str, str]:
    """Return warnings for values in `content` that look like a credential, by property name.

    Defaults and options of the server's own `form` do not count.
    """
    suggested = {field.name: _suggested(field) for field in form.every} if form else {}
    found: dict[str, str] = {}
    files = {field.name for field in form.every if field.kind == "file"} if form else set()
    for name, value in content.items():
        if name in files:
            continue
        for each in value if isinstance(value, list) else [value]:
            if (sentence := looks_secret(each)) and each not in suggested.get(name, ()):
                found[name] = sentence
    return found


def secrets_to_confirm(content: Mapping[str, Any], form: Form, warnings: Mapping[str, str]) -> dict[str, str]:
    """Return warnings for values that a person confirms before they are sent, by property name.

    A value of `content` that looks like a credential, or any in a field that asks for one (`warnings`, from
    `asks_for_secret`). Defaults and options of the server's own `form` do not count.
    """
    asks = _("This field asks for a secret.")
    asking = [field for field in form.every if field.name in warnings and content.get(field.name)]
    return {
        **{field.name: asks for field in asking if content[field.name] not in _suggested(field)},
        **typed_secrets(content, form),
    }


def is_secret_field(field: Field, warnings: Mapping[str, str]) -> bool:
    """Return whether `warnings`, from `asks_for_secret`, apply to `field`."""
    # If only the message asks for a secret, it may mean any field that could take one.
    return field.name in warnings or ("" in warnings and field.kind in TYPED)


def asks_within(field: Field) -> bool:
    """Return whether a field inside `field`, at any depth, asks for a credential."""
    return any(_asks(part) or asks_within(part) for part in field.parts)


def concealed(form: Form, content: Mapping[str, Any], message: str = "") -> dict[str, Any]:
    """Return `content` with possible credentials replaced by dots, to show after sending."""
    warnings = asks_for_secret(form, message)
    hidden = {field.name for field in form.every if is_secret_field(field, warnings)} | typed_secrets(
        content, form
    ).keys()
    return {name: DOTS if name in hidden else value for name, value in content.items()}


def _suggested(field: Field) -> list[Any]:
    default = field.default if isinstance(field.default, list) else [field.default]
    return [*default, *(option.value for option in field.options)]


def _asks(field: Field) -> bool:
    if field.kind not in TYPED:
        return False
    return (
        field.schema.get("format") == "password"
        or names_secret(field.name)
        or names_secret(field.label)
        or describes_secret(f"{field.description}{field.more}")
    )


def _words(name: str) -> str:
    return readings(name[:LONGEST_NAME])[-1]


def withheld_values(form: Form, content: Mapping[str, Any], message: str = "") -> tuple[str, ...]:
    """Return the names of values in `content` that may be secrets.

    A value counts if the form or the `message` above it asks for a credential, if it looks like one, or, inside another
    value or without a field in the form, if its name is that of a credential.
    """
    warnings, typed = asks_for_secret(form, message), typed_secrets(content, form)
    kinds = {field.name: field.kind for field in form.every}
    return tuple(
        name
        for name, value in content.items()
        if name in warnings
        or name in typed
        or ("" in warnings and kinds.get(name) in TYPED)
        or (name not in kinds and _is_named(name, value))
        or _is_inside(value)
    )


def _is_named(name: str, value: Any) -> bool:
    return not isinstance(value, bool | None) and names_secret(name)


def _is_inside(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(_is_named(name, each) or looks_secret(each) or _is_inside(each) for name, each in value.items())
    if isinstance(value, list):
        return any(isinstance(each, Mapping | list) and _is_inside(each) for each in value)
    return False
