"""The constraints of a field as sentences, to read before typing."""

from __future__ import annotations

from typing import Any

from webclient.forms.field import TEXT_KINDS, Kind
from webclient.forms.keywords import FORMATS
from webclient.forms.sanitize import readable_demands
from webclient.forms.schema import Resolved, Schema
from webclient.i18n import gettext as _
from webclient.i18n import ngettext
from webclient.visible_text import visible

_DEMANDS = frozenset(
    {"exclusiveMaximum", "exclusiveMinimum", "maxItems", "maxLength", "maximum", "minItems", "minLength", "minimum"}
) | frozenset({"multipleOf", "uniqueItems"})


def hints(
    resolved: Resolved, kind: Kind, *, pattern_is_checked: bool = False, guessed: bool = False
) -> tuple[str, ...]:
    """Return a sentence for each constraint that `resolved` has for a field of `kind`."""
    schema, found = resolved.schema, _of_kind(kind)
    demands = {} if _DEMANDS.isdisjoint(schema) else readable_demands(schema, _DEMANDS)
    if kind in TEXT_KINDS:
        found += [*_of_length(demands), *_of_format(schema), *_of_pattern(schema, pattern_is_checked)]
    elif kind in ("integer", "number"):
        found += _of_bounds(demands) or ([_("A whole number.")] if kind == "integer" else [])
    elif kind in ("choices", "lines"):
        found += _of_count(demands, kind)
    elif kind == "list":
        found += _of_entries(demands)
    if guessed:
        found.append(_guess(kind))
    return (*found, *_of_others(resolved))


def _guess(kind: Kind) -> str:
    sentence = _("The server does not say what kind of value it wants. This is sent as {kind}.")
    named = {"boolean": _("true or false"), "lines": _("a list of texts"), "number": _("a number")}
    return sentence.format(kind=named.get(kind, _("a text")))


def _of_kind(kind: Kind) -> list[str]:
    match kind:
        case "email":
            return [_("An email address, such as name@example.com.")]
        case "uri":
            return [_("A full address, such as https://example.com/page.")]
        case "date":
            return [_("A date: year-month-day, such as 2026-12-24.")]
        case "datetime":
            return [_("A date, a time and its time zone.")]
        case "lines":
            return [_("One per line; empty lines are left out.")]
        case _:
            return []


def _of_length(schema: dict[str, Any]) -> list[str]:
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if least and most is not None:
        return [_("{least} to {most} characters.").format(least=int(least), most=int(most))]
    if most is not None:
        return [ngettext("At most {n} character.", "At most {n} characters.", int(most)).format(n=int(most))]
    if least:
        return [ngettext("At least {n} character.", "At least {n} characters.", int(least)).format(n=int(least))]
    return []


def _of_bounds(schema: dict[str, Any]) -> list[str]:
    found = []
    if "minimum" in schema and "maximum" in schema:
        found.append(_("From {least} to {most}.").format(least=schema["minimum"], most=schema["maximum"]))
    elif "minimum" in schema:
        found.append(_("{n} or more.").format(n=schema["minimum"]))
    elif "maximum" in schema:
        found.append(_("{n} or less.").format(n=schema["maximum"]))
    if "exclusiveMinimum" in schema:
        found.append(_("More than {n}.").format(n=schema["exclusiveMinimum"]))
    if "exclusiveMaximum" in schema:
        found.append(_("Less than {n}.").format(n=schema["exclusiveMaximum"]))
    if "multipleOf" in schema:
        found.append(_("A multiple of {n}.").format(n=schema["multipleOf"]))
    return found


def _of_format(schema: Schema) -> list[str]:
    name = schema.get("format")
    if not isinstance(name, str) or name in FORMATS:
        return []
    return [_("The server calls this format “{name}”. It is not checked here.").format(name=visible(name, 60))]


def _of_pattern(schema: Schema, is_checked: bool) -> list[str]:
    pattern = schema.get("pattern")
    if not isinstance(pattern, str):
        return []
    if is_checked:
        sentence = _("Must match the pattern {pattern}.")
    else:
        sentence = _("Must match the pattern {pattern}. It cannot be checked here; the server will check it.")
    return [sentence.format(pattern=visible(pattern, 200))]


def _of_count(schema: dict[str, Any], kind: Kind) -> list[str]:
    least, most = int(schema.get("minItems", 0)), schema.get("maxItems")
    found = []
    if least and most is not None:
        found.append(_("Choose {least} to {most}.").format(least=least, most=int(most)))
    elif most is not None:
        found.append(ngettext("Choose at most {n}.", "Choose at most {n}.", int(most)).format(n=int(most)))
    elif least:
        found.append(ngettext("Choose at least {n}.", "Choose at least {n}.", least).format(n=least))
    if kind == "lines" and schema.get("uniqueItems"):
        found.append(_("Each only once."))
    return found


def _of_entries(schema: dict[str, Any]) -> list[str]:
    least, most = int(schema.get("minItems", 0)), schema.get("maxItems")
    found = [_("Each only once.")] if schema.get("uniqueItems") else []
    if least and most is not None:
        return [_("{least} to {most} entries.").format(least=least, most=int(most)), *found]
    if most is not None:
        return [ngettext("At most {n} entry.", "At most {n} entries.", int(most)).format(n=int(most)), *found]
    if least:
        return [ngettext("At least {n} entry.", "At least {n} entries.", least).format(n=least), *found]
    return found


def _of_others(resolved: Resolved) -> list[str]:
    if not resolved.others:
        return []
    others = ", ".join(visible(other, 30) for other in resolved.others[:5])
    return [_("The server also accepts other kinds: {kinds}. This form does not support them.").format(kinds=others)]
