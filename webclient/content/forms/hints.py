"""The constraints of a field as sentences, to read before typing; what its control shows by itself is not said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webclient.content.forms.field import TEXT_KINDS, Kind
from webclient.content.forms.keywords import FORMATS
from webclient.content.forms.sanitize import readable_demands
from webclient.content.forms.schema import Resolved, Schema
from webclient.content.visible_text import visible
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import listed, ngettext

_DEMANDS = frozenset(
    {"exclusiveMaximum", "exclusiveMinimum", "maxItems", "maxLength", "maximum", "minItems", "minLength", "minimum"}
) | frozenset({"multipleOf", "uniqueItems"})


def hints(resolved: Resolved, kind: Kind, *, guessed: bool = False) -> tuple[str, ...]:
    """Return a sentence for each constraint of a field of `kind`, except its pattern."""
    schema, found = resolved.schema, [_("One per line.")] if kind == "lines" else []
    demands = {} if _DEMANDS.isdisjoint(schema) else readable_demands(schema, _DEMANDS)
    if kind in TEXT_KINDS:
        found += [*_of_length(demands), *_of_format(schema)]
    elif kind in ("integer", "number"):
        found += _of_bounds(demands)
    elif kind == "choices":
        found += _of_count(demands)
    elif kind in ("lines", "list"):
        found += _of_entries(demands)
    if guessed:
        found.append(_guess(kind))
    return (*found, *_of_others(resolved))


def _guess(kind: Kind) -> str:
    match kind:
        case "boolean":
            return _("Sent as true or false (the server didn't specify a type).")
        case "lines":
            return _("Sent as a list of texts (the server didn't specify a type).")
        case "number":
            return _("Sent as a number (the server didn't specify a type).")
        case _:
            return _("Sent as text (the server didn't specify a type).")


def _of_length(schema: dict[str, Any]) -> list[str]:
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if least and most is not None:
        return [_("{least} to {most} characters.").format(least=int(least), most=int(most))]
    if most is not None:
        return [ngettext("At most {n} character.", "At most {n} characters.", int(most)).format(n=int(most))]
    if least > 1:
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


def pattern_hint(schema: Schema, kind: Kind, *, is_checked: bool) -> str:
    """Return the sentence on the pattern of a text, or ""."""
    pattern = schema.get("pattern")
    if kind not in TEXT_KINDS or not isinstance(pattern, str):
        return ""
    if is_checked:
        sentence = _("Format: {pattern}")
    else:
        sentence = _("Format: {pattern}. It can't be checked here; the server will check it.")
    return sentence.format(pattern=visible(pattern, 200))


def count_hint(schema: Schema) -> str:
    """Return the sentence on how many entries a list takes, or ""."""
    return "".join(_of_count(readable_demands(schema, _DEMANDS)))


def _of_count(schema: Mapping[str, Any]) -> list[str]:
    least, most = int(schema.get("minItems", 0)), schema.get("maxItems")
    if least and most is not None and least == most:
        return [ngettext("Choose exactly {n}.", "Choose exactly {n}.", least).format(n=least)]
    if least and most is not None:
        return [_("Choose {least} to {most}.").format(least=least, most=int(most))]
    if most is not None:
        return [ngettext("Choose at most {n}.", "Choose at most {n}.", int(most)).format(n=int(most))]
    if least:
        return [ngettext("Choose at least {n}.", "Choose at least {n}.", least).format(n=least)]
    return []


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
    others = listed(visible(other, 30) for other in resolved.others[:5])
    return [_("The server also accepts other kinds: {kinds}. This form does not support them.").format(kinds=others)]
