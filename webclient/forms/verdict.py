"""The verdict of JSON Schema 2020-12 on a value, as sentences by place: never an exception, never a fetch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import jsonschema_rs

from webclient.forms import cost
from webclient.forms.checkable import BACKTRACKING, UncheckableError, checkable
from webclient.forms.messages import sentence
from webclient.forms.values import is_json
from webclient.i18n import gettext as _

LONGEST_TEXT = 1_000_000
LONGEST_BACKTRACKED = 10_000
"""Patterns with lookaround or back-references may take quadratic time; on longer values the server checks them."""

_MOST_ERRORS = 500

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Violation:
    """What is wrong at `path` of the value, as a sentence."""

    path: Path
    sentence: str


def violations(schema: Any, value: Any) -> list[Violation]:
    """Return what is wrong with `value` by `schema`; an empty list means that it is valid.

    `email` also takes international addresses, `uri` absolute URIs only, `date` and `date-time` follow RFC 3339.
    A schema that cannot be checked gives one violation at the root, which says so.
    """
    if not is_json(value):
        return [Violation((), _("It holds something that cannot be sent, such as half a character or no real number."))]
    try:
        return list(_violations(schema, value))
    except UncheckableError as uncheckable:
        return [Violation((), str(uncheckable))]
    except (ValueError, RecursionError):
        return [Violation((), _("What the server demands cannot be read, so it cannot be checked here."))]


def _violations(schema: Any, value: Any) -> Iterator[Violation]:
    length = _length(value)
    if length > LONGEST_TEXT:
        raise UncheckableError(_("This is too long to be sent: {n} characters.").format(n=length))
    kept = checkable(schema, backtracking=length <= LONGEST_BACKTRACKED)
    cost.bound(kept, value)
    validator = jsonschema_rs.Draft202012Validator(
        kept,
        validate_formats=True,
        formats={"email": _is_email},
        offline=True,  # whatever a server names, nothing is fetched
        pattern_options=BACKTRACKING,
    )
    if validator.is_valid(value):
        return
    for error in islice(validator.iter_errors(value), _MOST_ERRORS):
        yield from _told(error)


def _told(error: jsonschema_rs.ValidationError) -> Iterator[Violation]:
    path = tuple(error.instance_path)
    details = error.kind.as_dict()
    if isinstance(error.kind, _PATTERN_GAVE_UP):
        return
    if error.kind.name == "required":
        yield Violation((*path, details["property"]), _("This is required."))
    elif error.kind.name in ("additionalProperties", "unevaluatedProperties"):
        for name in details["unexpected"]:
            yield Violation((*path, name), _("The server did not ask for this, and does not accept it."))
    else:
        yield Violation(path, sentence(error))


_PATTERN_GAVE_UP = (
    jsonschema_rs.ValidationErrorKind.BacktrackLimitExceeded,
    jsonschema_rs.ValidationErrorKind.RegexEngineFailure,
)


def _length(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(len(key) + _length(each) for key, each in value.items())
    return sum(map(_length, value)) if isinstance(value, list) else 0


def _is_email(text: str) -> bool:
    return _EMAIL.is_valid(text)


_EMAIL = jsonschema_rs.Draft202012Validator(
    {"anyOf": [{"format": "email"}, {"format": "idn-email"}]},
    validate_formats=True,
    email_options=jsonschema_rs.EmailOptions(allow_display_text=False),
)
