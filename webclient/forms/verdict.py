"""The verdict of JSON Schema 2020-12 on a value, as sentences by place: never an exception, never a fetch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

import jsonschema_rs

from webclient.forms import limits
from webclient.forms.keywords import DEFINING, DEMANDS
from webclient.forms.messages import sentence
from webclient.forms.patterns import BACKTRACKING
from webclient.forms.sanitize import UncheckableError, checkable
from webclient.forms.values import is_json
from webclient.i18n import gettext as _

LONGEST_TEXT = 1_000_000
LONGEST_BACKTRACKED = 10_000
"""Patterns with lookaround or back-references may take quadratic time; on longer values the server checks them."""

_MOST_ERRORS = 500

KEPT = 16
"""Schemas that stay compiled: what is typed is checked at every pause. One of the largest takes 5 MB."""

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
        return [violation for error in islice(_errors(schema, value), _MOST_ERRORS) for violation in _told(error)]
    except UncheckableError as uncheckable:
        return [Violation((), str(uncheckable))]
    except (ValueError, RecursionError):
        return [Violation((), _("What the server demands cannot be read, so it cannot be checked here."))]


def valid_names(schema: Mapping[str, Any], values: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of those `values` that are valid by their own properties of `schema`, whatever else it demands.

    None is if that cannot be checked. An answer has to be able to hold each of them.
    """
    if not values:
        return frozenset()
    try:
        errors = list(_errors(_judging(schema, values), values))
    except (UncheckableError, ValueError, RecursionError):
        return frozenset()
    return frozenset(values) - {_path(error)[0] if _path(error) else "" for error in errors}


def _judging(schema: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """What is said of `values`: their properties, or all where one may refer to another, and nothing on the whole."""
    own = {name: schema["properties"][name] for name in values}
    aside = {key: value for key, value in schema.items() if key in DEFINING or key not in DEMANDS}
    return {**aside, "properties": schema["properties"] if "'$ref'" in str(own) else own}


def _errors(schema: Any, value: Any) -> Iterator[jsonschema_rs.ValidationError]:
    length = _length(value)
    if length > LONGEST_TEXT:
        raise UncheckableError(_("This is too long to be sent: {n} characters.").format(n=length))
    kept, validator = _read(_Same(schema), length <= LONGEST_BACKTRACKED)
    limits.bound(kept, value)
    for error in validator.iter_errors(value):
        if not isinstance(error.kind, _PATTERN_GAVE_UP):
            yield error


class _Same:
    """A schema as a key: the very same one, as no one changes a schema, and comparing it would cost as reading does."""

    def __init__(self, schema: Any) -> None:
        self.schema = schema

    def __hash__(self) -> int:
        return id(self.schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.schema is self.schema


@lru_cache(maxsize=KEPT)
def _read(same: _Same, backtracking: bool) -> tuple[dict[str, Any], jsonschema_rs.Draft202012Validator]:
    """Return the part of a schema that is checked, and its validator; raises as `checkable` does."""
    kept = checkable(same.schema, backtracking=backtracking)
    return kept, jsonschema_rs.Draft202012Validator(
        kept,
        validate_formats=True,
        formats={"email": _is_email},
        offline=True,  # whatever a server names, nothing is fetched
        pattern_options=BACKTRACKING,
    )


def _told(error: jsonschema_rs.ValidationError) -> Iterator[Violation]:
    path = _path(error)
    details = error.kind.as_dict()
    if error.kind.name == "required":
        yield Violation((*path, details["property"]), _("This is required."))
    elif error.kind.name in ("additionalProperties", "unevaluatedProperties"):
        for name in details["unexpected"]:
            yield Violation((*path, name), _("The server did not ask for this, and does not accept it."))
    else:
        yield Violation(path, sentence(error))


def _path(error: jsonschema_rs.ValidationError) -> Path:
    """The library leaves empty names out; an answer begins with a name, so before an index there was one."""
    path = tuple(error.instance_path)
    return ("", *path) if path and isinstance(path[0], int) else path


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
