"""The last word on an answer before it goes out: the protocol's rule and the server's schema, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webclient.forms.display import visible
from webclient.forms.form import Form
from webclient.forms.values import is_sendable
from webclient.forms.verdict import Path, violations
from webclient.i18n import gettext as _

MOST_SENTENCES = 1_000


def check(schema: Any, content: Any) -> dict[str, str]:
    """Return what is wrong with `content` as an accepted answer to `schema`: property name, or "" -> sentence.

    An empty dict means that it can be sent. The rules: values are texts, numbers, booleans or lists of texts
    (MCP 2025-11-25, ElicitResult.content; null and objects are not among them), and the whole is valid by
    JSON Schema 2020-12.
    """
    return _by_protocol(content) or check_arguments(schema, content)


def check_arguments(schema: Any, arguments: Any) -> dict[str, str]:
    """Return what is wrong with `arguments` of a call by `schema`, a tool's `inputSchema`; values may nest."""
    if not isinstance(arguments, Mapping):
        return {"": _("Expected an object with a value for each field.")}
    found: dict[str, str] = {}
    for violation in violations(schema, arguments):
        place = violation.path[0] if violation.path else ""
        if len(found) < MOST_SENTENCES:
            found.setdefault(str(place), placed(violation.path[1:], violation.sentence))
    return found


def prefilled(form: Form) -> dict[str, Any]:
    """Return the content of `form` as nobody touched it: its valid defaults and its constants, nothing else."""
    return {field.name: field.default for field in form.fields if field.default is not None}


def placed(inner: Path, sentence: str) -> str:
    """Return `sentence` with the place `inner` of the value that it is about."""
    if not inner:
        return sentence
    if len(inner) == 1 and isinstance(inner[0], int):
        return _("Entry {n}: {sentence}").format(n=inner[0] + 1, sentence=sentence)
    return _("At {place}: {sentence}").format(place=visible(".".join(map(str, inner)), 200), sentence=sentence)


def _by_protocol(content: Any) -> dict[str, str]:
    if not isinstance(content, Mapping):
        return {}
    return {str(name): _why_not(value) for name, value in content.items() if not is_sendable(value)}


def _why_not(value: Any) -> str:
    if isinstance(value, str):
        return _("This text holds a character that cannot be sent, such as half of one.")
    rule = _("An answer can hold a text, a number, true or false, or a list of texts; this is something else.")
    return f"{_('Null is never sent: leave this out.')} {rule}" if value is None else rule
