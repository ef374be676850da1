"""Which control suits a property: its kind, options and demands, or the reason why it cannot be filled in here."""

from __future__ import annotations

from typing import Any, NamedTuple

from webclient.forms.checkable import pattern_runs
from webclient.forms.form import Kind, Option
from webclient.forms.hints import hints
from webclient.forms.options import read_options, written, yes_or_no
from webclient.forms.schema import Resolved, Resolver, Schema, UnreadableError
from webclient.forms.text import visible
from webclient.forms.values import is_sendable
from webclient.i18n import gettext as _

LONG_TEXT = 200
"""A text that may be longer than this gets a box of several lines."""

_FORMAT_KINDS: dict[str, Kind] = {"email": "email", "uri": "uri", "date": "date", "date-time": "datetime"}


class Control(NamedTuple):
    """What a property needs to be filled in; `default` is the value of a constant."""

    kind: Kind
    constraints: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    default: Any = None


def control_of(resolver: Resolver, resolved: Resolved) -> Control:
    """Return the control that `resolved`, the schema of a property, calls for. Raises UnreadableError."""
    schema = resolved.schema
    if resolved.only_null:
        raise UnreadableError(_("It takes nothing but null, and null is never sent."))
    if "const" in schema:
        return _constant(schema["const"])
    options = read_options(schema)
    if options is not None:
        return _choice("choice", options, resolved)
    if _type_of(schema) == "array":
        return _list(resolver, resolved)
    kind = _simple_kind(schema)
    if kind == "boolean":
        return _choice(kind, yes_or_no(), resolved)
    pattern = schema.get("pattern")
    runs = isinstance(pattern, str) and resolver.take_pattern() and pattern_runs(pattern)
    return Control(kind, hints(resolved, kind, pattern_is_checked=runs))


def _constant(value: Any) -> Control:
    if not is_sendable(value):
        raise UnreadableError(_("Its fixed value is of a kind that no answer can hold."))
    return Control("constant", default=value, options=(Option(key="0", value=value, label=written(value)),))


def _choice(kind: Kind, options: tuple[Option, ...], resolved: Resolved) -> Control:
    if not options:
        raise UnreadableError(_("It offers no option that an answer can hold."))
    return Control(kind, hints(resolved, kind), options)


def _list(resolver: Resolver, resolved: Resolved) -> Control:
    items = resolver.resolve(resolved.schema.get("items", True))
    options = read_options(items.schema)
    if options is not None:
        return _choice("choices", tuple([o for o in options if isinstance(o.value, str)]), resolved)
    if items.schema.get("type") != "string":
        raise UnreadableError(_("It is a list of something else than texts, which no answer can hold."))
    return Control("lines", hints(resolved, "lines"))


def _type_of(schema: Schema) -> Any:
    """The type, or what the other keywords betray where a server forgot it."""
    if "type" in schema:
        return schema["type"]
    if "items" in schema:
        return "array"
    return "object" if "properties" in schema else "string" if _TEXT_KEYWORDS & schema.keys() else None


_TEXT_KEYWORDS = frozenset({"minLength", "maxLength", "pattern", "format"})


def _simple_kind(schema: Schema) -> Kind:
    match _type_of(schema):
        case "string":
            return _text_kind(schema)
        case "boolean":
            return "boolean"
        case "integer":
            return "integer"
        case "number":
            return "number"
        case "object":
            raise UnreadableError(_("It is a group of further fields, which no answer can hold."))
        case None:
            raise UnreadableError(_("The server does not say what kind of value it is."))
        case other:
            raise UnreadableError(_("It is of a kind that is not known here: {kind}.").format(kind=visible(other, 60)))


def _text_kind(schema: Schema) -> Kind:
    named = schema.get("format")
    if isinstance(named, str) and named in _FORMAT_KINDS:
        return _FORMAT_KINDS[named]
    most, default = schema.get("maxLength"), schema.get("default")
    long = isinstance(most, int | float) and most > LONG_TEXT
    return "textarea" if long or (isinstance(default, str) and "\n" in default.replace("\r", "\n")) else "text"
