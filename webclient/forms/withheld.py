"""Which values must not be kept once they were sent: whatever the guard of secrets would warn of, and a bit more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webclient.forms.credentials import looks_secret
from webclient.forms.form import Form
from webclient.forms.secret_phrases import names_secret
from webclient.forms.secrets import TYPED, asks_for_secret, typed_secrets


def withheld(form: Form, content: Mapping[str, Any], message: str = "") -> tuple[str, ...]:
    """Return the names of those values in `content` that may be secrets.

    They are so where the form or the `message` beside it asks for a credential, by what was typed, and, deep in a
    value or where the form has no such field, by the name that it goes under.
    """
    asked, typed = asks_for_secret(form, message), typed_secrets(content, form)
    kinds = {field.name: field.kind for field in form.fields}
    return tuple(
        name
        for name, value in content.items()
        if name in asked
        or name in typed
        or ("" in asked and kinds.get(name) in TYPED)
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
