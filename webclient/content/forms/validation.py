"""Validates content before sending: the protocol's rule for values and the server's schema, as sentences by place.

Never raises and never fetches: a schema that cannot be checked gives one violation that says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

import jsonschema_rs

from webclient.content.forms import limits
from webclient.content.forms.form import Form
from webclient.content.forms.keywords import DEFINING, DEMANDS
from webclient.content.forms.messages import sentence
from webclient.content.forms.patterns import BACKTRACKING
from webclient.content.forms.sanitize import UncheckableError, checkable
from webclient.content.forms.values import is_json, is_sendable
from webclient.content.visible_text import visible
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import sentences

LONGEST_TEXT = 1_000_000
LONGEST_BACKTRACKED = 10_000
"""Characters; on longer values the server alone checks patterns with lookaround or back-references, which are slow."""

_MOST_ERRORS = 500
_LONGEST_RULE = 200

COMPILED = 16
"""Schemas that stay compiled, because typed text is checked at every pause. A large one takes 5 MB."""

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Violation:
    """An error at `path` of the value, as a sentence; `rule` is the schema's, "" if the value was not checked."""

    path: Path
    sentence: str
    rule: str = ""


def violations(schema: Any, value: Any) -> list[Violation]:
    """Return the violations of `schema` in `value`; an empty list means valid.

    `email` also accepts international addresses, `uri` absolute URIs only, `date` and `date-time` follow RFC 3339.
    A schema that cannot be checked gives one violation at the root, which says so.
    """
    if not is_json(value):
        return [
            Violation(
                (),
                _("It contains something that cannot be sent, such as half of a surrogate pair or an infinite number."),
            )
        ]
    try:
        return [
            violation for error in islice(_errors(schema, value), _MOST_ERRORS) for violation in _violations_of(error)
        ]
    except UncheckableError as uncheckable:
        return [Violation((), str(uncheckable))]
    except (ValueError, RecursionError):
        return [Violation((), _("The server's schema cannot be read, so it cannot be checked here."))]


def valid_names(schema: Mapping[str, Any], values: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of `values` that are valid by their own properties in `schema`.

    Other demands of the schema are left aside. If it cannot be checked, no name is valid.
    """
    if not values:
        return frozenset()
    try:
        errors = list(_errors(_demands_on(schema, values), values))
    except (UncheckableError, ValueError, RecursionError):
        return frozenset()
    return frozenset(values) - {_path(error)[0] if _path(error) else "" for error in errors}


def _demands_on(schema: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of `schema` about the properties of `values`; all properties if one may refer to another."""
    own = {name: schema["properties"][name] for name in values}
    aside = {key: value for key, value in schema.items() if key in DEFINING or key not in DEMANDS}
    return {**aside, "properties": schema["properties"] if "'$ref'" in str(own) else own}


def _errors(schema: Any, value: Any) -> Iterator[jsonschema_rs.ValidationError]:
    length = _length(value)
    if length > LONGEST_TEXT:
        raise UncheckableError(_("This is too long to be sent: {n} characters.").format(n=length))
    checked, validator = _read(_Same(schema), length <= LONGEST_BACKTRACKED)
    limits.bound(checked, value)
    for error in validator.iter_errors(value):
        if not isinstance(error.kind, _PATTERN_GAVE_UP):
            yield error


class _Same:
    """A schema as a key by identity: schemas never change, and comparing them costs as much as reading."""

    def __init__(self, schema: Any) -> None:
        self.schema = schema

    def __hash__(self) -> int:
        return id(self.schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.schema is self.schema


@lru_cache(maxsize=COMPILED)
def _read(same: _Same, backtracking: bool) -> tuple[dict[str, Any], jsonschema_rs.Draft202012Validator]:
    """Return the checkable part of a schema and its validator; raises as `checkable` does."""
    checked = checkable(same.schema, backtracking=backtracking)
    return checked, jsonschema_rs.Draft202012Validator(
        checked,
        validate_formats=True,
        formats={"email": _is_email},
        offline=True,  # references to other addresses are never fetched
        pattern_options=BACKTRACKING,
    )


def _violations_of(error: jsonschema_rs.ValidationError) -> Iterator[Violation]:
    path = _path(error)
    details = error.kind.as_dict()
    if error.kind.name == "required":
        yield Violation((*path, details["property"]), _("Required"), "required")
    elif error.kind.name in ("additionalProperties", "unevaluatedProperties"):
        for name in details["unexpected"]:
            unwanted = _("The server did not ask for this and does not accept it.")
            yield Violation((*path, name), unwanted, error.kind.name)
    else:
        yield Violation(path, sentence(error), _rule(error.kind.name, details))


def _rule(keyword: str, details: Mapping[str, Any]) -> str:
    """Return a rule of a schema as a programmer writes it: `minimum: 3`."""
    value = next(iter(details.values()), None)
    return f"{keyword}: {json.dumps(value)}"[:_LONGEST_RULE] if len(details) == 1 and is_json(value) else keyword


def _path(error: jsonschema_rs.ValidationError) -> Path:
    """Return the path with a first name that is empty, which the library leaves out."""
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


MOST_SENTENCES = 1_000


def check(schema: Any, content: Any) -> dict[str, str]:
    """Return the errors in `content` as an answer to `schema`, by property name or "".

    An empty dict means that it can be sent. The rules: values are texts, numbers, booleans or lists of texts, never
    null or objects (MCP 2025-11-25, ElicitResult.content), and the whole is valid by JSON Schema 2020-12.
    """
    return _by_protocol(content) or check_arguments(schema, content)


def check_arguments(schema: Any, arguments: Any) -> dict[str, str]:
    """Return the errors in the arguments of a call; `schema` is a tool's `inputSchema`, and values may nest."""
    if not isinstance(arguments, Mapping):
        return {"": _("Expected an object with a value for each field.")}
    found: dict[str, str] = {}
    for violation in violations(schema, arguments):
        place = violation.path[0] if violation.path else ""
        if len(found) < MOST_SENTENCES:
            found.setdefault(str(place), placed(violation.path[1:], violation.sentence))
    return found


def prefilled(form: Form) -> dict[str, Any]:
    """Return the content of the untouched `form`: its valid defaults and constants."""
    return {field.name: field.default for field in form.fields if field.default is not None}


def placed(inner: Path, sentence: str) -> str:
    """Return `sentence` with the place `inner` that it is about."""
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
        return _("This text contains a character that cannot be sent: half of a surrogate pair.")
    rule = _("Use a text, a number, true or false, or a list of texts.")
    return sentences([_("Null is never sent. Leave this out."), rule]) if value is None else rule
