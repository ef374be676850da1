"""Chooses the control for a property: its kind, options and constraints, or why it cannot be filled in here."""

from __future__ import annotations

from typing import Any, NamedTuple

from webclient.content.forms.field import Field, Kind, Option
from webclient.content.forms.hints import hints, pattern_hint
from webclient.content.forms.options import read_options, value_text, yes_or_no
from webclient.content.forms.references import UnreadableError
from webclient.content.forms.schema import Resolved, Resolver, Schema
from webclient.content.forms.values import is_sendable
from webclient.content.visible_text import visible
from webclient.domain.i18n import gettext as _

LONG_TEXT = 200
"""A text that may be longer than this gets a box of several lines."""

_FORMAT_KINDS: dict[str, Kind] = {"email": "email", "uri": "uri", "date": "date", "date-time": "datetime"}


class Control(NamedTuple):
    """The control for a property; `default` is the value of a constant, `parts` are the fields in it.

    `guessed`: the server does not say what kind of value it wants, and accepts other kinds, too. `format` is a sentence
    on its pattern, which the server's description explains.
    """

    kind: Kind
    constraints: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    default: Any = None
    guessed: bool = False
    parts: tuple[Field, ...] = ()
    format: str = ""


def control_of(resolver: Resolver, resolved: Resolved) -> Control:
    """Return the control for a property whose schema is `resolved`. Raises UnreadableError."""
    schema = resolved.schema
    if resolved.only_null:
        raise UnreadableError(_("It accepts only null, and null is never sent."))
    if "const" in schema:
        return _constant(schema["const"])
    options = read_options(schema)
    if options is not None:
        return _choice(resolver, "choice", options, resolved)
    if type_of(schema) == "array":
        return _list(resolver, resolved)
    kind, guessed = _simple_kind(schema), is_guess(schema)
    if kind == "boolean":
        return Control(kind, hints(resolved, kind, guessed=guessed), yes_or_no(), guessed=guessed)
    checked = "pattern" in schema and resolver.patterns.run(schema["pattern"])
    explained = pattern_hint(schema, kind, is_checked=checked)
    if explained and not schema.get("description"):
        return Control(kind, (explained, *hints(resolved, kind, guessed=guessed)), guessed=guessed)
    return Control(kind, hints(resolved, kind, guessed=guessed), guessed=guessed, format=explained)


def _constant(value: Any) -> Control:
    if not is_sendable(value):
        raise UnreadableError(_("Its fixed value cannot be sent in an answer."))
    return Control("constant", default=value, options=(Option(key="0", value=value, label=value_text(value)),))


def _choice(resolver: Resolver, kind: Kind, options: tuple[Option, ...], resolved: Resolved) -> Control:
    if not options:
        raise UnreadableError(_("None of its options can be sent in an answer."))
    if resolver.shows(len(options)):
        return Control(kind, hints(resolved, kind), options)
    if not all(isinstance(option.value, str) for option in options):
        raise UnreadableError(_("It has more options than can be shown: {count}.").format(count=len(options)))
    # Typed values are checked like any others, so only listed values are sent.
    sentence = _("Type one of the {count} values that the server accepts; there are too many to show.")
    if kind == "choices":
        sentence = _(
            "Type one or more of the {count} values that the server accepts, one per line; there are too many to show."
        )
    typed: Kind = "lines" if kind == "choices" else "text"
    return Control(typed, (sentence.format(count=len(options)), *hints(resolved, typed)))


def _list(resolver: Resolver, resolved: Resolved) -> Control:
    items = resolver.resolve(resolved.schema.get("items", True))
    options = read_options(items.schema)
    if options is not None:
        return _choice(resolver, "choices", tuple([o for o in options if isinstance(o.value, str)]), resolved)
    if type_of(items.schema) != "string":
        raise UnreadableError(_("Lists of anything but text aren't supported by MCP forms."))
    guessed = is_guess(items.schema)
    return Control("lines", hints(resolved, "lines", guessed=guessed), guessed=guessed)


def type_of(schema: Schema) -> Any:
    """Return the declared type, or the type that the other keywords imply; "string" by default."""
    if "type" in schema:
        return schema["type"]
    return _implied_type(schema) or _TYPE_OF_DEFAULT.get(type(schema.get("default")), "string")


def _implied_type(schema: Schema) -> str | None:
    """Return the only type that the keywords constrain, if the server left `type` out."""
    return next((named for named, keywords in _ABOUT.items() if not keywords.isdisjoint(schema)), None)


def is_guess(schema: Schema) -> bool:
    return "type" not in schema and _implied_type(schema) is None


_ABOUT = {
    "array": frozenset({"contains", "items", "maxItems", "minItems", "prefixItems", "uniqueItems"}),
    "object": frozenset({"additionalProperties", "maxProperties", "minProperties", "properties", "propertyNames"}),
    "string": frozenset({"format", "maxLength", "minLength", "pattern"}),
    "number": frozenset({"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"}),
}
_TYPE_OF_DEFAULT: dict[type, str] = {
    bool: "boolean",
    int: "number",
    float: "number",
    list: "array",
    dict: "object",
}


def _simple_kind(schema: Schema) -> Kind:
    match type_of(schema):
        case "string":
            return _text_kind(schema)
        case "boolean":
            return "boolean"
        case "integer":
            return "integer"
        case "number":
            return "number"
        case "object":
            raise UnreadableError(_("Nested fields aren't supported by MCP forms."))
        case other:
            raise UnreadableError(_("Its type is unknown: {kind}.").format(kind=visible(other, 60)))


def _text_kind(schema: Schema) -> Kind:
    named = schema.get("format")
    if isinstance(named, str) and named in _FORMAT_KINDS:
        return _FORMAT_KINDS[named]
    most, default = schema.get("maxLength"), schema.get("default")
    long = isinstance(most, int | float) and most > LONG_TEXT
    return "textarea" if long or (isinstance(default, str) and "\n" in default.replace("\r", "\n")) else "text"
