"""Is this form asking for a credential? Form mode must not carry secrets (MCP 2025-11-25)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from webclient.forms.credentials import looks_secret
from webclient.forms.disguises import readings
from webclient.forms.form import Field, Form
from webclient.forms.secret_phrases import LONGEST_NAME, describes_secret, invites, names_secret
from webclient.i18n import gettext as _

TYPED = frozenset({"text", "textarea", "lines", "integer", "number", "uri"})
"""Kinds into which a secret could be typed; a question whether one *has* a password is not a question for it."""

DOTS = "••••••••"

_PIN_CODE = re.compile(r"\bpin code\b")
_ADDRESS = re.compile(r"\b(?:address|city|district|locality|postal|state|street|town)\b")


def asks_for_secret(form: Form, message: str = "") -> dict[str, str]:
    """Return property name -> sentence for fields that ask for a credential; "" if `message` itself does.

    In India a PIN code is part of an address, and it is taken for one beside the rest of an address.
    """
    fields = [field for field in form.fields if not _PIN_CODE.search(_words(field.name))]
    if len(fields) == len(form.fields) or not any(_ADDRESS.search(_words(field.name)) for field in fields):
        fields = list(form.fields)
    found = {field.name: _warning(field) for field in fields if _asks(field)}
    if not found and invites(message) and any(field.kind in TYPED for field in form.fields):
        found[""] = _("The server's message seems to ask for a credential. Servers must not ask for one in a form.")
    return found


def typed_secrets(content: Mapping[str, Any], form: Form | None = None) -> dict[str, str]:
    """Return property name -> sentence for what in `content` looks like a credential.

    What the server of `form` suggested itself, as a default or an option, is none of the person's.
    """
    suggested = {field.name: _suggested(field) for field in form.fields} if form else {}
    found: dict[str, str] = {}
    for name, value in content.items():
        for each in value if isinstance(value, list) else [value]:
            if (sentence := looks_secret(each)) and each not in suggested.get(name, ()):
                found[name] = sentence
    return found


def is_asked(field: Field, asked: Mapping[str, str]) -> bool:
    """Whether `field` is one of those that `asked`, from `asks_for_secret`, is about."""
    # Where only the message asks for a secret, it may be meant for any field that takes one.
    return field.name in asked or ("" in asked and field.kind in TYPED)


def concealed(form: Form, content: Mapping[str, Any], message: str = "") -> dict[str, Any]:
    """Return `content` with dots in place of what is or may be a credential, to be shown long after it was sent."""
    asked = asks_for_secret(form, message)
    hidden = {field.name for field in form.fields if is_asked(field, asked)} | typed_secrets(content, form).keys()
    return {name: DOTS if name in hidden else value for name, value in content.items()}


def _suggested(field: Field) -> list[Any]:
    default = field.default if isinstance(field.default, list) else [field.default]
    return [*default, *(option.value for option in field.options)]


def _warning(field: Field) -> str:
    return _(
        "“{name}” seems to ask for a credential. Servers must not ask for one in a form: "
        "what you type would pass through this page and may be kept. Decline unless you are sure."
    ).format(name=field.label)


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
